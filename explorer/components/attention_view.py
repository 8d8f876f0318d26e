"""Attention that can be touched: words in two columns, a line for every weight, and the matrix beside them."""

import base64
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import streamlit as st

from explorer.components import script, text_of
from explorer.figures.style import LINES, palette
from explorer.state import Site
from explorer.words import _

_component = st.components.v2.component(
    "explorer_attention_view",
    html=text_of("attention_view.html"),
    css=text_of("attention_view.css"),
    js=script("heat.js", "attention_view.js"),
    isolate_styles=False,
)


@dataclass(frozen=True)
class Pin:
    """A word that is held: one that asks (a row of the weights) or one that is asked (a column), by its place."""

    side: Literal["asks", "asked"]
    place: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Picture:
    """All heads of one attention, and the words that it lies between.

    Attributes:
        weights: (head, query, key), each row of a head adding up to 1, or to 0 where a query may see nothing. With a film, one
            such for every picture of it: (picture, head, query, key).
        rows, columns: the words that ask and those that are asked; row_title, column_title: what is written over them.
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
    first: Pin | None = None,
    heads: Sequence[int] | None = None,
    matrix: bool = True,
    tools: bool = True,
) -> Pin | None:
    """Draws the picture; returns the word that is held, if any.

    Pointing, the choice of heads and the weakest link shown are the browser's own affair; only what is held comes back.

    Args:
        first: the word held at first, and whenever another one is given; it is not returned before it is touched.
        heads: which heads are on at first; all, if not said.
        matrix, tools: whether there is a matrix beside the words, and a row of controls above them.
    """
    start = {"first": asdict(first) if first else None, "on": None if heads is None else list(heads)}
    data = sent(picture) | start | {"matrix": matrix, "tools": tools}
    told = _component(key=key, data=data, on_pin_change=_nothing).pin
    return held(told, len(picture.rows), len(picture.columns))


def held(told: Any, rows: int, columns: int) -> Pin | None:
    """What the browser says is held; None for anything that is no word of these."""
    match told:
        case {"side": "asks" | "asked" as side, "place": int(place)} if 0 <= place < (rows if side == "asks" else columns):
            return Pin(side, place)
    return None


def sent(picture: Picture) -> dict[str, Any]:
    """What the browser is given: numbers as bytes, little-endian, row by row; words and sentences as text."""
    return {
        "weights": base64.b64encode(picture.weights.astype("<f4").tobytes()).decode(),
        "valid": base64.b64encode(picture.valid.astype(np.uint8).tobytes()).decode(),
        "heads": picture.weights.shape[-3],
        "film": list(picture.film),
        "rows": list(picture.rows),
        "columns": list(picture.columns),
        "row_title": picture.row_title,
        "column_title": picture.column_title,
        "same": picture.same,
        "colours": list(LINES),
        "palette": palette(),
        "words": _words(),
    }


def _words() -> dict[str, str]:
    """Every word that the browser writes; what stands in braces is filled in there."""
    return {
        "heads": _("heads shown"),
        "all": _("all"),
        "view": _("picture"),
        "lines": _("lines"),
        "text": _("coloured text"),
        "weakest": _("hide links below"),
        "play": _("Play"),
        "pause": _("Pause"),
        "scrub": _("picture of the film"),
        "hint": _("Point at a word to see where it looks. Click to keep it, press Esc to let it go."),
        "one_head": _("Head {heads}: {links}"),
        "some_heads": _("On average over heads {heads}: {links}"),
        "takes": _("“{word}” takes {links}."),
        "from": _("{share} from “{word}”"),
        "given": _("{links}."),
        "by": _("“{word}” takes {share} from “{own}”"),
        "pair": _("“{asks}” takes {share} from “{asked}”."),
        "hidden": _("“{asks}” may not look at “{asked}”: the mask hides it."),
        "blind": _("“{word}” may look at nothing."),
        "unseen": _("nobody may look at “{word}”."),
        "no_head": _("No head is switched on: press one above."),
        "none_shown": _("No link of {share} or more: move the slider down."),
        "matrix": _("Rows: {rows}. Columns: {columns}. The stronger the colour, the more{average}; × is masked."),
        "average": _(", on average over the heads shown"),
    }


def _nothing() -> None:
    """What is held is the component's value; no callback is needed, but one must be named."""
