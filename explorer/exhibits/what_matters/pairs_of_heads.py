"""Pairs of heads: the cost of two heads cut together, beside that of each alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import streamlit as st

from explorer.exhibits.shared import measuring
from explorer.figures.matrix import matrices
from explorer.i18n import _, n_
from explorer.model_on_screen import held_out
from explorer.model_on_screen.cut_costs import damages, joint_damages
from explorer.model_on_screen.shown_model import ShownModel
from explorer.ui import document, pickers
from explorer.ui.format import damage_words, true_minus
from explorer.ui.widgets import choose
from transformer_core import TransformerConfig
from transformer_core.analysis.cutting import HeadCut, Instead, heads_of
from transformer_core.analysis.damage import Damage, Joint, damage, joint
from transformer_core.data.tasks import Task
from transformer_core.model.stages import attention_kinds

_MOST = 60  # pairs that are measured

Pair = tuple[HeadCut, HeadCut]


@dataclass(frozen=True)
class _PairCosts:
    """The measured costs of each head, and of pairs once all heads are known. `count`: all pairs that there are."""

    heads: Sequence[HeadCut]
    alone: Sequence[Damage | None]
    pairs: Sequence[Pair]
    together: Sequence[Joint | None]
    count: int

    @property
    def progress(self) -> tuple[int, int]:
        known = sum(each is not None for each in (*self.alone, *self.together))
        return known, len(self.heads) + min(self.count, _MOST)

    @property
    def measured(self) -> list[tuple[Pair, Joint]]:
        return [(pair, each) for pair, each in zip(self.pairs, self.together, strict=True) if each is not None]


def draw(shown: ShownModel) -> None:
    """Draws the button, and the picture of one kind of attention, which fills while it is measured."""
    n = held_out.count_of(shown.taught)
    st.markdown(
        _(
            "A head that costs little when it is cut out alone need not be useless: another one may do the same. Here **two** "
            "heads of the same kind of attention are cut out together, on {n} held-out sequences. Do they cost "
            "more than the sum of what each costs alone?"
        ).format(n=n)
        if shown.cfg.has_encoder
        else _(
            "A head that costs little when it is cut out alone need not be useless: another one may do the same. Here **two** "
            "heads are cut out together, on {n} held-out texts. Do they cost more, at the tokens that count, than the sum of "
            "what each costs alone?"
        ).format(n=n)
    )
    with pickers.line():
        kinds = sorted(attention_kinds(shown.cfg), key=lambda kind: kind != "cross")
        kind = choose("pairs_of", _("attention"), kinds, pickers.kind_titles()) if len(kinds) > 1 else kinds[0]
        titles: dict[Instead, str] = {"mean": _("its mean"), "uniform": _("even attention")}
        instead = choose("pairs_instead", _("in place of a head’s output"), list(titles), titles)
    heads = [head for head in heads_of(shown.cfg) if head.kind == kind]
    if len(heads) < 2:
        st.info(_("This attention has a single head, so there are no pairs."))
        return

    all_of_it: _PairCosts | None = None

    def find(task: Task, left: Callable[[], float]) -> _PairCosts:
        whole = shown.choice.whole
        alone = damages(whole, task, heads, instead, left())
        pairs = _cheapest(heads, alone)
        together = joint_damages(whole, task, pairs, instead, left())
        return _PairCosts(heads, alone, pairs, together, len(heads) * (len(heads) - 1) // 2)

    def picture(now: _PairCosts) -> None:
        nonlocal all_of_it
        _picture(now)
        all_of_it = now if measuring.is_all(now) else None

    def operations(task: Task, cfg: TransformerConfig) -> int:
        alone = sum(head.kind == kind for head in heads_of(cfg))
        return (1 + alone + min(alone * (alone - 1) // 2, _MOST)) * held_out.operations(task, cfg)

    measuring.draw("pairs", shown, [shown.choice.whole], find, picture, operations=operations)
    document.details("pairs_of_heads", lambda: _details(all_of_it, n))


def _details(costs: _PairCosts | None, n: int) -> None:
    """Draws the numbers, once all is measured."""
    if costs is not None:
        _words(costs, n)
    document.formula(
        r"\begin{gathered}D_{ab}-(D_a+D_b)=\\ \frac1n\sum_{i=1}^{n}\left(\mathcal L_i^{ab}-\mathcal L_i^{a}-\mathcal L_i^{b}"
        r"+\mathcal L_i\right)\end{gathered}",
        _(
            "How much more two heads cost together than the sum of each alone, in nats per token: the losses without a and b, "
            "without a, without b, and with all heads. Its interval is that of a mean over the n sequences."
        ),
    )
    document.try_this(
        _("Is there a pair of which a cost shows only when both heads are cut out? Look at the first rows of the table."),
        _("Choose “even attention”: are the same pairs worth more together?"),
        _("Cut such a pair on the page Heads: which words of the answer change?"),
    )
    document.the_code(joint, damage)


def _cheapest(heads: Sequence[HeadCut], alone: Sequence[Damage | None]) -> list[Pair]:
    """The pairs whose heads cost least alone, in the order of the heads; none before the cost of every head is known."""
    costs = {head: each.loss for head, each in zip(heads, alone, strict=True) if each is not None}
    if len(costs) < len(heads):
        return []
    pairs = list(combinations(heads, 2))
    kept = sorted(pairs, key=lambda pair: costs[pair[0]] + costs[pair[1]])[:_MOST]
    return [pair for pair in pairs if pair in kept]


def _name(head: HeadCut) -> str:
    return f"{head.layer}.{head.head}"


def _picture(costs: _PairCosts) -> None:
    """Draws the cost of both heads cut together, each alone on the diagonal, and how much it exceeds the sum of both."""
    at = {head: i for i, head in enumerate(costs.heads)}
    values = np.full((2, len(at), len(at)), np.nan)
    for head, each in zip(costs.heads, costs.alone, strict=True):
        if each is not None:
            values[0, at[head], at[head]] = each.loss
    for (one, other), joined in costs.measured:
        values[:, at[one], at[other]] = joined.together.loss, joined.more.loss
    names = [_name(head) for head in costs.heads]
    picture = matrices(
        values,
        names=[_("both cut out"), _("more than the sum")],
        rows=names,
        columns=names,
        row_title=_("layer.head"),
        column_title=_("layer.head"),
        signed=True,
        title=_("nats per token"),
        wide=2,
        size=40 + 34 * len(names),
        closed=_("not measured"),
    )
    document.picture(
        picture,
        _(
            "one cell per pair of heads, named by layer and head. “both cut out”: what the loss then rises by; on the "
            "diagonal, one head alone. “more than the sum”: how much more that is than the sum of each alone. Grey: not "
            "measured."
        ),
        "damage-pairs",
    )


def _words(costs: _PairCosts, rows: int) -> None:
    """Says how many pairs cost more together, how many less, and how many are hidden: cost something only together. Draws the
    numbers, the hidden pairs first."""
    measured = sorted(costs.measured, key=lambda each: (not each[1].is_hidden, -each[1].more.loss))
    n = len(measured)
    if costs.count > n:
        st.markdown(
            _("There are {all} pairs; measured were the {n} whose heads cost least alone.").format(all=costs.count, n=n)
        )
    st.markdown(
        n_(
            "Of {n} pair, **{more}** costs more together than the sum of each alone (the interval of the difference lies above "
            "0), and {less} less. Of these pairs, **{hidden}** are hidden: {rows} sequences show a cost of both heads together "
            "and of neither alone (its interval reaches down to 0; a small cost may still be there).",
            "Of {n} pairs, **{more}** cost more together than the sum of each alone (the interval of the difference lies above "
            "0), and {less} less. Of these pairs, **{hidden}** are hidden: {rows} sequences show a cost of both heads together "
            "and of neither alone (its interval reaches down to 0; a small cost may still be there).",
            n,
        ).format(
            n=n,
            rows=rows,
            more=sum(each.more.low > 0 for _pair, each in measured),
            less=sum(each.more.high < 0 for _pair, each in measured),
            hidden=sum(each.is_hidden for _pair, each in measured),
        )
    )
    table = [
        {
            _("heads"): f"{_name(one)} + {_name(other)}",
            _("hidden"): "✓" if each.is_hidden else "",
            _("first alone"): damage_words(each.one),
            _("second alone"): damage_words(each.other),
            _("sum"): true_minus(f"{each.one.loss + each.other.loss:.3f}"),
            _("together"): damage_words(each.together),
            _("together − sum"): damage_words(each.more),
        }
        for (one, other), each in measured
    ]
    st.dataframe(table, hide_index=True)
    document.caption(
        _(
            "in nats per token on {n} sequences, with 95% intervals. The hidden pairs stand first, then those that cost most "
            "beyond the sum."
        ).format(n=rows)
    )
    st.caption(measuring.about_intervals())
