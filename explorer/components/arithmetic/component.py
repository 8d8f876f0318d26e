"""One head's attention as a matrix with a selected cell, and beside it the arithmetic of that cell, step by step.

Everything that the browser shows is sent with the picture, so hovering, selecting another cell and stepping never wait for
the server. All numbers are those that the model recorded; only the terms of the sums are recomputed.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import streamlit as st

from explorer.components import LivePicture, register
from explorer.components.shared.arrays import packed
from explorer.figures.attention import Scale, axis_titles, tops
from explorer.figures.matrix import describe
from explorer.figures.style import palette
from explorer.i18n import _
from transformer_core.analysis.attention_map import AttentionMap
from transformer_core.analysis.attention_metrics import score_terms
from transformer_core.analysis.cutting import Instead
from transformer_core.model.scores import AdditiveScore, ConcatLinearScore

_component = register("arithmetic")


class RecordedAttention(Protocol):
    """One attention of a model: its map, its recorded stages by the last part of their names, cuts, and scoring function."""

    @property
    def map(self) -> AttentionMap: ...
    def stage(self, name: str) -> np.ndarray: ...
    def allowed(self, head: int) -> np.ndarray: ...
    def cut_pairs(self, head: int) -> np.ndarray: ...
    def instead_of(self, head: int) -> Instead | None: ...
    @property
    def turns(self) -> bool: ...
    @property
    def penalties(self) -> np.ndarray | None: ...
    @property
    def score(self) -> AdditiveScore | ConcatLinearScore | None: ...
    @property
    def score_name(self) -> str: ...


def show(
    attention: RecordedAttention,
    head: int,
    key: str,
    cell: tuple[int, int],
    select: Callable[[int, int], None],
    scale: Scale = "1",
    live: LivePicture | None = None,
) -> None:
    """Draws head `head` with `cell` (query, key) selected; `select(query, key)` is called when the browser selects another.

    `live`: its name and choices as a picture that follows a dragged knob; see `components.live`.
    """

    def selected() -> None:
        place = st.session_state[key]["cell"]
        select(int(place[0]), int(place[1]))

    data = packed(numbers(attention, head, scale)) | _words(attention, head)
    _component(key=key, data={"name": key, "cell": list(cell), "live": live} | data, on_cell_change=selected)


def first_cell(drawn: AttentionMap) -> tuple[int, int]:
    """Returns the cell (query, key) that is selected at first."""
    return min(2, len(drawn.query_tokens) - 1), min(1, len(drawn.key_tokens) - 1)


def numbers(attention: RecordedAttention, head: int, scale: Scale = "1") -> dict[str, Any]:
    """Returns the picture of one head without its sentences: the recorded stages, and the terms of the scores."""
    drawn = attention.map
    recorded = ("q", "k", "v", "scores", "masked_scores", "context")
    q, k, v, scores, masked, context = (attention.stage(name)[head] for name in recorded)
    terms = score_terms(q, k, attention.score)
    stages = {
        "scores": scores,
        "masked": masked,
        "weights": drawn.weights[head],
        "v": v,
        "context": context,
        "left": terms.left,
        "right": terms.right,
    }
    if attention.score_name == "scaled_dot":
        stages["products"] = attention.stage("products")[head]
    if attention.penalties is not None:
        stages["penalties"] = attention.penalties[head]
        stages["compared"] = scores - stages["penalties"]
        stages["products"] = stages.get("products", stages["compared"])
    return {
        "rows": list(drawn.query_labels),
        "columns": list(drawn.key_labels),
        "first": list(first_cell(drawn)),
        "cut": np.argwhere(attention.cut_pairs(head)).tolist(),
        "replaced": attention.instead_of(head) in ("mean", "zero"),
        "stages": stages,
        "join": terms.join,
        "rest": terms.rest,
        "sides": _SIDES[terms.join],
        "top": tops(drawn, scale)[head],
    }


def _words(attention: RecordedAttention, head: int) -> dict[str, Any]:
    """Returns all texts and colours."""
    drawn = attention.map
    query_title, key_title = axis_titles(drawn)
    return {
        "colours": palette(),
        "alt": describe(drawn.weights[head], attention.allowed(head), drawn.query_labels, drawn.key_labels),
        "axes": _("rows: {rows} · columns: {columns}").format(rows=query_title, columns=key_title),
        "steps": [{"name": name, "title": title, "text": text} for name, title, text in _steps(attention, head)],
        "texts": _texts(),
    }


_SIDES = {  # formulas: the left and right factor of a term, and the term
    "times": ["q", "k", "q × k"],
    "tanh": ["W q", "W k + b", "tanh(… + …)"],
    "plus": ["w × q", "w × k", "… + …"],
}


def _steps(attention: RecordedAttention, head: int) -> list[tuple[str, str, str]]:
    """Returns the steps of a head from a query and a key to the output, in order: name, title, and one or two sentences."""
    score, instead = attention.score_name, attention.instead_of(head)
    even = _("This head is cut: it attends evenly, and every open score becomes 0.") if instead == "uniform" else ""
    return [
        ("terms", *_terms(score, attention.turns)),
        ("sum", _("Added up"), _sum(score)),
        *([("scale", _("÷ √d_k"), _scaling())] if score == "scaled_dot" else []),
        *([("distance", _("Distance"), _distance())] if attention.penalties is not None else []),
        ("mask", _("Mask"), even),  # where it is empty, the cell decides which sentence is shown
        (
            "softmax",
            _("Softmax"),
            _("Softmax turns all scores of “{query}” into weights that add up to 1. “{key}” gets {weight}."),
        ),
        ("context", _("Weighted sum of V"), _output(instead)),
    ]


def _output(instead: Instead | None) -> str:
    """Returns the text of the last step."""
    texts: dict[Instead, str] = {
        "mean": _("This head is cut: in place of the weighted sum, its output is its mean over held-out sequences."),
        "zero": _("This head is cut: in place of the weighted sum, its output is 0."),
    }
    whole = _("Each word's value v is multiplied by its weight. Their sum is the head's output for “{query}”.")
    return whole if instead is None else texts.get(instead, whole)


def _terms(score: str, turns: bool) -> tuple[str, str]:
    """Returns title and text of the first step. `turns`: whether queries and keys are turned by their positions."""
    if score == "additive":
        return (
            _("tanh(W[q; k] + b), number by number"),
            _("A small network reads the query of “{query}” and the key of “{key}” and returns {d} numbers between −1 and 1."),
        )
    if score == "concat_linear":
        return (
            _("w · [q; k], number by number"),
            _(
                "Each number of q, the query of “{query}”, and of k, the key of “{key}”, has a weight of its own. q and k are "
                "added, not multiplied."
            ),
        )
    if turns:
        return (
            _("q · k, number by number"),
            _(
                "q, the query of “{query}”, and k, the key of “{key}”, have {d} numbers each, turned pair by pair: the later "
                "the word, the further. They are multiplied number by number: like signs raise the score, unlike signs lower "
                "it."
            ),
        )
    return (
        _("q · k, number by number"),
        _(
            "q, the query of “{query}”, and k, the key of “{key}”, have {d} numbers each. They are multiplied pair by pair: "
            "like signs raise the score, unlike signs lower it."
        ),
    )


def _sum(score: str) -> str:
    texts = {
        "scaled_dot": _("Their sum measures how well query and key match: {sum}."),
        "dot": _("Their sum measures how well query and key match: {sum}. This model does not scale it: this is the score."),
        "additive": _("Their sum is the score: {sum}."),
        "concat_linear": _("Their sum, and b = {rest}, is the score: {sum}."),
    }
    return texts[score]


def _scaling() -> str:
    return _(
        "The more numbers q and k have, the farther from 0 their scores tend to lie. Dividing by √d_k = √{d} = {root} makes up "
        "for it."
    )


def _distance() -> str:
    return _("“{query}” and “{key}” are {distance} apart (ALiBi): the further, the lower this head makes the score.")


def _texts() -> dict[str, Any]:
    """Returns every other text that the browser writes; placeholders are filled in there."""
    return {
        "sheet": _("{alt}. {axes}. Use the arrow keys to select another cell."),
        "cell": _("Query “{query}”, key “{key}”"),
        "told": _("Query {query}, key {key}: weight {weight}."),
        "closed": _("Query {query}, key {key}: masked."),
        "open": _("“{query}” may attend to “{key}”: the score stays as it is."),
        "shut": _("“{query}” may not attend to “{key}”: its score becomes −∞, whatever it was."),
        "cut": _("The link from “{query}” to “{key}” is cut: its score becomes −∞, whatever it was."),
        "alone": _("“{query}” may not attend to any word here: all its weights are 0."),
        "step": _("Step {n} of {all}: {title}. {text}"),
        "back": _("Previous step"),
        "play": _("Play the steps"),
        "pause": _("Pause"),
        "next": _("Next step"),
        "whole": _("All steps"),
        "level": _("Level of detail"),
        "levels": {"words": _("in words"), "numbers": _("numbers"), "digits": _("every digit")},
        "player": _("Steps for the selected cell"),
        "separator": _(", "),
        "others": _("all others"),
        "total": _("Σ output"),
        "dimension": _("dimension"),
        "key": _("key"),
        "score": _("score"),
        "power": _("e^(score − {top})"),
        "powers": _("A weight is e^(score − the row's largest score), divided by the sum of these powers, {total}."),
        "weight": _("weight"),
        "value": _("v of “{key}”"),
        "part": _("v × weight"),
        "rounding": _("The terms above add up to {sum}; the model recorded {recorded}. The difference is rounding."),
        "masked": _("masked"),
        "terms": _("{d} terms"),
        "numbers": _("{d} numbers"),
        "colours": {
            "terms": _("colours: sums before the mask"),
            "compared": _("colours: scores"),
            "scores": _("colours: scores"),
            "mask": _("colours: masked scores"),
            "weights": _("colours: weights"),
        },
        "strip": _("{names}: {n} rows of {d} numbers"),
    }
