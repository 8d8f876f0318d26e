"""Interactive attention: words in two columns, a line for every weight, and the matrix beside them."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
import streamlit as st

from explorer.components import LivePicture, register
from explorer.components.shared.arrays import packed
from explorer.figures.attention import axis_titles
from explorer.figures.style import LINES, palette
from explorer.i18n import _
from transformer_core.analysis.attention_map import AttentionMap
from transformer_core.analysis.cutting import Cut, HeadCut, Side, WordCut
from transformer_core.model.stages import AttentionKind

_component = register("attention_view")


@dataclass(frozen=True)
class Selection:
    """A selected word: a query (a row of the weights) or a key (a column), by its position."""

    side: Literal["query", "key"]
    place: int


@dataclass(frozen=True)
class Without:
    """The cuts in a picture: heads, and the words of queries and of keys, by their positions."""

    heads: tuple[int, ...] = ()
    query: tuple[int, ...] = ()
    key: tuple[int, ...] = ()

    @classmethod
    def of(cls, made: Sequence[Cut], kind: AttentionKind, layer: int) -> "Without":
        """Returns the cuts in the picture of an attention, without those of single links."""
        heads = (cut.head for cut in made if isinstance(cut, HeadCut) and (cut.kind, cut.layer) == (kind, layer))
        words: dict[Side, tuple[int, ...]] = {
            side: tuple(cut.place for cut in made if isinstance(cut, WordCut) and cut.side == side) for side in ("src", "tgt")
        }
        return cls(tuple(heads), words["src" if kind == "encoder" else "tgt"], words["tgt" if kind == "decoder" else "src"])


@dataclass(frozen=True)
class Cutting:
    """The attention that a click cuts from, one of so many layers; and the model's cuts so far as the setting's text, with
    `most` cuts allowed.
    """

    kind: AttentionKind
    layer: int
    layers: int
    made: str
    most: int


def show(
    attention: AttentionMap | Sequence[AttentionMap],
    key: str,
    *,
    captions: Sequence[str] = (),
    titles: tuple[str, str] | None = None,
    first: Selection | None = None,
    heads: Sequence[int] | None = None,
    mean: bool = False,
    matrix: bool = True,
    tools: bool = True,
    numbered: bool = True,
    live: LivePicture | None = None,
    cutting: Cutting | None = None,
    on_cut: Callable[[str], None] = lambda cuts: None,
    without: Without | None = None,
) -> Selection | None:
    """Draws one attention, or a film of several on the same tokens; returns the selected word, if any.

    Pointing, the choice of heads and the smallest weight shown stay in the browser; only the selection is sent.

    Args:
        captions: the text beside each picture of a film.
        titles: headings of the queries and of the keys, instead of these words.
        first: the word selected at first, and whenever this changes; it is not returned until the visitor selects it.
        heads: the heads that are on at first; all by default.
        mean: the lines at first are those of the mean of the heads.
        matrix, tools: whether a matrix is beside the words, and a row of controls above them.
        numbered: whether heads are told apart by their numbers, or by their colours alone.
        live: its name and choices as a picture that follows a dragged knob; see `components.live`.
        cutting: makes clicks cut instead of selecting.
        on_cut: called with the clicked cuts before the rerun that draws them; with none, to undo the newest.
        without: the cuts in it.
    """
    film = [attention] if isinstance(attention, AttentionMap) else list(attention)
    start = {"first": asdict(first) if first else None, "on": None if heads is None else list(heads), "mean": mean}
    by_words = axis_titles(replace(film[0], next_tokens=()))  # a phone has space for one word of a query
    data = sent(film, captions, titles or by_words) | start | {"matrix": matrix, "tools": tools, "live": live}
    data |= {"numbered": numbered} | ({} if numbered else {"texts": data["texts"] | _texts_without_numbers()})
    data |= {"cuts": None if cutting is None else asdict(cutting), "without": asdict(without or Without())}

    def cut() -> None:
        match st.session_state[key].cut:
            case {"more": list(more)} if all(isinstance(each, str) for each in more):
                on_cut(",".join(more))

    told = _component(key=key, data=data, on_selection_change=lambda: None, on_cut_change=cut).selection
    return selected(told, len(film[0].query_tokens), len(film[0].key_tokens))


def selected(told: Any, rows: int, columns: int) -> Selection | None:
    """Parses the browser's selection; None for anything that is not one of these words."""
    match told:
        case {"side": "query" | "key" as side, "place": int(place)} if 0 <= place < (rows if side == "query" else columns):
            return Selection(side, place)
    return None


