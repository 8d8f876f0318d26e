"""The gradient of a training step by the chain rule, written out part by part: what autograd finds, sooner on a CPU.

Each function computes one part of the model, as the part's own text in `transformer_core.model` does. It returns the result, y,
and the part's backward pass: a function of d_y, the loss's gradient by y, that writes the gradients of the part's weights in
place of the last step's, and returns d_x, the loss's gradient by the part's input, x.

It is faster because nothing records the pass, a gradient is written where it belongs, not set to zero and added to, and what
nobody needs any more is overwritten. A backward pass leaves its d_y as it is.

Shape: x, y, d_x, d_y (token, width), with the tokens of all rows one after another
"""

import math
from collections.abc import Callable
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_core.model.attention import MultiHeadAttention
from transformer_core.model.dropout import Dropout
from transformer_core.model.embedding import TokenAndPositionEmbedding, check_length
from transformer_core.model.feed_forward import FeedForward
from transformer_core.model.kernels import SHORT_ROW
from transformer_core.model.layers import DecoderLayer, EncoderLayer, ResidualConnection
from transformer_core.model.scores import scaled_dot
from transformer_core.model.transformer import Transformer

Backward = Callable[[Tensor], Tensor]


def covers(model: Transformer) -> bool:
    """Returns whether the functions below know every part of the model."""
    return model.cfg.layer_norm == "standard" and not model.cfg.has_score_weights and not model.has_edits


def begin_with_tokens(model: Transformer, *ids: Tensor) -> bool:
    """Returns whether no row begins with padding: then every query may attend to some key. Shape: each (batch, length)"""
    return all(bool((rows[:, :1] != model.cfg.pad_id).all()) for rows in ids)


@torch.no_grad()
def differentiate(model: Transformer, src: Tensor, tgt: Tensor, loss_of: Callable[[Tensor], Tensor]) -> Tensor:
    """Writes the gradient of the loss into each parameter's `grad`, which must be there; returns the loss, ().

    Shape: src (batch, src) and tgt (batch, tgt), see `begin_with_tokens`; loss_of takes logits (batch, tgt, tgt_vocab)
    """
    memory, encoder_backward = _encoder(model, src) if model.cfg.has_encoder else (model.encode(src), _unchanged)
    d_memory = torch.zeros_like(memory)  # each cross-attention adds its share
    y, decoder_backward = _decoder(model, src, tgt, memory, d_memory)
    with torch.enable_grad():
        logits = y.view(*tgt.shape, -1).requires_grad_()
        loss = loss_of(logits)
        (d_logits,) = torch.autograd.grad(loss, logits)
    decoder_backward(d_logits.flatten(0, 1))
    if model.cfg.cross_attention:
        encoder_backward(d_memory)
    return loss.detach()


def _encoder(model: Transformer, src: Tensor) -> tuple[Tensor, Backward]:
    mask = _summand(model, model.src_mask(src), src.size(1))
    x, backward = _embedding(model.src_embedding, src, shared=model.cfg.tie_embeddings == "all")
    passes = [backward]
    for layer in model.encoder:
        x, backward = _encoder_layer(cast(EncoderLayer, layer), x, mask)
        passes.append(backward)
    x, backward = _norm(model.encoder_norm, x)
    return x, _reversed(*passes, backward)


def _decoder(model: Transformer, src: Tensor, tgt: Tensor, memory: Tensor, d_memory: Tensor) -> tuple[Tensor, Backward]:
    """Ends with the logits, (token, tgt_vocab)."""
    src_mask, tgt_mask = (_summand(model, mask, tgt.size(1)) for mask in (model.src_mask(src), model.tgt_mask(tgt)))
    x, backward = _embedding(model.tgt_embedding, tgt, shared=model.output is None)
    passes = [backward]
    for layer in model.decoder:
        x, backward = _decoder_layer(cast(DecoderLayer, layer), x, memory, d_memory, src_mask, tgt_mask)
        passes.append(backward)
    x, norm_backward = _norm(model.decoder_norm, x)
    logits, backward = _linear(x, model.tgt_embedding.table if model.output is None else model.output)
    return logits, _reversed(*passes, norm_backward, backward)


def _encoder_layer(layer: EncoderLayer, x: Tensor, mask: Tensor) -> tuple[Tensor, Backward]:
    x, attention_backward = _residual(layer.self_attn_residual, x, lambda y: _attention(layer.self_attn, y, mask))
    x, backward = _residual(layer.feed_forward_residual, x, lambda y: _feed_forward(layer.feed_forward, y))
    return x, _reversed(attention_backward, backward)


