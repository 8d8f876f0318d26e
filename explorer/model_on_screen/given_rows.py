"""Rows of the last layer's attention that a visitor gives, and what an answer's model writes with them."""

from collections.abc import Sequence
from typing import Literal, get_args

import torch
from torch import Tensor

from explorer import limits
from explorer.model_on_screen.decoding import generated_steps, most_steps
from explorer.model_on_screen.forward import ModelChoice, model_of
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from transformer_core.analysis.given_weights import SingleLooks, with_weights

Kind = Literal["cross", "decoder"]  # of an attention whose rows can be given
KINDS: tuple[Kind, ...] = get_args(Kind)
Ids = tuple[int, ...]


def single_looks(shown: ShownModel, kind: Kind) -> SingleLooks:
    """Returns what each row of the model's answer writes where one word has all its weight."""
    return _single_looks(shown.choice, shown.src, shown.answer, kind)


def given_row(shown: ShownModel, kind: Kind, query: int, weights: Sequence[float]) -> Tensor:
    """Returns the probabilities of the next word with these weights, divided by their sum, in one row of the model's answer.

    Shape: weights (key,): of the decoder's own attention the words up to the row; -> (vocab,)

    Raises:
        ValueError: for weights that are no row.
    """
    keys = len(shown.src) if kind == "cross" else query + 1
    if query >= len(shown.answer) or len(weights) != keys or not sum(weights) > 0:
        raise ValueError(f"{len(weights)} weights are no row {query} of {keys} words")
    shares = tuple(weight / sum(weights) for weight in weights)
    return _given_row(shown.choice, shown.src, shown.answer, kind, query, shares)


def goes_on(shown: ShownModel, query: int, word: int) -> list[int]:
    """Returns the ids that the model writes by itself behind a word in this row of its answer, the end left out."""
    start, *words = shown.answer
    forced = tuple(enumerate([*words[:query], word]))
    steps = most_steps(shown.cfg, limits.MAX_LENGTH)
    made = generated_steps(shown.choice, shown.src, (start,), steps, forced=forced, end=shown.vocabulary.end)
    return [step.token for step in made[query + 1 :] if step.token != shown.vocabulary.end]


@shared_cache(8 * 2**20, size=lambda found: found.alone.nbytes + found.own.nbytes + 2**12)
def _single_looks(choice: ModelChoice, src: Ids, tgt: Ids, kind: Kind) -> SingleLooks:
    return SingleLooks(model_of(choice), torch.tensor(src), torch.tensor(tgt), kind)


@shared_cache(2**20)
def _given_row(choice: ModelChoice, src: Ids, tgt: Ids, kind: Kind, query: int, weights: tuple[float, ...]) -> Tensor:
    row = torch.zeros(1, len(src) if kind == "cross" else len(tgt))
    row[0, : len(weights)] = torch.tensor(weights)
    return with_weights(model_of(choice), torch.tensor(src), torch.tensor(tgt), kind, row)[0, query]
