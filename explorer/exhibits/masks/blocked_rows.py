"""Scores, masked scores and weights side by side, and the ways to mask a key."""

from typing import Annotated

import numpy as np
import streamlit as st
import torch
import torch.nn.functional as F

from explorer.exhibits.masks import formula
from explorer.exhibits.masks.sentence_masks import Stage, stage_by_formula, stage_of_head
from explorer.figures.attention import axes_of
from explorer.figures.matrix import Matrices, matrix
from explorer.i18n import _
from explorer.model_on_screen.settings import MAX_TOKENS
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.shown_run import run_of
from explorer.pictures.choices import padding_space
from explorer.pictures.exhibit import Fit, Head, Kind, Layer, among, drawn, numbers
from explorer.pictures.registry import Ends
from explorer.ui import document
from explorer.ui.format import small
from explorer.ui.minimap import highlight
from explorer.ui.pickers import which_head
from explorer.ui.widgets import pick, slider
from transformer_core.analysis.run import Run
from transformer_core.model.attention import attention
from transformer_core.model.stages import AttentionKind

KEYS = 4  # of a query: so many numbers can be written out
CLOSED = (-1e9, -np.inf)  # what stands in place of a masked score
_MOST_PADDING = 4

Query = Annotated[int, among(lambda run, said: len(run.src if said["kind"] == "encoder" else run.tgt))]
OpenKeys = Annotated[int, Ends(0, MAX_TOKENS)]
Padding = Annotated[int, Ends(0, MAX_TOKENS), Fit(lambda n, run, _said: min(n, padding_space(len(run.src), len(run.tgt))))]

# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers()
def blocked_stage(run: Run, kind: Kind, layer: Layer, head: Head, stage: Stage, blocked_padding: Padding) -> np.ndarray:
    """One head: a stage of its attention, with padding behind both sentences. Shape: (query, key)"""
    return stage_of_head(run, kind, layer, head, stage, blocked_padding, blocked_padding)


@blocked_stage.formula
def blocked_by_formula(run: Run, kind: Kind, layer: Layer, head: Head, stage: Stage, blocked_padding: Padding) -> np.ndarray:
    """The same number of padding tokens behind both sentences. Shape: (query, key)"""
    return stage_by_formula(run, kind, layer, head, stage, blocked_padding, blocked_padding)


@numbers()
def scores_of(run: Run, kind: Kind, layer: Layer, head: Head, query: Query) -> np.ndarray:
    """The scores of one query with its first keys. Shape: (key,)"""
    return run.attention(kind, layer)["scores"][head, query, :KEYS]


