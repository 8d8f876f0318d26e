"""Dropout in a step of training: which numbers become 0, how the others grow, and that the mean stays."""

from typing import Annotated, Literal

import numpy as np
import streamlit as st
import torch

from explorer.figures.lines import curves
from explorer.figures.matrix import Matrices, matrix
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.shown_run import run_of
from explorer.pictures.exhibit import drawn, numbers
from explorer.pictures.registry import Ends
from explorer.ui import document, pickers
from explorer.ui.minimap import highlight
from explorer.ui.widgets import choose, slider
from transformer_core.analysis import dropout_effect
from transformer_core.analysis.run import Run
from transformer_core.model.dropout import Dropout
from transformer_core.model.stages import embedding_stage

COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)  # steps that are averaged
COLUMNS = 12  # columns that are drawn, with their numbers
MOST_SHARE, LAST_SEED = 0.9, 50  # the ends of the knobs
_USUAL = 0.1  # the paper's base model

Place = Literal["sum", "weights", "active", "output"]
Share = Annotated[float, Ends(0.0, MOST_SHARE)]
Seed = Annotated[int, Ends(0, LAST_SEED)]

# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers()
def dropout_before(run: Run, dropout_place: Place, dropout_share: Share, dropout_seed: Seed) -> np.ndarray:
    """The input of dropout in a step of training; the same for every probability and seed. Shape: (word, column)"""
    stack = run.first_stack
    attention = run.part(stack, 0, "self_attn")
    match dropout_place:
        case "sum":
            return run.stages[embedding_stage(stack, "sum")]
        case "weights":
            return attention["weights"][0]  # of head 0
        case "active":
            return run.part(stack, 0, "feed_forward")["active"]
        case "output":
            return attention["output"]


@numbers(recorded=lambda run, place, p, seed: dropout_effect.dropped(dropout_before(run, place, p, seed), p, seed))
def dropout_after(run: Run, dropout_place: Place, dropout_share: Share, dropout_seed: Seed) -> np.ndarray:
    """The numbers after dropout: some become 0, all others are multiplied by 1 / (1 - p). Shape: (word, column)"""
    x = torch.tensor(dropout_before(run, dropout_place, dropout_share, dropout_seed))
    return dropped(x, dropout_share, torch.Generator().manual_seed(dropout_seed)).numpy()


@numbers()
def dropout_mean(run: Run, dropout_place: Place, dropout_share: Share, dropout_seed: Seed) -> np.ndarray:
    """How far the average over 1, 2, 4, … 256 steps is from the numbers before, as a share of their size (root of the mean
    square). Shape: (count,)
    """
    x = torch.tensor(dropout_before(run, dropout_place, dropout_share, dropout_seed))
    generator = torch.Generator().manual_seed(dropout_seed)
    total, distances = torch.zeros_like(x, dtype=torch.float64), []
    for step in range(1, COUNTS[-1] + 1):
        total += dropped(x, dropout_share, generator)
        if step in COUNTS:
            distances.append((total / step - x).square().mean().sqrt() / x.double().square().mean().sqrt())
    return torch.stack(distances).numpy()


def dropped(x: torch.Tensor, p: float, generator: torch.Generator) -> torch.Tensor:
    """m x / (1 - p), where each m is 0 with the probability p, and 1 otherwise (section 5.4)."""
    m = torch.empty_like(x).bernoulli_(1 - p, generator=generator)
    return x * (m / (1 - p))


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(dropout_before, dropout_after)
def _draw_values(
    values: np.ndarray, shown: ShownModel, *, dropout_place: Place, dropout_share: float, dropout_seed: int
) -> Matrices:
    n, all_columns, of_weights = min(COLUMNS, values.shape[1]), values.shape[1], dropout_place == "weights"
    columns = shown.read_labels[:n] if of_weights else n
    title = _("first {n} of {all}").format(n=n, all=all_columns)
    if of_weights:
        title = _("key (encoder)") if shown.cfg.has_encoder else _("key (decoder)")
    run = run_of(shown)
    both = [each(run, dropout_place, dropout_share, dropout_seed)[:, :n] for each in (dropout_before, dropout_after)]
    top = float(np.abs(both).max())  # one scale of colours for both
    return matrix(
        values[:, :n],
        rows=shown.read_labels,
        columns=columns,
        column_title=title,
        signed=not of_weights,
        top=top,
        least=top,
        cell=26,
        decimals=2 if of_weights else 1,
    )


