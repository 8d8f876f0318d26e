"""Intervals by the bootstrap: rows are drawn again and again with replacement, always the same ones."""

from dataclasses import dataclass

import numpy as np

_DRAWS = 2000
_SEED = 0


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
    """The mean over the rows. Shape: (row,)"""
    return _estimate(float(values.mean()), values[_drawn(len(values))].mean(axis=1))


def ratio(parts: np.ndarray, wholes: np.ndarray) -> Estimate:
    """The sum of `parts` divided by that of `wholes`: such as a share of words where sentences are drawn. At least one whole is
    not 0. Shape: both (row,)"""
    drawn = _drawn(len(parts))
    above, below = parts[drawn].sum(axis=1), wholes[drawn].sum(axis=1)
    return _estimate(float(parts.sum() / wholes.sum()), above[below > 0] / below[below > 0])


def _drawn(n: int) -> np.ndarray:
    """Shape: -> (draw, row)"""
    return np.random.default_rng(_SEED).integers(n, size=(_DRAWS, n))


def _estimate(value: float, drawn: np.ndarray) -> Estimate:
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Estimate(value, float(low), float(high))
