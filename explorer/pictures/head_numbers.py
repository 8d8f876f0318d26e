"""How widely each head of an attention attends, and how far: for their part, and while a knob is moved. The choices "kind" and
"layer" say which attention."""

from collections.abc import Callable

from explorer.figures.lines import bars
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.pictures.choices import Choices, attention
from transformer_core.analysis.attention_map import AttentionMap
from transformer_core.analysis.attention_metrics import entropy, mean_distance


def spread(shown: ShownModel, choices: Choices) -> Figure:
    """The entropy of each head's weights."""
    map = attention(shown, choices).map
    return bars(_names(map), {_("entropy"): entropy(map.weights)}, y_title=_("entropy (bits)"))


def reach(shown: ShownModel, choices: Choices) -> Figure:
    """How many positions lie between queries and keys. Raises ValueError between two sentences, where there is no distance."""
    map = attention(shown, choices).map
    if map.kind == "cross":
        raise ValueError("positions of two sentences have no distance")
    return bars(_names(map), {_("distance"): mean_distance(map.weights)}, y_title=_("mean distance (positions)"))


def _names(map: AttentionMap) -> list[str]:
    return [_("head {i}").format(i=i) for i in range(map.n_heads)]


PICTURES: dict[str, Callable[[ShownModel, Choices], Figure]] = {"entropy": spread, "distance": reach}
