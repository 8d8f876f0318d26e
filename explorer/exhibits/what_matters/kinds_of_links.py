"""Kinds of links: the cost of cutting every link of a kind, such as that of each word to its translation."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from explorer.exhibits.shared import measuring
from explorer.figures.matrix import matrices
from explorer.i18n import N_, _
from explorer.model_on_screen.cut_costs import LinksCompared, LinksFound, damages_of_links, kinds_of_links
from explorer.model_on_screen.held_out import count_of
from explorer.model_on_screen.shown_model import ShownModel
from explorer.ui import document, pickers
from explorer.ui.format import damage_words
from transformer_core.analysis.damage import Damage, damage
from transformer_core.analysis.links import DECISIVE, LinkKind, compared_links, links, without_links
from transformer_core.data.tasks import Task
from transformer_core.model.stages import AttentionKind

_NAMES: dict[LinkKind, str] = {
    "own": N_("its own word"),
    "previous": N_("the previous word"),
    "first": N_("the first word"),
    "last": N_("the last word"),
    "aligned": N_("the aligned word"),
    "all": N_("every word"),
}


@dataclass(frozen=True)
class _LinkCosts:
    """The measured costs, by attention and kind of links."""

    costs: Mapping[tuple[AttentionKind, LinkKind], LinksFound | None]

    @property
    def progress(self) -> tuple[int, int]:
        return sum(each is not None for each in self.costs.values()), len(self.costs)


def draw(shown: ShownModel) -> None:
    """Draws the button, and the picture, which fills while it is measured."""
    n = count_of(shown.taught)
    st.markdown(
        _(
            "A word attends to many words at once. Which of these links does the model need? Here all links of **one kind** "
            "are cut, in every layer and head of an attention, and the model is asked {n} held-out sequences: by how much does "
            "its loss rise? For comparison, **as many others** of the same queries are cut. Both are measured once more "
            "without a query’s own word and, in cross-attention, the aligned word, so that no kind costs much only because it "
            "holds some of these."
        ).format(n=n)
        if shown.cfg.has_encoder
        else _(
            "A word attends to many words at once. Which of these links does the model need? Here all links of **one kind** "
            "are cut, in every layer and head, and the model reads {n} held-out texts: by how much does its loss rise at the "
            "tokens that count? For comparison, **as many others** of the same queries are cut. Both are measured once more "
            "without a query’s own word, so that no kind costs much only because it holds that."
        ).format(n=n)
    )

    all_of_it: _LinkCosts | None = None

    def find(task: Task, left: Callable[[], float]) -> _LinkCosts:
        kinds = kinds_of_links(task, shown.cfg)
        return _LinkCosts(dict(zip(kinds, damages_of_links(shown.choice.whole, task, kinds, left()), strict=True)))

    def picture(now: _LinkCosts) -> None:
        nonlocal all_of_it
        _picture(now.costs, shown.cfg.has_encoder)
        all_of_it = now if measuring.is_all(now) else None

    measuring.draw("links", shown, [shown.choice.whole], find, picture)
    document.details("kinds_of_links", lambda: _details(all_of_it, n, shown.cfg.has_encoder))


def _details(found: _LinkCosts | None, n: int, has_encoder: bool) -> None:
    """Draws the numbers, once all is measured."""
    if found is not None:
        _words({asked: each for asked, each in found.costs.items() if each is not None}, n, has_encoder)
    document.formula(
        r"\begin{gathered}\alpha_{ij}=\frac{e^{s_{ij}}}{\sum_{j'\ <whole>}e^{s_{ij'}}}\\"
        r"\alpha_{ij}=0\ <cut>\end{gathered}",
        _(
            "A link is cut before the softmax of section 3.2.1, so the other words share its weight. A query with no other "
            "word gets nothing."
        ),
        whole=_("not cut"),
        cut=_("where the link is cut"),
    )
    document.try_this(
        _("Does the model need the aligned word? Compare it with other words of the same queries.")
        if has_encoder
        else _("Does the model need the previous word? Compare it with other words of the same queries."),
        _("Does the last word cost more than as many others? Compare it with and without the aligned words.")
        if has_encoder
        else "",
        _("Is there one kind of link that costs as much as every word, or even more?"),
        _("Move **learned for** back and measure again: which kind of link was needed first?"),
    )
    document.the_code(links, compared_links, without_links, damage)


def _picture(costs: Mapping[tuple[AttentionKind, LinkKind], LinksFound | None], has_encoder: bool) -> None:
    titles = pickers.kind_titles()
    kinds = list(dict.fromkeys(kind for kind, _which in costs))
    rows = [which for which in _NAMES if any(of == which for _kind, of in costs)]
    values = np.full((4, len(rows), len(kinds)), np.nan)
    for (kind, which), measured in costs.items():
        for panel, each in enumerate(() if measured is None else _shown(measured)):
            if each is not None:
                values[panel, rows.index(which), kinds.index(kind)] = each.loss
    drawn = matrices(
        values, names=[_("links of this kind"), _("as many others"),
                       _("without own and aligned words") if has_encoder else _("without own words"),
                       _("as many others, without them")],
        rows=[_(_NAMES[which]) for which in rows], columns=[titles[kind] for kind in kinds],
        row_title=_("links that are cut"), column_title=_("attention"), title=_("nats per token"), signed=True, wide=2,
        size=30 + 40 * len(rows), closed=_("not measured") if None in costs.values() else _("no such link"),
    )  # fmt: skip
    document.picture(
        replace(drawn, decimals=2),
        _(
            "one cell per kind of link: what the loss rises by when no query of this attention may attend to that word. “as "
            "many others”: the same queries lose as many other words instead, drawn at random from the same ones. “without own "
            "and aligned words”, and the others for that: a query’s own word and the aligned word are cut in neither. Queries "
            "that have too few others are left out of both, but for “every word”, which has none to compare with. Grey: not "
            "measured yet, or no such link: positions of two sentences do not correspond, and not every task knows which word "
            "comes from which. The decoder’s first word is the start token."
        )
        if has_encoder
        else _(
            "one cell per kind of link: what the loss rises by when no query may attend to that word. “as many others”: the "
            "same queries lose as many other words instead, drawn at random from the same ones. “without own words”, and the "
            "others for that: a query’s own word is cut in neither. Queries that have too few others are left out of both, but "
            "for “every word”, which has none to compare with. Grey: not measured yet, or no such link. The first word is the "
            "start token."
        ),
        "damage-links",
    )


def _shown(measured: LinksFound) -> tuple[Damage | None, ...]:
    """Returns the costs of the four panels."""
    with_all, without = measured.compared, measured.without_decisive
    return (
        measured.every if with_all is None else with_all.of_kind,
        None if with_all is None else with_all.others,
        None if without is None else without.of_kind,
        None if without is None else without.others,
    )


def _words(costs: Mapping[tuple[AttentionKind, LinkKind], LinksFound], n: int, has_encoder: bool) -> None:
    """Draws the numbers with their intervals, and says for each attention which kind costs most."""
    titles = pickers.kind_titles()
    table: list[dict[str, str]] = []
    for (kind, which), measured in costs.items():
        head = {_("attention"): titles[kind], _("links that are cut"): _(_NAMES[which])}
        if measured.compared is None or measured.compared.queries != measured.queries:
            table.append(head | _row("", measured.every, measured.queries))
        for left_out, each in ((_("nothing"), measured.compared), (_(_NAMES[DECISIVE[kind]]), measured.without_decisive)):
            if each is not None:
                table.append(head | _row(left_out, each.of_kind, each.queries, each))
    st.dataframe(table, hide_index=True)
    document.caption(
        _(
            "in nats per token on {n} sequences, with 95% intervals: each kind beside as many others of the same queries, and "
            "once more with what is “left out” on both sides; also as a whole, where some queries have too few others. Where "
            "the interval of a difference holds 0, these sequences do not show which of the two costs more; that both cost the "
            "same is not shown either. Not every query has a link of each kind: the first word has none before it. In the "
            "sentences below, a link that is also one to the own or the aligned word counts there alone."
        ).format(n=n)
        if has_encoder
        else _(
            "in nats per token on {n} texts, with 95% intervals: each kind beside as many others of the same queries, and once "
            "more with what is “left out” on both sides; also as a whole, where some queries have too few others. Where the "
            "interval of a difference holds 0, these texts do not show which of the two costs more; that both cost the same is "
            "not shown either. Not every query has a link of each kind: the first word has none before it. In the sentence "
            "below, a link that is also one to the own word counts there alone."
        ).format(n=n)
    )
    st.caption(measuring.about_intervals())
    st.markdown("\n".join(f"- {_most(kind, costs, n)}" for kind in dict.fromkeys(kind for kind, _which in costs)))


def _row(left_out: str, cost: Damage, queries: tuple[int, int], beside: LinksCompared | None = None) -> dict[str, str]:
    return {
        _("left out"): left_out,
        _("damage"): damage_words(cost),
        _("as many others"): "" if beside is None else damage_words(beside.others),
        _("difference"): "" if beside is None else damage_words(beside.more),
        _("queries that lose a link"): _("{n:,} of {all:,}").format(n=queries[0], all=queries[1]),
    }


def _most(kind: AttentionKind, costs: Mapping[tuple[AttentionKind, LinkKind], LinksFound], n: int) -> str:
    """Says which kind of links of an attention costs most, beside other links, and how much more than the next kind. Decisive
    links count as such, and not with the other kinds that they are also of."""
    mine = {which: each for (of, which), each in costs.items() if of == kind and which != "all"}
    first, second = sorted(mine, key=lambda which: -mine[which].alone.loss)[:2]
    apart = mine[first].alone.beyond(mine[second].alone)
    words = (
        _(
            "{attention}: on these {n} sequences **{links}** costs most, {most}; as many other words cost {others}, and every "
            "word {all}. The next, {next}, costs less by {apart}: the interval holds 0, so which of the two costs more is open."
        )
        if apart.holds_zero
        else _(
            "{attention}: on these {n} sequences **{links}** costs most, {most}; as many other words cost {others}, and every "
            "word {all}. The next, {next}, costs less by {apart}."
        )
    )
    cost = mine[first].without_decisive or mine[first].compared
    return words.format(
        attention=pickers.kind_titles()[kind],
        n=n,
        links=_(_NAMES[first]),
        most=damage_words(mine[first].alone),
        others=_("(there are none)") if cost is None else damage_words(cost.others),
        all=damage_words(costs[kind, "all"].every),
        next=_(_NAMES[second]),
        apart=damage_words(apart),
    )
