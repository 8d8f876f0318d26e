"""The cost of a model in parameters, arithmetic and memory: by formula, and counted on the model itself."""

import math
import re
from dataclasses import dataclass, replace
from functools import lru_cache

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_core.model.config import TransformerConfig
from transformer_core.model.stage_list import list_stages
from transformer_core.model.stages import (
    DECODER,
    ENCODER,
    FEED_FORWARD,
    LOGITS,
    MEMORY,
    OUTPUT,
    STACKS,
    SublayerPath,
    attention_kinds,
    attention_path,
    embedding_stage,
    norm_stage,
)  # fmt: skip
from transformer_core.model.trace import Stage
from transformer_core.model.transformer import Transformer

_ROWS = 1_000_003  # a large prime batch size: a tensor whose size it divides grows with the batch


@dataclass(frozen=True)
class Part:
    """One row of the parameter table. `formula` is in the paper's symbols, `numbers` the same with this model's sizes."""

    name: str
    formula: str
    numbers: str
    by_formula: int
    by_count: int


def parameter_parts(cfg: TransformerConfig) -> list[Part]:
    """The parameters of every kind of part, by formula and by count (sections 3.1 to 3.4)."""
    counts = _count(cfg)
    return [Part(name, formula, numbers, total, counts.get(name, 0)) for name, formula, numbers, total in _formulas(cfg)]


def count_by_formula(cfg: TransformerConfig) -> int:
    """The number of parameters, from the sizes alone: nothing is built, so any configuration is safe."""
    return sum(total for *_, total in _formulas(cfg))


def _formulas(cfg: TransformerConfig) -> list[tuple[str, str, str, int]]:
    """(part, formula, the same in numbers, result), with d = d_model, f = d_ff, N = n_layers, V = vocabulary."""
    d, f, n, v_src, v_tgt = cfg.d_model, cfg.d_ff, cfg.n_layers, cfg.src_vocab, cfg.tgt_vocab
    if cfg.tie_embeddings == "all":
        rows = [("token embeddings, shared with the output", "V·d", f"{v_tgt}·{d}", v_tgt * d)]
    else:
        target = "target embeddings" + (", shared with the output" if cfg.tie_embeddings == "output" else "")
        rows = [
            ("source embeddings", "V_src·d", f"{v_src}·{d}", v_src * d),
            (target, "V_tgt·d", f"{v_tgt}·{d}", v_tgt * d),
        ]
    if cfg.position == "learned":
        rows.append(("source positions", "L_src·d", f"{cfg.max_len}·{d}", cfg.max_len * d))
        rows.append(("target positions", "L_tgt·d", f"{cfg.longest_tgt}·{d}", cfg.longest_tgt * d))
    symbols, numbers, per_attention = _attention_formula(cfg)
    attentions = ["encoder self-attention", "decoder self-attention"] + ["cross-attention"] * cfg.cross_attention
    for name in attentions:
        rows.append((name, f"N·{symbols}", f"{n}·{numbers}", n * per_attention))
    for name in ("encoder feed-forward", "decoder feed-forward"):
        rows.append((name, "N·(2df + f + d)", f"{n}·(2·{d}·{f} + {f} + {d})", n * (2 * d * f + f + d)))
    norms = 5 if cfg.cross_attention else 4  # one per sublayer
    rows.append(("norms in the layers", f"{norms}N·2d", f"{norms}·{n}·2·{d}", norms * n * 2 * d))
    if cfg.has_final_norm:
        rows.append(("final norms", "2·2d", f"2·2·{d}", 4 * d))
    if cfg.has_output_bias:
        rows.append(("output projection", "V_tgt·d + V_tgt", f"{v_tgt}·{d} + {v_tgt}", v_tgt * d + v_tgt))
    return rows


def _attention_formula(cfg: TransformerConfig) -> tuple[str, str, int]:
    """One attention: the four projections, and the parameters of a score other than the dot product (k = d_k)."""
    d, k = cfg.d_model, cfg.d_k
    symbols, numbers, count = "4(d² + d)", f"4·({d}² + {d})", 4 * (d * d + d)
    if not cfg.attention_bias:
        symbols, numbers, count = "4d²", f"4·{d}²", 4 * d * d
    extra = {"additive": ("2k² + k", f"2·{k}² + {k}"), "concat_linear": ("2k + 1", f"2·{k} + 1")}
    if cfg.score not in extra:
        return symbols, numbers, count
    more_symbols, more_numbers = extra[cfg.score]
    return f"({symbols} + {more_symbols})", f"({numbers} + {more_numbers})", count + score_parameters(cfg)


def score_parameters(cfg: TransformerConfig) -> int:
    """The parameters of one attention's score, if it has any."""
    return {"additive": 2 * cfg.d_k**2 + cfg.d_k, "concat_linear": 2 * cfg.d_k + 1}.get(cfg.score, 0)


