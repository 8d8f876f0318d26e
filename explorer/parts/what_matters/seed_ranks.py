"""Whether the head that costs most when it is cut out is the same in models of other seeds."""

import time
from collections.abc import Sequence

import numpy as np
import streamlit as st

from explorer.i18n import _
from explorer.inference.damages import ROWS, damages
from explorer.inference.other_seeds import Matches, SeedModel, matches
from explorer.inference.shown_model import ShownModel
from explorer.session import current
from explorer.ui import document, pickers
from explorer.ui.fragment import fragment
from transformer_core.analysis.cutting import HeadCut, heads_of
from transformer_core.analysis.damage import Damage, rank_correlation

_AT_ONCE = 0.5  # seconds of measuring between two pictures
_KEY = "seed-ranks"


def draw(shown: ShownModel, models: Sequence[SeedModel]) -> None:
    """The button, the progress, and each model's order of heads; the model on screen is the first."""
    document.section(_("Which head matters?"))
    asked = tuple(model.choice for model in models)
    if current().measured.get(_KEY) != asked:
        st.button(
            _("Cut out every head of every seed"), key="measure-seeds", icon=":material/straighten:", on_click=_begin,
            args=(asked,),
        )  # fmt: skip
        return
    heads = heads_of(shown.cfg)

    def found(seconds: float) -> list[list[Damage | None]]:
        until = time.monotonic() + seconds
        return [damages(each, shown.task, heads, "mean", max(until - time.monotonic(), 0.0)) for each in asked]

    def known(now: list[list[Damage | None]]) -> int:
        return sum(each is not None for column in now for each in column)

    count = len(heads) * len(models)
    unfinished = known(found(0.0)) < count

    @fragment(run_every=0.05 if unfinished else None)
    def view() -> None:
        now = found(_AT_ONCE if unfinished else 0.0)
        if not unfinished:
            matched = matches([(asked[0], other) for other in asked[1:]], shown.task, 0.0)
            _tell(models, heads, now, [each for each in matched if each is not None], shown.cfg.n_heads)
        elif (n := known(now)) == count:
            st.rerun()  # the whole page: nothing is left to be measured
        else:
            with pickers.row("ranks-progress"):
                st.progress(n / count, _("{n} of {all} cuts measured").format(n=n, all=count))
                st.button(_("Cancel"), key="cancel-ranks", on_click=_stop)

    view()


def _begin(asked: tuple) -> None:
    current().measured[_KEY] = asked


def _stop() -> None:
    current().measured.pop(_KEY, None)


def _tell(
    models: Sequence[SeedModel], heads: Sequence[HeadCut], found: list[list[Damage | None]], matched: Sequence[Matches], h: int
) -> None:
    """The order of the heads of each model, by number and by match."""
    kinds = pickers.kind_titles()
    losses = [np.array([each.loss for each in column if each is not None]) for column in found]
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
    document.reading(
        _(
            "one row per head of the model on screen, the one that costs most first; for each seed, the place (#) of its match "
            "among the {all} heads of that model, by what the loss rises by when it is replaced by its mean, on {n} held-out "
            "sequences, and the match's layer · head."
        ).format(all=len(heads), n=ROWS)
    )
    by_match = [rank_correlation(losses[0], each[at]) for each, at in zip(losses[1:], places[1:], strict=True)]
    by_number = [rank_correlation(losses[0], each) for each in losses[1:]]
    st.markdown(
        _(
            "Rank correlation of these damages with those on screen, over {n} heads, for each other seed: {matched} when heads "
            "are matched, {number} when they are taken by layer and number (1: the same order)."
        ).format(n=len(heads), matched=_list(by_match), number=_list(by_number))
    )


def _list(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.2f}" for value in values)


def _through(heads: Sequence[HeadCut], match: Matches, h: int) -> np.ndarray:
    """For each head its match's place among all heads. Shape: -> (heads,)"""
    place = {(each.kind, each.layer * h + each.head): i for i, each in enumerate(heads)}
    return np.array([place[each.kind, int(match[each.kind].to[each.layer * h + each.head])] for each in heads])
