"""Vectors of weights in a byte for each number: blocks of 64 share one scale, the largest number of the block."""

from collections.abc import Mapping

import torch
import torch.nn.functional as F
from torch import Tensor

BLOCK = 64
_MOST = 127


def packed(name: str, vector: Tensor) -> dict[str, Tensor]:
    """Two tensors that stand for a vector; a number is off by at most 1/254 of the largest in its block, and by what float16
    rounds off.

    Shape: (n,) -> name.bytes (n,) int8, name.most (⌈n / 64⌉,) float16, the largest of each block
    """
    blocks = F.pad(vector.float(), (0, -len(vector) % BLOCK)).view(-1, BLOCK)
    most = blocks.abs().amax(dim=1, keepdim=True).half()  # (blocks, 1)
    steps = most.float().masked_fill(most == 0, 1.0) / _MOST
    quantised = (blocks / steps).round().clamp(-_MOST, _MOST).to(torch.int8)
    return {f"{name}.bytes": quantised.flatten()[: len(vector)].contiguous(), f"{name}.most": most.flatten()}


def unpacked(name: str, tensors: Mapping[str, Tensor]) -> Tensor:
    """The vector again. Shape: -> (n,) float16"""
    quantised, most = tensors[f"{name}.bytes"], tensors[f"{name}.most"]
    return (quantised.float() / _MOST * most.float().repeat_interleave(BLOCK)[: len(quantised)]).half()