_PART_OF = (
    (r"encoder\.\d+\.self_attn\.", "encoder self-attention"),
    (r"decoder\.\d+\.self_attn\.", "decoder self-attention"),
    (r"decoder\.\d+\.cross_attn\.", "cross-attention"),
    (r"encoder\.\d+\.feed_forward\.", "encoder feed-forward"),
    (r"decoder\.\d+\.feed_forward\.", "decoder feed-forward"),
    (r"(en|de)coder\.\d+\.\w+_residual\.norm\.", "norms in the layers"),
    (r"(en|de)coder_norm\.", "final norms"),
    (r"output\.", "output projection"),
    (r"src_embedding\.positions", "source positions"),
    (r"tgt_embedding\.positions", "target positions"),
    (r"src_embedding\.", "source embeddings"),
    (r"tgt_embedding\.", "target embeddings"),
)


def shapes_only(cfg: TransformerConfig) -> Transformer:
    """Builds a model on the device "meta": it has shapes, and takes no memory."""
    with torch.device("meta"):
        return Transformer(cfg, initialise=False)


@lru_cache(maxsize=256)
def _count(cfg: TransformerConfig) -> dict[str, int]:
    """Parameters per part, counted on the model as built (on "meta", which takes no memory)."""
    shared = {
        "all": {"target embeddings": "token embeddings, shared with the output"},
        "output": {"target embeddings": "target embeddings, shared with the output"},
        "none": {},
    }[cfg.tie_embeddings]
    counts: dict[str, int] = {}
    for name, parameter in shapes_only(cfg).named_parameters():
        part = next(part for pattern, part in _PART_OF if re.match(pattern, name))
        part = shared.get(part, part)
        counts[part] = counts.get(part, 0) + parameter.numel()
    return counts


def forward_flops(cfg: TransformerConfig, batch: int, src_len: int, tgt_len: int) -> dict[str, int]:
    """Floating-point operations of one forward pass, 2 per multiply-add, matrix products only (the rest is small).

    Per part; the values add up to the total.
    """
    layers = batch * cfg.n_layers

    def attention(queries: int, keys: int) -> int:
        return layers * sum(_attention_flops(cfg, queries, keys).values())

    def feed_forward(length: int) -> int:
        return layers * sum(_feed_forward_flops(cfg, length).values())

    return {
        "encoder self-attention": attention(src_len, src_len),
        "encoder feed-forward": feed_forward(src_len),
        "decoder self-attention": attention(tgt_len, tgt_len),
        "cross-attention": attention(tgt_len, src_len) if cfg.cross_attention else 0,
        "decoder feed-forward": feed_forward(tgt_len),
        "output projection": batch * _logits_flops(cfg, tgt_len),
    }


def stage_flops(cfg: TransformerConfig, batch: int, src_len: int, tgt_len: int) -> dict[str, int]:
    """The same per stage: of the matrix products that make it. Stages that need none are left out."""
    attentions = {"encoder": (src_len, src_len), "decoder": (tgt_len, tgt_len), "cross": (tgt_len, src_len)}
    found = {LOGITS: batch * _logits_flops(cfg, tgt_len)}
    for layer in range(cfg.n_layers):
        parts = [(attention_path(kind, layer), _attention_flops(cfg, *attentions[kind])) for kind in attention_kinds(cfg)]
        parts += [
            (SublayerPath(stack, layer, FEED_FORWARD), _feed_forward_flops(cfg, length))
            for stack, length in zip(STACKS, (src_len, tgt_len), strict=True)
        ]
        found |= {path.stage(name): batch * flops for path, made in parts for name, flops in made.items()}
    return found


def _attention_flops(cfg: TransformerConfig, queries: int, keys: int) -> dict[str, int]:
    """One attention on one pair of sequences, by the names of its stages."""
    d, project = cfg.d_model, 2 * cfg.d_model**2
    compare = {
        "additive": {
            "scores": 2 * d * cfg.d_k * (queries + keys) + 2 * queries * keys * d
        },  # W's halves; per pair, add, sum up
        "concat_linear": {"scores": 2 * d * (queries + keys)},
    }.get(cfg.score, {"products": 2 * queries * keys * d})  # q·k
    projections = {"q": queries * project, "k": keys * project, "v": keys * project, "output": queries * project}
    return projections | compare | {"context": 2 * queries * keys * d}  # weights·v


def _feed_forward_flops(cfg: TransformerConfig, length: int) -> dict[str, int]:
    product = 2 * length * cfg.d_model * cfg.d_ff
    return {"hidden": product, "output": product}


def _logits_flops(cfg: TransformerConfig, tgt_len: int) -> int:
    return 2 * tgt_len * cfg.d_model * cfg.tgt_vocab


