"""Kinds of links of an attention, such as that of each word to itself: all links of a kind are cut at once, in every layer and
head, before the softmax.

Which links those are depends on the row: where its last word is, and which word translates which.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from transformer_core.analysis.alignment import aligned_places
from transformer_core.data.batch import Batch, row_lengths
from transformer_core.data.tasks import Task
from transformer_core.model.config import TransformerConfig
from transformer_core.model.intervened import IntervenedModel
from transformer_core.model.masks import causal_mask
from transformer_core.model.stages import AttentionKind, attention_path
from transformer_core.model.transformer import Transformer

LinkKind = Literal["own", "previous", "first", "last", "aligned", "all"]
# Links that may be needed by themselves: a kind that holds some of them is also measured without.
DECISIVE: dict[AttentionKind, LinkKind] = {"encoder": "own", "decoder": "own", "cross": "aligned"}
LINK_KINDS: dict[AttentionKind, tuple[LinkKind, ...]] = {
    "encoder": ("own", "previous", "first", "last", "all"),
    "decoder": ("own", "previous", "first", "all"),  # the last word that a query may attend to is its own
    "cross": ("aligned", "first", "last", "all"),  # of two sentences, positions are not the same places
}


def open_links(kind: AttentionKind, batch: Batch, cfg: TransformerConfig) -> Tensor:
    """The keys that each query may attend to: no padding, and in the decoder, no later word. Shape: -> (batch, query, key)
    booleans"""
    keys = batch.tgt if kind == "decoder" else batch.src
    queries = batch.src if kind == "encoder" else batch.tgt
    allowed = (keys != cfg.pad_id)[:, None, :].expand(-1, queries.size(1), -1)
    return allowed & causal_mask(keys.size(1))[0] if kind == "decoder" and cfg.causal else allowed


def links(kind: AttentionKind, which: LinkKind, batch: Batch, task: Task, cfg: TransformerConfig) -> Tensor:
    """The links of a kind, of those that there are.

    own: from a word to itself; previous: to the word before it; first and last: to the first word (the decoder's is the start
    token) and to the last; aligned: to the source word that the word to be written comes from, where the task knows it; all: to
    every word.

    Shape: -> (batch, query, key) booleans
    """
    there = open_links(kind, batch, cfg)
    _count, queries, keys = there.shape
    query, key = torch.arange(queries)[:, None], torch.arange(keys)
    match which:
        case "own":
            linked = query == key
        case "previous":
            linked = query - 1 == key
        case "first":
            linked = key == 0
        case "last":
            linked = key == row_lengths(batch.src, cfg.pad_id)[:, None, None] - 1
        case "aligned":
            linked = torch.from_numpy(aligned_places(task, batch))
        case "all":
            linked = key >= 0
    return linked & there


@dataclass(frozen=True, eq=False)
class ComparedLinks:
    """Links of a kind, and as many others of the same queries, drawn from the same links: they differ in their kind alone.

    Shape: both (batch, query, key) booleans
    """

    of_kind: Tensor
    others: Tensor


def compared_links(
    kind: AttentionKind, which: LinkKind, batch: Batch, task: Task, cfg: TransformerConfig, *, decisive: bool
) -> ComparedLinks:
    """The links of a kind beside as many others, drawn at random (always the same ones). A query that has too few others is in
    neither.

    Args:
        decisive: whether the kind's and the other links may be decisive ones (see DECISIVE). Where these are left out, none is
            in either.
    """
    pool = open_links(kind, batch, cfg)
    if not decisive:
        pool = pool & ~links(kind, DECISIVE[kind], batch, task, cfg)
    of_kind = links(kind, which, batch, task, cfg) & pool
    others = pool & ~of_kind
    count = of_kind.sum(dim=-1, keepdim=True)  # (batch, query, 1)
    enough = others.sum(dim=-1, keepdim=True) >= count
    luck = torch.rand(others.shape, generator=torch.Generator().manual_seed(0)).masked_fill(~others, -1.0)
    place = luck.argsort(dim=-1, descending=True).argsort(dim=-1)
    return ComparedLinks(of_kind & enough, others & enough & (place < count))


def without_links(whole: Transformer, kind: AttentionKind, mask: Tensor) -> IntervenedModel:
    """The model for these rows, in which no head of this attention, in any layer, may use these links. The other keys of a
    query share the weight; a query with none left gets nothing.

    Shape: mask (batch, query, key) booleans, True = cut; the rows may be shorter than that
    """

    def edit(scores: Tensor) -> Tensor:
        rows, _heads, queries, keys = scores.shape
        return scores.masked_fill(mask[:rows, None, :queries, :keys], float("-inf"))

    stages = (attention_path(kind, layer).stage("masked_scores") for layer in range(whole.cfg.n_layers))
    return IntervenedModel(whole, dict.fromkeys(stages, edit))


def queries_cut(mask: Tensor, queries: Tensor, pad_id: int) -> tuple[int, int]:
    """The number of queries that lose a link, and of how many; padding does not count.

    Shape: mask (batch, query, key), queries (batch, query) ids
    """
    lost = mask.any(dim=-1)[queries != pad_id]
    return int(lost.sum()), lost.numel()
