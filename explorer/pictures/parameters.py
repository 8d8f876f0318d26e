"""The parts that a model's parameters lie in: for their page, and while a knob is moved.

The choice "vocabulary" is the number of tokens, that of the model on screen or another one.
"""

from collections.abc import Callable
from dataclasses import replace

from explorer.figures.shares import shares
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.pictures.choices import Choices, whole
from transformer_core import TransformerConfig
from transformer_core.model.accounting import parameter_parts
from transformer_core.training.checkpoint import MAX_VOCABULARY

VOCABULARIES = (11, 1_000, 5_000, 37_000)  # that are offered besides the model's own


def config_of(shown: ShownModel, choices: Choices) -> TransformerConfig:
    """The model on screen, with this vocabulary on both sides unless it is its own. Raises ValueError for one beyond all that
    can be shown."""
    vocab = whole(choices, "vocabulary", 1, MAX_VOCABULARY)
    return shown.cfg if vocab == shown.cfg.tgt_vocab else replace(shown.cfg, src_vocab=vocab, tgt_vocab=vocab)


def by_part(shown: ShownModel, choices: Choices) -> Figure:
    """The share of each part of the model."""
    parts = parameter_parts(config_of(shown, choices))
    return shares([_(part.name) for part in parts], [part.by_count for part in parts], title=_("share of all parameters"))


PICTURES: dict[str, Callable[[ShownModel, Choices], Figure]] = {"parameters-by-part": by_part}
