"""The spread of each matrix's weights at step 0, beside the bound of Xavier's rule, and after learning."""

import math

import numpy as np
import streamlit as st

from explorer.i18n import _
from explorer.model_on_screen.forward import ModelChoice
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures import initial_weights as pictures
from explorer.session import current
from explorer.ui import document
from explorer.ui.widgets import pick
from transformer_core.analysis.initial_weights import WeightSpread, matrix_names, weight_spread
from transformer_core.model.initialisation import draw_weights


def draw(shown: ShownModel) -> None:
    st.markdown(_("Before the first step, every number of a matrix is drawn at random, evenly between −b and b."))
    names = matrix_names(shown.cfg)
    matrix = pick("weight_matrix", _("matrix"), names, min(len(names) - 1, _first(names)))
    _histogram(shown, pictures.WeightChoices(matrix, current().settings.seed))
    document.details("initial_weights", lambda: _details(pictures.begun(shown.model, current().settings.seed), names))


def _details(begun: ModelChoice, names: list[str]) -> None:
    st.markdown(
        _(
            "The bound b depends on the sides of the matrix, so that large matrices start with small numbers, and a square one "
            "keeps the length of a random vector, on average. Biases start at 0, the gains of norms at 1."
        )
    )
    _table([pictures.spread(begun, each) for each in names])
    document.formula(
        r"\begin{gathered}w\sim\mathcal U(-b,\,b),\qquad b=\sqrt{\frac{6}{n_{in}+n_{out}}}\\"
        r"\sigma=\frac{b}{\sqrt3}\end{gathered}",
        _(
            "Xavier-uniform (Glorot and Bengio, 2010), with which many lecture notes initialise every matrix. The paper does "
            "not say how its weights begin."
        ),
    )
    document.try_this(
        _("Raise **d_model**: the bound of every matrix becomes smaller."),
        _("Move **learned for** to the end: in which matrices have weights gone beyond the bound?"),
        _("Choose an embedding: one of its sides is the vocabulary, so its bound is another one."),
    )
    document.the_code(weight_spread, draw_weights)


def _first(names: list[str]) -> int:
    """The index of the first query projection, which is shown at first; 0 if there is none."""
    return next((i for i, name in enumerate(names) if name.endswith("w_q.weight")), 0)


def _histogram(shown: ShownModel, choices: pictures.WeightChoices) -> None:
    start, now = pictures.start_of(shown.model, choices), pictures.now_of(shown, choices)
    rows, columns = start.shape
    words = _(
        "which share of the {n:,} weights of `{name}`, {rows} × {columns}, lies where, in steps of b / {half}. At step 0 all "
        "of them are between −b and b = √(6 / ({rows} + {columns})) = {bound:.4f}: the largest is {largest:.4f}, the standard "
        "deviation {deviation:.4f}, where b / √3 is {expected:.4f}."
    )
    values = {
        "n": start.weights.size,
        "name": start.name,
        "rows": rows,
        "columns": columns,
        "half": pictures.BINS // 2,
        "bound": start.bound,
        "largest": start.largest,
        "deviation": start.deviation,
        "expected": start.bound / math.sqrt(3),
    }
    if now is not None:
        beyond = float((np.abs(now.weights) > start.bound).mean())
        words = " ".join((words, _("On screen now: {beyond:.1%} of them have gone beyond it.").format(beyond=beyond)))
    document.picture(pictures.histogram(shown, choices), words.format(**values))


def _table(spreads: list[WeightSpread]) -> None:
    st.dataframe(
        {
            _("matrix"): [each.name for each in spreads],
            _("shape"): [str(each.shape) for each in spreads],
            _("bound b"): [f"{each.bound:.4f}" for each in spreads],
            _("largest at step 0"): [f"{each.largest:.4f}" for each in spreads],
            "b / √3": [f"{each.bound / math.sqrt(3):.4f}" for each in spreads],
            _("standard deviation at step 0"): [f"{each.deviation:.4f}" for each in spreads],
            _("length of a vector"): ["–" if each.is_looked_up else f"× {each.gain:.3f}" for each in spreads],
        },
        hide_index=True,
        key="initial-weights-table",
    )
    document.caption(
        _(
            "one row per matrix of the model: what the rule says, and what was drawn. The padding row of an embedding, which "
            "is set to 0, is left out. Last: by which factor the matrix changes the length of a random vector (root of the "
            "mean square over all directions); rows of an embedding are looked up instead."
        )
    )
