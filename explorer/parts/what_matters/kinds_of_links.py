"""Kinds of links: what it costs to cut every link of a kind, such as that of each word to the word that it translates."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from explorer.figures.matrix import matrix
from explorer.i18n import N_, _
from explorer.inference.damages import ROWS, LinksFound, damages_of_links, kinds_of_links
from explorer.inference.shown_model import ShownModel
from explorer.parts.shared import measuring
from explorer.ui import document, pickers
from explorer.ui.format import damage_words
from transformer_core.analysis.damage import damage
from transformer_core.analysis.links import LinkKind, links, without_links
from transformer_core.model.stages import AttentionKind

_NAMES: dict[LinkKind, str] = {
    "own": N_("its own word"),
    "previous": N_("the previous word"),
    "first": N_("the first word"),
    "last": N_("the last word"),
    "aligned": N_("the aligned word"),
    "drawn": N_("a random word"),
    "all": N_("every word"),
}
_YARDSTICKS = ("drawn", "all")  # what the others are compared with


@dataclass(frozen=True)
class _Found:
    """What has been measured, by the attention and the kind of links."""

    costs: Mapping[tuple[AttentionKind, LinkKind], LinksFound | None]

    @property
    def progress(self) -> tuple[int, int]:
        return sum(each is not None for each in self.costs.values()), len(self.costs)


def draw(shown: ShownModel) -> None:
    """The button, and the picture, which fills while it is measured."""
    st.markdown(
        _(
            "A word attends to many words at once. Which of these links does the model need? Here all links of **one kind** "
            "are cut, in every layer and head of an attention, and the model is asked {n} sequences that it has never seen: by "
            "how much does its loss rise?"
        ).format(n=ROWS)
    )

    def find(left: Callable[[], float]) -> _Found:
        kinds = kinds_of_links(shown.task, shown.cfg)
        return _Found(dict(zip(kinds, damages_of_links(shown.choice.whole, shown.task, kinds, left()), strict=True)))

    def picture(now: _Found) -> None:
        _picture(now.costs)
        if measuring.is_all(now):
            _words({asked: each for asked, each in now.costs.items() if each is not None})

    measuring.draw("links", shown, [shown.choice.whole], find, picture)
    document.formula(
        r"\begin{gathered}\alpha_{ij}=\frac{e^{s_{ij}}}{\sum_{j'\ \text{not cut}}e^{s_{ij'}}}\\"
        r"\alpha_{ij}=0\ \text{ where the link is cut}\end{gathered}",
        _(
            "A link is cut before the softmax of section 3.2.1, so the other words share its weight. A query with no other "
            "word gets nothing."
        ),
    )
    document.try_this(
        _("Does the model need the aligned word? Compare it with a random word, which is one link of "
          "each query too."),
        _("Is there one kind of link that costs as much as every word, or even more?"),
        _("Move **learned for** back and measure again: which kind of link was needed first?"),
    )  # fmt: skip
    document.the_code(links, without_links, damage)


def _picture(costs: Mapping[tuple[AttentionKind, LinkKind], LinksFound | None]) -> None:
    titles = pickers.kind_titles()
    kinds = list(dict.fromkeys(kind for kind, _which in costs))
    rows = [which for which in _NAMES if any(of == which for _kind, of in costs)]
    values = np.full((len(rows), len(kinds)), np.nan)
    for (kind, which), each in costs.items():
        if each is not None:
            values[rows.index(which), kinds.index(kind)] = each.damage.loss
    document.figure(
        matrix(values, rows=[_(_NAMES[which]) for which in rows], columns=[titles[kind] for kind in kinds],
               row_title=_("links that are cut"), column_title=_("attention"), signed=True, title=_("nats per token"), cell=40,
               closed=_("not measured") if None in costs.values() else _("no such link")),
        "damage-links",
        _("one cell per kind of link: what the loss rises by when no query of this attention may attend to that word. Grey: "
          "not measured yet, or no such link: positions of two sentences do not correspond, and not every task knows which "
          "word comes from which. The decoder's first word is the start token."),
    )  # fmt: skip


def _words(costs: Mapping[tuple[AttentionKind, LinkKind], LinksFound]) -> None:
    """The numbers with their intervals; and for each attention, the kind that costs most, beside the two yardsticks."""
    titles = pickers.kind_titles()
    table = [
        {
            _("attention"): titles[kind], _("links that are cut"): _(_NAMES[which]), _("damage"): damage_words(each.damage),
            _("queries that lose a link"): _("{n:,} of {all:,}").format(n=each.queries[0], all=each.queries[1]),
        }
        for (kind, which), each in costs.items()
    ]  # fmt: skip
    st.dataframe(table, hide_index=True)
    document.reading(
        _(
            "in nats per token on {n} sequences, with 95 % intervals (paired bootstrap). Kinds whose intervals overlap are "
            "tied. Not every query has a link of each kind: the first word has none before it."
        ).format(n=ROWS)
    )
    st.markdown("\n".join(f"- {_most(kind, costs)}" for kind in dict.fromkeys(kind for kind, _which in costs)))


def _most(kind: AttentionKind, costs: Mapping[tuple[AttentionKind, LinkKind], LinksFound]) -> str:
    mine: Sequence[tuple[LinkKind, float]] = [(which, each.damage.loss) for (of, which), each in costs.items() if of == kind]
    which, most = max((each for each in mine if each[0] not in _YARDSTICKS), key=lambda each: each[1])
    yard = dict(mine)
    return _(
        "{attention}: of these kinds, **{links}** costs most, {most:.3f}; a random word costs {drawn:.3f}, and every "
        "word {all:.3f}."
    ).format(attention=pickers.kind_titles()[kind], links=_(_NAMES[which]), most=most, drawn=yard["drawn"], all=yard["all"])
