"""What each head and each part of the model on screen is worth, measured a little at a time, and kept for everybody."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch
from cachetools import LRUCache, cached

from explorer.inference.cuts import Cuts
from explorer.inference.forward import ModelChoice, model_of
from explorer.inference.held_out import ROWS, rows_of, share_right
from explorer.inference.measured import within
from explorer.inference.shown_model import ShownModel
from transformer_core.analysis.cutting import Cut, HeadCut, Instead
from transformer_core.analysis.damage import Damage, Joint, damage, erasures, joint, row_losses, sharpness
from transformer_core.analysis.links import LINK_KINDS, LinkKind, links, queries_cut, without_links
from transformer_core.data.tasks import TASKS
from transformer_core.model.config import TransformerConfig
from transformer_core.model.stages import ATTENTION_KINDS, AttentionKind, attention_path


def damages(whole: ModelChoice, task: str, cuts: Sequence[Cut], instead: Instead, seconds: float) -> list[Damage | None]:
    """What each of these cuts costs, by itself, on ROWS held-out rows of a task; None where there was no time left for it.

    `seconds`: after which no more are begun; what is known already takes none.
    """

    def cost(choice: ModelChoice) -> Damage:
        return damage(_losses(whole, task), _losses(choice, task))

    return within(seconds, [("damage", _without(whole, task, [cut], instead), task) for cut in cuts], lambda key: cost(key[1]))


def joint_damages(
    whole: ModelChoice, task: str, pairs: Sequence[tuple[Cut, Cut]], instead: Instead, seconds: float
) -> list[Joint | None]:
    """What two cuts at once cost, beside each of them alone; see `damages`."""

    def cost(choice: ModelChoice) -> Joint:
        alone = (_without(whole, task, [cut], instead) for cut in choice.cuts.made)
        one, other = (_losses(each, task) for each in alone)
        return joint(_losses(whole, task), one, other, _losses(choice, task))

    return within(seconds, [("joint", _without(whole, task, pair, instead), task) for pair in pairs], lambda key: cost(key[1]))


@lru_cache(64)
def kinds_of_links(task: str, cfg: TransformerConfig) -> Sequence[tuple[AttentionKind, LinkKind]]:
    """The kinds of links of which there are any in ROWS held-out rows: not every task knows which words are aligned."""
    rows, learned = rows_of(task), TASKS[task]()
    kinds = ((kind, which) for kind in ATTENTION_KINDS if kind != "cross" or cfg.cross_attention for which in LINK_KINDS[kind])
    return [(kind, which) for kind, which in kinds if links(kind, which, rows, learned, cfg).any()]


@dataclass(frozen=True)
class LinksFound:
    """What cutting all links of a kind costs; `queries`: how many lose a link by it, and of how many."""

    damage: Damage
    queries: tuple[int, int]


def damages_of_links(
    whole: ModelChoice, task: str, which: Sequence[tuple[AttentionKind, LinkKind]], seconds: float
) -> list[LinksFound | None]:
    """What cutting every link of each of these kinds costs; see `damages`."""
    model, rows, learned = model_of(whole), rows_of(task), TASKS[task]()

    def cost(key: tuple[str, ModelChoice, str, AttentionKind, LinkKind]) -> LinksFound:
        kind, links_of = key[3:]
        mask = links(kind, links_of, rows, learned, whole.cfg)
        losses = row_losses(model, rows, lambda some: without_links(model, kind, mask[some]))
        queries = rows.src if kind == "encoder" else rows.labels
        return LinksFound(damage(_losses(whole, task), losses), queries_cut(mask, queries, whole.cfg.pad_id))

    return within(seconds, [("links", whole, task, *each) for each in which], cost)


def shares_right(whole: ModelChoice, task: str, cuts: Sequence[Cut], instead: Instead, seconds: float) -> list[float | None]:
    """The share of these rows that is still answered right with each of these cuts; see `damages`."""
    keys = [("right", _without(whole, task, [cut], instead), task) for cut in cuts]
    return within(seconds, keys, lambda key: share_right(key[1], task))


def _without(whole: ModelChoice, task: str, cuts: Sequence[Cut], instead: Instead) -> ModelChoice:
    made = Cuts(tuple(cuts), instead)
    if not made.has_heads:
        made = replace(made, instead="zero")
    return replace(whole, cuts=replace(made, task=task) if made.instead == "mean" else made)


@cached(LRUCache(2048), lock=threading.Lock())
def _losses(choice: ModelChoice, task: str) -> np.ndarray:
    return row_losses(model_of(choice), rows_of(task))


def sharpness_of_heads(whole: ModelChoice, task: str, heads: Sequence[HeadCut]) -> np.ndarray:
    """The largest weight of each head's rows, averaged over ROWS held-out rows. Shape: -> (heads,)"""
    found = sharpness(model_of(whole), rows_of(task))
    return np.array([found[attention_path(head.kind, head.layer).stage("weights")][head.head] for head in heads])


def worth_of_words(shown: ShownModel) -> np.ndarray:
    """By how many nats the log-probability of each word to be said falls without each source word. Shape: -> (tgt, src)"""
    return _worth(shown.choice, *shown.batch(0, 0))


@cached(LRUCache(256), lock=threading.Lock())
def _worth(choice: ModelChoice, *ids: tuple[int, ...]) -> np.ndarray:
    src, tgt, labels = (torch.tensor([row]) for row in ids)
    worth = erasures(model_of(choice), src, tgt, labels)[0]
    worth.flags.writeable = False
    return worth


__all__ = [
    "ROWS",
    "LinksFound",
    "damages",
    "damages_of_links",
    "joint_damages",
    "kinds_of_links",
    "shares_right",
    "sharpness_of_heads",
    "worth_of_words",
]
