"""Cutting something out of a model, to see what it is worth: a link between two words, a word, a head, or a whole sublayer.

A cut is an edit of the stages of a forward pass (`model.trace`). The model itself stays as it is, and as fast.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor

from transformer_core.data.batch import Batch
from transformer_core.model.config import TransformerConfig
from transformer_core.model.intervened import IntervenedModel, in_turn
from transformer_core.model.stages import (
    ATTENTION_KINDS,
    CROSS_ATTENTION,
    DECODER,
    ENCODER,
    FEED_FORWARD,
    PARTS,
    STACKS,
    AttentionKind,
    SublayerPath,
    attention_kinds,
    attention_path,
    stacks_of,
)
from transformer_core.model.trace import Edit, Trace
from transformer_core.model.transformer import Transformer

Instead = Literal["mean", "zero", "uniform"]  # what takes the place of a head's output
INSTEAD: tuple[Instead, ...] = get_args(Instead)
Side = Literal["src", "tgt"]


@dataclass(frozen=True)
class LinkCut:
    """A query may not attend to a key, in one head or all (None), of one layer or all (None). Both are positions. The weight
    that the key had goes to the others: their softmax is taken without it."""

    kind: AttentionKind
    layer: int | None
    head: int | None
    query: int
    key: int

    def __str__(self) -> str:
        layer, head = (_ALL if each is None else each for each in (self.layer, self.head))
        return f"{self.kind}.{layer}.{head}:{self.query}-{self.key}"


@dataclass(frozen=True)
class WordCut:
    """No query may attend to a word: its keys are masked in every layer. Its own position still goes through the model."""

    side: Side
    place: int

    def __str__(self) -> str:
        return f"{self.side}:{self.place}"


@dataclass(frozen=True)
class HeadCut:
    """A head's output, before W_O, is replaced."""

    kind: AttentionKind
    layer: int
    head: int

    def __str__(self) -> str:
        return f"{self.kind}.{self.layer}.{self.head}"


@dataclass(frozen=True)
class PartCut:
    """A sublayer adds nothing: what is left is its residual connection."""

    path: SublayerPath

    def __str__(self) -> str:
        return self.path.module


Cut = LinkCut | WordCut | HeadCut | PartCut

_ALL = "all"  # no sign such as *, which chat programs take for emphasis, and out of a link; one that is left is read
_KINDS, _COUNT = "|".join(ATTENTION_KINDS), r"0|[1-9][0-9]{0,3}"
_LINK = re.compile(rf"({_KINDS})\.({_COUNT}|{_ALL}|\*)\.({_COUNT}|{_ALL}|\*):({_COUNT})-({_COUNT})")
_WORD = re.compile(rf"(src|tgt):({_COUNT})")
_HEAD = re.compile(rf"({_KINDS})\.({_COUNT})\.({_COUNT})")
_PART = re.compile(rf"({'|'.join(STACKS)})\.({_COUNT})\.({'|'.join(PARTS)})")


def parse(text: str) -> Cut:
    """The cut that `str` has written; older links have * for "all". Raises ValueError for anything else."""
    if match := _LINK.fullmatch(text):
        kind, layer, head, query, key = match.groups()
        return LinkCut(_kind(kind), _or_all(layer), _or_all(head), int(query), int(key))
    if match := _WORD.fullmatch(text):
        return WordCut("src" if match[1] == "src" else "tgt", int(match[2]))
    if match := _HEAD.fullmatch(text):
        return HeadCut(_kind(match[1]), int(match[2]), int(match[3]))
    if match := _PART.fullmatch(text):
        return PartCut(SublayerPath(match[1], int(match[2]), match[3]))
    raise ValueError(f"{text!r:.100} is no cut")


def _kind(text: str) -> AttentionKind:
    return next(kind for kind in ATTENTION_KINDS if kind == text)


def _or_all(text: str) -> int | None:
    return None if text in (_ALL, "*") else int(text)


def fits(cut: Cut, cfg: TransformerConfig, src: int, tgt: int) -> bool:
    """Returns whether a model of this configuration has what is cut; src, tgt: numbers of tokens."""
    match cut:
        case WordCut(side, place):
            return place < (src if side == "src" else tgt) and bool(_reading(side, cfg))
        case PartCut(path):
            there = path.part != CROSS_ATTENTION or (cfg.cross_attention and path.stack == DECODER)
            return there and path.stack in stacks_of(cfg) and path.layer < cfg.n_layers
        case LinkCut(kind, layer, head, query, key):
            queries, keys = (src if kind == "encoder" else tgt), (tgt if kind == "decoder" else src)
            there = query < queries and key < keys
        case HeadCut(kind, layer, head):
            there = True
    in_model = (layer or 0) < cfg.n_layers and (head or 0) < cfg.n_heads
    return there and in_model and kind in attention_kinds(cfg)


def where(cut: Cut, cfg: TransformerConfig) -> list[SublayerPath]:
    """The sublayers in which something is cut."""
    every = range(cfg.n_layers)
    match cut:
        case LinkCut(kind, layer):
            return [attention_path(kind, at) for at in (every if layer is None else [layer])]
        case WordCut(side):
            return [attention_path(kind, at) for kind in _reading(side, cfg) for at in every]
        case HeadCut(kind, layer):
            return [attention_path(kind, layer)]
        case PartCut(path):
            return [path]


