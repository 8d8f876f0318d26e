"""Scores, masked scores and weights side by side, and the ways to mask a key."""

from dataclasses import replace

import numpy as np
import streamlit as st

from explorer.exhibits.masks import formula
from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.pictures import masks as pictures
from explorer.pictures.choices import padding_space
from explorer.ui import document
from explorer.ui.format import small
from explorer.ui.minimap import highlight
from explorer.ui.pickers import which_head
from explorer.ui.widgets import pick, slider
from transformer_core.analysis.mask_examples import Blocked, ways_to_block
from transformer_core.model.attention import attention
from transformer_core.model.stages import AttentionKind

_MOST_PADDING = 4


def draw(shown: ShownModel) -> None:
    kind, layer, head = which_head(shown.cfg)
    highlight("mask", kind, layer=layer)
    row, found = _ways(shown, kind, layer, head)

    def more() -> None:
        _numbers(row, found)
        document.section(_("Scores, masked scores, weights"))
        most = min(_MOST_PADDING, padding_space(len(shown.src), len(shown.tgt)))
        padding = slider("blocked_padding", _("padding behind both sentences"), 0, most, min(2, most)) if most else 0
        _stages(shown, pictures.BlockedStageChoices(kind, layer, head, "scores", padding))
        formula.draw()
        document.try_this(
            _("Open one key: the four ways agree again. They differ only where every key is masked."),
            _("Choose “decoder”: the causal mask leaves the first row one key, which gets all the weight, whatever its score.")
            if shown.cfg.causal
            else "",
        )
        document.the_code(ways_to_block, attention)

    document.details("blocked_rows", more)


def _stages(shown: ShownModel, chosen: pictures.BlockedStageChoices) -> None:
    panels: dict[pictures.Stage, tuple[str, str]] = {
        "scores": (_("scores"), _("how well each key matches the query, before any mask.")),
        "masked_scores": (_("masked scores"), _("× is −∞: these keys are masked.")),
        "weights": (_("weights"), _("the softmax of the masked scores: each row adds up to 1.")),
    }
    for place, (name, (title, how_to_read)) in zip(st.columns(3), panels.items(), strict=True):
        with place:
            st.markdown(f"**{title}**")
            document.picture(pictures.blocked_stage(shown, replace(chosen, stage=name)), how_to_read, f"stage-{name}")


def _ways(shown: ShownModel, kind: AttentionKind, layer: int, head: int) -> tuple[np.ndarray, dict[str, Blocked]]:
    """Draws what each way to mask makes of one query, and returns its scores and that."""
    st.markdown(_("What becomes of a query with every key masked? That depends on how the mask is written."))
    left, right = st.columns(2)
    with left:
        query = pick("blocked_query", _("scores of this query"), shown.attention(kind, layer).map.query_labels)
    row, _found = pictures.ways_of(shown, pictures.WayChoices(kind, layer, head, query, 0))
    n_open = slider("open_keys", _("open keys"), 0, len(row), 0, place=right)
    choices = pictures.WayChoices(kind, layer, head, query, n_open)
    _row, found = pictures.ways_of(shown, choices)
    document.picture(pictures.ways(shown, choices), _outcome(found, n_open))
    return row, found


def _numbers(row: np.ndarray, found: dict[str, Blocked]) -> None:
    """Lists the scores of a query before and after the mask, and the weights, for each way to mask."""
    names = pictures.names_of_ways()
    st.dataframe(
        {
            _("way to mask"): [names[name] for name in found],
            _("scores"): [_written(row)] * len(found),
            _("masked scores"): [_masked(way) for way in found.values()],
            _("weights"): [_written(way.weights) for way in found.values()],
        },
        hide_index=True,
    )


def _outcome(found: dict[str, Blocked], n_open: int) -> str:
    """Says what the weights show."""
    if n_open:
        rows = np.stack([way.weights for way in found.values()])
        return _("as long as a key is open, all four ways give the same weights; the largest difference is {x}.").format(
            x=small(float(np.ptp(rows, axis=0).max()))
        )
    return _(
        "−1e9 gives a uniform row, {even:.2f} each, which looks like real attention; −∞ gives NaN, “not a number” (×); "
        "torch's fused attention and this model give {zero:.0f}."
    ).format(even=float(found["−1e9"].weights[0]), zero=float(found["this model"].weights.sum()))


def _masked(way: Blocked) -> str:
    return _("inside the kernel") if way.masked is None else _written(way.masked)


def _written(values: np.ndarray) -> str:
    def word(value: float) -> str:
        if np.isnan(value):
            return "NaN"
        if np.isneginf(value):
            return "−∞"
        return "−1e9" if value < -1e8 else f"{value:.2f}".replace("-", "−")

    return "   ".join(word(value) for value in values.tolist())
