"""The forward pass once more, in numpy alone: what `torch.nn.Transformer` has no option for is compared with it.

Nothing of `transformer_core` or of torch computes here; it takes the weights as arrays, by name.
"""

import math
from collections.abc import Callable

import numpy as np

from transformer_core import TransformerConfig

Weights = dict[str, np.ndarray]
Sublayer = Callable[[np.ndarray], np.ndarray]


def numpy_logits(cfg: TransformerConfig, w: Weights, src: np.ndarray, tgt: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The encoder's output and the logits. Shape: src (batch, src), tgt (batch, tgt) -> (batch, src, d_model) and
    (batch, tgt, tgt_vocab); src is 0 for a decoder alone"""
    readable = (src != cfg.pad_id)[:, None, None, :]  # (batch, 1, 1, src), True = may attend
    memory = _encoder(cfg, w, src, readable) if cfg.stacks == "both" else np.zeros((*src.shape, cfg.d_model))

    length = tgt.shape[1]
    past = np.tri(length, dtype=bool) if cfg.causal else np.ones((length, length), dtype=bool)
    visible = (tgt != cfg.pad_id)[:, None, None, :] & past  # (batch, 1, tgt, tgt)
    y = _embed(cfg, w, "tgt_embedding", tgt)
    for i in range(cfg.n_layers):
        at = f"decoder.{i}"
        y = _residual(cfg, w, f"{at}.self_attn", y, lambda z, at=at: _attention(cfg, w, f"{at}.self_attn", z, z, visible))
        if cfg.cross_attention:
            y = _residual(
                cfg, w, f"{at}.cross_attn", y, lambda z, at=at: _attention(cfg, w, f"{at}.cross_attn", z, memory, readable)
            )
        y = _residual(cfg, w, f"{at}.feed_forward", y, lambda z, at=at: _feed_forward(cfg, w, f"{at}.feed_forward", z))
    out = layer_norm(cfg, w, "decoder_norm", y) if cfg.has_final_norm else y
    if cfg.tie_embeddings == "none":
        return memory, _linear(w, "output", out)
    return memory, out @ _table(cfg, w, "tgt_embedding").T


def _encoder(cfg: TransformerConfig, w: Weights, src: np.ndarray, readable: np.ndarray) -> np.ndarray:
    x = _embed(cfg, w, "src_embedding", src)
    for i in range(cfg.n_layers):
        at = f"encoder.{i}"
        x = _residual(cfg, w, f"{at}.self_attn", x, lambda z, at=at: _attention(cfg, w, f"{at}.self_attn", z, z, readable))
        x = _residual(cfg, w, f"{at}.feed_forward", x, lambda z, at=at: _feed_forward(cfg, w, f"{at}.feed_forward", z))
    return layer_norm(cfg, w, "encoder_norm", x) if cfg.has_final_norm else x


def _table(cfg: TransformerConfig, w: Weights, side: str) -> np.ndarray:
    return w[f"{'tgt_embedding' if cfg.tie_embeddings == 'all' else side}.table.weight"]


def _embed(cfg: TransformerConfig, w: Weights, side: str, ids: np.ndarray) -> np.ndarray:
    x = _table(cfg, w, side)[ids]
    if cfg.embedding_scale:
        x = x * math.sqrt(cfg.d_model)
    if cfg.position == "learned":
        return x + w[f"{side}.positions"][: ids.shape[1]]
    if cfg.position != "sinusoidal":
        return x
    column = np.arange(cfg.d_model)
    angles = np.arange(ids.shape[1])[:, None] / 10_000 ** (2 * (column // 2) / cfg.d_model)
    waves = np.where(column % 2 == 0, np.sin(angles), np.cos(angles))
    return x + waves.astype(np.float32)  # the model keeps them in float32


def _residual(cfg: TransformerConfig, w: Weights, at: str, x: np.ndarray, sublayer: Sublayer) -> np.ndarray:
    norm = f"{at}_residual.norm"
    if cfg.norm == "pre":
        return sublayer(layer_norm(cfg, w, norm, x)) + (x if cfg.residual else 0)
    return layer_norm(cfg, w, norm, sublayer(x) + (x if cfg.residual else 0))


def layer_norm(cfg: TransformerConfig, w: Weights, at: str, x: np.ndarray) -> np.ndarray:
    centred = x - x.mean(axis=-1, keepdims=True)
    if cfg.layer_norm == "unbiased_std":
        unit = centred / (x.std(axis=-1, ddof=1, keepdims=True) + cfg.norm_eps)
    else:
        unit = centred / np.sqrt(x.var(axis=-1, keepdims=True) + cfg.norm_eps)
    return unit * w[f"{at}.weight"] + w[f"{at}.bias"]


def _linear(w: Weights, at: str, x: np.ndarray) -> np.ndarray:
    return x @ w[f"{at}.weight"].T + w.get(f"{at}.bias", 0.0)


def _feed_forward(cfg: TransformerConfig, w: Weights, at: str, x: np.ndarray) -> np.ndarray:
    hidden = _linear(w, f"{at}.w_1", x)
    if cfg.activation == "relu":
        return _linear(w, f"{at}.w_2", np.maximum(hidden, 0))
    normal = (1 + np.vectorize(math.erf)(hidden / math.sqrt(2))) / 2  # probability that a standard normal number is smaller
    return _linear(w, f"{at}.w_2", hidden * normal)


def _attention(
    cfg: TransformerConfig, w: Weights, at: str, queries: np.ndarray, keys: np.ndarray, allowed: np.ndarray
) -> np.ndarray:
    def heads(name: str, x: np.ndarray) -> np.ndarray:
        return _linear(w, f"{at}.{name}", x).reshape(len(x), -1, cfg.n_heads, cfg.d_k).transpose(0, 2, 1, 3)

    q, k, v = heads("w_q", queries), heads("w_k", keys), heads("w_v", keys)  # (batch, head, tokens, d_k)
    scores = _scores(cfg, w, at, q, k)  # (batch, head, query, key)
    if not at.endswith("cross_attn") or cfg.cross_position:
        if cfg.position == "rotary":
            scores = _scores(cfg, w, at, _turned(q), _turned(k))
        if cfg.position == "alibi":
            slopes = 2.0 ** (-8 * np.arange(1, cfg.n_heads + 1) / cfg.n_heads)
            distances = abs(np.arange(q.shape[2])[:, None] - np.arange(k.shape[2]))
            scores = scores - slopes.astype(np.float32)[:, None, None] * distances  # the model keeps them in float32
    scores = np.where(allowed, scores, -np.inf)
    grown = np.exp(scores - scores.max(axis=-1, keepdims=True))
    context = grown / grown.sum(axis=-1, keepdims=True) @ v
    return _linear(w, f"{at}.w_o", context.transpose(0, 2, 1, 3).reshape(*queries.shape[:2], cfg.d_model))


def _turned(x: np.ndarray) -> np.ndarray:
    """RoFormer, equation 34: each pair of neighbouring dimensions as a complex number, times e^(i m θ).

    Shape: (batch, head, tokens, d_k) -> the same
    """
    d_k = x.shape[-1]
    angles = np.arange(x.shape[2])[:, None] * 10_000.0 ** (-2 * np.arange(d_k // 2) / d_k)
    turns = np.cos(angles).astype(np.float32) + 1j * np.sin(angles).astype(np.float32)  # the model keeps them in float32
    pairs = (x[..., 0::2] + 1j * x[..., 1::2]) * turns
    return np.stack([pairs.real, pairs.imag], axis=-1).reshape(x.shape)


def _scores(cfg: TransformerConfig, w: Weights, at: str, q: np.ndarray, k: np.ndarray) -> np.ndarray:
    if cfg.score in ("scaled_dot", "dot"):
        return q @ k.swapaxes(-1, -2) / (math.sqrt(cfg.d_k) if cfg.score == "scaled_dot" else 1.0)
    shape = (*q.shape[:3], k.shape[2], cfg.d_k)
    pairs = np.concatenate(
        [np.broadcast_to(q[:, :, :, None], shape), np.broadcast_to(k[:, :, None], shape)], axis=-1
    )  # (batch, head, query, key, 2 d_k)
    compared = _linear(w, f"{at}.score.w", pairs)
    return np.tanh(compared).sum(axis=-1) if cfg.score == "additive" else compared[..., 0]