_MADE_BY = {"w_q": "q", "w_k": "k", "w_v": "v", "w_o": "output", "score": "scores", "w_1": "hidden", "w_2": "output"}
_MADE_AT_AN_END = {
    "src_embedding.table": embedding_stage(ENCODER, "tokens"),
    "src_embedding.positions": embedding_stage(ENCODER, "positions"),
    "tgt_embedding.table": embedding_stage(DECODER, "tokens"),
    "tgt_embedding.positions": embedding_stage(DECODER, "positions"),
    "encoder_norm": MEMORY,
    "decoder_norm": OUTPUT,
    "output": LOGITS,
}
_IN_A_LAYER = re.compile(r"(?P<stack>\w+)\.(?P<layer>\d+)\.(?P<part>[a-z]+_[a-z]+)(?P<norm>_residual\.norm)?\.(?P<module>\w+)")


@lru_cache(maxsize=256)
def stage_parameters(cfg: TransformerConfig) -> dict[str, int]:
    """The parameters of the model as built, by the stage that is computed with them; they add up to all. A matrix that is
    shared is counted once, where the model has it first: see `shared_from`. Stages that need none are left out."""
    counts: dict[str, int] = {}
    for name, parameter in shapes_only(cfg).named_parameters():
        if (found := _IN_A_LAYER.match(name)) is not None:
            made = norm_stage(cfg.norm == "pre") if found["norm"] else _MADE_BY[found["module"]]
            stage = SublayerPath(found["stack"], int(found["layer"]), found["part"]).stage(made)
        else:
            stage = next(stage for module, stage in _MADE_AT_AN_END.items() if name.startswith(module))
        counts[stage] = counts.get(stage, 0) + parameter.numel()
    return counts


def shared_from(cfg: TransformerConfig) -> dict[str, str]:
    """The stages that are computed with another one's matrix, and that other one (section 3.4)."""
    tokens = embedding_stage(DECODER, "tokens")
    return {
        "all": {embedding_stage(ENCODER, "tokens"): tokens, LOGITS: tokens},
        "output": {LOGITS: tokens},
        "none": {},
    }[cfg.tie_embeddings]


@lru_cache(maxsize=32)  # the largest that the explorer asks for, of 64 layers, take 1.5 MB
def stage_shapes(cfg: TransformerConfig, batch: int, src_len: int, tgt_len: int) -> tuple[Stage, ...]:
    """Every stage of a forward pass, in order, with its axes and shape, without running it."""
    return tuple(list_stages(cfg, batch, src_len, tgt_len))


def training_bytes(cfg: TransformerConfig, batch: int, src_len: int, tgt_len: int) -> int:
    """Bytes that training in float32 takes: weights, gradients and Adam's two moments, and the tensors that the forward pass
    keeps for the backward pass, counted by running the model on "meta", without any memory. (Fused attention keeps less.)

    All layers keep the same amount, so one additional layer is measured and multiplied.
    """
    (one, one_row), (two, two_row) = (_kept_bytes(replace(cfg, n_layers=n), src_len, tgt_len) for n in (1, 2))
    one, two = one + batch * one_row, two + batch * two_row
    return 4 * 4 * count_by_formula(cfg) + one + (cfg.n_layers - 1) * (two - one)


@lru_cache(maxsize=256)
def _kept_bytes(cfg: TransformerConfig, src_len: int, tgt_len: int) -> tuple[int, int]:
    """Bytes that the forward pass keeps for the backward pass, without the weights: for any batch, and more for each row."""
    model = shapes_only(cfg).train()
    src, tgt = (torch.zeros(_ROWS, length, dtype=torch.long, device="meta") for length in (src_len, tgt_len))
    weights = {parameter.untyped_storage()._cdata for parameter in model.parameters()}
    kept: dict[int, Tensor] = {}  # one tensor per storage; while it is held, no other can get its address

    def keep(tensor: Tensor) -> Tensor:
        kept[tensor.untyped_storage()._cdata] = tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        F.cross_entropy(model(src, tgt).mT, tgt)
    sizes = [kept[storage].untyped_storage().nbytes() for storage in kept.keys() - weights]
    return sum(size for size in sizes if size % _ROWS), sum(size // _ROWS for size in sizes if size % _ROWS == 0)


@lru_cache(maxsize=4096)
def activation_bytes(cfg: TransformerConfig, batch: int, src_len: int, tgt_len: int) -> int:
    """Bytes of all named stages of a forward pass, in float32: the size of a full trace.

    All layers have the same stages, so one additional layer is counted and multiplied.
    """
    one, two = (
        sum(4 * math.prod(stage.shape) for stage in list_stages(replace(cfg, n_layers=n), batch, src_len, tgt_len))
        for n in (1, 2)
    )
    return one + (cfg.n_layers - 1) * (two - one)