def _decoder_layer(
    layer: DecoderLayer, x: Tensor, memory: Tensor, d_memory: Tensor, src_mask: Tensor, tgt_mask: Tensor
) -> tuple[Tensor, Backward]:
    x, backward = _residual(layer.self_attn_residual, x, lambda y: _attention(layer.self_attn, y, tgt_mask))
    passes = [backward]
    if (cross_attn := layer.cross_attn) is not None and layer.cross_attn_residual is not None:
        x, backward = _residual(layer.cross_attn_residual, x, lambda y: _attention(cross_attn, y, src_mask, memory, d_memory))
        passes.append(backward)
    x, backward = _residual(layer.feed_forward_residual, x, lambda y: _feed_forward(layer.feed_forward, y))
    return x, _reversed(*passes, backward)


def _residual(
    part: ResidualConnection, x: Tensor, sublayer: Callable[[Tensor], tuple[Tensor, Backward]]
) -> tuple[Tensor, Backward]:
    normed, norm_backward = _norm(part.norm, x) if part.norm_first else (x, _unchanged)
    change, sublayer_backward = sublayer(normed)
    total, dropout_backward = _dropout(part.dropout, change)
    if part.use_residual:
        total.add_(x)
    y, last_backward = (total, _unchanged) if part.norm_first else _norm(part.norm, total)

    def backward(d_y: Tensor) -> Tensor:
        d_total = last_backward(d_y)
        d_x = norm_backward(sublayer_backward(dropout_backward(d_total)))
        return d_x.add_(d_total) if part.use_residual else d_x

    return y, backward


