"""Splitting the width into heads and joining it again (section 3.2.2), a split that only looks right, and the cost of heads."""

import statistics
import time
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from transformer_core.errors import InputError
from transformer_core.model.attention import MultiHeadAttention, attention
from transformer_core.model.config import TransformerConfig
from transformer_core.model.initialisation import draw_weights, uninitialised
from transformer_core.model.trace import Trace


@dataclass(frozen=True)
class SplitStep:
    """One step from token vectors to heads and back: the line of code, and the shape that it gives."""

    code: str
    axes: tuple[str, ...]
    shape: tuple[int, ...]


def split_steps(d_model: int, n_heads: int, batch: int, length: int, keys: int | None = None) -> list[SplitStep]:
    """The shapes of attention, step by step, read from tensors on "meta": no memory, any size.

    `keys` is the length of the sequence attended to; None means the same sequence.

    Raises:
        InputError: where d_model is not divisible by n_heads.
    """
    with torch.device("meta"):
        module, x = _module(d_model, n_heads), torch.empty(batch, length, d_model)
    y = x if keys is None else torch.empty(batch, keys, d_model, device="meta")
    with Trace(shapes_only=True) as trace:
        module(x, y)
    stage = {name: recorded.shape for name, recorded in trace.stages.items()}
    projected = module.w_q(x)
    swapped_back = torch.empty(stage["context"], device="meta").transpose(1, 2)
    steps = [
        ("x", "batch token d_model", x.shape),
        ("w_q(x)", "batch token d_model", projected.shape),
        (".unflatten(-1, (n_heads, -1))", "batch token head d_k", projected.unflatten(-1, (n_heads, -1)).shape),
        (".transpose(1, 2)", "batch head token d_k", stage["q"]),
        ("q @ k.mT / √d_k", "batch head query key", stage["scores"]),
        ("softmax(scores) @ v", "batch head token d_v", stage["context"]),
        (".transpose(1, 2)", "batch token head d_v", swapped_back.shape),
        (".flatten(2)", "batch token d_model", stage["concat"]),
        ("w_o(concat)", "batch token d_model", stage["output"]),
    ]
    return [SplitStep(code, tuple(axes.split()), tuple(shape)) for code, axes, shape in steps]


def _check_split(d_model: int, n_heads: int) -> None:
    """Raises InputError for a width that cannot be split so."""
    if n_heads < 1 or d_model % n_heads:
        raise InputError(
            "d_model {d_model} cannot be split into {n_heads} equal heads; choose a divisor of it",
            d_model=d_model,
            n_heads=n_heads,
        )


def _module(d_model: int, n_heads: int) -> MultiHeadAttention:
    _check_split(d_model, n_heads)
    return MultiHeadAttention(TransformerConfig(1, 1, d_model, n_heads, dropout=0.0, attention_bias=False))


