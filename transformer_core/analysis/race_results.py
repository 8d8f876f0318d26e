"""Results of a race: who arrives when, from how many seeds; and how far apart a word and its copy are in each model."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import torch

from transformer_core.training.race import EVERY, TARGET, Entrant, Race, RaceRow, race_task, read_race

Scale = Literal["steps", "seconds"]
_SHIPPED = Path(__file__).parents[1] / "shipped" / "race.json"


@cache
def shipped_race() -> Race:
    """The race whose results come with the package."""
    return read_race(_SHIPPED.read_bytes())


def arrival(row: RaceRow, scale: Scale = "steps") -> float | None:
    """The steps, or the processor's seconds, after which a model had TARGET right; None if it never had."""
    if not row.has_arrived:
        return None
    at = next(place for place, right in enumerate(row.right) if right >= TARGET)
    return EVERY * at if scale == "steps" else row.seconds[at]


def course(row: RaceRow, scale: Scale = "steps") -> tuple[np.ndarray, np.ndarray]:
    """The points at which a model was judged, and its share right there. Shape: both (judgement,)"""
    at = EVERY * np.arange(len(row.right)) if scale == "steps" else np.array(row.seconds)
    return at, np.array(row.right)


def middle(rows: Sequence[RaceRow], scale: Scale = "steps") -> RaceRow:
    """The one of several seeds in the middle: as many arrived sooner as later. Those that never did are last, the best of them
    first; of an even number it is the later of two."""

    def late(row: RaceRow) -> tuple[float, float, int]:
        at = arrival(row, scale)
        return np.inf if at is None else at, -row.right[-1], row.seed

    return sorted(rows, key=late)[len(rows) // 2]


def by_place(rows: Sequence[RaceRow]) -> np.ndarray:
    """The share right of each place of the answers, the mean of all seeds at their ends. Shape: -> (place,)"""
    shares: np.ndarray = np.mean([row.by_place for row in rows], axis=0)
    return shares


def path_lengths(model: Entrant, task: str, length: int) -> np.ndarray:
    """Counts the steps between a word where it is read and where it is written, for each place of the answer: the "path length"
    of section 4 of the paper, on the way that is shortest.

    With attention it is one: the decoder looks at the word. Without, it goes through every state from the word to the end of
    the source, and from there through every state of the decoder up to its place. Shape: -> (place,)
    """
    if model != "lstm":
        return np.ones(length, dtype=int)
    written = np.arange(1, length + 1)
    read = race_task(task, length).answer(torch.arange(1, length + 1)[None])[0].numpy()  # where the word of each place stands
    return (length - read) + written


def waiting_steps(model: Entrant, length: int) -> int:
    """Steps of a pass in training that have to wait for one another ("sequential operations", table 1): the layers of a
    Transformer, here one of each stack, whatever the length; the states of an LSTM, one for each word that is read or written.
    """
    return 2 if model == "transformer" else (length + 1) + length  # the first symbol of the source is the same in all rows
