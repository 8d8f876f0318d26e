"""A sabotaged model beside the whole one: lengths of vectors, spread of attention, the first stage that differs.

Every number is a mean over held-out rows under teacher forcing: both models are given the same words.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

import torch
from torch import Tensor

from transformer_core.analysis.sabotage import SUSPECTS, Suspect
from transformer_core.data.batch import Batch
from transformer_core.model.attention import MultiHeadAttention
from transformer_core.model.stages import (
    ATTENTION_KINDS,
    CROSS_ATTENTION,
    DECODER,
    ENCODER,
    MEMORY,
    OUTPUT,
    SublayerPath,
    attention_path,
    embedding_stage,
    parse_stage,
    stage_names,
)
from transformer_core.model.trace import Trace
from transformer_core.model.transformer import Transformer

_DIFFERS = 1e-3  # relative: rounding is a thousandth of that
Pair = tuple[float, float]  # of the whole model, and of the broken one


@dataclass(frozen=True)
class Spread:
    """The attention of a sublayer.

    Attributes:
        heads: entropy of each head in bits, mean over its queries.
        even: what it would be if all open keys had the same weight.
        on_padding: share of the weight that lies on padding.
    """

    heads: tuple[Pair, ...]
    even: float
    on_padding: Pair


@dataclass(frozen=True)
class Evidence:
    """A broken model beside the whole one.

    Attributes:
        lengths: of the vectors of a stage, in the order of the pass: the positions of the encoder, then what each sublayer adds
            and the residual stream after it, at last the stacks' outputs.
        spreads: of each attention, by its path.
        first: the first stage that differs, and by how much: the length of the difference over that of the whole model's
            tensor; infinite for a mask.
        speaks: of every suspect, the number that convicts or clears it; see `_speaks`.
    """

    lengths: Mapping[str, Pair]
    spreads: Mapping[str, Spread]
    first: tuple[str, float]
    speaks: Mapping[Suspect, float]


@torch.inference_mode()
def examine(whole: Transformer, broken: Transformer, rows: Batch) -> Evidence:
    """Passes the rows, of which some must be padded, through both models."""
    passes = [_pass(model, rows) for model in (whole, broken)]
    a, b = passes
    names = [name for name in stage_names(whole.cfg) if name in a.stages and name in b.stages]
    real = {ENCODER: rows.src != whole.cfg.pad_id, DECODER: rows.labels != whole.cfg.pad_id}
    lengths = {name: (_length(a[name], real, name), _length(b[name], real, name)) for name in names if _is_measured(name)}
    spreads = {path.module: _spread(a, b, path, real) for path in _attentions(whole)}
    return Evidence(lengths, spreads, _first_difference(a, b, names), _speaks(whole, a, b, lengths, spreads, real))


def _pass(model: Transformer, rows: Batch) -> Trace:
    with Trace() as trace:
        model(rows.src, rows.tgt)
    return trace


def _is_measured(name: str) -> bool:
    return name in (MEMORY, OUTPUT, embedding_stage(ENCODER, "positions")) or (
        name.rpartition(".")[2] in ("output", "residual", "norm_in")
    )


def _attentions(model: Transformer) -> Iterator[SublayerPath]:
    for kind in ATTENTION_KINDS:
        for layer in range(model.cfg.n_layers):
            yield attention_path(kind, layer)


def _real(name: str, real: Mapping[str, Tensor]) -> Tensor:
    return real[ENCODER if name == MEMORY or name.startswith(ENCODER) else DECODER]


def _length(x: Tensor, real: Mapping[str, Tensor], name: str) -> float:
    """The mean length of the vectors at words, padding left out. Shape: ([batch,] length, d_model)"""
    norms = x.norm(dim=-1)
    return float(norms.mean() if norms.ndim == 1 else norms[_real(name, real)].mean())


def _spread(a: Trace, b: Trace, path: SublayerPath, real: Mapping[str, Tensor]) -> Spread:
    queries = real[path.stack]  # (batch, query)
    keys = real[DECODER if path.stack == DECODER and path.part != CROSS_ATTENTION else ENCODER]
    heads, on_padding = [], []
    for trace in (a, b):
        weights = trace[path.stage("weights")]  # (batch, head, query, key)
        bits = -(weights * weights.clamp_min(1e-12).log2()).sum(-1)
        heads.append([float(bits[:, head][queries].mean()) for head in range(weights.size(1))])
        on_padding.append(float((weights * ~keys[:, None, None]).sum(-1).mean(1)[queries].mean()))
    open_keys = (a[path.stage("masked_scores")][:, 0] > -math.inf).sum(-1)  # (batch, query)
    even = float(open_keys[queries].float().log2().mean())
    return Spread(tuple(zip(*heads, strict=True)), even, (on_padding[0], on_padding[1]))


def _first_difference(a: Trace, b: Trace, names: list[str]) -> tuple[str, float]:
    for name in names:
        one, other = a[name], b[name]
        if bool((one.isfinite() != other.isfinite()).any()):
            return name, math.inf
        if (differs := _relative(other, one)) > _DIFFERS:
            return name, differs
    return names[-1], 0.0


def _relative(x: Tensor, reference: Tensor) -> float:
    finite = x.isfinite() & reference.isfinite()
    return float((x - reference)[finite].norm() / reference[finite].norm().clamp_min(1e-9))


def _speaks(
    whole: Transformer,
    a: Trace,
    b: Trace,
    lengths: Mapping[str, Pair],
    spreads: Mapping[str, Spread],
    real: Mapping[str, Tensor],
) -> dict[Suspect, float]:
    """Measures for every suspect but "words", which answers tell, a number:

    - padding: the largest share of weight that lies on it (0 clears);
    - positions: the length of what is added to the words (0 convicts);
    - start: how far the first vector that the decoder reads is from the start token's (0 clears);
    - norm: how much longer the longest vectors behind a norm are than in the whole model (about 1 clears);
    - residual: the share of a sublayer's input that is left behind it, the smallest (1 clears, 0 convicts);
    - keys: how far the keys are from what W_K makes of the same vectors, the largest (0 clears);
    - layer: the length of what a sublayer adds, the smallest (0 convicts);
    - even: the spread of the most pointed head, over that of even attention, the largest of all layers (1 convicts).
    """
    first = embedding_stage(DECODER, "tokens")

    def speaks(suspect: Suspect) -> float:
        stack = ENCODER if suspect.place == "encoder" else DECODER
        paths = _sublayers(lengths, stack)
        match suspect.kind:
            case "padding":
                return max(each.on_padding[1] for name, each in spreads.items() if not name.endswith(f"{DECODER}.self_attn"))
            case "positions":
                return lengths[embedding_stage(ENCODER, "positions")][1]
            case "start":
                return _relative(b[first][:, 0], a[first][:, 0])
            case "norm":
                pairs = (lengths[path.stage("norm_in")] for path in paths)
                return max(broken / sound for sound, broken in pairs)
            case "residual":
                return min(_kept(b, *both, real) for both in _with_input(paths, stack))
            case "keys":
                of_kind = [attention_path(suspect.place, layer) for layer in range(whole.cfg.n_layers)]
                return max(_strangeness(whole, b, path) for path in of_kind)
            case "layer":
                return min(lengths[path.stage("output")][1] for path in paths)
            case "even":
                cross = [each for name, each in spreads.items() if name.endswith(CROSS_ATTENTION)]
                return max(min(broken for _sound, broken in each.heads) / each.even for each in cross)
            case _:
                return math.nan

    return {suspect: speaks(suspect) for suspect in SUSPECTS}


def _sublayers(names: Iterable[str], stack: str) -> list[SublayerPath]:
    """The sublayers of a stack, in the order of the pass."""
    stages = [parse_stage(name) for name in names]
    return [each.path for each in stages if each.path is not None and each.stack == stack and each.name == "residual"]


def _with_input(paths: list[SublayerPath], stack: str) -> Iterator[tuple[str, SublayerPath]]:
    """Each sublayer with the stage that enters it."""
    before = embedding_stage(stack, "sum")
    yield before, paths[0]
    for one, other in pairwise(paths):
        yield one.stage("residual"), other


def _kept(trace: Trace, before: str, path: SublayerPath, real: Mapping[str, Tensor]) -> float:
    """The length of what stands beside a sublayer's output in the residual stream, over that of what entered the sublayer."""
    kept = trace[path.stage("residual")] - trace[path.stage("output")]
    return _length(kept, real, before) / _length(trace[before], real, before)


def _strangeness(whole: Transformer, trace: Trace, path: SublayerPath) -> float:
    """Measures the distance of an attention's keys from those that the whole model's W_K makes of the same vectors."""
    attention = cast(MultiHeadAttention, whole.get_submodule(path.module))
    read = trace[MEMORY if path.part == CROSS_ATTENTION else path.stage("norm_in")]
    keys, _values = attention.keys_and_values(read)
    return _relative(trace[path.stage("k")], keys)