def wrong_split(x: Tensor, n_heads: int) -> Tensor:
    """The same shape without transposing: the numbers are only reshaped, and tokens get mixed up.

    Shape: (batch, token, d_model) -> (batch, head, token, d_k)
    """
    batch, length, d_model = x.shape
    return x.contiguous().view(batch, n_heads, length, d_model // n_heads)


@dataclass(frozen=True)
class HeadSplits:
    """One attention of a model, split the right way and the wrong way.

    Attributes:
        right_weights, wrong_weights: the resulting weights (head, query, key).
        alone: the largest difference between the queries of all heads, split from one product, and each head's computed alone
            with its own d_k rows of w_q.
        joined: the largest difference between the model's concat and its contexts, side by side.
    """

    right_weights: np.ndarray
    wrong_weights: np.ndarray
    alone: float
    joined: float


@torch.inference_mode()
def head_splits(module: MultiHeadAttention, query: np.ndarray, memory: np.ndarray, allowed: np.ndarray) -> HeadSplits:
    """The attention `module` of a model on its own input, split both ways; nothing else differs.

    Shape: query (query, d_model), memory (key, d_model), allowed (query, key) booleans, True = may attend
    """
    x, y = (torch.from_numpy(np.array(a))[None] for a in (query, memory))
    mask, n = torch.from_numpy(np.array(allowed))[None, None], module.n_heads
    with Trace() as trace:
        module(x, y, mask)
    q, k, v = module.w_q(x), module.w_k(y), module.w_v(y)
    cut = [wrong_split(a, n) for a in (q, k, v)]
    if module.rotation is not None:
        cut[:2] = module.rotation(cut[0]), module.rotation(cut[1])
    penalties = None if module.penalty is None else module.penalty(x.size(1), y.size(1))
    with Trace() as wrong:
        attention(cut[0], cut[1], cut[2], mask, score=module.score, penalties=penalties)
    own = [nn.functional.linear(x, *parts) for parts in _by_head(module.w_q, n)]
    queries = trace["q" if module.rotation is None else "unrotated_q"]
    alone = (torch.stack(own, dim=1) - queries).abs().max()
    joined = (torch.cat(list(trace["context"][0]), dim=-1) - trace["concat"][0]).abs().max()
    return HeadSplits(trace["weights"][0].numpy(), wrong["weights"][0].numpy(), float(alone), float(joined))


def _by_head(linear: nn.Linear, n_heads: int) -> list[tuple[Tensor, Tensor | None]]:
    """The rows of a projection that belong to each head, and their biases."""
    biases = [None] * n_heads if linear.bias is None else linear.bias.chunk(n_heads)
    return list(zip(linear.weight.chunk(n_heads), biases, strict=True))


@dataclass(frozen=True)
class HeadCost:
    """The cost of n_heads heads of d_model / n_heads dimensions, by formula, for self-attention on one sequence.

    Attributes:
        parameters: of the four projections, with or without biases.
        flops: of the matrix products, 2 per multiply-add.
        weights: the attention weights of all heads, each of which passes through the softmax.
        full_width_flops: of as many heads of full width d_model, joined by a w_o of n_heads·d_model columns.
    """

    n_heads: int
    d_k: int
    parameters: int
    flops: int
    weights: int
    full_width_flops: int


def head_cost(d_model: int, n_heads: int, length: int, bias: bool = True) -> HeadCost:
    """By formula: 4(d² + d) parameters, 2·4·n·d² + 2·2·n²·d operations, h·n² weights, with d = d_model, n = length."""
    _check_split(d_model, n_heads)
    d, n, h = d_model, length, n_heads
    flops = 2 * 4 * n * d * d + 2 * 2 * n * n * d
    return HeadCost(h, d // h, 4 * (d * d + (d if bias else 0)), flops, h * n * n, h * flops)


def head_choices(d_model: int, most: int = 32) -> list[int]:
    """The numbers of heads, up to `most`, over which d_model can be split."""
    return [h for h in range(1, min(d_model, most) + 1) if d_model % h == 0]


@torch.inference_mode()
def measure_heads(d_model: int, choices: list[int], length: int, batch: int, repeats: int, seed: int = 0) -> list[float]:
    """Milliseconds of one forward pass of the real module for each number of heads: the median of `repeats`, on this machine.

    The numbers of heads take turns, so that a busy moment of the machine does not affect just one of them.
    """
    x = torch.randn(batch, length, d_model, generator=torch.Generator().manual_seed(seed))
    modules = [_initialised(d_model, n_heads, seed) for n_heads in choices]
    times: list[list[float]] = [[] for _ in choices]
    for turn in range(repeats + 1):
        for module, taken in zip(modules, times, strict=True):
            start = time.perf_counter()
            module(x, x)
            if turn:  # the first pass is a warm-up
                taken.append(1000 * (time.perf_counter() - start))
    return [statistics.median(taken) for taken in times]


def _initialised(d_model: int, n_heads: int, seed: int) -> MultiHeadAttention:
    with uninitialised():
        module = _module(d_model, n_heads)
    draw_weights(module, torch.Generator().manual_seed(seed))
    return module.eval()
