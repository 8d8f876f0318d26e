"""Three kinds of layer that let the positions of a sequence exchange information, and what each costs (section 4, table 1)."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from transformer_core.errors import InputError


@dataclass(frozen=True)
class Cost:
    """One row of table 1, for several lengths n. Orders of magnitude, as in the paper: without constant factors.

    Shape: each (length,), whole numbers

    Attributes:
        operations: per layer; sequential: steps that have to wait for the one before; path: layers or steps that a signal
            passes between the two positions farthest apart.
    """

    operations: np.ndarray
    sequential: np.ndarray
    path: np.ndarray


def layer_costs(lengths: Sequence[int], d_model: int, kernel: int) -> dict[str, Cost]:
    """Self-attention n²·d, a recurrent layer n·d², a convolution k·n·d², dilated and stacked until all positions are connected.

    Raises:
        InputError: for a kernel smaller than 2, whose layers never connect two positions.
    """
    if kernel < 2:
        raise InputError("a convolution connects positions only with a kernel of at least 2, not {kernel}", kernel=kernel)
    n = np.array(lengths, dtype=np.int64)
    one = np.ones_like(n)
    return {
        "self-attention": Cost(n * n * d_model, one, one),
        "recurrent": Cost(n * d_model * d_model, n, n),
        "convolution": Cost(kernel * n * d_model * d_model, one, np.array([_layers(int(length), kernel) for length in n])),
    }


def multiplications(n: int, d_model: int, kernel: int) -> dict[str, int]:
    """All that one layer does on n tokens: attention compares, n²·d, sums up the values, n²·d, and has four projections, n·d²
    each; a recurrent layer has one matrix for what comes in and one for its state."""
    one_matrix = n * d_model**2
    return {
        "self-attention": 4 * one_matrix + 2 * n**2 * d_model,
        "recurrent": 2 * one_matrix,
        "convolution": kernel * one_matrix,
    }


def _layers(length: int, kernel: int) -> int:
    """log_k(n), rounded up, and at least 1."""
    layers = 1
    while kernel**layers < length:
        layers += 1
    return layers


def crossovers(d_model: int, kernel: int) -> dict[str, int]:
    """The length at which self-attention takes as many operations as the other layer: n²·d = n·d², n²·d = k·n·d²."""
    return {"recurrent": d_model, "convolution": kernel * d_model}


@dataclass(frozen=True)
class Measured:
    """Milliseconds of one forward pass of real layers, per length, and the number of torch's threads."""

    lengths: tuple[int, ...]
    milliseconds: dict[str, np.ndarray]
    threads: int


@torch.inference_mode()
def measure_layers(lengths: Sequence[int], d_model: int, n_heads: int, kernel: int, repeats: int = 5) -> Measured:
    """Times torch's own layers on one random sequence of each length, the layers in turn; the fastest of the repeats counts,
    because it was disturbed the least by whatever else the machine does.

    The weights are random, which does not affect the time.
    """
    draws = torch.Generator().manual_seed(0)
    attention = _filled(nn.MultiheadAttention(d_model, n_heads, batch_first=True, device="meta"), draws)
    recurrent = _filled(nn.RNN(d_model, d_model, batch_first=True, device="meta"), draws)
    gated = _filled(nn.GRU(d_model, d_model, batch_first=True, device="meta"), draws)
    convolution = _filled(nn.Conv1d(d_model, d_model, kernel, padding=kernel // 2, device="meta"), draws)
    layers: dict[str, Callable[[Tensor], object]] = {
        "self-attention": lambda x: attention(x, x, x, need_weights=False),
        "recurrent (RNN)": recurrent,
        "recurrent (GRU)": gated,
        "convolution": lambda x: convolution(x.mT),
    }
    shortest: dict[str, list[float]] = {name: [] for name in layers}
    for length in lengths:
        x = torch.randn(1, length, d_model, generator=draws)
        times: dict[str, list[float]] = {name: [] for name in layers}
        for turn in range(repeats + 1):
            for name, layer in layers.items():
                began = time.perf_counter()
                layer(x)
                if turn:  # the first turn is a warm-up
                    times[name].append(1000 * (time.perf_counter() - began))
        for name in layers:
            shortest[name].append(min(times[name]))
    return Measured(tuple(lengths), {name: np.array(values) for name, values in shortest.items()}, torch.get_num_threads())


def _filled(layer: nn.Module, draws: torch.Generator) -> nn.Module:
    """A layer built on "meta", then given weights: torch would draw them from the global generator."""
    layer = layer.to_empty(device="cpu").eval()
    for parameter in layer.parameters():
        nn.init.uniform_(parameter, -0.1, 0.1, generator=draws)
    return layer
