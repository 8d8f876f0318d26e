"""The settings that learned soonest: the rows of a sweep by combination, over the seeds."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from transformer_core.model.config import TransformerConfig
from transformer_core.training.sweep_rows import SweepRow

_OF_THE_TASK = ("src_vocab", "tgt_vocab", "pad_id")


@dataclass(frozen=True)
class Combination:
    """One model's settings, trained from several seeds.

    Attributes:
        most_steps: that each was allowed; None for what learning in the app takes.
        rows: one for each seed, in the order of the seeds, those that failed included; of a seed that occurs twice, the last.
    """

    task: str
    cfg: TransformerConfig
    most_steps: int | None
    rows: tuple[SweepRow, ...]

    @property
    def finished(self) -> list[SweepRow]:
        """The rows that did not fail."""
        return [row for row in self.rows if row.outcome != "failed"]

    @property
    def reached(self) -> list[int]:
        """The steps to 99 % right of the seeds that got there, the smallest first."""
        return sorted(row.to_99 for row in self.finished if row.to_99 is not None)

    @property
    def median(self) -> float | None:
        """The median of the steps to 99 % right over the seeds that did not fail, where one that never got there counts as
        later than any other; None where that makes it infinite, or where there are no seeds."""
        steps = [math.inf if row.to_99 is None else row.to_99 for row in self.finished]
        middle = float(np.median(steps)) if steps else math.inf
        return middle if middle < math.inf else None

    @property
    def right(self) -> tuple[int, int]:
        """Held-out rows answered right at the end, of how many; over all seeds that did not fail."""
        return sum(row.right for row in self.finished), sum(row.rows for row in self.finished)

    @property
    def cpu_seconds(self) -> float:
        """The processor seconds of all seeds."""
        return sum(row.cpu_seconds for row in self.finished)

    @property
    def parameters(self) -> int:
        return self.rows[0].parameters


def combinations(rows: Sequence[SweepRow]) -> list[Combination]:
    """The rows by their settings, the soonest first: by the median of the steps to 99 % right, and where that is none, by how
    many seeds got there and by the share right."""
    by_settings: dict[tuple[str, TransformerConfig, int | None], dict[int, SweepRow]] = {}
    for row in rows:  # the plan of a former version of the app may have left a row of the same seed
        by_settings.setdefault((row.task, row.cfg, row.most_steps), {})[row.seed] = row
    combined = [Combination(*settings, tuple(own[seed] for seed in sorted(own))) for settings, own in by_settings.items()]
    return sorted(combined, key=_order)


def _order(each: Combination) -> tuple[float, float, float]:
    right, of = each.right
    share_there = len(each.reached) / max(len(each.finished), 1)
    return math.inf if each.median is None else each.median, -share_there, -right / max(of, 1)


def varied(ranked: Sequence[Combination]) -> list[str]:
    """The names of the settings in which combinations differ, in the order of `TransformerConfig`. Not `most_steps`."""
    settings = [asdict(each.cfg) for each in ranked]
    return [
        name
        for name in TransformerConfig.__dataclass_fields__
        if name not in _OF_THE_TASK and len({values[name] for values in settings}) > 1
    ]


def overlap(one: Combination, other: Combination) -> bool:
    """Whether the ranges of two combinations' steps to 99 % right have a step in common; a seed that never got there
    makes a range end nowhere."""
    low, high = zip(_range(one), _range(other), strict=True)
    return max(low) <= min(high)


def rivals(ranked: Sequence[Combination]) -> list[Combination]:
    """The combinations of which a seed got there, and that may be as soon as the first one: see `overlap`."""
    return [each for each in ranked[1:] if each.reached and overlap(ranked[0], each)]


def apart_by_chance(ranked: Sequence[Combination]) -> int:
    """In one of how many cases the seeds of two equally fast combinations lie apart, each of the one before each of the other:
    of the first and the one with the fewest seeds."""
    first, *others = (len(each.finished) for each in ranked)
    return math.comb(first + min(others), first) // 2


def _range(each: Combination) -> tuple[float, float]:
    everyone = len(each.reached) == len(each.finished)
    return each.reached[0] if each.reached else math.inf, each.reached[-1] if everyone and each.reached else math.inf


def range_words(each: Combination) -> str:
    """The steps to 99 % of the first and the last seed: `120–180`; `120–` if not all seeds got there, `–` if none did."""
    if not each.reached:
        return "–"
    first, last = each.reached[0], each.reached[-1]
    if len(each.reached) < len(each.finished):
        return f"{first:,}–"
    return f"{first:,}" if first == last else f"{first:,}–{last:,}"
