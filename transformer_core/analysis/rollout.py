"""Attention rollout (Abnar and Zuidema, 2020): attention followed through the layers, and what hiding a word really costs.

Rollout counts each sublayer's attention, averaged over its heads, and its residual connection half and half, and multiplies
layer by layer. It knows the weights alone: no value vector, no W_O, no feed-forward network.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from transformer_core.analysis.attention_map import Stages
from transformer_core.analysis.bootstrap import Estimate, ratio
from transformer_core.analysis.damage import erasures, moves
from transformer_core.model.config import TransformerConfig
from transformer_core.model.stages import AttentionKind, attention_path
from transformer_core.model.trace import Trace
from transformer_core.model.transformer import Transformer


@dataclass(frozen=True, eq=False)
class Rollout:
    """The tokens that the vectors come from, after 0, 1, … layers. Rows are queries; (…) stands for a batch, if there is one.

    Shape: encoder (layers + 1, …, src, src), cross (layers + 1, …, tgt, src), decoder (layers + 1, …, tgt, tgt); without an
        encoder src is 0

    Attributes:
        encoder: shares of the source's words in the encoder's vectors; rows add up to 1.
        cross, decoder: shares of the source's words, through all of the encoder, and of the decoder's own in its vectors. The
            rows of both together add up to 1, those of `decoder` to 2^-layers, whatever the weights: each cross-attention
            halves what was there before.
    """

    encoder: np.ndarray
    cross: np.ndarray
    decoder: np.ndarray

    def of(self, kind: AttentionKind) -> np.ndarray:
        return {"encoder": self.encoder, "cross": self.cross, "decoder": self.decoder}[kind]


def mean_attention(stages: Stages, kind: AttentionKind, layer: int) -> np.ndarray:
    """The weights of one attention, averaged over its heads. Shape: -> (…, query, key), float64"""
    weights = np.asarray(stages[attention_path(kind, layer).stage("weights")], dtype=np.float64)
    mean: np.ndarray = weights.mean(axis=-3)
    return mean


def rollout(stages: Stages, cfg: TransformerConfig) -> Rollout:
    """Rolls out one recorded pass, batched or not. With weights A of the encoder, S of the decoder's self-attention and
    C of cross-attention: E ← ½(A + I)E; then T ← ½·½(S + I)T and R ← ½C·E + ½·½(S + I)R, from E = T = I and R = 0; without
    cross-attention T ← ½(S + I)T.

    A query that may attend to nothing has weights of 0: its rows add up to less.
    """

    def halved(kind: AttentionKind, layer: int) -> np.ndarray:
        weights = mean_attention(stages, kind, layer)
        return 0.5 * (weights + np.eye(weights.shape[-1]))

    layers = range(cfg.n_layers)
    own = [_identity(mean_attention(stages, "decoder", 0))]
    encoder = [_identity(mean_attention(stages, "encoder", 0)) if cfg.has_encoder else np.zeros((*own[0].shape[:-2], 0, 0))]
    for layer in layers:
        encoder.append(halved("encoder", layer) @ encoder[-1] if cfg.has_encoder else encoder[-1])
    source = [np.zeros((*own[0].shape[:-1], encoder[0].shape[-1]))]
    for layer in layers:
        passed = halved("decoder", layer)
        if not cfg.cross_attention:
            own.append(passed @ own[-1])
            source.append(source[-1])
            continue
        own.append(0.5 * passed @ own[-1])
        source.append(0.5 * mean_attention(stages, "cross", layer) @ encoder[-1] + 0.5 * passed @ source[-1])
    return Rollout(np.stack(encoder), np.stack(source), np.stack(own))


def _identity(like: np.ndarray) -> np.ndarray:
    """Shape: (…, n, n) -> the same"""
    return np.broadcast_to(np.eye(like.shape[-1]), like.shape)


@dataclass(frozen=True, eq=False)
class Judged:
    """Two pictures of attention beside what hiding each word costs. Shape: all (batch, query, key)

    Attributes:
        cost: of hiding the key's word; see `judge`.
        rollout: through all layers; attention: that of the last layer, averaged over its heads.
        counts: which pairs are compared: neither is padding, the query may attend to the key, and they are not one position.
    """

    cost: np.ndarray
    rollout: np.ndarray
    attention: np.ndarray
    counts: np.ndarray

    def agreement(self, least: float) -> "Agreement":
        """Compares the rows in which hiding some word costs more than `least`, of at least two that are compared."""
        cost, *pictures = (np.where(self.counts, each, -np.inf) for each in (self.cost, self.rollout, self.attention))
        needing = (cost.max(axis=-1) > least) & (self.counts.sum(axis=-1) > 1)  # (batch, query)
        rollout, attention = ((each.argmax(axis=-1) == cost.argmax(axis=-1)) & needing for each in pictures)
        return Agreement(*(each.sum(axis=1) for each in (needing, rollout, attention)))


@dataclass(frozen=True, eq=False)
class Agreement:
    """In how many rows of each sequence the word with the largest share is the one whose loss costs most.

    Shape: all (sequence,)

    Attributes:
        needing: how many rows are compared.
        rollout, attention: in how many of them the picture points at that word.
    """

    needing: np.ndarray
    rollout: np.ndarray
    attention: np.ndarray

    def __add__(self, other: "Agreement") -> "Agreement":
        pairs = ((self.needing, other.needing), (self.rollout, other.rollout), (self.attention, other.attention))
        return Agreement(*map(np.concatenate, pairs))

    @property
    def n(self) -> int:
        return int(self.needing.sum())

    @property
    def shares(self) -> tuple[Estimate, Estimate, Estimate]:
        """The shares of rollout and attention, and their difference. The rows of a sequence are not independent: sequences
        are drawn."""
        counts = self.rollout, self.attention, self.rollout - self.attention
        first, second, apart = (ratio(each, self.needing) for each in counts)
        return first, second, apart


@torch.no_grad()
def judge(model: Transformer, src: Tensor, tgt: Tensor, labels: Tensor, kind: AttentionKind) -> Judged:
    """Rollout and the attention of the last layer against the truth by erasure: for "cross" and "decoder", by how many nats the
    log-probability of the label falls when nothing may attend to the key's word (`erasures`); for "encoder", how far the
    encoder's output moves then (`moves`).

    Shape: src (batch, src), tgt and labels (batch, tgt)
    """
    last = model.cfg.n_layers - 1
    with Trace(only=["weights"]) as trace:
        model(src, tgt)
    stages = {name: trace[name].cpu().numpy() for name in trace.stages if name.endswith(".weights")}
    if kind == "encoder":
        cost, queries, mask = moves(model, src), src, model.src_mask(src)
    elif kind == "decoder":
        cost, queries, mask = erasures(model, src, tgt, labels, "tgt"), labels, model.tgt_mask(tgt)
    else:
        cost, queries, mask = erasures(model, src, tgt, labels), labels, model.src_mask(src)
    counts = (queries != model.cfg.pad_id)[:, :, None] & mask[:, 0]  # (batch, query, key)
    if kind != "cross":
        counts = counts & ~torch.eye(counts.size(-1), dtype=torch.bool, device=counts.device)
    shares = rollout(stages, model.cfg).of(kind)[-1]
    return Judged(cost, shares, mean_attention(stages, kind, last), counts.cpu().numpy())