def cut_out(
    whole: Transformer, cuts: Sequence[Cut], instead: Instead = "zero", means: Mapping[str, Tensor] | None = None
) -> IntervenedModel:
    """The model with these cuts, all of which must fit it. `means`, by `mean_outputs`, are needed for `instead="mean"`."""
    return IntervenedModel(whole, edits_of(whole.cfg, cuts, instead, means or {}))


def edits_of(
    cfg: TransformerConfig, cuts: Sequence[Cut], instead: Instead = "zero", means: Mapping[str, Tensor] | None = None
) -> dict[str, Edit]:
    """The edits of a trace that make these cuts.

    Args:
        instead: of a head's output: nothing (0); its mean (`means`); or its output when it attends evenly to all open keys.
    """
    edits: list[tuple[str, Edit]] = []

    def add(stage: str, edit: Edit) -> None:
        edits.append((stage, edit))

    for cut in cuts:
        match cut:
            case LinkCut(kind, layer, head, query, key):
                for at in range(cfg.n_layers) if layer is None else [layer]:
                    add(attention_path(kind, at).stage("masked_scores"), _without(head, query, key))
            case WordCut(side, place):
                for kind in _reading(side, cfg):
                    for at in range(cfg.n_layers):
                        add(attention_path(kind, at).stage("masked_scores"), _without(None, None, place))
            case PartCut(path):
                add(path.stage("output"), torch.zeros_like)
            case HeadCut():
                pass
    for cut in cuts:  # behind the links: an even head attends to what has been left to it
        if isinstance(cut, HeadCut):
            path = attention_path(cut.kind, cut.layer)
            if instead == "uniform":
                add(path.stage("masked_scores"), _even(cut.head))
            else:
                stage = path.stage("context")
                add(stage, _replaced(cut.head, (means or {})[stage][cut.head] if instead == "mean" else None))
    return in_turn(edits)


def cut_pairs(cfg: TransformerConfig, cuts: Sequence[Cut], path: SublayerPath, queries: int, keys: int) -> Tensor:
    """The pairs of an attention that are cut, in each of its heads. Shape: -> (head, query, key) booleans"""
    scores = torch.zeros(1, cfg.n_heads, queries, keys)
    edit = edits_of(cfg, cuts).get(path.stage("masked_scores"))
    return (scores if edit is None else edit(scores))[0] == float("-inf")


def _reading(side: Side, cfg: TransformerConfig) -> list[AttentionKind]:
    """The attentions whose keys come from this side."""
    if side == "tgt":
        return ["decoder"]
    return [kind for kind in attention_kinds(cfg) if kind != "decoder"]


def _without(head: int | None, query: int | None, key: int) -> Edit:
    """Masks a key from a query, or from all, as far as the sequences are long enough. Shape: (batch, head, query, key)"""
    heads = slice(None) if head is None else slice(head, head + 1)
    queries = slice(None) if query is None else slice(query, query + 1)

    def edit(scores: Tensor) -> Tensor:
        scores = scores.clone()
        scores[:, heads, queries, key : key + 1] = float("-inf")
        return scores

    return edit


def _even(head: int) -> Edit:
    """Gives all open keys the same score. Shape: (batch, head, query, key)"""

    def edit(scores: Tensor) -> Tensor:
        scores = scores.clone()
        scores[:, head] = scores[:, head].masked_fill(scores[:, head] > float("-inf"), 0.0)
        return scores

    return edit


def _replaced(head: int, by: Tensor | None) -> Edit:
    """Puts a vector, or 0, in the place of a head's output at every query. Shape: (batch, head, query, d_v), by (d_v,)"""

    def edit(context: Tensor) -> Tensor:
        context = context.clone()
        context[:, head] = 0.0 if by is None else by.to(context)
        return context

    return edit


@torch.no_grad()
def mean_outputs(model: Transformer, batch: Batch) -> dict[str, Tensor]:
    """Every head's mean output over the queries of these rows, padding left out, under teacher forcing.

    Shape: -> stage name of the context: (head, d_v)
    """
    with Trace(only=["context"]) as trace:
        model(batch.src, batch.tgt)
    src, tgt = batch.src != model.cfg.pad_id, batch.labels != model.cfg.pad_id
    means = {}
    for name in trace.stages:
        if name.endswith(".context"):
            real = (src if name.startswith(ENCODER) else tgt)[:, None, :, None]  # (batch, 1, query, 1)
            context = trace[name]  # (batch, head, query, d_v)
            means[name] = (context * real).sum(dim=(0, 2)) / real.sum()
    return means


def heads_of(cfg: TransformerConfig) -> list[HeadCut]:
    """Every head of a model: of the encoder, the decoder's self-attention, and cross-attention, layer by layer."""
    kinds, layers, heads = attention_kinds(cfg), range(cfg.n_layers), range(cfg.n_heads)
    return [HeadCut(kind, layer, head) for kind in kinds for layer in layers for head in heads]


def parts_of(cfg: TransformerConfig) -> list[PartCut]:
    """Every sublayer of a model."""
    attentions = [attention_path(kind, 0) for kind in attention_kinds(cfg)]
    paths = [(path.stack, path.part) for path in attentions] + [(stack, FEED_FORWARD) for stack in stacks_of(cfg)]
    return [PartCut(SublayerPath(stack, layer, part)) for stack, part in paths for layer in range(cfg.n_layers)]
