"""One vector through layer norm as torch and as many textbooks write it, and how far the two lie apart."""

from typing import Any

import numpy as np
import streamlit as st

from explorer.figures.lines import curves
from explorer.figures.matrix import matrix
from explorer.i18n import N_, _
from explorer.inference.forward import model_of
from explorer.inference.shown_model import ShownModel
from explorer.ui import document, pickers
from explorer.ui.format import plain
from explorer.ui.widgets import pick, slider
from transformer_core.analysis.normalization import deviation_by_eps, difference_by_width, norm_used, two_norms
from transformer_core.analysis.residual_stream import norms
from transformer_core.model.norms import UnbiasedNorm

_WIDTHS = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
_VECTORS = 8  # random ones, of each width
_EPSILONS = 10.0 ** np.arange(-12, 1.5, 0.5)
_SHOWN = 12  # numbers of a vector that are written out
_PARTS = {"self_attn": N_("self-attention"), "cross_attn": N_("cross-attention"), "feed_forward": N_("feed-forward")}
_ENDS = {"encoder": N_("encoder: at the end of the stack"), "decoder": N_("decoder: at the end of the stack")}
_PLACES = {
    ("encoder", "pre"): N_("encoder, layer {i}: before {part}"),
    ("encoder", "post"): N_("encoder, layer {i}: after {part}"),
    ("decoder", "pre"): N_("decoder, layer {i}: before {part}"),
    ("decoder", "post"): N_("decoder, layer {i}: after {part}"),
}
_difference_by_width = st.cache_data(max_entries=64, show_spinner=False)(difference_by_width)


def draw(shown: ShownModel) -> None:
    cfg = shown.cfg
    if cfg.d_model < 2:
        st.info(_("This model's vectors have one number each. One number has no spread, so there is nothing to normalize."))
        return
    places = norms(shown.forward().values, cfg)
    with pickers.line():
        at = list(places)[pick("norm_place", _("norm"), [_place(*each, cfg.norm) for each in places])]
        labels = shown.src_labels if at[0] == "encoder" else shown.tgt_labels
        token = pick("token", _("word"), labels)
    given, gave = places[at]
    standard, unbiased = two_norms(given[token], cfg.norm_eps)
    _before_after(given[token], standard, labels[token])
    _two_ways(given[token], standard, unbiased)
    _own(shown, at, given, gave)
    _by_width(cfg.norm_eps)
    _by_eps(given[token], labels[token], cfg.norm_eps)
    document.formula(
        r"\begin{gathered}\mathrm{standard}(x)=\frac{x-\mu}{\sqrt{\frac1d\sum_i(x_i-\mu)^2+\varepsilon}}\\"
        r"\mathrm{unbiased}(x)=\frac{x-\mu}{\sqrt{\frac1{d-1}\sum_i(x_i-\mu)^2}+\varepsilon}\end{gathered}",
        _(
            "Section 3.1 of the paper says only “layer normalization”; the first formula is that of Ba et al. (2016). The "
            "learned gain and bias are left out of the pictures (1 and 0). μ is the mean of x; here d = {d} and ε = {eps:g}."
        ).format(d=cfg.d_model, eps=cfg.norm_eps),
    )
    document.try_this(
        _(
            "Change **d_model**: the two differ by a share of 1 − √(1 − 1/d), {narrow:.1%} at d = 8 and {wide:.1%} at d = 64."
        ).format(narrow=_share(8), wide=_share(64)),
        _("Switch **layer norm** in the sidebar: the model then uses the other one."),
        _("Set **norm** to “post”: the norms then come after the residual connections, and receive other vectors."),
    )  # fmt: skip
    document.the_code(two_norms, UnbiasedNorm, norm_used, difference_by_width)


def _share(d: int) -> float:
    """By which share of itself every number differs between the two norms, leaving eps aside."""
    return 1 - (1 - 1 / d) ** 0.5


def _place(stack: str, layer: int, part: str, norm: str) -> str:
    if part == "final":
        return _(_ENDS[stack])
    return _(_PLACES[stack, norm]).format(i=layer, part=_(_PARTS[part]))


def _before_after(before: np.ndarray, standard: np.ndarray, word: str) -> None:
    axes: dict[str, Any] = {"x_title": _("dimension"), "y_title": _("value"), "markers": len(before) <= 64}
    document.figure(
        curves(np.arange(len(before)), {_("before"): before, _("after the norm"): standard}, **axes),
        "before-after",
        _(
            "the numbers of “{word}”, before and after. The curve keeps its shape; the mean goes from {m:.3f} to {n:.3f}, the "
            "standard deviation from {s:.3f} to {t:.3f}."
        ).format(word=plain(word), m=before.mean(), n=abs(standard.mean()), s=before.std(), t=standard.std()),
    )


