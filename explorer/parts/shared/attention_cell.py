"""One head's matrix of weights, and one cell of it followed through its arithmetic."""

from explorer.components import arithmetic
from explorer.i18n import _
from explorer.inference.shown_attention import ShownAttention
from explorer.ui import document, pickers
from explorer.ui.format import plain
from explorer.ui.fragment import fragment
from explorer.ui.widgets import keep, pick


@fragment  # choosing a cell concerns nothing else on the page
def draw(attention: ShownAttention, head: int, key: str, top: float = 1.0) -> None:
    """The matrix and the arithmetic of the chosen cell, which stands in the address. `top`: see `figures.matrix`."""
    queries, keys = attention.map.query_labels, attention.map.key_labels
    with pickers.row(f"cell-{key}"):
        query = pick("query", _("query"), queries, default=min(2, len(queries) - 1))
        chosen = pick("key", _("key"), keys, default=min(1, len(keys) - 1))
    arithmetic.show(attention, head, key, (query, chosen), _choose, top)
    strong, weak, weight = attention.map.strongest(head)
    document.reading(
        _(
            "each row is a query; its weights add up to 1. Grey cells with × are masked. The largest weight here: “{query}” "
            "gives {weight:.0%} to “{key}”. Click a cell, or move with the arrow keys, to see how its weight is computed."
        ).format(query=plain(queries[strong]), key=plain(keys[weak]), weight=weight)
    )


def _choose(query: int, key: int) -> None:
    keep("query", query)
    keep("key", key)
