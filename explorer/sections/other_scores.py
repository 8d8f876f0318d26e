"""The same queries and keys under four ways to score them."""

import numpy as np
import streamlit as st

from explorer import controls, document
from explorer.figures.matrix import matrices, matrix
from explorer.state import ATTENTIONS, ModelKey, Site, model_of, run_of
from explorer.words import _
from transformer_core.analysis.attention_metrics import entropy
from transformer_core.analysis.score_functions import Scoring, row_difference, scorings, total_variation
from transformer_core.model.attention import AdditiveScore, ConcatLinearScore

_NAMES = {
    "scaled_dot": _("scaled dot"),
    "dot": _("dot"),
    "additive": _("additive"),
    "concat_linear": _("concat-linear"),
}
_WORDS = {
    "scaled_dot": _("q · k ÷ √d_k: multiply number by number, add, and divide. The Transformer's own."),
    "dot": _("q · k: the same, not divided."),
    "additive": _("the sum of tanh(W[q; k]): a small network reads both, one behind the other (Bahdanau's attention)."),
    "concat_linear": _("w · [q; k] + b: one weight for each number of both, no bend in between."),
}


def other_scores(site: Site, head: int) -> None:
    """Scores and weights of one head under each way to score, and how far they agree."""
    st.markdown(
        _(
            "How well a question fits a label can be computed in more than one way. Here are the **same** queries and keys, "
            "those of the head chosen above, under four **scoring functions**."
        )
    )
    seed = controls.slider("score_seed", _("draw of W and w"), 0, 20, 0, _("Another number, other random matrices."))
    st.info(_whose(site.view.cfg.score, int(seed)), icon=":material/casino:")
    found = _scorings(site.view.key, site.view.src, site.view.tgt, site.kind, site.layer, head, int(seed))
    weights = np.stack([each.weights for each in found.values()])
    differences = {name: row_difference(each.weights, site.allowed) for name, each in found.items()}
    away = {name: total_variation(each.weights, found["scaled_dot"].weights) for name, each in found.items()}

    same_keys = bool((site.allowed == site.allowed[0]).all())

    document.section(_("1 · Who takes how much from whom"))
    document.figure(
        matrices(weights, names=list(_NAMES.values()), top=float(weights.max()), wide=4, size=250, **site.axes),
        "score-weights",
        _(
            "the weights, after mask and softmax. All four share one scale; its strongest colour stands for the largest "
            "weight here, {top:.2f}."
        ).format(top=float(weights.max()))
        + (" " + _("In “concat-linear” each column is of one colour.") if same_keys else ""),
    )
    st.markdown(_cancels(differences["concat_linear"], differences["scaled_dot"]))

    document.section(_("2 · The scores they come from"))
    places = document.grid(len(found))
    for place, (name, each) in zip(places, found.items(), strict=True):
        with place:
            st.markdown(f"**{_NAMES[name]}**")
            picture = matrix(each.scores, signed=True, **site.axes)
            document.figure(picture, f"score-{name}", _WORDS[name])

    document.section(_("3 · How far they agree"))
    st.dataframe(
        {
            _("score"): list(_NAMES.values()),
            _("away from scaled dot"): [round(away[name], 4) for name in found],
            _("entropy (bits)"): entropy(weights).round(3),
            _("largest difference between rows"): [f"{differences[name]:.1e}" for name in found],
        },
        hide_index=True,
    )
    document.reading(
        _(
            "“away” is the share of its attention that a word would have to move to other words to get from one to the other, "
            "averaged over the asking words: 0 alike, 1 nothing in common (total variation distance). “Difference between "
            "rows” compares every two asking words on the words that both may see."
        )
    )
    document.formula(
        r"\begin{gathered}\frac{q_i\cdot k_j}{\sqrt{d_k}},\qquad q_i\cdot k_j,\\"
        r"\textstyle\sum\tanh\left(W[q_i;k_j]\right),\qquad w\cdot[q_i;k_j]+b\\"
        r"\mathrm{softmax}_j(w_q\cdot q_i+w_k\cdot k_j+b)\\=\mathrm{softmax}_j(w_k\cdot k_j)\end{gathered}",
        _(
            "Section 3.2.1 of the paper compares dot-product with additive attention. Last lines: what does not depend on "
            "the key stands in every term of the softmax alike, and falls out."
        ),
    )
    document.try_this(
        _("Move **draw of W and w**: what is drawn changes, the dot products do not."),
        _("Choose the decoder's own attention: also under a mask, “concat-linear” lets the query choose nothing."),
        _("Turn **heads** down to 1: d_k grows, and “dot” without its divisor drifts away from “scaled dot”."),
    )
    document.the_code(AdditiveScore, ConcatLinearScore, scorings)


def _cancels(difference: float, scaled: float) -> str:
    """What happens to the query with concat-linear, as measured."""
    return _(
        "With concat-linear the asking word adds **the same** to all its scores, and the softmax takes it out again: every "
        "word looks at the others in the same shares, whatever it asks. Measured: its rows differ by **{difference:.0e}** at "
        "most (rounding), those of scaled dot by **{scaled:.2g}**."
    ).format(difference=difference, scaled=scaled)


def _whose(own: str, seed: int) -> str:
    """Which of the extra matrices are the open model's, and which are drawn."""
    if own in ("additive", "concat_linear"):
        words = _(
            "This model scores by “{own}” with a matrix of its own. The other's is **no part of the open model**: it is drawn "
            "at random (Xavier, draw {seed}), and its pictures show nothing that was learned."
        )
        return words.format(own=_NAMES[own], seed=seed)
    return _(
        "W and w are **no part of the open model**: they are drawn at random (Xavier, draw {seed}). Their pictures show "
        "what the formula does with random matrices, and nothing that was learned."
    ).format(seed=seed)


@st.cache_data(max_entries=64, show_spinner=False)
def _scorings(
    key: ModelKey, src: tuple[int, ...], tgt: tuple[int, ...], kind: str, layer: int, head: int, seed: int
) -> dict[str, Scoring]:
    stack, name = ATTENTIONS[kind]
    own = getattr(getattr(model_of(key), stack)[layer], name).score
    q, k, masked = (run_of(key, src, tgt)[f"{stack}.{layer}.{name}.{stage}"] for stage in ("q", "k", "masked_scores"))
    return scorings(q[head], k[head], np.isfinite(masked).all(axis=0), seed, {} if own is None else {key.cfg.score: own})