def _two_ways(before: np.ndarray, standard: np.ndarray, unbiased: np.ndarray) -> None:
    document.section(_("Two ways to write it"))
    st.markdown(
        _(
            "The standard deviation can be taken over d numbers or over d − 1 (**unbiased**), and the small number ε that "
            "prevents a division by 0 can stand inside the root or outside it. Papers, textbooks and libraries differ."
        )
    )
    gap, n = unbiased - standard, min(_SHOWN, len(before))
    document.figure(
        matrix(np.stack([standard, unbiased, gap])[:, :n], rows=[_("standard"), _("unbiased"), _("difference")], columns=n,
               column_title=_("dimension (first {n} of {all})").format(n=n, all=len(before)), signed=True, decimals=3, cell=44),
        "two-norms",
        _("the same vector through both norms, and the difference. The unbiased norm makes every number smaller by the same "
          "factor."),
    )  # fmt: skip
    rows = np.stack([before, standard, unbiased]).astype(np.float64)
    st.dataframe(
        {
            "": [_("before"), _("standard (torch)"), _("unbiased, ε outside")],
            _("mean"): [f"{abs(x) if abs(x) < 5e-6 else x:.5f}" for x in rows.mean(axis=1)],
            _("std over d"): [f"{x:.5f}" for x in rows.std(axis=1)],
            _("std over d − 1"): [f"{x:.5f}" for x in rows.std(axis=1, ddof=1)],
        },
        hide_index=True,
    )
    document.reading(
        _(
            "each norm brings its own kind of standard deviation (std) close to 1. The largest difference between them for "
            "this vector is **{gap:.5f}**."
        ).format(gap=float(np.abs(gap).max()))
    )


def _own(shown: ShownModel, at: tuple[str, int, str], given: np.ndarray, gave: np.ndarray) -> None:
    """Which of the two the model has in this place, told by its results."""
    standard, unbiased = norm_used(model_of(shown.choice), at, given, gave)
    words = (
        _("Which one does this model use? Over all {n} words, its results are within {a:.2g} of the standard norm and within "
          "{b:.2g} of the unbiased one (its own gain and bias applied to both): it is the **standard** one.")
        if standard < unbiased
        else _("Which one does this model use? Over all {n} words, its results are within {a:.2g} of the standard norm and "
               "within {b:.2g} of the unbiased one (its own gain and bias applied to both): it is the **unbiased** one.")
    )  # fmt: skip
    st.markdown(words.format(n=len(given), a=standard, b=unbiased))


def _by_width(eps: float) -> None:
    document.section(_("Does it matter?"))
    seed = slider("norm_seed", _("seed of the random vectors"), 0, 50, 0)
    top, typical = _difference_by_width(_WIDTHS, _VECTORS, seed, eps)
    axes: dict[str, Any] = {"x_title": _("width d of the vector"), "y_title": _("difference"), "markers": True}
    document.figure(
        curves(_WIDTHS, {_("largest"): top, _("typical"): typical}, log_x=True, log_y=True, **axes),
        "by-width",
        _(
            "the difference between the two norms over {vectors} random vectors of each width: at most {a:.3f} at d = 16 and "
            "{b:.4f} at d = 512. The wider the vector, the less it matters."
        ).format(vectors=_VECTORS, a=top[_WIDTHS.index(16)], b=top[_WIDTHS.index(512)]),
    )


def _by_eps(x: np.ndarray, word: str, own: float) -> None:
    document.section(_("What ε does"))
    epsilons = sorted({*_EPSILONS.tolist(), own})
    standard, unbiased = deviation_by_eps(x, epsilons)
    at, wide = epsilons.index(own), x.astype(np.float64)
    axes: dict[str, Any] = {"x_title": "ε", "y_title": _("standard deviation after the norm"), "marks": {_("this model"): own}}
    drawn = curves(epsilons, {_("standard"): standard, _("unbiased"): unbiased}, log_x=True, **axes)
    drawn["layout"]["xaxis"]["exponentformat"] = "power"
    document.figure(
        drawn,
        "by-eps",
        _(
            "what is left of the standard deviation of “{word}”, each norm's own kind. Inside the root ε is added to the "
            "variance, here {variance:.3g}, outside to the standard deviation, here {deviation:.3g}: a norm stops working "
            "where ε is no longer small beside that number. With this model's ε = {eps:g}: {a:.5f} and {b:.5f}."
        ).format(
            word=plain(word), variance=float(wide.var()), deviation=float(wide.std(ddof=1)), eps=own, a=standard[at],
            b=unbiased[at],
        ),
    )  # fmt: skip
