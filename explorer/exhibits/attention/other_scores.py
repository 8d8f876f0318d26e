"""The same queries and keys under four scoring functions."""

from typing import Annotated

import numpy as np
import streamlit as st
from torch import nn

from explorer.exhibits.shared.softmax import softmax
from explorer.figures.attention import axes_of
from explorer.figures.matrix import Matrices, matrices, matrix
from explorer.i18n import N_, _
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.shown_run import run_of
from explorer.pictures.exhibit import Head, Kind, Layer, drawn, numbers
from explorer.pictures.registry import Ends, OneOf
from explorer.ui import document, pickers
from explorer.ui.format import small
from explorer.ui.widgets import slider
from transformer_core.analysis import score_functions
from transformer_core.analysis.attention_metrics import entropy
from transformer_core.analysis.run import Run
from transformer_core.analysis.score_functions import SCORES, Scoring, drawn_score, row_difference, total_variation
from transformer_core.model.scores import AdditiveScore, ConcatLinearScore
from transformer_core.model.stages import AttentionKind

LAST_SEED = 20

Seed = Annotated[int, Ends(0, LAST_SEED)]
Score = Annotated[str, OneOf(SCORES)]
Chosen = tuple[AttentionKind, int, int, int]  # kind, layer, head and seed

# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers()
def scorings(run: Run, kind: Kind, layer: Layer, head: Head, score_seed: Seed) -> dict[str, Scoring]:
    """The scores and weights of one head by the name of the scoring function (section 3.2.1)."""
    part = run.attention(kind, layer)
    score, own = part.module.score, dict[str, nn.Module]()
    if isinstance(score, nn.Module):  # matrices that the model has; others are drawn at random
        own[run.cfg.score] = score
    added = None if part.penalties is None else part.penalties[head]
    return score_functions.scorings(part["q"][head], part["k"][head], part.allowed, score_seed, own, added)


@numbers()
def score_weights(run: Run, kind: Kind, layer: Layer, head: Head, score_seed: Seed) -> np.ndarray:
    """The weights of one head under four scoring functions. Shape: (scoring function, query, key)"""
    by_score = scorings(run, kind, layer, head, score_seed)
    return np.where(run.attention(kind, layer).allowed, np.stack([each.weights for each in by_score.values()]), np.nan)


@score_weights.formula
def weights_by_score(run: Run, kind: Kind, layer: Layer, head: Head, score_seed: Seed) -> np.ndarray:
    """The softmax of each function's scores. Shape: (scoring function, query, key)"""
    allowed, weights = run.attention(kind, layer).allowed, []
    for name in SCORES:
        values = scores_by_formula(run, kind, layer, head, score_seed, name)
        weights.append(softmax(np.where(allowed, values, -np.inf)))
    return np.where(allowed, np.stack(weights), np.nan)


@numbers()
def scores(run: Run, kind: Kind, layer: Layer, head: Head, score_seed: Seed, score: Score) -> np.ndarray:
    """The scores of one head under another scoring function. Shape: (query, key)"""
    scoring = scorings(run, kind, layer, head, score_seed)[score]
    return np.where(run.attention(kind, layer).allowed, scoring.scores, np.nan)


@scores.formula
def scores_by_formula(run: Run, kind: Kind, layer: Layer, head: Head, score_seed: Seed, score: Score) -> np.ndarray:
    """The scores of one head, by q · k ÷ √d_k, q · k, Σ tanh(W [q; k] + b), or w · [q; k] + b. Shape: (query, key)"""
    part = run.attention(kind, layer)
    q, k = part["q"][head], part["k"][head]  # (query, d_k), (key, d_k)
    match score:
        case "scaled_dot":
            values = q @ k.T / np.sqrt(run.cfg.d_k)
        case "dot":
            values = q @ k.T
        case _:
            random = drawn_score(score, run.cfg.d_k, score_seed)
            assert random is not None
            w, b = (each.detach().numpy() for each in random.parameters())  # (unit, 2 · d_k), (unit,)
            of_q, of_k = np.split(w, 2, axis=1)
            units = (q @ of_q.T)[:, None] + k @ of_k.T + b  # (query, key, unit)
            values = (np.tanh(units) if score == "additive" else units).sum(axis=-1)
    return np.where(part.allowed, values, np.nan)


# --- Drawing. ---------------------------------------------------------------------------------------------------------

TITLES = {
    "scaled_dot": N_("scaled dot product"),
    "dot": N_("dot product"),
    "additive": N_("additive"),
    "concat_linear": N_("concat-linear"),
}


@drawn(score_weights)
def _draw_weights(weights: np.ndarray, shown: ShownModel, *, kind: AttentionKind, layer: int, **_chosen: int) -> Matrices:
    names, top = [_(TITLES[name]) for name in SCORES], float(np.nanmax(weights, initial=0.0))
    return matrices(weights, names=names, top=top, wide=4, size=250, **axes_of(shown.attention(kind, layer).map))


@drawn(scores)
def _draw_scores(values: np.ndarray, shown: ShownModel, *, kind: AttentionKind, layer: int, **_chosen: int | str) -> Matrices:
    return matrix(values, signed=True, **axes_of(shown.attention(kind, layer).map))


# --- Page. ------------------------------------------------------------------------------------------------------------

_FORMULAS = {
    "scaled_dot": N_("the score is q · k ÷ √d_k: multiply number by number, add up, divide. The Transformer uses this one."),
    "dot": N_("the score is q · k: the same without the division."),
    "additive": N_(
        "the score is the sum of tanh(W[q; k] + b): a small network reads q and k together. Bahdanau's attention multiplies "
        "the tanh by learned weights v, instead of adding up."
    ),
    "concat_linear": N_("the score is w · [q; k] + b: one weight for every number of q and of k, and no non-linearity."),
}


