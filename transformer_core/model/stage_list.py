"""The stages of a forward pass as a list: what a Trace of the real pass records, in the same order, without running it."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from transformer_core.model.config import TransformerConfig
from transformer_core.model.embedding import check_length
from transformer_core.model.stages import (
    CROSS_ATTENTION,
    FEED_FORWARD,
    LOGITS,
    MEMORY,
    OUTPUT,
    SELF_ATTENTION,
    SublayerPath,
    embedding_stage,
    norm_stage,
)  # fmt: skip
from transformer_core.model.trace import Stage

_Named = Iterable[tuple[str, str]]  # (name, axes)


def list_stages(cfg: TransformerConfig, batch: int, src_len: int, tgt_len: int) -> list[Stage]:
    """Every stage with its axes and shape, without a value.

    Raises:
        InputError: for a sequence longer than the model has positions, as the forward pass does.
    """
    check_length(src_len, cfg.max_len)
    check_length(tgt_len, cfg.longest_tgt)
    lengths = {
        "batch": batch, "src": src_len, "tgt": tgt_len, "head": cfg.n_heads, "d_model": cfg.d_model, "d_k": cfg.d_k,
        "d_v": cfg.d_v, "d_ff": cfg.d_ff, "vocab": cfg.tgt_vocab,
    }  # fmt: skip
    encoder_self, decoder_self, cross = (
        lengths | {"query": lengths[query], "key": lengths[key]}
        for query, key in (("src", "src"), ("tgt", "tgt"), ("tgt", "src"))
    )
    found: list[Stage] = []

    def add(path: Callable[[str], str], stages: _Named, lengths: dict[str, int] = lengths) -> None:
        for name, axes in stages:
            words = tuple(axes.split())
            found.append(Stage(path(name), words, tuple(lengths[word] for word in words), None))

    def sublayer(stack: str, layer: int, part: str, inner: _Named, axis: str, lengths: dict[str, int] = lengths) -> None:
        add(SublayerPath(stack, layer, part).stage, _sublayer(cfg, inner, axis), lengths)

    add(partial(embedding_stage, "encoder"), _embedding(cfg, "src"))
    for i in range(cfg.n_layers):
        sublayer("encoder", i, SELF_ATTENTION, _attention(cfg), "src", encoder_self)
        sublayer("encoder", i, FEED_FORWARD, _feed_forward("src"), "src")
    add(str, [(MEMORY, "batch src d_model")])
    add(partial(embedding_stage, "decoder"), _embedding(cfg, "tgt"))
    for i in range(cfg.n_layers):
        sublayer("decoder", i, SELF_ATTENTION, _attention(cfg), "tgt", decoder_self)
        if cfg.cross_attention:
            sublayer("decoder", i, CROSS_ATTENTION, _attention(cfg), "tgt", cross)
        sublayer("decoder", i, FEED_FORWARD, _feed_forward("tgt"), "tgt")
    add(str, [(OUTPUT, "batch tgt d_model"), (LOGITS, "batch tgt vocab")])
    return found


def _embedding(cfg: TransformerConfig, axis: str) -> Iterator[tuple[str, str]]:
    yield "tokens", f"batch {axis} d_model"
    yield "scaled", f"batch {axis} d_model"
    if cfg.position != "none":
        yield "positions", f"{axis} d_model"
    yield "sum", f"batch {axis} d_model"


def _sublayer(cfg: TransformerConfig, inner: _Named, axis: str) -> Iterator[tuple[str, str]]:
    """A sublayer with its residual connection and its norm."""
    norm = norm_stage(cfg.norm == "pre"), f"batch {axis} d_model"
    if cfg.norm == "pre":
        yield norm
    yield from inner
    yield "residual", f"batch {axis} d_model"
    if cfg.norm == "post":
        yield norm


def _attention(cfg: TransformerConfig) -> Iterator[tuple[str, str]]:
    yield "q", "batch head query d_k"
    yield "k", "batch head key d_k"
    yield "v", "batch head key d_v"
    if cfg.score in ("scaled_dot", "dot"):
        yield "products", "batch head query key"
    yield "scores", "batch head query key"
    yield "masked_scores", "batch head query key"
    yield "weights", "batch head query key"
    yield "context", "batch head query d_v"
    yield "concat", "batch query d_model"
    yield "output", "batch query d_model"


def _feed_forward(axis: str) -> Iterator[tuple[str, str]]:
    yield "hidden", f"batch {axis} d_ff"
    yield "active", f"batch {axis} d_ff"
    yield "output", f"batch {axis} d_model"
