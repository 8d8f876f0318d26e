"""The order of the heads by cost, in models of several seeds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from explorer.exhibits.shared import measuring
from explorer.i18n import _
from explorer.model_on_screen import held_out
from explorer.model_on_screen.cut_costs import damages
from explorer.model_on_screen.other_seeds import Matches, SeedModel, matches
from explorer.model_on_screen.shown_model import ShownModel
from explorer.ui import document, pickers
from explorer.ui.format import correlation_words
from transformer_core import TransformerConfig
from transformer_core.analysis.cutting import HeadCut, heads_of
from transformer_core.analysis.damage import Correlation, Damage, correlation
from transformer_core.data.tasks import Task


@dataclass(frozen=True)
class _SeedCosts:
    """The measured cost of each head of each model."""

    task: Task
    by_model: list[list[Damage | None]]

    @property
    def progress(self) -> tuple[int, int]:
        cuts = [each for column in self.by_model for each in column]
        return sum(each is not None for each in cuts), len(cuts)


def draw(shown: ShownModel, models: Sequence[SeedModel]) -> None:
    """Draws the button, the progress, and each model's order of heads. The model on screen is the first."""
    document.section(_("Which head matters?"))
    heads = heads_of(shown.cfg)

    def find(task: Task, left: Callable[[], float]) -> _SeedCosts:
        return _SeedCosts(task, [damages(model.choice, task, heads, "mean", left()) for model in models])

    def picture(now: _SeedCosts) -> None:
        if measuring.is_all(now):
            first, *others = (model.choice for model in models)
            matched = matches([(first, other) for other in others], now.task, 0.0)
            _tell(models, heads, now, [each for each in matched if each is not None], shown.cfg.n_heads)

    label = _("Cut out every head of every seed")

    def operations(task: Task, cfg: TransformerConfig) -> int:
        return len(models) * (1 + len(heads_of(cfg))) * held_out.operations(task, cfg)

    measuring.draw("ranks", shown, [model.choice for model in models], find, picture, label, operations)


def _tell(models: Sequence[SeedModel], heads: Sequence[HeadCut], found: _SeedCosts, matched: Sequence[Matches], h: int) -> None:
    """Draws the order of the heads of each model, and says how alike the orders are, by match and by number."""
    kinds = pickers.kind_titles()
    losses = [np.array([each.loss for each in column if each is not None]) for column in found.by_model]
    order = [(-each).argsort(kind="stable").argsort() + 1 for each in losses]  # 1: costs most
    places = [np.arange(len(heads)), *(_through(heads, match, h) for match in matched)]
    rows = []
    for i in (-losses[0]).argsort(kind="stable"):
        head = heads[i]
        row = {_("attention"): kinds[head.kind], _("layer"): head.layer, _("head"): head.head}
        for model, ranks, at in zip(models, order, places, strict=True):
            other = heads[at[i]]
            row[_("seed {seed}").format(seed=model.seed)] = f"#{ranks[at[i]]} · {other.layer}·{other.head}"
        rows.append(row)
    st.dataframe(rows, hide_index=True, key="seed-ranks")
    document.caption(
        _(
            "one row per head of the model on screen, the one that costs most first; for each seed, the place (#) of its match "
            "among the {all} heads of that model, by what the loss rises by when it is replaced by its mean, on {n} held-out "
            "sequences, and the match's layer · head."
        ).format(all=len(heads), n=held_out.count_of(found.task))
    )
    by_match = [correlation(losses[0], each[at]) for each, at in zip(losses[1:], places[1:], strict=True)]
    by_number = [correlation(losses[0], each) for each in losses[1:]]
    st.markdown(
        _(
            "Rank correlation of these damages with those on screen, over {n} heads, for each other seed: {matched} when heads "
            "are matched, {number} when they are taken by layer and number (1: the same order; in brackets the 95 % interval, "
            "as if the heads were independent)."
        ).format(n=len(heads), matched=_list(by_match), number=_list(by_number))
    )


def _list(found: Sequence[Correlation]) -> str:
    return ", ".join(map(correlation_words, found))


def _through(heads: Sequence[HeadCut], match: Matches, h: int) -> np.ndarray:
    """Returns for each head the place of its match among all heads. Shape: -> (heads,)"""
    place = {(each.kind, each.layer * h + each.head): i for i, each in enumerate(heads)}
    return np.array([place[each.kind, int(match[each.kind].to[each.layer * h + each.head])] for each in heads])
