"""Pictures of how widely each head of an attention attends, and how far."""

from explorer.figures.lines import bars
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.pictures.choices import AttentionChoices, attention
from explorer.pictures.registry import picture
from transformer_core.analysis.attention_map import AttentionMap
from transformer_core.analysis.attention_metrics import entropy, mean_distance


@picture("entropy")
def spread(shown: ShownModel, choices: AttentionChoices) -> Figure:
    """The entropy of each head's weights."""
    map = attention(shown, choices).map
    return bars(_names(map), {_("entropy"): entropy(map.weights)}, y_title=_("entropy (bits)"))


@picture("distance")
def reach(shown: ShownModel, choices: AttentionChoices) -> Figure:
    """The mean distance, in positions, from queries to keys. Raises ValueError for cross-attention, which has no distance."""
    map = attention(shown, choices).map
    if map.kind == "cross":
        raise ValueError("positions of two sentences have no distance")
    return bars(_names(map), {_("distance"): mean_distance(map.weights)}, y_title=_("mean distance (positions)"))


def _names(map: AttentionMap) -> list[str]:
    return [_("head {i}").format(i=i) for i in range(map.n_heads)]
