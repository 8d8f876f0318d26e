"""Lists the stages that a `Trace` records, in the order of the pass, without running it."""

from collections.abc import Iterable, Iterator

from transformer_core.model.config import TransformerConfig
from transformer_core.model.embedding import check_length
from transformer_core.model.stages import (
    ATTENTION_STAGES,
    CROSS_ATTENTION,
    DECODER,
    EMBEDDING_STAGES,
    ENCODER,
    FEED_FORWARD,
    FEED_FORWARD_STAGES,
    LOGITS,
    MEMORY,
    OUTPUT,
    SELF_ATTENTION,
    SublayerPath,
    embedding_stage,
    norm_stage,
    parse_stage,
    stage_axes,
)
from transformer_core.model.trace import Stage


def list_stages(cfg: TransformerConfig, batch: int, src_len: int, tgt_len: int) -> list[Stage]:
    """Every stage with its axes and shape, without a value.

    Raises:
        InputError: for a sequence longer than the model has positions, as the forward pass does.
    """
    check_length(src_len, cfg.max_len)
    check_length(tgt_len, cfg.longest_tgt)
    sizes = {
        "batch": batch, "src": src_len, "tgt": tgt_len, "head": cfg.n_heads, "d_model": cfg.d_model, "d_k": cfg.d_k,
        "d_v": cfg.d_v, "d_ff": cfg.d_ff, "vocab": cfg.tgt_vocab,
    }  # fmt: skip
    found = []
    for name in stage_names(cfg):
        place, axes = parse_stage(name), stage_axes(name)
        query = src_len if place.stack == ENCODER else tgt_len
        pair = {"query": query, "key": src_len if place.part == CROSS_ATTENTION else query}
        found.append(Stage(name, axes, tuple((sizes | pair)[axis] for axis in axes), None))
    return found


def stage_names(cfg: TransformerConfig) -> Iterator[str]:
    """The name of every stage, in the order of the pass."""
    attention = [name for name in ATTENTION_STAGES if name != "products" or not cfg.has_score_weights]
    parts = {ENCODER: [SELF_ATTENTION, FEED_FORWARD], DECODER: [SELF_ATTENTION, FEED_FORWARD]}
    if cfg.cross_attention:
        parts[DECODER].insert(1, CROSS_ATTENTION)
    for stack in (ENCODER, DECODER):
        for name in EMBEDDING_STAGES:
            if name != "positions" or cfg.position != "none":
                yield embedding_stage(stack, name)
        for layer in range(cfg.n_layers):
            for part in parts[stack]:
                inner = FEED_FORWARD_STAGES if part == FEED_FORWARD else attention
                yield from map(SublayerPath(stack, layer, part).stage, _surrounded(cfg, inner))
        yield from (MEMORY,) if stack == ENCODER else (OUTPUT, LOGITS)


def _surrounded(cfg: TransformerConfig, inner: Iterable[str]) -> list[str]:
    """The stages of a sublayer with those of its residual connection and its norm."""
    norm = norm_stage(pre=cfg.norm == "pre")
    return [norm, *inner, "residual"] if cfg.norm == "pre" else [*inner, "residual", norm]
