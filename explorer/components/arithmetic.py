"""One head's attention as a matrix whose cells can be lit, and beside it the arithmetic of the lit cell, step by step.

Everything that the browser shows is sent with the picture, so that hovering, lighting another cell and stepping never wait for
the server. It looks up what the model recorded; the terms of the sums alone are multiplied anew.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

from explorer.components import script, stylesheet
from explorer.components.plot import packed
from explorer.figures.matrix import describe
from explorer.figures.style import palette
from explorer.state import Site
from explorer.words import _
from transformer_core.analysis.attention_metrics import score_terms

_component = st.components.v2.component(
    "explorer_arithmetic",
    html='<div class="arithmetic"></div>',
    css=stylesheet("arithmetic.css"),
    js=script("heat.js", "arithmetic.js"),
    isolate_styles=False,
)


def show(site: Site, head: int, key: str, cell: tuple[int, int], light: Callable[[int, int], None], top: float = 1.0) -> None:
    """Draws head `head` with `cell` (query, key) lit; `light(query, key)` is called when another one is lit in the browser."""

    def lit() -> None:
        query, asked = st.session_state[key]["cell"]
        light(int(query), int(asked))

    _component(key=key, data={"name": key} | payload(site, head, cell, top), on_cell_change=lit)


def payload(site: Site, head: int, cell: tuple[int, int], top: float) -> dict[str, Any]:
    """What the browser gets: the recorded stages of one head, the terms of its scores, and every word it shows."""
    q, k, v, scores, weights, context = (site[name][head] for name in ("q", "k", "v", "scores", "weights", "context"))
    terms = score_terms(q, k, site.score)
    stages = {"scores": scores, "weights": weights, "v": v, "context": context, "left": terms.left, "right": terms.right}
    kind = site.view.cfg.score
    if kind == "scaled_dot":
        stages["products"] = site["products"][head]
    return {
        "rows": site.query_labels,
        "columns": site.key_labels,
        "cell": list(cell),
        "allowed": packed(site.allowed.astype(np.uint8)),
        "stages": {name: packed(value) for name, value in stages.items()},
        "join": terms.join,
        "rest": terms.rest,
        "top": top,
        "colours": palette(),
        "steps": [{"name": name, "title": title, "words": words} for name, title, words in _steps(kind, q.shape[-1])],
        "words": _WORDS
        | {
            "alt": describe(weights, site.allowed, site.query_labels, site.key_labels),
            "axes": _("rows: {rows} · columns: {columns}").format(rows=site.asks, columns=site.asked),
            "sides": _SIDES[terms.join],
            "rooted": f"√{q.shape[-1]}",
        },
    }


def _steps(score: str, d_k: int) -> list[tuple[str, str, str]]:
    """What this model does with one pair of words, in order: name, title, and one or two sentences."""
    scaling = [
        (
            "scale",
            _("÷ √d_k"),
            _("Wide heads have longer sums; dividing by √{d} = {root:.4g} keeps scores of one size.").format(
                d=d_k, root=d_k**0.5
            ),
        )
    ]
    return [
        ("terms", *_TERMS[score]),
        ("sum", _("Added up"), _SUMS[score]),
        *(scaling if score == "scaled_dot" else []),
        ("mask", _("Mask"), ""),  # which of two sentences depends on the cell
        (
            "softmax",
            _("Softmax"),
            _("All scores of “{query}” are turned into shares that add up to 1. “{key}” gets {weight}."),
        ),
        (
            "context",
            _("Weighted sum of V"),
            _(
                "“{query}” takes from every word as much of its content (its value v) as its share allows, and adds it up: "
                "the head's answer."
            ),
        ),
    ]


_DOT = (
    _("q · k, number by number"),
    _(
        "“{query}” asks with {d} numbers (its query q), “{key}” offers {d} (its key k). They are multiplied in pairs: like "
        "signs speak for the link, unlike signs against it."
    ),
)
_TERMS = {
    "scaled_dot": _DOT,
    "dot": _DOT,
    "additive": (
        _("tanh(W[q; k] + b), number by number"),
        _("A small network reads the query of “{query}” and the key of “{key}” and says {d} numbers between −1 and 1."),
    ),
    "concat_linear": (
        _("w · [q; k], number by number"),
        _("Every number of “{query}” (its q) and of “{key}” (its k) has a weight of its own; they are added, not multiplied."),
    ),
}
_AGREE = _("How well question and label agree: {sum}.")
_SUMS = {
    "scaled_dot": _AGREE,
    "dot": _AGREE + " " + _("This model does not divide: this is the score."),
    "additive": _("Their sum is the score: {sum}."),
    "concat_linear": _("Their sum, and b = {rest}, is the score: {sum}."),
}
_SIDES = {
    "times": ["q", "k", "q × k"],
    "tanh": ["W q", "W k + b", "tanh(… + …)"],
    "plus": ["w × q", "w × k", "… + …"],
}
_WORDS = {
    "use": _("Arrow keys light another cell."),
    "cell": _("“{query}” asks “{key}”"),
    "told": _("{query} asks {key}: weight {weight}."),
    "closed": _("{query} asks {key}: masked."),
    "open": _("“{query}” may look at “{key}”: the score stays as it is."),
    "shut": _("“{query}” may not look at “{key}”: its score becomes −∞, whatever it was."),
    "alone": _("“{query}” may look at nothing here: every share is 0."),
    "step": _("Step {n} of {all}: {title}. {words}"),
    "back": _("Step back"),
    "play": _("Play the steps"),
    "pause": _("Pause"),
    "next": _("Next step"),
    "whole": _("All steps"),
    "level": _("How much is shown"),
    "levels": {"words": _("words"), "numbers": _("numbers"), "digits": _("every digit")},
    "player": _("Steps of the lit cell"),
    "others": _("all others"),
    "total": _("Σ answer"),
    "number": _("number"),
    "dimension": _("dimension"),
    "asked": _("is asked"),
    "score": _("score"),
    "power": _("e^(score − {top})"),
    "powers": _("A share is e to the score (less the row's largest), divided by the sum of these, {total}."),
    "share": _("share"),
    "value": _("v of “{key}”"),
    "part": _("× its share"),
    "rounding": _("The terms above add up to {sum}; the model recorded {recorded}. The rest is rounding."),
    "masked": _("masked"),
    "terms": _("{d} terms"),
    "numbers": _("{d} numbers"),
    "colours": {
        "terms": _("colours: sums before the mask"),
        "scores": _("colours: scores"),
        "mask": _("colours: scores that count"),
        "weights": _("colours: weights"),
    },
    "strip": _("{name}: {n} rows of {d} numbers"),
}
