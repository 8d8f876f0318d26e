"""A picture of how the model's parameters are shared out among its parts."""

from dataclasses import dataclass, replace
from typing import Annotated

from explorer.figures.shares import shares
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.registry import Ends, picture
from transformer_core import TransformerConfig
from transformer_core.analysis.accounting import parameter_parts
from transformer_core.training.checkpoint import MAX_VOCABULARY

VOCABULARIES = (11, 1_000, 5_000, 37_000)  # sizes that are offered besides the model's own


@dataclass(frozen=True)
class VocabularyChoices:
    """The number of tokens, that of the model on screen or another one."""

    vocabulary: Annotated[int, Ends(1, MAX_VOCABULARY)]


def config_of(cfg: TransformerConfig, choices: VocabularyChoices) -> TransformerConfig:
    """The configuration on screen, with the chosen vocabulary on both sides; unchanged if that is its own."""
    vocab = choices.vocabulary
    return cfg if vocab == cfg.tgt_vocab else replace(cfg, src_vocab=vocab, tgt_vocab=vocab)


@picture("parameters-by-part", needs_weights=False)
def by_part(shown: ShownModel, choices: VocabularyChoices) -> Figure:
    """Draws the share of each part of the model in all parameters."""
    parts = parameter_parts(config_of(shown.cfg, choices))
    return shares([_(part.name) for part in parts], [part.by_count for part in parts], title=_("share of all parameters"))
