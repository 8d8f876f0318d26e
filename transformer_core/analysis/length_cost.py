"""Three kinds of layer that let positions exchange information: what a whole layer multiplies, and how long it takes."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn


def multiplications(n: int, d_model: int, kernel: int) -> dict[str, int]:
    """All that one layer does on n tokens: attention compares, n²·d, sums up the values, n²·d, and has four projections, n·d²
    each; a recurrent layer has one matrix for what comes in and one for its state."""
    one_matrix = n * d_model**2
    return {
        "self-attention": 4 * one_matrix + 2 * n**2 * d_model,
        "recurrent": 2 * one_matrix,
        "convolution": kernel * one_matrix,
    }


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
