"""The cost of cutting each head and each part of the model on screen, measured in batches and cached for everybody."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from explorer.model_on_screen import held_out
from explorer.model_on_screen.cuts import Cuts
from explorer.model_on_screen.forward import ModelChoice, model_of
from explorer.model_on_screen.held_out import lots_of, rows_of, some_of
from explorer.model_on_screen.incremental import measure_batches, measure_joined
from explorer.model_on_screen.rollouts import judged
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.view_limits import check_passes
from transformer_core.analysis.cutting import Cut, HeadCut, Instead
from transformer_core.analysis.damage import Damage, Joint, damage, erasures, joint, row_losses, sharpness
from transformer_core.analysis.links import (
    DECISIVE,
    LINK_KINDS,
    ComparedLinks,
    LinkKind,
    compared_links,
    links,
    queries_cut,
    without_links,
)
from transformer_core.data.tasks import Task
from transformer_core.model.config import TransformerConfig
from transformer_core.model.stages import AttentionKind, attention_kinds, attention_path

_LinksKey = tuple[str, ModelChoice, Task, AttentionKind, LinkKind]


def damages(whole: ModelChoice, task: Task, cuts: Sequence[Cut], instead: Instead, seconds: float) -> list[Damage | None]:
    """Measures what each cut costs by itself on the held-out rows of a task; None where the time ran out.

    `seconds`: no measurement begins later; cached results take no time.
    """

    keys = [("damage", _without(whole, task, [cut], instead), task) for cut in cuts]
    return measure_joined(
        seconds, keys, lambda key, left: _losses([whole, key[1]], task, left), lambda _key, found: damage(found[0], found[1])
    )


def joint_damages(
    whole: ModelChoice, task: Task, pairs: Sequence[tuple[Cut, Cut]], instead: Instead, seconds: float
) -> list[Joint | None]:
    """Measures what pairs of cuts cost together, and each of them alone; see `damages`."""

    def losses(key: tuple[str, ModelChoice, Task], left: float) -> list[np.ndarray | None]:
        alone = [_without(whole, task, [cut], instead) for cut in key[1].cuts.made]
        return _losses([whole, *alone, key[1]], task, left)

    keys = [("joint", _without(whole, task, pair, instead), task) for pair in pairs]
    return measure_joined(seconds, keys, losses, lambda _key, found: joint(*found))


@shared_cache(2**18)
def kinds_of_links(task: Task, cfg: TransformerConfig) -> Sequence[tuple[AttentionKind, LinkKind]]:
    """Returns the kinds of links that occur in the held-out rows: not every task aligns words."""
    rows = rows_of(task)
    kinds = ((kind, which) for kind in attention_kinds(cfg) for which in LINK_KINDS[kind])
    return [(kind, which) for kind, which in kinds if links(kind, which, rows, task, cfg).any()]


@dataclass(frozen=True)
class LinksCompared:
    """The costs of links of a kind and of as many others of the same queries, see `ComparedLinks`.

    Attributes:
        more: what the kind costs beyond the others, row by row.
        queries: how many queries lose a link, the same ones in both, and of how many.
    """

    of_kind: Damage
    others: Damage
    more: Damage
    queries: tuple[int, int]


@dataclass(frozen=True)
class LinksFound:
    """The cost of cutting links of a kind.

    Attributes:
        every: of all of them.
        compared: beside as many others, all links together; None where no query has as many.
        without_decisive: the same, where decisive links are left out of both; None also where there are no decisive ones.
        queries: how many queries lose a link where all of the kind are cut, and of how many.
    """

    every: Damage
    compared: LinksCompared | None
    without_decisive: LinksCompared | None
    queries: tuple[int, int]

    @property
    def alone(self) -> Damage:
        """The cost of the kind without the decisive links that are also of it, of the same queries as the others beside it;
        of all, where nothing can stand beside it."""
        cost = self.without_decisive or self.compared
        return self.every if cost is None else cost.of_kind


def damages_of_links(
    whole: ModelChoice, task: Task, which: Sequence[tuple[AttentionKind, LinkKind]], seconds: float
) -> list[LinksFound | None]:
    """Measures the cost of cutting every link of each of these kinds; see `damages`."""
    model, rows, lots = model_of(whole), rows_of(task), lots_of(task, whole.cfg)

    def losses(key: _LinksKey, left: float) -> list[np.ndarray | None]:
        masks = _masks(task, whole.cfg, key[3], key[4])

        def some_losses(each: tuple[str, _LinksKey, int], places: torch.Tensor) -> np.ndarray:
            mask = masks[each[2]][places]
            return row_losses(model, some_of(task, places), lambda some: without_links(model, key[3], mask[some]))

        first = [next(i for i, each in enumerate(masks) if torch.equal(each, mask)) for mask in masks]  # equal ones once
        keys = [("losses", key, at) for at in first]
        return [*_losses([whole], task, left), *measure_batches(left, keys, lots, some_losses, _in_order(lots))]

    def cost(key: _LinksKey, found: list[np.ndarray]) -> LinksFound:
        before, *after = found
        queries = rows.src if key[3] == "encoder" else rows.labels
        masks = _masks(task, whole.cfg, key[3], key[4])
        every, *pairs = (damage(before, each) for each in after)
        lost = [queries_cut(mask, queries, whole.cfg.pad_id) for mask in masks]
        compared = [
            LinksCompared(pairs[at], pairs[at + 1], pairs[at].beyond(pairs[at + 1]), lost[at + 1]) if lost[at + 1][0] else None
            for at in (0, 2)
        ]
        return LinksFound(every, compared[0], compared[1], lost[0])

    return measure_joined(seconds, [("links", whole, task, *each) for each in which], losses, cost)


def _masks(task: Task, cfg: TransformerConfig, kind: AttentionKind, which: LinkKind) -> list[torch.Tensor]:
    """Returns the links that are cut: all of a kind; those of it and others, from all links; and from those without the
    decisive ones, none where the task has no such. Shape: each (row, query, key) booleans"""
    rows = rows_of(task)
    every = links(kind, which, rows, task, cfg)
    with_all, without = (compared_links(kind, which, rows, task, cfg, decisive=decisive) for decisive in (True, False))
    if not links(kind, DECISIVE[kind], rows, task, cfg).any():
        without = ComparedLinks(torch.zeros_like(every), torch.zeros_like(every))
    return [every, with_all.of_kind, with_all.others, without.of_kind, without.others]


def shares_right(whole: ModelChoice, task: Task, cuts: Sequence[Cut], instead: Instead, seconds: float) -> list[float | None]:
    """Returns the share of the held-out rows still answered right under each cut; see `damages`."""
    return held_out.shares_right([_without(whole, task, [cut], instead) for cut in cuts], task, seconds)


def _without(whole: ModelChoice, task: Task, cuts: Sequence[Cut], instead: Instead) -> ModelChoice:
    made = Cuts(tuple(cuts), instead)
    if not made.has_heads:
        made = replace(made, instead="zero")
    return replace(whole, cuts=replace(made, task=task) if made.instead == "mean" else made)


def _losses(choices: Sequence[ModelChoice], task: Task, seconds: float) -> list[np.ndarray | None]:
    """Computes the losses of the held-out rows for models of one configuration; see `damages`. Shape: each (row,)"""
    lots = lots_of(task, choices[0].cfg)
    keys = [("losses", choice, task) for choice in choices]
    return measure_batches(
        seconds, keys, lots, lambda key, places: row_losses(model_of(key[1]), some_of(task, places)), _in_order(lots)
    )


def _in_order(lots: Sequence[torch.Tensor]) -> Callable[[Hashable, list[np.ndarray]], np.ndarray]:
    """Returns a function that joins measurements of lots in the order of all rows. Shape: each (row of the lot,) -> (row,)"""
    order = torch.cat(list(lots)).argsort().numpy()
    return lambda _key, parts: np.concatenate(parts)[order]


def sharpness_of_heads(whole: ModelChoice, task: Task, heads: Sequence[HeadCut]) -> np.ndarray:
    """Returns the largest weight of each head's rows, averaged over the held-out rows. Shape: -> (heads,)"""
    by_head = sharpness(model_of(whole), rows_of(task))
    return np.array([by_head[attention_path(head.kind, head.layer).stage("weights")][head.head] for head in heads])


def worth_of_words(shown: ShownModel) -> np.ndarray:
    """Measures by how many nats the log-probability of each target word falls without each source word; of a decoder alone,
    without each word of its text, NaN for those that a word does not see and for the word itself, which cannot be hidden: its
    vector is there without attention. Raises InputError for too long a source. Shape: -> (tgt, src), or (tgt, tgt)
    """
    if not shown.cfg.has_encoder:
        found = judged(shown, "decoder")
        return np.where(found.counts[0], found.cost[0], np.nan)
    check_passes(shown.cfg, len(shown.src), len(shown.tgt), lambda src: src + 1)
    return _worth(shown.choice, *shown.batch(0, 0))


@shared_cache(8 * 2**20)
def _worth(choice: ModelChoice, *ids: tuple[int, ...]) -> np.ndarray:
    src, tgt, labels = (torch.tensor([row]) for row in ids)
    worth: np.ndarray = erasures(model_of(choice), src, tgt, labels)[0]
    worth.flags.writeable = False
    return worth


__all__ = [
    "LinksCompared",
    "LinksFound",
    "damages",
    "damages_of_links",
    "joint_damages",
    "kinds_of_links",
    "shares_right",
    "sharpness_of_heads",
    "worth_of_words",
]
