"""One head's matrix of weights, and one cell of it followed through its arithmetic."""

import streamlit as st

from explorer import controls, document
from explorer.components import arithmetic
from explorer.state import Site
from explorer.turns import fragment
from explorer.words import _


@fragment  # lighting a cell concerns nothing else on the page
def one_cell(site: Site, head: int, key: str, top: float = 1.0) -> None:
    """The matrix and the arithmetic of the cell that is lit; the lit cell is in the address. `top`: see `figures.matrix`."""
    queries, keys = site.query_labels, site.key_labels
    left, right = st.columns(2)
    with left:
        query = controls.pick("query", _("the word that asks"), queries, default=min(2, len(queries) - 1))
    with right:
        asked = controls.pick("key", _("the word that is asked"), keys, default=min(1, len(keys) - 1))
    arithmetic.show(site, head, key, (query, asked), _light, top)
    document.reading(
        site.sentence(head)
        + " "
        + _(
            "Each row is one word asking; its cells add up to 1 and say how much it takes from each word. Grey × cells are "
            "masked. Click a cell, or move with the arrow keys: beside it stands how its number comes about."
        )
    )


def _light(query: int, asked: int) -> None:
    st.session_state["query"], st.session_state["key"] = query, asked
