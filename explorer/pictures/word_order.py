"""Pictures of the encoder's output for words in another order, and of three kinds of positions."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from explorer.figures.matrix import Matrices, matrices
from explorer.i18n import _
from explorer.inference.forward import ModelChoice, Random, model_of
from explorer.inference.settings import MAX_TOKENS
from explorer.inference.shared_cache import shared_cache
from explorer.inference.shown_model import ShownModel
from explorer.pictures.registry import Ends, Longest, picture
from transformer_core.analysis import word_order
from transformer_core.analysis.embedding_metrics import similarity
from transformer_core.analysis.word_order import Moved

DIMENSIONS = 24  # columns that are drawn
MOST_PLACES = 128  # the end of the knob


@dataclass(frozen=True)
class OrderChoices:
    """A new order of the words: entry i is the old place of the word that stands at place i now."""

    order: Annotated[tuple[int, ...], Longest(MAX_TOKENS)]


@dataclass(frozen=True)
class PlacesChoices:
    """The number of positions."""

    places: Annotated[int, Ends(1, MOST_PLACES)]


@picture("moved-none")
def without_positions(shown: ShownModel, choices: OrderChoices) -> Matrices:
    """Draws the encoder's output for both orders, without positions."""
    return _compared(shown, moved_of(shown, choices)[0])


@picture("moved-own")
def with_its_positions(shown: ShownModel, choices: OrderChoices) -> Matrices:
    """Draws the same with the model's positions."""
    return _compared(shown, moved_of(shown, choices)[1])


def moved_of(shown: ShownModel, choices: OrderChoices) -> tuple[Moved, Moved]:
    """Returns the encoder's output for both orders, without positions and with its own."""
    return _moved(shown.choice, shown.src, order_of(shown, choices))


def order_of(shown: ShownModel, choices: OrderChoices) -> tuple[int, ...]:
    """The new order; where the number of words has changed since, that of those that are still there, then the rest."""
    places = range(len(shown.src))
    return tuple(dict.fromkeys([*(i for i in choices.order if i in places), *places]))


@shared_cache(2**25)
def _moved(choice: ModelChoice, src: tuple[int, ...], order: tuple[int, ...]) -> tuple[Moved, Moved]:
    model = model_of(choice)
    bare = word_order.without_positions(model)
    return word_order.permute_source(bare, src, order), word_order.permute_source(model, src, order)


def _compared(shown: ShownModel, found: Moved) -> Matrices:
    n, d = len(shown.src), min(shown.cfg.d_model, DIMENSIONS)
    names = [_("original order"), _("new order"), _("put back")]
    return matrices(
        [x[:, :d] for x in (found.plain, found.moved, found.put_back)], names=names, rows=n, columns=d,
        row_title=_("position"), column_title=_("dimension"), signed=True, wide=3, size=220,
    )  # fmt: skip


@picture("kinds")
def kinds(shown: ShownModel, choices: PlacesChoices) -> Matrices:
    """Draws what each kind of positions adds to a word."""
    d = min(shown.cfg.d_model, DIMENSIONS)
    drawn = [table[:, :d] for table in tables_of(shown, choices).values()]
    return matrices(drawn, columns=d, column_title=_("dimension"), **_of_kinds(shown, choices))


@picture("kinds-alike")
def kinds_alike(shown: ShownModel, choices: PlacesChoices) -> Matrices:
    """Draws the cosine of each two positions."""
    drawn = [similarity(table) for table in tables_of(shown, choices).values()]
    n, closed = _length(shown, choices), _("nothing to compare")
    return matrices(drawn, columns=n, column_title=_("position"), closed=closed, **_of_kinds(shown, choices))


def tables_of(shown: ShownModel, choices: PlacesChoices) -> dict[str, np.ndarray]:
    """Returns the table that each kind of positions adds. Shape: -> each (position, d_model)"""
    return _tables(shown.choice, _length(shown, choices))


def seed_of(choice: ModelChoice) -> int:
    """The seed of the learned table, for a model that has none."""
    return choice.weights.seed if isinstance(choice.weights, Random) else 0


@shared_cache(2**25)
def _tables(choice: ModelChoice, length: int) -> dict[str, np.ndarray]:
    return word_order.position_tables(model_of(choice), length, seed_of(choice))


def _length(shown: ShownModel, choices: PlacesChoices) -> int:
    return min(choices.places, shown.cfg.max_len)


def _of_kinds(shown: ShownModel, choices: PlacesChoices) -> dict[str, Any]:
    if shown.cfg.position != "learned":
        learned = _("learned (an example, still random)")
    else:
        learned = _("learned (this model's)") if shown.learning.step else _("learned (this model's, still random)")
    names = [_("sinusoidal"), learned, _("none")]
    length = _length(shown, choices)
    return {"names": names, "rows": length, "row_title": _("position"), "signed": True, "wide": 3, "size": 260}