def _attention(
    part: MultiHeadAttention, x: Tensor, mask: Tensor, memory: Tensor | None = None, d_memory: Tensor | None = None
) -> tuple[Tensor, Backward]:
    """All heads are one batch. Without a memory it is self-attention; to d_memory the backward pass adds its share.

    Shape: x (batch * query, d_model), mask (batch * head, query, key), memory and d_memory (batch * key, d_model)
    """
    rows = len(mask) // part.n_heads
    scale = 1 / math.sqrt(part.w_q.out_features // part.n_heads) if part.score is scaled_dot else 1.0

    def split(y: Tensor) -> Tensor:
        """Shape: (batch * length, d_model) -> (batch * head, length, d_k)"""
        return y.view(rows, -1, part.n_heads, y.size(1) // part.n_heads).transpose(1, 2).flatten(0, 1)

    def join(y: Tensor) -> Tensor:
        """Shape: (batch * head, length, d_k) -> (batch * length, d_model)"""
        return y.view(rows, part.n_heads, *y.shape[1:]).transpose(1, 2).flatten(2).flatten(0, 1)

    q, q_backward = _linear(x, part.w_q)
    k, k_backward = _linear(x if memory is None else memory, part.w_k)
    v, v_backward = _linear(x if memory is None else memory, part.w_v)
    q, k, v = split(q), split(k), split(v)
    if part.rotation is not None:
        q, k = part.rotation(q), part.rotation(k)
    if part.penalty is not None:
        penalties = part.penalty(q.size(1), k.size(1))
        mask = (mask.view(rows, *penalties.shape) + penalties).flatten(0, 1)
    weights = _softmax(torch.baddbmm(mask, q, k.mT, alpha=scale))  # (batch * head, query, key)
    kept, weights_backward = _dropout(part.dropout, weights.clone() if part.dropout.active else weights)
    context = join(kept @ v)  # (batch * query, d_model)
    y, output_backward = _linear(context, part.w_o)

    def backward(d_y: Tensor) -> Tensor:
        d_context = split(output_backward(d_y))
        d_v = kept.mT @ d_context
        d_weights = weights_backward(d_context @ v.mT)
        d_scores = _softmax_backward(d_weights, weights).mul_(scale)
        d_q, d_k = d_scores @ k, d_scores.mT @ q
        if part.rotation is not None:
            d_q, d_k = part.rotation.back(d_q), part.rotation.back(d_k)
        d_x = q_backward(join(d_q))
        d_keys = d_x if d_memory is None else d_memory
        k_backward(join(d_k), d_keys)
        v_backward(join(d_v), d_keys)
        return d_x

    return y, backward


def _softmax(scores: Tensor) -> Tensor:
    """Overwrites the scores. Shape: (..., key) -> (..., key)"""
    if scores.size(-1) >= SHORT_ROW:
        return torch.softmax(scores, dim=-1)
    powers = scores.sub_(scores.amax(dim=-1, keepdim=True)).exp_()
    return powers.div_(powers.sum(dim=-1, keepdim=True))


def _softmax_backward(d_weights: Tensor, weights: Tensor) -> Tensor:
    """weights · (d_weights - Σ weights · d_weights). Shape: each (..., key) -> (..., key)"""
    if weights.size(-1) >= SHORT_ROW:
        return torch._softmax_backward_data(d_weights, weights, -1, weights.dtype)
    weighted = d_weights * weights
    return weighted.addcmul_(weights, weighted.sum(dim=-1, keepdim=True), value=-1)


def _feed_forward(part: FeedForward, x: Tensor) -> tuple[Tensor, Backward]:
    hidden, hidden_backward = _linear(x, part.w_1)  # (token, d_ff)
    relu = part.activation is F.relu
    active, dropout_backward = _dropout(part.dropout, hidden.relu_() if relu else F.gelu(hidden))
    y, output_backward = _linear(active, part.w_2)

    def backward(d_y: Tensor) -> Tensor:
        d_active = dropout_backward(output_backward(d_y))
        if relu:  # what was dropped has a gradient of 0 already
            d_hidden = torch.ops.aten.threshold_backward.grad_input(d_active, active, 0, grad_input=d_active)
        else:
            d_hidden = torch.ops.aten.gelu_backward(d_active, hidden)
        return hidden_backward(d_hidden)

    return y, backward


def _linear(x: Tensor, layer: nn.Linear | nn.Embedding) -> tuple[Tensor, Callable[..., Tensor]]:
    """y = x Wᵀ + b; of an embedding, y = x Eᵀ. The backward pass adds d_x to its second argument, if it is given one.

    Shape: (token, in_features) -> (token, out_features)
    """
    weight, bias = layer.weight, layer.bias if isinstance(layer, nn.Linear) else None
    y = F.linear(x, weight, bias)

    def backward(d_y: Tensor, d_x: Tensor | None = None) -> Tensor:
        torch.mm(d_y.mT, x, out=_gradient(weight))
        if bias is not None:
            torch.sum(d_y, dim=0, out=_gradient(bias))
        return d_y @ weight if d_x is None else d_x.addmm_(d_y, weight)

    return y, backward


def _norm(part: nn.Module, x: Tensor) -> tuple[Tensor, Backward]:
    if isinstance(part, nn.Identity):
        return x, _unchanged
    norm = cast(nn.LayerNorm, part)
    shape = list(norm.normalized_shape)
    y, mean, inverse_deviation = torch.native_layer_norm(x, shape, norm.weight, norm.bias, norm.eps)

    def backward(d_y: Tensor) -> Tensor:
        d_x, d_weight, d_bias = torch.ops.aten.native_layer_norm_backward(
            d_y, x, shape, mean, inverse_deviation, norm.weight, norm.bias, [True, True, True]
        )
        _gradient(norm.weight).copy_(d_weight)
        _gradient(norm.bias).copy_(d_bias)
        return cast(Tensor, d_x)

    return y, backward


def _dropout(part: Dropout, x: Tensor) -> tuple[Tensor, Backward]:
    """Overwrites x."""
    if not part.active:
        return x, _unchanged
    factors = part.factors(x)
    return x.mul_(factors), lambda d_y: d_y * factors


def _embedding(part: TokenAndPositionEmbedding, ids: Tensor, shared: bool) -> tuple[Tensor, Backward]:
    """The backward pass adds to the table's gradient where the table is `shared` with the output, which has written its own.

    Shape: ids (batch, length) -> (token, d_model)
    """
    length = ids.size(1)
    check_length(length, part.max_len)
    x = part.look_up(ids).mul_(part.scale)  # (batch, length, d_model)
    if part.positions is not None:
        x.add_(part.positions[:length])
    y, dropout_backward = _dropout(part.dropout, x.flatten(0, 1))

    def backward(d_y: Tensor) -> Tensor:
        d_x = dropout_backward(d_y)
        if isinstance(part.positions, nn.Parameter):
            d_positions = _gradient(part.positions)
            torch.sum(d_x.view(*ids.shape, -1), dim=0, out=d_positions[:length])
            d_positions[length:] = 0.0
        d_table, padding = _gradient(part.table.weight), part.table.padding_idx
        if not shared:
            d_table.zero_()
        d_padding = d_table[padding].clone()  # the row of padding is looked up, but not learned by it
        d_table.index_add_(0, ids.flatten(), d_x, alpha=part.scale)
        d_table[padding] = d_padding
        return d_x

    return y, backward


def _summand(model: Transformer, mask: Tensor, queries: int) -> Tensor:
    """What a mask adds to the scores: 0 or -inf. Shape: (batch, 1, 1 or query, key) -> (batch * head, query, key)"""
    summand = torch.zeros_like(mask, dtype=model.tgt_embedding.table.weight.dtype).masked_fill_(~mask, -math.inf)
    return summand.expand(-1, model.cfg.n_heads, queries, -1).flatten(0, 1)


def _gradient(parameter: Tensor) -> Tensor:
    assert parameter.grad is not None
    return parameter.grad


def _unchanged(d_y: Tensor) -> Tensor:
    return d_y


def _reversed(*passes: Backward) -> Backward:
    """The backward pass of parts that follow each other in this order."""

    def backward(d_y: Tensor) -> Tensor:
        for each in reversed(passes):
            d_y = each(d_y)
        return d_y

    return backward
