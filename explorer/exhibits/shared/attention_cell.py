"""One head's matrix of weights, and one cell of it followed through its arithmetic."""

import streamlit as st

from explorer.components import arithmetic
from explorer.figures.attention import Scale
from explorer.i18n import _
from explorer.model_on_screen.shown_attention import ShownAttention
from explorer.pictures.attention import arithmetic_of_a_head
from explorer.pictures.choices import ScaledHeadChoices
from explorer.session.address import as_option
from explorer.ui import cuts, document, pickers
from explorer.ui.fragment import fragment
from explorer.ui.widgets import address_value, pick, set_next
from transformer_core.analysis.cutting import LinkCut


@fragment  # choosing a cell concerns nothing else on the page; a cut concerns all of it
def draw(attention: ShownAttention, head: int, key: str, scale: Scale = "1", whole: bool = True) -> None:
    """Draws the matrix, and the arithmetic of the cell that the address names. `scale`: see `figures.attention.tops`; `whole`:
    with a list of the keys, and a button that cuts the link.
    """
    cuts.redraw_if_cut()
    queries, keys = attention.map.query_labels, attention.map.key_labels
    first = arithmetic.first_cell(attention.map)
    with pickers.row(f"cell-{key}"):
        query = pick("query", _("query"), queries, default=first[0])
        if whole:
            chosen = pick("key", _("key"), keys, default=first[1])
            _cut_link(attention, head, query, chosen)
        else:  # it follows a pressed cell
            chosen = int(address_value("key", first[1], lambda text: as_option(text, range(len(keys)))))
    live = arithmetic_of_a_head.live(ScaledHeadChoices(attention.kind, attention.layer, head, scale=scale))
    arithmetic.show(attention, head, key, (query, chosen), _choose, scale, live)
    words = _("head {head} of layer {layer} alone. Each row adds up to 1. Press a cell to see how its weight is computed.")
    if not attention.allowed(head).all():
        words = _(
            "head {head} of layer {layer} alone. Each row adds up to 1; × is masked. Press a cell to see how its weight is "
            "computed."
        )
    document.caption(words.format(head=head, layer=attention.layer))


def _cut_link(attention: ShownAttention, head: int, query: int, key: int) -> None:
    link = LinkCut(attention.kind, attention.layer, head, query, key)
    is_open = attention.map.allowed[query, key] and link not in attention.choice.cuts.made
    st.button(
        _("Cut this link"),
        key="cut-link",
        icon=":material/content_cut:",
        type="tertiary",
        on_click=cuts.add_clicked,
        args=(str(link),),
        disabled=not is_open or cuts.are_locked(),
        help=_("Masks this pair in this head: the other keys share its weight. What becomes of the answer stands above."),
    )


def _choose(query: int, key: int) -> None:
    set_next("query", query)
    set_next("key", key)
