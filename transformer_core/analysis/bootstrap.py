"""Intervals by the bootstrap: rows are drawn again and again with replacement, always the same ones."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

_DRAWS = 2000
_SEED = 0
_TAILS = 0.01, 0.99  # of the studentised mean: at 2.5 and 97.5 %, intervals of costs held the truth in 91 to 94 % only
_LEAST_SPREAD = 0.2  # of the spread of all rows: a draw of nearly equal rows says little about theirs
COVERAGE, LEAST_COVERAGE = 0.95, 0.8  # see `mean`


@dataclass(frozen=True)
class Estimate:
    """A number that was found on some rows, and its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def holds_zero(self) -> bool:
        return self.low <= 0 <= self.high


def mean(values: np.ndarray) -> Estimate:
    """The mean over the rows, with an interval for rows of which most are near 0 and a few far away, as costs of cuts are.

    It is a studentised bootstrap (Efron and Tibshirani 1993, section 12.5): the distance of each draw's mean from that of all
    rows is measured in the draw's own spread. Of such rows it still promises too much, so its tails are cut at 1 %, not at 2.5.
    Of 200 rows drawn from 2,500, over the heads of the shipped translators, it holds the truth in `COVERAGE` of the cases; for
    the head whose cost comes from the fewest rows, in more than `LEAST_COVERAGE`. No interval can know of rows that were not
    drawn.

    Shape: (row,)
    """
    middle, spread, drawn = float(values.mean()), float(values.std()), _counts(len(values)) / len(values)
    if spread == 0:
        return Estimate(middle, middle, middle)
    means = drawn @ values
    spreads = np.sqrt(np.maximum(drawn @ (values - middle) ** 2 - (means - middle) ** 2, 0))
    distances = (means - middle) / np.maximum(spreads, _LEAST_SPREAD * spread)
    low, high = np.quantile(distances, _TAILS)
    return Estimate(middle, float(middle - high * spread), float(middle - low * spread))


def ratio(parts: np.ndarray, wholes: np.ndarray) -> Estimate:
    """The sum of `parts` divided by that of `wholes`: such as a share of words where sentences are drawn, by the percentiles of
    the draws. At least one whole is not 0. Shape: both (row,)"""
    drawn = _counts(len(parts))
    above, below = drawn @ parts, drawn @ wholes
    low, high = np.quantile(above[below > 0] / below[below > 0], [0.025, 0.975])
    return Estimate(float(parts.sum() / wholes.sum()), float(low), float(high))


@lru_cache(maxsize=4)
def _counts(n: int) -> np.ndarray:
    """How often each row is in each draw. Shape: -> (draw, row)"""
    drawn = np.random.default_rng(_SEED).integers(n, size=(_DRAWS, n))
    counts = np.stack([np.bincount(rows, minlength=n) for rows in drawn]).astype(np.float64)
    counts.flags.writeable = False
    return counts
