"""Attention that can be touched: words in two columns, a line for every weight, and the matrix beside them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from explorer.components import register
from explorer.components.shared.arrays import pack
from explorer.figures.style import LINES, palette
from explorer.state import Site
from explorer.i18n import _

_component = register("attention_view")


@dataclass(frozen=True)
class Selection:
    """A word that is selected: a query (a row of the weights) or a key (a column), by its place."""

    side: Literal["query", "key"]
    place: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Picture:
    """All heads of one attention, and the words that it lies between.

    Attributes:
        weights: (head, query, key), each row of a head adding up to 1, or to 0 where a query may see nothing. With a film, one
            such for every picture of it: (picture, head, query, key).
        rows, columns: the words of the queries and of the keys; row_title, column_title: what is written over them.
        valid: (query, key) booleans, True = may attend; what is masked has no line, and a cross in the matrix.
        same: both are one sentence, as in self-attention.
        film: what is written beside each picture, where the weights are several that are played one after the other.

    Raises:
        ValueError: for weights or a mask that do not fit the words.
    """

    weights: np.ndarray
    rows: Sequence[str]
    columns: Sequence[str]
    row_title: str
    column_title: str
    valid: np.ndarray
    same: bool = False
    film: Sequence[str] = ()

    def __post_init__(self) -> None:
        shape, pictures = (len(self.rows), len(self.columns)), (len(self.film),) if self.film else ()
        fits = self.weights.ndim >= 3 and (self.weights.shape[:-3], self.weights.shape[-2:]) == (pictures, shape)
        if not fits or self.valid.shape != shape:
            raise ValueError(
                f"weights {self.weights.shape} and mask {self.valid.shape} for {shape[0]} and {shape[1]} words"
                f" in {len(self.film) or 1} pictures"
            )

    @classmethod
    def of(cls, site: Site) -> "Picture":
        """An attention of the model on screen."""
        return cls(
            weights=site["weights"], rows=site.queries, columns=site.keys, row_title=site.asks, column_title=site.asked,
            valid=site.allowed, same=site.kind != "cross",
        )  # fmt: skip


def show(
    picture: Picture,
    key: str,
    *,
    first: Selection | None = None,
    heads: Sequence[int] | None = None,
    matrix: bool = True,
    tools: bool = True,
) -> Selection | None:
    """Draws the picture; returns the word that is selected, if any.

    Pointing, the choice of heads and the least weight shown are the browser's own affair; only the selection comes back.

    Args:
        first: the word selected at first, and whenever another one is given; it is not returned before it is touched.
        heads: which heads are on at first; all, if not said.
        matrix, tools: whether there is a matrix beside the words, and a row of controls above them.
    """
    start = {"first": asdict(first) if first else None, "on": None if heads is None else list(heads)}
    data = sent(picture) | start | {"matrix": matrix, "tools": tools}
    told = _component(key=key, data=data, on_selection_change=lambda: None).selection
    return selected(told, len(picture.rows), len(picture.columns))


def selected(told: Any, rows: int, columns: int) -> Selection | None:
    """What the browser says is selected; None for anything that is no word of these."""
    match told:
        case {"side": "query" | "key" as side, "place": int(place)} if 0 <= place < (rows if side == "query" else columns):
            return Selection(side, place)
    return None


def sent(picture: Picture) -> dict[str, Any]:
    """What the browser is given: packed numbers, words, and the sentences it fills them into."""
    return {
        "weights": pack(picture.weights.astype(np.float32)),
        "valid": pack(picture.valid.astype(bool)),
        "film": list(picture.film),
        "rows": list(picture.rows),
        "columns": list(picture.columns),
        "row_title": picture.row_title,
        "column_title": picture.column_title,
        "same": picture.same,
        "colours": list(LINES),
        "palette": palette(),
        "texts": _texts(),
    }


def _texts() -> dict[str, Any]:
    """Every text that the browser writes; what stands in braces is filled in there.

    A sentence about weights has three forms: for a model with one head, for one head of several, and for a mean of heads.
    """
    return {
        "heads": _("Heads"),
        "all": _("all"),
        "view": _("View"),
        "lines": _("lines"),
        "text": _("coloured text"),
        "weakest": _("Hide weights below"),
        "play": _("Play"),
        "pause": _("Pause"),
        "frame": _("Picture of the film"),
        "separator": _(", "),
        "link": _("“{word}” ({weight})"),
        "query": {
            "plain": _("“{word}” attends to {links}."),
            "head": _("In head {heads}, “{word}” attends to {links}."),
            "mean": _("Averaged over heads {heads}, “{word}” attends to {links}."),
        },
        "key": {
            "plain": _("“{word}” is attended to by {links}."),
            "head": _("In head {heads}, “{word}” is attended to by {links}."),
            "mean": _("Averaged over heads {heads}, “{word}” is attended to by {links}."),
        },
        "pair": {
            "plain": _("“{query}” gives {weight} of its attention to “{key}”."),
            "head": _("In head {heads}, “{query}” gives {weight} of its attention to “{key}”."),
            "mean": _("Averaged over heads {heads}, “{query}” gives {weight} of its attention to “{key}”."),
        },
        "hidden": _("The mask hides “{key}” from “{query}”."),
        "blind": _("The mask hides every word from “{word}”."),
        "unseen": _("The mask hides “{word}” from every word."),
        "hint": _("Point at a word to see where it looks. Click to keep it selected; press Esc to clear the selection."),
        "no_head": _("No head is on. Switch one on above."),
        "none_shown": _("No weight is {share} or more. Move the slider to the left."),
        "matrix": {
            "head": _("Rows: {rows}. Columns: {columns}. The stronger the colour, the larger the weight; × is masked."),
            "mean": _(
                "Rows: {rows}. Columns: {columns}. The stronger the colour, the larger the weight, averaged over the heads "
                "that are on; × is masked."
            ),
        },
    }
