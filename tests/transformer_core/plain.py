"""The whole model once more, as plainly as can be: one sentence at a time, one head at a time, every switch written out.

Nothing of `transformer_core` computes here; it takes the weights by name. Autograd gives its gradients.
"""

import math

import torch
from torch import Tensor

from transformer_core import TransformerConfig

Weights = dict[str, Tensor]


def plain_logits(cfg: TransformerConfig, weights: Weights, src: Tensor, tgt: Tensor) -> Tensor:
    """(batch, tgt, tgt_vocab)"""
    return torch.stack([_sentence(cfg, weights, s, t) for s, t in zip(src, tgt, strict=True)])


def _sentence(cfg: TransformerConfig, w: Weights, src: Tensor, tgt: Tensor) -> Tensor:
    memory = _enter(cfg, w, "src_embedding", src)
    src_open = (src != cfg.pad_id)[None, :].expand(len(src), -1)
    for i in range(cfg.n_layers):
        at = f"encoder.{i}"
        memory = _around(cfg, w, f"{at}.self_attn", memory, lambda x, at=at: _attend(cfg, w, f"{at}.self_attn", x, x, src_open))
        memory = _around(cfg, w, f"{at}.feed_forward", memory, lambda x, at=at: _forward(cfg, w, f"{at}.feed_forward", x))
    if cfg.has_final_norm:
        memory = _norm(cfg, w, "encoder_norm", memory)

    y = _enter(cfg, w, "tgt_embedding", tgt)
    tgt_open = torch.stack([
        torch.tensor([tgt[k] != cfg.pad_id and (k <= q or not cfg.causal) for k in range(len(tgt))]) for q in range(len(tgt))
    ])  # fmt: skip
    cross_open = (src != cfg.pad_id)[None, :].expand(len(tgt), -1)
    for i in range(cfg.n_layers):
        at = f"decoder.{i}"
        y = _around(cfg, w, f"{at}.self_attn", y, lambda x, at=at: _attend(cfg, w, f"{at}.self_attn", x, x, tgt_open))
        if cfg.cross_attention:
            y = _around(
                cfg, w, f"{at}.cross_attn", y, lambda x, at=at: _attend(cfg, w, f"{at}.cross_attn", x, memory, cross_open)
            )
        y = _around(cfg, w, f"{at}.feed_forward", y, lambda x, at=at: _forward(cfg, w, f"{at}.feed_forward", x))
    if cfg.has_final_norm:
        y = _norm(cfg, w, "decoder_norm", y)
    if cfg.tie_embeddings == "none":
        return y @ w["output.weight"].T + w["output.bias"]
    return y @ w["tgt_embedding.table.weight"].T


def _enter(cfg: TransformerConfig, w: Weights, side: str, ids: Tensor) -> Tensor:
    name = "tgt_embedding" if cfg.tie_embeddings == "all" else side
    table = w[f"{name}.table.weight"]
    x = torch.stack([table[i] for i in ids]) * (math.sqrt(cfg.d_model) if cfg.embedding_scale else 1)
    if cfg.position == "learned":
        return x + w[f"{side}.positions"][: len(ids)]
    if cfg.position == "none":
        return x
    waves = torch.tensor(
        [
            [(math.sin, math.cos)[c % 2](p / 10_000 ** (2 * (c // 2) / cfg.d_model)) for c in range(cfg.d_model)]
            for p in range(len(ids))
        ]
    )
    return x + waves.float()  # the model keeps them in float32


def _around(cfg: TransformerConfig, w: Weights, at: str, x: Tensor, sublayer) -> Tensor:
    if cfg.norm == "pre":
        change = sublayer(_norm(cfg, w, f"{at}_residual.norm", x))
        return x + change if cfg.residual else change
    change = sublayer(x)
    return _norm(cfg, w, f"{at}_residual.norm", x + change if cfg.residual else change)


def _norm(cfg: TransformerConfig, w: Weights, at: str, x: Tensor) -> Tensor:
    centred = x - x.sum(-1, keepdim=True) / cfg.d_model
    squares = (centred * centred).sum(-1, keepdim=True)
    if cfg.layer_norm == "unbiased_std":
        unit = centred / ((squares / (cfg.d_model - 1)).sqrt() + cfg.norm_eps)
    else:
        unit = centred / (squares / cfg.d_model + cfg.norm_eps).sqrt()
    return unit * w[f"{at}.weight"] + w[f"{at}.bias"]


def _forward(cfg: TransformerConfig, w: Weights, at: str, x: Tensor) -> Tensor:
    hidden = x @ w[f"{at}.w_1.weight"].T + w[f"{at}.w_1.bias"]
    active = hidden.clamp(min=0) if cfg.activation == "relu" else hidden * 0.5 * (1 + torch.erf(hidden / math.sqrt(2)))
    return active @ w[f"{at}.w_2.weight"].T + w[f"{at}.w_2.bias"]


def _attend(cfg: TransformerConfig, w: Weights, at: str, x: Tensor, y: Tensor, may_see: Tensor) -> Tensor:
    def project(name: str, z: Tensor) -> Tensor:
        return z @ w[f"{at}.{name}.weight"].T + (w[f"{at}.{name}.bias"] if cfg.attention_bias else 0)

    q, k, v = project("w_q", x), project("w_k", y), project("w_v", y)
    heads = []
    for h in range(cfg.n_heads):
        own = slice(h * cfg.d_k, (h + 1) * cfg.d_k)
        rows = [torch.stack([_score(cfg, w, at, a, b) for b in k[:, own]]) for a in q[:, own]]
        scores = torch.stack(rows).masked_fill(~may_see, float("-inf"))
        heads.append(scores.softmax(-1) @ v[:, own])
    return project("w_o", torch.cat(heads, dim=-1))


def _score(cfg: TransformerConfig, w: Weights, at: str, q: Tensor, k: Tensor) -> Tensor:
    if cfg.score in ("scaled_dot", "dot"):
        return (q * k).sum() / (math.sqrt(cfg.d_k) if cfg.score == "scaled_dot" else 1)
    compared = w[f"{at}.score.w.weight"] @ torch.cat([q, k]) + w[f"{at}.score.w.bias"]
    return compared.tanh().sum() if cfg.score == "additive" else compared[0]