def masked(scores: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """The scores with −1e9 and with −∞ in place of those that are masked. Shape: (key,), (key,) booleans -> (2, key)"""
    return np.stack([np.where(allowed, scores, value) for value in CLOSED]).astype(np.float32)


def ways_to_block(scores: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """The weights of one query by four ways to mask keys (section 3.2.3): the softmax of scores with −1e9 and with −∞, torch's
    fused attention, and this model's. Shape: (key,), (key,) booleans -> (way, key)
    """
    # The products of q with unit vectors as keys are q itself; with the same as values, the output is the weights.
    q, unit = torch.tensor(scores)[None] * len(scores) ** 0.5, torch.eye(len(scores))
    given = q[None, None], unit[None, None], unit[None, None]  # each (batch, head, ·, key)
    mask = torch.tensor(allowed)[None, None, None]
    both = F.scaled_dot_product_attention(*given, attn_mask=mask), attention(*given, mask)
    softmax = torch.tensor(masked(scores, allowed)).softmax(dim=-1)
    return torch.cat([softmax, *(weights[0, 0] for weights in both)]).numpy()


@numbers()
def blocked(run: Run, kind: Kind, layer: Layer, head: Head, blocked_query: Query, open_keys: OpenKeys) -> np.ndarray:
    """The weights of one query after each way to mask its scores. Shape: (way, key)"""
    scores = scores_of(run, kind, layer, head, blocked_query)
    return ways_to_block(scores, np.arange(len(scores)) < open_keys)


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(blocked_stage)
def _draw_stage(
    values: np.ndarray, shown: ShownModel, *, kind: AttentionKind, layer: int, stage: str, blocked_padding: int, **_head: int
) -> Matrices:
    axes = axes_of(shown.attention(kind, layer, (blocked_padding, blocked_padding)).map)
    return matrix(values, cell=24, signed=stage != "weights", **axes)


@drawn(blocked)
def _draw_ways(weights: np.ndarray, shown: ShownModel, *, kind: AttentionKind, layer: int, **_chosen: int) -> Matrices:
    labels = shown.attention(kind, layer).map.key_labels[: weights.shape[1]]
    return matrix(
        weights,
        rows=_names(),
        columns=labels,
        cell=34,
        closed=_("not a number"),
        row_title=_("way to mask"),
        column_title=_("weights of the query"),
    )


def _names() -> list[str]:
    """Returns what each way to mask is called."""
    return [_("−1e9"), _("−∞"), _("torch's fused attention"), _("this model")]


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    kind, layer, head = which_head(shown.cfg)
    highlight("mask", kind, layer=layer)
    scores, n_open, weights = _ways(shown, kind, layer, head)

    def more() -> None:
        _numbers(scores, n_open, weights)
        document.section(_("Scores, masked scores, weights"))
        most = min(_MOST_PADDING, padding_space(len(shown.src), len(shown.tgt)))
        behind = _("padding behind both sentences") if shown.cfg.has_encoder else _("padding behind the text")
        padding = slider("blocked_padding", behind, 0, most, min(2, most)) if most else 0
        _stages(shown, kind, layer, head, padding)
        formula.draw()
        document.try_this(
            _("Open one key: the four ways agree again. They differ only where every key is masked."),
            _first_row(shown) if shown.cfg.causal else "",
        )
        document.the_code(ways_to_block, attention, blocked, blocked_stage)

    document.details("blocked_rows", more)


def _first_row(shown: ShownModel) -> str:
    if shown.cfg.has_encoder:
        return _(
            "Choose “decoder”: the causal mask leaves the first row one key, which gets all the weight, whatever its score."
        )
    return _("Look at the first row: the causal mask leaves it one key, which gets all the weight, whatever its score.")


def _stages(shown: ShownModel, kind: AttentionKind, layer: int, head: int, padding: int) -> None:
    panels: dict[Stage, tuple[str, str]] = {
        "scores": (_("scores"), _("how well each key matches the query, before any mask.")),
        "masked_scores": (_("masked scores"), _("× is −∞: these keys are masked.")),
        "weights": (_("weights"), _("the softmax of the masked scores: each row adds up to 1.")),
    }
    for place, (name, (title, how_to_read)) in zip(st.columns(3), panels.items(), strict=True):
        with place:
            st.markdown(f"**{title}**")
            document.picture(blocked_stage.of(shown, kind, layer, head, name, padding), how_to_read, f"stage-{name}")


def _ways(shown: ShownModel, kind: AttentionKind, layer: int, head: int) -> tuple[np.ndarray, int, np.ndarray]:
    """Draws what each way to mask makes of one query; returns its scores, the number of open keys, and the weights."""
    st.markdown(_("What becomes of a query with every key masked? That depends on how the mask is written."))
    left, right = st.columns(2)
    with left:
        query = pick("blocked_query", _("scores of this query"), shown.attention(kind, layer).map.query_labels)
    scores = scores_of(run_of(shown), kind, layer, head, query)
    n_open = slider("open_keys", _("open keys"), 0, len(scores), 0, place=right)
    ways = blocked.of(shown, kind, layer, head, query, n_open)
    document.picture(ways, _outcome(ways.values, n_open))
    return scores, n_open, ways.values


def _numbers(scores: np.ndarray, n_open: int, weights: np.ndarray) -> None:
    """Lists the scores of a query before and after the mask, and the weights, for each way to mask."""
    large, infinite = map(_written, masked(scores, np.arange(len(scores)) < n_open))
    st.dataframe(
        {
            _("way to mask"): _names(),
            _("scores"): [_written(scores)] * len(weights),
            _("masked scores"): [large, infinite, _("inside the kernel"), infinite],
            _("weights"): [*map(_written, weights)],
        },
        hide_index=True,
    )


def _outcome(weights: np.ndarray, n_open: int) -> str:
    """Says what the weights show. Shape: (way, key)"""
    if n_open:
        return _("as long as a key is open, all four ways give the same weights; the largest difference is {x}.").format(
            x=small(float(np.ptp(weights, axis=0).max()))
        )
    return _(
        "−1e9 gives a uniform row, {even:.2f} each, which looks like real attention; −∞ gives NaN, “not a number” (×); "
        "torch's fused attention and this model give {zero:.0f}."
    ).format(even=float(weights[0, 0]), zero=float(weights[3].sum()))


def _written(values: np.ndarray) -> str:
    def word(value: float) -> str:
        if np.isnan(value):
            return "NaN"
        if np.isneginf(value):
            return "−∞"
        return "−1e9" if value < -1e8 else f"{value:.2f}".replace("-", "−")

    return "   ".join(word(value) for value in values.tolist())
