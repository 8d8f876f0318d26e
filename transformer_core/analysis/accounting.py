"""What a model is made of, part by part and stage by stage: parameters, arithmetic, shapes and bytes.

The formulas are those of `training.cost`; the counts are taken from the model as built, so that each checks the other.
"""

import math
import re
from dataclasses import dataclass, replace
from functools import lru_cache

from transformer_core.analysis.stage_list import list_stages
from transformer_core.model.config import TransformerConfig
from transformer_core.model.stages import (
    DECODER,
    ENCODER,
    FEED_FORWARD,
    LOGITS,
    MEMORY,
    OUTPUT,
    SublayerPath,
    attention_kinds,
    attention_path,
    embedding_stage,
    norm_stage,
    rotates,
    stacks_of,
)
from transformer_core.model.trace import Stage
from transformer_core.model.transformer import shapes_only
from transformer_core.training.cost import attention_flops, feed_forward_flops, logits_flops, parameter_formulas


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
    return [Part(*row, by_count=counts.get(row[0], 0)) for row in parameter_formulas(cfg)]


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


@lru_cache(maxsize=256)
def _count(cfg: TransformerConfig) -> dict[str, int]:
    """Parameters per part, counted on the model as built (on "meta", which takes no memory)."""
    shared = {
        "all": {"target embeddings": "token embeddings, shared with the output"},
        "output": {"target embeddings": "target embeddings, shared with the output"},
        "none": {},
    }[cfg.tie_embeddings]
    if not cfg.has_encoder:  # nothing to tell them from
        shared = {"target embeddings": shared.get("target embeddings", "target embeddings").replace("target", "token")}
        shared |= {"target positions": "positions"}
    counts: dict[str, int] = {}
    for name, parameter in shapes_only(cfg).named_parameters():
        part = next(part for pattern, part in _PART_OF if re.match(pattern, name))
        part = shared.get(part, part)
        counts[part] = counts.get(part, 0) + parameter.numel()
    return counts


def stage_flops(cfg: TransformerConfig, batch: int, src_len: int, tgt_len: int) -> dict[str, int]:
    """Floating-point operations of one forward pass by stage: of the matrix products that compute it, 2 per multiply-add.
    Stages that need none are left out. `training.cost.forward_flops` has the same by part."""
    attentions = {"encoder": (src_len, src_len), "decoder": (tgt_len, tgt_len), "cross": (tgt_len, src_len)}
    by_stage = {LOGITS: batch * logits_flops(cfg, tgt_len)}
    for layer in range(cfg.n_layers):
        parts = [(attention_path(kind, layer), attention_flops(cfg, *attentions[kind])) for kind in attention_kinds(cfg)]
        parts += [
            (SublayerPath(stack, layer, FEED_FORWARD), feed_forward_flops(cfg, length))
            for stack, length in ((ENCODER, src_len), (DECODER, tgt_len))
            if stack in stacks_of(cfg)
        ]
        by_stage |= {_product(cfg, path, name): batch * flops for path, made in parts for name, flops in made.items()}
    return by_stage


def _product(cfg: TransformerConfig, path: SublayerPath, stage: str) -> str:
    """The stage that a matrix product of a part makes: before queries and keys are turned, where they are."""
    return path.stage(f"unrotated_{stage}" if stage in ("q", "k") and rotates(cfg, path.part) else stage)


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
        if (match := _IN_A_LAYER.match(name)) is not None:
            made = norm_stage(cfg.norm == "pre") if match["norm"] else _MADE_BY[match["module"]]
            stage = _product(cfg, SublayerPath(match["stack"], int(match["layer"]), match["part"]), made)
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
