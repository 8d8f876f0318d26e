"""Heads and parts ranked by the cost of cutting each on held-out sequences."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import streamlit as st

from explorer.exhibits.shared import measuring
from explorer.figures.lines import bars
from explorer.figures.matrix import matrices
from explorer.i18n import _
from explorer.model_on_screen import held_out
from explorer.model_on_screen.cut_costs import damages, shares_right, sharpness_of_heads
from explorer.model_on_screen.shown_model import ShownModel
from explorer.ui import document, pickers
from explorer.ui.format import correlation_words, damage_words, right_words
from transformer_core import TransformerConfig
from transformer_core.analysis.cutting import HeadCut, Instead, PartCut, heads_of, mean_outputs, parts_of
from transformer_core.analysis.damage import Damage, correlation, damage, row_losses
from transformer_core.data.tasks import Task, has_source
from transformer_core.model.stages import ENCODER, attention_kind

_KINDS: tuple[Instead, Instead] = ("mean", "uniform")  # what takes the place of a head: they can disagree
_ROWS_SHOWN = 8


@dataclass(frozen=True)
class _PartCosts:
    """The measured costs of the heads, for each of _KINDS, and of the parts; `rights`: the share still right without each of
    the costliest heads, by the head's index."""

    task: Task
    of_heads: list[list[Damage | None]]
    of_parts: list[Damage | None]
    rights: dict[int, float | None]

    @property
    def progress(self) -> tuple[int, int]:
        cuts = [each for column in (*self.of_heads, self.of_parts) for each in column]
        known = sum(each is not None for each in (*cuts, *self.rights.values()))
        return known, len(cuts) + min(_ROWS_SHOWN, len(self.of_heads[0]))


def _loss(costs: Damage | None) -> float:
    return float("nan") if costs is None else costs.loss


def draw(shown: ShownModel) -> None:
    """Draws the button, and the pictures, which fill while they are measured."""
    n = held_out.count_of(shown.taught)
    st.markdown(
        _(
            "Does a head that looks sharp matter more than a blurred one? Here each head and each part is cut out, one at a "
            "time, and the model is asked {n} held-out sequences: by how much does its loss rise?"
        ).format(n=n)
        if shown.cfg.has_encoder
        else _(
            "Does a head that looks sharp matter more than a blurred one? Here each head and each part is cut out, one at a "
            "time, and the model reads {n} held-out texts: by how much does its loss rise at the tokens that count?"
        ).format(n=n)
    )
    heads, parts = heads_of(shown.cfg), parts_of(shown.cfg)
    all_of_it: _PartCosts | None = None

    def find(task: Task, left: Callable[[], float]) -> _PartCosts:
        whole = shown.choice.whole
        of_heads = [damages(whole, task, heads, each, left()) for each in _KINDS]
        of_parts = damages(whole, task, parts, "zero", left())
        costly = sorted((i for i, each in enumerate(of_heads[0]) if each), key=lambda i: -_loss(of_heads[0][i]))[:_ROWS_SHOWN]
        rights = shares_right(whole, task, [heads[i] for i in costly], _KINDS[0], left() if all(of_parts) else 0.0)
        return _PartCosts(task, of_heads, of_parts, dict(zip(costly, rights, strict=True)))

    def picture(now: _PartCosts) -> None:
        nonlocal all_of_it
        _picture_of_heads(shown, heads, now.of_heads)
        all_of_it = now if measuring.is_all(now) else None

    def operations(task: Task, cfg: TransformerConfig) -> int:
        cuts = len(_KINDS) * len(heads_of(cfg)) + len(parts_of(cfg)) + _ROWS_SHOWN
        return (1 + cuts) * held_out.operations(task, cfg)

    measuring.draw("ranking", shown, [shown.choice.whole], find, picture, operations=operations)
    document.details("ranking", lambda: _details(shown, all_of_it, n))


def _details(shown: ShownModel, costs: _PartCosts | None, n: int) -> None:
    """Draws what the parts cost, and the heads in a table, once all is measured."""
    if costs is not None:
        _picture_of_parts(shown, parts_of(shown.cfg), costs.of_parts)
        _words(shown, heads_of(shown.cfg), costs)
    document.formula(
        r"D_c=\frac1n\sum_{i=1}^{n}\left(\mathcal L_i^{<without>}-\mathcal L_i\right)",
        _(
            "The damage of a cut c: the mean over n held-out sequences of the loss with the cut, minus the loss without it, "
            "under teacher forcing, in nats per token. Its interval is that of a mean over the sequences."
        )
        if shown.cfg.has_encoder
        else _(
            "The damage of a cut c: the mean over n held-out texts of the loss with the cut, minus the loss without it, in "
            "nats per token that counts. Its interval is that of a mean over the texts."
        ),
        without=_("without $c$"),
    )
    document.try_this(
        _(
            "Do the two kinds of replacement agree on which head costs most? They ask different things: “mean” takes away all "
            "that a head says about this sentence, “even attention” only where it looks."
        ),
        _(
            "Cut the two heads that cost least on the page Heads, first one, then the other, then both, and measure there on "
            "{n} held-out sequences: do their damages add up?"
        ).format(n=n),
        _("Open **Another seed**: is the head that costs most here matched by one that costs most there?"),
    )
    document.the_code(damage, row_losses, mean_outputs)


