"""Dropout at work on the numbers of one stage (section 5.4)."""

import numpy as np
import torch

from transformer_core.model.dropout import Dropout


def dropped(x: np.ndarray, p: float, seed: int = 0) -> np.ndarray:
    """Applies the model's own dropout to numbers, as in a step of training: some become 0, the others grow.

    Shape: any -> the same
    """
    module = Dropout(p).train()
    module.generator = torch.Generator().manual_seed(seed)
    values: torch.Tensor = module(torch.from_numpy(np.array(x, dtype=np.float32)))
    return values.numpy()
