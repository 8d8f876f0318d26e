"""The pictures of positions as the hands of clocks: as the vector that is added, and as the turn of rotary positions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import torch

from explorer.figures.dials import dials, turned_pairs
from explorer.figures.style import Figure
from explorer.i18n import _, n_
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.registry import Ends, picture
from transformer_core.analysis.embedding_metrics import encoding, wave_lengths
from transformer_core.errors import InputError
from transformer_core.model.config import TransformerConfig
from transformer_core.model.embedding import frequencies
from transformer_core.model.relative_position import rotate

LAST_HAND = 23  # the last position on the dials
LAST_KEY, FARTHEST_QUERY = 20, 10  # of two words that are turned: the last position of the key, and how far on the query stands


@dataclass(frozen=True)
class HandChoices:
    """The position whose hands are drawn."""

    hand: Annotated[int, Ends(0, LAST_HAND)]


@picture("clock", needs_weights=False)
def clock(shown: ShownModel, choices: HandChoices) -> Figure:
    """Draws a fast, a slower and a slow pair of the positions' numbers as hands of a clock."""
    table, pairs = encoding(LAST_HAND + 1, shown.cfg.d_model), pairs_of_hands(shown)
    turns = wave_lengths(shown.cfg.d_model)
    names = [_("{n:.0f} positions to a turn").format(n=turns[i]) for i in pairs]
    tips = np.stack([table[:, [2 * i + 1, 2 * i]] for i in pairs])  # (pair, position, 2): to the right, and up
    return dials(tips, choices.hand, names=names)


def pairs_of_hands(shown: ShownModel) -> list[int]:
    """Returns the pairs that are drawn; none if there is none. A turn takes 6 positions, about 20, and about 63."""
    pairs = shown.cfg.d_model // 2
    if not pairs:
        raise ValueError("a single number is no hand")
    return sorted({0, pairs // 8, pairs // 4})


@dataclass(frozen=True)
class TurnChoices:
    """The position of the key, and how many further on the query stands."""

    turn_both: Annotated[int, Ends(0, LAST_KEY)]
    turn_query: Annotated[int, Ends(0, FARTHEST_QUERY)]


@picture("turned-pairs", needs_weights=False)
def turning(shown: ShownModel, choices: TurnChoices) -> Figure:
    """Draws a query and a key that rotary positions have turned, in a fast, a slower and a slow pair of a head's dimensions."""
    key, apart, pairs = choices.turn_both, choices.turn_query, turning_pairs(shown.cfg)
    hands = turned_hands(shown.cfg, [key + apart, key, apart, 0])  # (word, pair, 2)
    drawn = hands[:, pairs].swapaxes(0, 1)  # (pair, word, 2)
    degrees = np.degrees(frequencies(shown.cfg.d_k).numpy())
    titles = _("fast: {angle}° a word"), _("slower: {angle}° a word"), _("slow: {angle}° a word")
    names = [title.format(angle=f"{degrees[i]:.1f}") for title, i in zip(titles, pairs, strict=False)]
    n, score = shown.cfg.d_k // 2, f"{score_of(*hands[:2]):.2f}".replace("-", "−")
    foot = (
        n_("{n} pair alone: a score of {score}", "all {n} pairs, drawn or not: a score of {score}", n).format(n=n, score=score),
        _("dotted: both words moved to the start, with the same angle"),
        _("at position 0 both arrows point right; each is 1 long"),
    )
    last = LAST_KEY + FARTHEST_QUERY
    return turned_pairs(drawn[:, :2], drawn[:, 2:], query=key + apart, key=key, last=last, names=names, foot=foot)


def turned_hands(cfg: TransformerConfig, positions: Sequence[int]) -> np.ndarray:
    """Turns arrows that are 1 long and point to the right, one in each pair of a head's dimensions, as rotary positions turn
    the query or key at these positions (RoFormer, equation 34). Shape: (position, pair, 2)

    Raises:
        InputError: for heads of a single dimension.
    """
    pairs = cfg.d_k // 2
    if not pairs:
        raise InputError("A head of this model has a single dimension: there is no pair to be turned.")
    angles = torch.outer(torch.tensor(positions, dtype=torch.float64), frequencies(cfg.d_k)[:pairs])
    to_the_right = torch.tensor([1.0, 0.0], dtype=torch.float64).repeat(len(positions), pairs)  # (position, 2 * pair)
    return rotate(to_the_right, angles.cos(), angles.sin()).numpy().reshape(len(positions), pairs, 2)


def score_of(query: np.ndarray, key: np.ndarray) -> float:
    """The score of two words (section 3.2.1): their product over all pairs of a head, divided by √d_k. Shape: each (pair, 2)"""
    return float((query * key).sum()) / math.sqrt(query.size)


def turning_pairs(cfg: TransformerConfig) -> list[int]:
    """Returns the pairs of a head whose turn is drawn. The first turns by 57° from word to word, the others, where a head has
    pairs enough, by about 18° and 6°.
    """
    pairs = cfg.d_k // 2
    return [i for i in (0, max(1, pairs // 8), max(2, pairs // 4)) if i < pairs]