def draw(shown: ShownModel) -> None:
    """Draws scores and weights of one head under each scoring function, and how much they agree."""
    kind, layer, head = pickers.which_head(shown.cfg, "cross")
    st.markdown(_("The **same** queries and keys, those of the head selected above, go through four **scoring functions**."))
    left, right = st.columns([1, 2], gap="medium", vertical_alignment="center")
    help = _("Another seed gives other random matrices.")
    seed = int(slider("score_seed", _("seed of W and w"), 0, LAST_SEED, 0, help, place=left))
    right.markdown(f":material/casino: {_whose(shown.cfg.score, seed)}")
    chosen = kind, layer, head, seed
    _weights(shown, chosen)
    document.details("other_scores", lambda: _details(shown, chosen))


def _details(shown: ShownModel, chosen: Chosen) -> None:
    kind, layer, _head, _seed = chosen
    by_score, allowed = scorings(run_of(shown), *chosen), shown.attention(kind, layer).map.allowed
    differences = {name: row_difference(each.weights, allowed) for name, each in by_score.items()}
    st.markdown(
        _(
            "With concat-linear, the query adds the **same** number to all its scores, and the softmax cancels it: every "
            "query spreads its attention in the same proportions. Measured: its rows differ by **{difference}** at most "
            "(rounding), those of the scaled dot product by up to **{scaled}**."
        ).format(difference=small(differences["concat_linear"]), scaled=small(differences["scaled_dot"], 2))
    )
    document.section(_("The scores behind them"))
    for place, name in zip(document.grid(len(by_score)), by_score, strict=True):
        with place:
            st.markdown(f"**{_(TITLES[name])}**")
            document.picture(scores.of(shown, *chosen, name), _(_FORMULAS[name]), f"score-{name}")
    document.section(_("How much they agree"))
    _agreement(by_score, differences)
    document.formula(
        r"\begin{gathered}\frac{q_i\cdot k_j}{\sqrt{d_k}},\qquad q_i\cdot k_j,\\"
        r"\textstyle\sum\tanh\left(W[q_i;k_j]+b\right),\qquad w\cdot[q_i;k_j]+b\\"
        r"\mathrm{softmax}_j(w_q\cdot q_i+w_k\cdot k_j+b)\\=\mathrm{softmax}_j(w_k\cdot k_j)\end{gathered}",
        _(
            "Section 3.2.1 of the paper compares dot-product with additive attention, whose score is v · tanh(W[q; k]): here "
            "all of v is 1. Last two lines: what does not depend on the key is the same in every term of the softmax, and "
            "cancels."
        ),
    )
    document.try_this(
        _("Move **seed of W and w**: additive and concat-linear change, the dot products do not."),
        _("Choose the decoder's self-attention: under a mask, too, the query has no influence with concat-linear.")
        if shown.cfg.has_encoder
        else "",
        _("Set **heads** to 1: another model, with a larger d_k. How far is the plain dot product from the scaled one there?"),
    )
    document.the_code(AdditiveScore, ConcatLinearScore, score_functions.scorings, scorings)


def _weights(shown: ShownModel, chosen: Chosen) -> None:
    """Draws the weights on one scale."""
    picture = score_weights.of(shown, *chosen)
    allowed, top = np.isfinite(picture.values[0]), float(np.nanmax(picture.values, initial=0.0))
    if (allowed == allowed[0]).all():  # every query may attend to the same keys
        words = _(
            "the weights after mask and softmax, on one scale for all four; the strongest colour is the largest weight here, "
            "{top:.2f}. With concat-linear, every column has a single colour."
        )
    else:
        words = _(
            "the weights after mask and softmax, on one scale for all four; the strongest colour is the largest weight here, "
            "{top:.2f}."
        )
    document.picture(picture, words.format(top=top))


def _agreement(by_score: dict[str, Scoring], differences: dict[str, float]) -> None:
    weights = np.stack([each.weights for each in by_score.values()])
    away = [total_variation(each.weights, by_score["scaled_dot"].weights) for each in by_score.values()]
    st.dataframe(
        {
            _("scoring function"): [_(TITLES[name]) for name in by_score],
            _("distance from scaled dot product"): np.round(away, 4),
            _("entropy (bits)"): entropy(weights).round(3),
            _("largest difference between rows"): [small(differences[name], 2) for name in by_score],
        },
        hide_index=True,
    )
    document.caption(
        _(
            "distance: the share of its attention that a query would have to move to other keys, averaged over the queries; 0 "
            "is identical, 1 is nothing in common (total variation distance). Entropy: how widely attention is spread; 0 bits "
            "is a single key. Difference between rows: compares any two queries on the keys that both may attend to."
        )
    )


def _whose(own: str, seed: int) -> str:
    """Says which of the extra matrices are the model's own, and which are random."""
    if own in ("additive", "concat_linear"):
        words = _(
            "This model's scoring function is “{own}”, with a matrix of its own. The matrix of the other one is **not part of "
            "this model**: it is random (Xavier, seed {seed}), and its pictures show nothing that was learned."
        )
        return words.format(own=_(TITLES[own]), seed=seed)
    return _(
        "W and w are **not part of this model**: they are random (Xavier, seed {seed}). Their pictures show what the formula "
        "does with random matrices, and nothing that was learned."
    ).format(seed=seed)
