"""Why scores are divided by √d_k: an experiment with random vectors, and where the head on screen stands."""

import math

import numpy as np
import streamlit as st

from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.pictures import why_scale as pictures
from explorer.ui import document, pickers
from explorer.ui.widgets import slider
from transformer_core.analysis.score_scaling import DIVISORS, HeadScale, Scaling, head_scale, scaling


def draw(shown: ShownModel) -> None:
    """Draws how the width of a head changes its scores and the softmax, undivided and divided in two ways."""
    kind, layer, head = pickers.which_head(shown.cfg, "cross")
    left, right = st.columns(2)
    keys = int(slider("scale_keys", _("number of keys"), *pictures.KEYS, 16, place=left))
    other = _("Another seed gives other random vectors.")
    seed = int(slider("scale_seed", _("seed"), 0, pictures.LAST_SEED, 0, other, place=right))
    choices = pictures.ScalingChoices(kind, layer, head, keys, seed)
    found, own = pictures.measured(shown, choices), pictures.own_of(shown, choices)

    _variance(shown, choices, found)
    document.details("why_scale", lambda: _more(shown, choices, found, own))


def _more(shown: ShownModel, choices: pictures.ScalingChoices, found: Scaling, own: HeadScale) -> None:
    st.markdown(
        _(
            "A score is a sum of d_k products, one for each dimension of the head. The more there are, the farther the scores "
            "lie apart, and the nearer the softmax comes to all or nothing, where it hardly responds to changes any more. Here "
            "this is measured on random vectors."
        )
    )
    document.section(_("What the softmax makes of them"))
    _softmax(shown, choices, found, choices.scale_keys)
    document.section(_("Where this model's head stands"))
    _own(own, shown.cfg.d_k)
    document.formula(
        r"\begin{gathered}q\cdot k=\sum_{i=1}^{d_k}q_ik_i,\qquad\mathrm{Var}(q_i)=\mathrm{Var}(k_i)=1\\"
        r"\Rightarrow\ \mathrm{Var}(q\cdot k)=d_k,\quad\mathrm{Var}\left(\frac{q\cdot k}{\sqrt{d_k}}\right)=1\end{gathered}",
        _("Section 3.2.1 of the paper, footnote 4: independent components of mean 0 and variance 1."),
    )
    document.try_this(
        _("Set **heads** to 1, or increase **d_model**: this model's point moves to the right."),
        _("Change the **number of keys**: does the softmax of the undivided scores still saturate?"),
    )
    document.the_code(scaling, head_scale)


def _variance(shown: ShownModel, choices: pictures.ScalingChoices, found: Scaling) -> None:
    """Draws the variance of the scores against the width."""
    ratio = found.variance / found.widths
    how = _(
        "how widely the scores vary. If all components of q and k have variance 1, the variance of q · k is d_k; measured, "
        "it is {low:.2f} to {high:.2f} times d_k. Dividing by √d_k brings it back to about 1 at every width."
    )
    document.picture(pictures.variance(shown, choices), how.format(low=ratio.min(), high=ratio.max()))


def _softmax(shown: ShownModel, choices: pictures.ScalingChoices, found: Scaling, keys: int) -> None:
    """Draws entropy and gradient of the softmax against the width, for each divisor."""
    left, right = st.columns(2)
    with left:
        how = _(
            "how widely attention is spread: {most:.2f} bits is uniform over {keys} keys, 0 bits is a single key. At "
            "d_k = {d}: undivided {one:.2f}, ÷ √d_k {root:.2f}, ÷ d_k {full:.2f}."
        )
        said = how.format(most=math.log2(keys), keys=keys, **_last(found.widths, found.entropy))
        document.picture(pictures.entropy(shown, choices), said)
    with right:
        how = _(
            "how strongly the weights respond when q changes (norm of ∂weights/∂q, the median of the queries). At d_k = {d}: "
            "undivided {one:.3f}, ÷ √d_k {root:.3f}, ÷ d_k {full:.3f}. Near 0, a change of q hardly moves the attention, and "
            "hardly any of the gradient gets past the softmax to q."
        )
        document.picture(pictures.gradient(shown, choices), how.format(**_last(found.widths, found.gradient)))
    st.markdown(_at_usual_widths(found, shown.cfg.d_k))


def _at_usual_widths(found: Scaling, d_k: int) -> str:
    """Says what the division does at the widths that heads have: the paper's, and this model's."""
    said = [
        _("At {whose} width, d_k = {d}, the gradient is {one:.2f} undivided and {root:.2f} divided by √d_k.").format(
            whose=whose, d=width, one=_at(found, found.gradient["1"], width), root=_at(found, found.gradient["√d_k"], width)
        )
        for whose, width in ((_("the paper’s"), pictures.PAPER_WIDTH), (_("this model’s"), d_k))
    ]
    is_larger = [_at(found, found.gradient["1"], width) > _at(found, found.gradient["√d_k"], width) for width in found.widths]
    if any(is_larger):
        words = _(
            "On these random vectors the undivided gradient is the **larger** one up to d_k = {d}; in the widest heads next to "
            "nothing is left of it. Divided by √d_k it stays about the same at every width, and so does the spread of "
            "attention."
        )
        said.append(words.format(d=int(found.widths[[i for i, larger in enumerate(is_larger) if larger][-1]])))
    said.append(
        _(
            "**Undivided**, the softmax of the widest heads saturates: one key gets nearly everything. Divided by **d_k**, "
            "they attend almost uniformly, whatever q is. Divided by **√d_k**, neither happens, at any width measured here."
        )
    )
    return " ".join(said)


def _at(found: Scaling, readings: np.ndarray, width: int) -> float:
    return float(readings[list(found.widths).index(width)])


def _own(own: HeadScale, d_k: int) -> None:
    """Compares the head on screen with the assumption of the argument."""
    st.dataframe(
        {
            _("variance of"): ["q", "k", "q · k", "q · k ÷ √d_k"],
            _("this head"): [f"{value:.4g}" for value in (own.q, own.k, own.products, own.scores)],
            _("assumed"): ["1", "1", str(d_k), "1"],
        },
        hide_index=True,
    )
    st.dataframe(
        {
            _("q · k of this head divided by"): list(DIVISORS),
            _("entropy (bits)"): [f"{own.entropy[name]:.3f}" for name in DIVISORS],
            _("size of the gradient at q"): [f"{own.gradient[name]:.3f}" for name in DIVISORS],
        },
        hide_index=True,
    )
    document.reading(
        _(
            "measured on the sentence in the sidebar, over the pairs of query and key that are not masked. The argument "
            "assumes independent components of variance 1. Those of a model need not be: here the variance of q · k is "
            "{times:.2g} times d_k."
        ).format(times=own.products / d_k)
    )


def _last(widths: np.ndarray, readings: dict[str, np.ndarray]) -> dict[str, float]:
    """Returns the readings at the greatest width, by the names used in the sentences."""
    return {
        "d": int(widths[-1]),
        **{word: float(readings[n][-1]) for word, n in zip(("one", "root", "full"), DIVISORS, strict=True)},
    }