@drawn(dropout_mean)
def _draw_mean(distances: np.ndarray, _shown: ShownModel, **_chosen: float | str) -> Figure:
    return curves(
        COUNTS,
        {_("distance"): distances},
        x_title=_("steps averaged"),
        y_title=_("distance from the numbers before"),
        log_x=True,
        markers=True,
    )


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    titles: dict[Place, str] = {
        "sum": _("embedding + position"),
        "weights": _("attention weights (head 0)"),
        "active": _("feed-forward units"),
        "output": _("output of self-attention"),
    }
    with pickers.line():
        place = choose("dropout_place", _("where"), list(titles), titles, listed=True)
    with st.container(horizontal=True):
        p = slider("dropout_share", _("dropout p"), 0.0, MOST_SHARE, shown.cfg.dropout or _USUAL, step=0.05)
        seed = slider("dropout_seed", _("seed of the step"), 0, LAST_SEED, 0)
    highlight({"sum": "embedding", "active": f"{shown.first_stack}.feed_forward"}.get(place, shown.first_stack))
    _pictures(shown, place, p, seed)
    document.details("dropout", lambda: _details(shown, place, p, seed))


def _details(shown: ShownModel, place: Place, p: float, seed: int) -> None:
    st.markdown(
        _(
            "In each step of training, dropout sets numbers to 0 at random, each with the probability p, and multiplies the "
            "others by 1 / (1 − p) = {factor:.3f}. In use it does nothing. Here the model's own dropout is applied to numbers "
            "that the encoder computes for your sentence."
        ).format(factor=1 / (1 - p))
        if shown.cfg.has_encoder
        else _(
            "In each step of training, dropout sets numbers to 0 at random, each with the probability p, and multiplies the "
            "others by 1 / (1 − p) = {factor:.3f}. In use it does nothing. Here the model's own dropout is applied to numbers "
            "that the model computes for your text."
        ).format(factor=1 / (1 - p))
    )
    _means(shown, place, p, seed)
    document.formula(
        r"\begin{gathered}\tilde x_i=\frac{m_i}{1-p}\,x_i\\ m_i\in\{0,1\},\quad P(m_i=0)=p\\"
        r"\mathrm E[\tilde x_i]=\frac{1-p}{1-p}\,x_i=x_i\end{gathered}",
        _(
            "Section 5.4 of the paper: on the sums of embeddings and positions, and on the output of each sublayer, with p = "
            "0.1 in the base model. This model's own p is {own:g}; in training it acts on the attention weights and the units "
            "of the feed-forward network as well."
        ).format(own=shown.cfg.dropout),
    )
    document.try_this(
        _("Move the **seed of the step**: in every step, other cells are dropped."),
        _("Set p to 0.5: about half of the cells are dropped, and those that stay are twice as large."),
        _("Choose the **attention weights**: what do the rows add up to now?"),
    )
    document.the_code(Dropout, dropout_before, dropped, dropout_after, dropout_mean)


def _pictures(shown: ShownModel, place: Place, p: float, seed: int) -> None:
    before = _("the numbers that go in, one row per word.")
    after = _("what comes out in this step: what was dropped is 0, all others are multiplied by 1 / (1 − p).")
    for panel, values, words in zip(document.grid(2), (dropout_before, dropout_after), (before, after), strict=True):
        with panel:
            document.picture(values.of(shown, place, p, seed), words)


def _means(shown: ShownModel, place: Place, p: float, seed: int) -> None:
    run = run_of(shown)
    before, after = (values(run, place, p, seed) for values in (dropout_before, dropout_after))
    there = before != 0  # a unit that is silent anyway does not fall
    fallen = int(((after == 0) & there).sum())
    document.section(_("What happens to the mean"))
    st.dataframe(
        {
            "": [_("before"), _("after dropout")],
            _("numbers other than 0"): [int(there.sum()), int((after != 0).sum())],
            _("mean"): [f"{each.mean(dtype=np.float64):.4f}" for each in (before, after)],
            _("root of the mean square"): [f"{np.sqrt((each.astype(np.float64) ** 2).mean()):.4f}" for each in (before, after)],
        },
        hide_index=True,
    )
    document.caption(
        _("{fallen} of {n} numbers were dropped, {share:.1%} (p = {p:g}).").format(
            fallen=fallen, n=int(there.sum()), share=fallen / max(int(there.sum()), 1), p=p
        )
    )
    picture = dropout_mean.of(shown, place, p, seed)
    document.picture(
        picture,
        _(
            "how far the average over so many steps is from the numbers before, as a share of their size: {first:.0%} for one "
            "step, {last:.1%} for the average of {n}. Without the factor 1 / (1 − p), the average would go to 1 − p times "
            "those numbers, at a distance of {p:.0%}."
        ).format(first=picture.values[0], last=picture.values[-1], n=COUNTS[-1], p=p),
    )
