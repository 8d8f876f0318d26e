"""Scores, masked scores and weights side by side, and the ways to block a key."""

from typing import Any

import numpy as np
import streamlit as st

from explorer import controls, document, state
from explorer.figures.matrix import matrix
from explorer.state import View
from explorer.words import _
from transformer_core.analysis.mask_examples import Blocked, ways_to_block
from transformer_core.model.attention import attention

_KEYS = 4


def blocked_rows_part(view: View) -> None:
    """Draws the part."""
    document.section(_("1 · Scores, masked scores, weights"))
    kind, layer, head = controls.which_head(view.cfg)
    controls.shows("mask", kind, layer=layer)
    room = max(0, min(4, state.MAX_TOKENS - max(len(view.src), len(view.tgt))))
    padding = 0
    if room:
        padding = controls.slider("filler", _("padding behind both sentences"), 0, room, min(2, room))
    site = state.Site(view, kind, layer, padding, padding)
    stages = {name: site[name][head] for name in ("scores", "masked_scores", "weights")}
    axes: dict[str, Any] = {name: value for name, value in site.axes.items() if name != "valid"}
    allowed: list[np.ndarray | None] = [None, site.allowed, site.allowed]
    for place, name, title, words, valid in zip(
        st.columns(3),
        stages,
        (_("scores"), _("masked scores"), _("weights")),
        (
            _("how well each word fits, before any mask."),
            _("× is −∞: these keys are out."),
            _("what the softmax makes of them: each row adds up to 1."),
        ),
        allowed,
        strict=True,
    ):
        with place:
            st.markdown(f"**{title}**")
            picture = matrix(stages[name], cell=24, signed=name != "weights", valid=valid, **axes)
            picture["layout"]["coloraxis"]["showscale"] = False  # three in a row leave no room for a scale
            document.figure(picture, f"stage-{name}", words)
    _ways(site, stages["scores"])
    document.formula(
        r"\begin{gathered}\mathrm{softmax}(s+m)\\"
        r"m_{ij}=0\ \text{if}\ i\ \text{may see}\ j,\ \text{else}\ -\infty\end{gathered}",
        _("Section 3.2.3 of the paper: what is illegal is set to −∞ before the softmax."),
    )
    document.try_this(
        _("Open one key: the four ways agree again. They differ only where a word may see nothing at all."),
        _("Choose “decoder”: in its first row the mask leaves one key, which gets all the weight, whatever its score."),
    )
    document.the_code(ways_to_block, attention)


def _ways(site: state.Site, scores: np.ndarray) -> None:
    document.section(_("2 · A word with nothing to look at"))
    left, right = st.columns(2)
    with left:
        query = controls.pick("asking", _("scores of the word that asks"), site.query_labels)
    row = scores[query][:_KEYS]
    keys = site.key_labels[: len(row)]
    n_open = controls.slider("open_keys", _("keys it may see"), 0, max(1, len(row)), 0, place=right)
    allowed = np.arange(len(row)) < n_open
    found = ways_to_block(row, allowed)
    names = {"−1e9": _("−1e9"), "−inf": _("−∞"), "fused": _("torch's fused attention"), "this model": _("this model")}
    st.dataframe(
        {
            _("way to block"): [names[name] for name in found],
            _("scores"): [_words(row)] * len(found),
            _("masked scores"): [_masked_words(way) for way in found.values()],
            _("weights"): [_words(way.weights) for way in found.values()],
        },
        hide_index=True,
    )
    document.figure(
        matrix([way.weights for way in found.values()], rows=list(found), columns=keys, cell=34, row_title=_("way to block"),
               column_title=_("weights of one query; keys open: {n} of {all}").format(n=n_open, all=len(row))),
        "blocked",
        _outcome(found, n_open),
    )  # fmt: skip


def _outcome(found: dict[str, Blocked], n_open: int) -> str:
    """What is to be seen, read off the weights."""
    if n_open:
        rows = np.stack([way.weights for way in found.values()])
        return _("with {n} open, all four ways give the same weights; the largest difference is {x:.1e}.").format(
            n=n_open, x=float(np.ptp(rows, axis=0).max())
        )
    return _(
        "−1e9 gives an even row, {even:.2f} each, that looks like real attention; −∞ gives “not a number” (×); torch's fused "
        "attention and this model give {zero:.0f}: there is nothing to take."
    ).format(even=float(found["−1e9"].weights[0]), zero=float(found["this model"].weights.sum()))


def _masked_words(way: Blocked) -> str:
    return _("inside the kernel") if way.masked is None else _words(way.masked)


def _words(values: np.ndarray) -> str:
    def word(value: float) -> str:
        if np.isnan(value):
            return "NaN"
        if np.isneginf(value):
            return "−∞"
        return "−1e9" if value < -1e8 else f"{value:.2f}".replace("-", "−")

    return "   ".join(word(value) for value in values.tolist())