def sent(film: Sequence[AttentionMap], captions: Sequence[str], titles: tuple[str, str]) -> dict[str, Any]:
    """Returns the data for the browser: packed numbers, words, and the sentences to fill them into.

    Raises:
        ValueError: for pictures of different tokens, or without a caption each.
    """
    first = film[0]
    if any((each.query_tokens, each.key_tokens) != (first.query_tokens, first.key_tokens) for each in film):
        raise ValueError("the pictures of a film are not of the same tokens")
    if captions and len(captions) != len(film):
        raise ValueError(f"{len(captions)} captions for {len(film)} pictures")
    drawn = numbers(first)
    if captions:
        drawn["weights"] = np.stack([each.weights for each in film]).astype(np.float32)  # (picture, head, query, key)
    return packed(drawn) | {
        "film": list(captions),
        "row_title": titles[0],
        "column_title": titles[1],
        "same": first.kind != "cross",
        "colours": list(LINES),
        "palette": palette(),
        "texts": _texts(),
    }


def numbers(drawn: AttentionMap) -> dict[str, Any]:
    """Returns the data of one attention: its weights (head, query, key), what the mask allows, and the words. A decoder's query
    has two, `le → chat`: the one that it has read and the one that it is about to write.
    """
    return {
        "weights": drawn.weights.astype(np.float32),
        "valid": drawn.allowed.astype(bool),
        "rows": drawn.query_names,
        "columns": list(drawn.key_tokens),
    }


def _texts_without_numbers() -> dict[str, Any]:
    """Returns the sentences about weights that number no head."""
    return {
        "query": {
            "plain": _("“{word}” attends to {links}."),
            "head": _("In this head, “{word}” attends to {links}."),
            "mean": _("Averaged over these heads, “{word}” attends to {links}."),
        },
        "key": {
            "plain": _("“{word}” is attended to by {links}."),
            "head": _("In this head, “{word}” is attended to by {links}."),
            "mean": _("Averaged over these heads, “{word}” is attended to by {links}."),
        },
        "pair": {
            "plain": _("“{query}” gives {weight} of its attention to “{key}”."),
            "head": _("In this head, “{query}” gives {weight} of its attention to “{key}”."),
            "mean": _("Averaged over these heads, “{query}” gives {weight} of its attention to “{key}”."),
        },
    }


def _texts() -> dict[str, Any]:
    """Returns every text that the browser writes; placeholders are filled in there.

    A sentence about weights has three forms: for a model with one head, for one head of several, and for a mean of heads.
    """
    return {
        "heads": _("Heads"),
        "one": _("one of {n} heads"),
        "all": _("all"),
        "average": _("mean"),
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
        "hidden": _("“{query}” may not attend to “{key}”."),
        "blind": _("“{word}” may not attend to any word."),
        "unseen": _("No word may attend to “{word}”."),
        "hints": {
            "look": _("Point at a word; a click keeps it."),
            "cut": _("Click a line, a cell, a word or a head’s number to cut it. Press Backspace to undo the last cut."),
            "everywhere": _(
                "Click a line or a cell to cut that pair in every head of every layer, a head’s number to cut that head in "
                "every layer, or a word. Press Backspace to undo the last cut."
            ),
        },
        "taps": {
            "look": _("Tap a word to see where it looks."),
            "cut": _("Tap a line, a cell, a word or a head’s number to cut it. Each cut can be undone above."),
            "everywhere": _(
                "Tap a line or a cell to cut that pair in every head of every layer, a head’s number to cut that head in every "
                "layer, or a word. Each cut can be undone above."
            ),
        },
        "click": _("What a click does"),
        "modes": {"look": _("look"), "cut": _("cut"), "everywhere": _("cut everywhere")},
        "no_head": _("No head is on. Switch one on."),
        "none_shown": _("No weight is {share} or more. Move the slider to the left."),
        "matrix": {
            "head": _("Rows: {rows}. Columns: {columns}. The stronger the colour, the larger the weight."),
            "mean": _(
                "Rows: {rows}. Columns: {columns}. The stronger the colour, the larger the weight, averaged over the heads "
                "that are on."
            ),
        },
        "masked": {
            "head": _("Rows: {rows}. Columns: {columns}. The stronger the colour, the larger the weight; × is masked."),
            "mean": _(
                "Rows: {rows}. Columns: {columns}. The stronger the colour, the larger the weight, averaged over the heads "
                "that are on; × is masked."
            ),
        },
    }