def _picture_of_heads(shown: ShownModel, heads: Sequence[HeadCut], costs: list[list[Damage | None]]) -> None:
    kinds = pickers.kind_titles()
    places = list(dict.fromkeys((head.kind, head.layer) for head in heads))
    values = np.array([[_loss(each) for each in column] for column in costs])
    st.markdown(f"**{_('Heads')}**")
    picture = matrices(
        values.reshape(len(_KINDS), len(places), shown.cfg.n_heads),
        names=[_("replaced by its mean"), _("with even attention")],
        rows=[_("{attention} {layer}").format(attention=kinds[kind], layer=layer) for kind, layer in places],
        columns=[_("head {i}").format(i=i) for i in range(shown.cfg.n_heads)],
        signed=True,
        title=_("nats per token"),
        wide=2,
        size=40 + 34 * len(places),
        closed=_("not measured"),
    )
    document.picture(
        picture,
        _(
            "one cell per head: what the loss rises by when that head alone is cut out, replaced by its mean over held-out "
            "sequences, or with even attention to all that it may attend to. Grey: not measured yet."
        ),
        "damage-heads",
    )


def _picture_of_parts(shown: ShownModel, parts: Sequence[PartCut], costs: list[Damage | None]) -> None:
    known = [(part, each) for part, each in zip(parts, costs, strict=True) if each is not None]
    if not known:
        return
    st.markdown(f"**{_('Parts')}**")
    names = [_short(part) for part, _each in known]
    picture = bars(
        names, {_("damage"): np.array([each.loss for _part, each in known])}, y_title=_("nats per token"), height=300
    )
    document.picture(
        picture,
        _("one bar per part: what the loss rises by when it adds nothing, so that only its residual connection is left."),
        "damage-parts",
    )


def _short(part: PartCut) -> str:
    kinds, path = pickers.kind_titles(), part.path
    if (kind := attention_kind(path)) is not None:
        return _("{attention} {layer}").format(attention=kinds[kind], layer=path.layer)
    return _("{stack} FFN {layer}").format(stack=kinds["encoder" if path.stack == ENCODER else "decoder"], layer=path.layer)


def _words(shown: ShownModel, heads: Sequence[HeadCut], costs: _PartCosts) -> None:
    """Draws the ranking with its intervals, and says how many heads show no cost, and how costs go with sharp attention."""
    kinds, n = pickers.kind_titles(), held_out.count_of(costs.task)
    by_mean, even = ([each for each in column if each is not None] for column in costs.of_heads)
    order = sorted(range(len(heads)), key=lambda i: -by_mean[i].loss)
    next_of = dict(pairwise(order))
    table = [
        {_("attention"): kinds[heads[i].kind], _("layer"): heads[i].layer, _("head"): heads[i].head}
        | {_("replaced by its mean"): damage_words(by_mean[i])}
        | {_("more than the next"): damage_words(by_mean[i].beyond(by_mean[next_of[i]])) if i in next_of else ""}
        | {_("with even attention"): damage_words(even[i]), _("still right"): right_words(right or 0.0, n, costs.task)}
        for i, right in costs.rights.items()
    ]
    st.dataframe(table, hide_index=True)
    words = (
        _(
            "the heads that cost most when they are replaced by their mean, in nats per token with 95% intervals; how much "
            "more each costs than the next one, compared row by row; and the share of the {n} sequences "
            "that are still answered right then. Where the interval of a difference holds 0, these sequences do not show "
            "which of the two heads costs more; that both cost the same is not shown either."
        )
        if has_source(costs.task)
        else _(
            "the heads that cost most when they are replaced by their mean, in nats per token with 95% intervals; how much "
            "more each costs than the next one, compared row by row; and the share of the tokens that count in {n} texts that "
            "are still right then. Where the interval of a difference holds 0, these texts do not show which of the two heads "
            "costs more; that both cost the same is not shown either."
        )
    )
    document.caption(words.format(n=n))
    st.caption(measuring.about_intervals())
    sharp = sharpness_of_heads(shown.choice.whole, costs.task, heads)
    losses = [np.array([each.loss for each in column]) for column in (by_mean, even)]
    none = sum(each.holds_zero for each in by_mean)
    sentence = (
        _(
            "Of the {all} heads, the interval of {none} holds 0: these {n} sequences do not show that cutting one of them "
            "alone costs anything, nor that it costs nothing."
        ).format(none=none, all=len(heads), n=n),
        _(
            "Over the {n} heads, the two kinds of replacement have a rank correlation of {two} (1: the same order; in "
            "brackets its 95% interval, as if the heads were independent)."
        ).format(n=len(heads), two=correlation_words(correlation(*losses))),
        _(
            "With the sharpness of the heads, their largest weight on average, the damage (by the mean) has a rank "
            "correlation of {sharp}."
        ).format(sharp=correlation_words(correlation(losses[0], sharp))),
    )
    st.markdown(" ".join(sentence))
