"""Dropout at work on the numbers of one stage: which of them fall, and what stays as it was on average (section 5.4)."""

from collections.abc import Sequence

import numpy as np
import torch

from transformer_core.model.dropout import Dropout


def dropped(x: np.ndarray, p: float, seed: int = 0) -> np.ndarray:
    """Applies the model's own dropout to numbers, as in a step of training: some become 0, the others grow.

    Shape: any -> the same
    """
    values: torch.Tensor = _module(p, seed)(torch.from_numpy(np.array(x, dtype=np.float32)))
    return values.numpy()


def distance_of_mean(x: np.ndarray, p: float, counts: Sequence[int], seed: int = 0) -> np.ndarray:
    """The distance of the average over so many draws from the numbers themselves, relative to their size (root of the mean
    square).

    Shape: x any, counts (n,), rising -> (n,)
    """
    module, values = _module(p, seed), torch.from_numpy(np.array(x, dtype=np.float32))
    total, distances, drawn = torch.zeros_like(values, dtype=torch.float64), [], 0
    for count in counts:
        for _draw in range(count - drawn):
            total += module(values)
        drawn = count
        distances.append(float((total / count - values).square().mean().sqrt() / values.double().square().mean().sqrt()))
    return np.array(distances)


def _module(p: float, seed: int) -> Dropout:
    module = Dropout(p).train()
    module.generator = torch.Generator().manual_seed(seed)
    return module
