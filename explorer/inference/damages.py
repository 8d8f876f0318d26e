"""What each head and each part of the model on screen is worth, measured a little at a time, and kept for everybody."""

import threading
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from cachetools import LRUCache, cached

from explorer.inference.cuts import Cuts
from explorer.inference.forward import ModelChoice, model_of
from explorer.inference.held_out import ROWS, rows_of, share_right
from explorer.inference.measured import within
from explorer.inference.shown_model import ShownModel
from transformer_core.analysis.cutting import Cut, HeadCut, Instead
from transformer_core.analysis.damage import Damage, damage, erasures, row_losses, sharpness
from transformer_core.model.stages import attention_path


def damages(whole: ModelChoice, task: str, cuts: Sequence[Cut], instead: Instead, seconds: float) -> list[Damage | None]:
    """What each of these cuts costs, by itself, on ROWS held-out rows of a task; None where there was no time left for it.

    `seconds`: after which no more are begun; what is known already takes none.
    """

    def cost(choice: ModelChoice) -> Damage:
        return damage(_losses(whole, task), row_losses(model_of(choice), rows_of(task)))

    return within(seconds, [("damage", _without(whole, task, cut, instead), task) for cut in cuts], lambda key: cost(key[1]))


def shares_right(whole: ModelChoice, task: str, cuts: Sequence[Cut], instead: Instead, seconds: float) -> list[float | None]:
    """The share of these rows that is still answered right with each of these cuts; see `damages`."""
    keys = [("right", _without(whole, task, cut, instead), task) for cut in cuts]
    return within(seconds, keys, lambda key: share_right(key[1], task))


def _without(whole: ModelChoice, task: str, cut: Cut, instead: Instead) -> ModelChoice:
    is_head = isinstance(cut, HeadCut)
    made = Cuts((cut,), instead if is_head else "zero", task if is_head and instead == "mean" else "")
    return replace(whole, cuts=made)


@cached(LRUCache(64), lock=threading.Lock())
def _losses(whole: ModelChoice, task: str) -> np.ndarray:
    return row_losses(model_of(whole), rows_of(task))


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


__all__ = ["ROWS", "damages", "shares_right", "sharpness_of_heads", "worth_of_words"]
