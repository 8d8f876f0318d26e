"""Lists the stages that a `Trace` records, in the order of the pass, without running it."""

from transformer_core.model.config import TransformerConfig
from transformer_core.model.embedding import check_length
from transformer_core.model.stages import (
    CROSS_ATTENTION,
    ENCODER,
    parse_stage,
    stage_axes,
    stage_names,
)
from transformer_core.model.trace import Stage


def list_stages(cfg: TransformerConfig, batch: int, src_len: int, tgt_len: int) -> list[Stage]:
    """Every stage with its axes and shape, without a value.

    Raises:
        InputError: for a sequence longer than the model has positions, as the forward pass does.
    """
    if cfg.has_encoder:
        check_length(src_len, cfg.max_len)
    check_length(tgt_len, cfg.longest_tgt)
    sizes = {
        "batch": batch,
        "src": src_len,
        "tgt": tgt_len,
        "head": cfg.n_heads,
        "d_model": cfg.d_model,
        "d_k": cfg.d_k,
        "d_v": cfg.d_v,
        "d_ff": cfg.d_ff,
        "vocab": cfg.tgt_vocab,
    }
    stages = []
    for name in stage_names(cfg):
        place, axes = parse_stage(name), stage_axes(name)
        query = src_len if place.stack == ENCODER else tgt_len
        pair = {"query": query, "key": src_len if place.part == CROSS_ATTENTION else query}
        stages.append(Stage(name, axes, tuple((sizes | pair)[axis] for axis in axes), None))
    return stages
