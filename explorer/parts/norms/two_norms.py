"""One vector through layer norm as torch and as many textbooks write it, and how far the two lie apart."""

import numpy as np
import streamlit as st

from explorer import controls, document, state
from explorer.figures.lines import curves
from explorer.figures.matrix import matrix
from explorer.state import View
from explorer.words import _
from transformer_core.analysis.normalization import difference_by_width, norm_used, two_norms
from transformer_core.analysis.residual_stream import norms
from transformer_core.model.norms import UnbiasedNorm

_WIDTHS = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
_SHOWN = 12  # numbers of a vector that are written out

_PARTS = {
    "self_attn": _("self-attention"),
    "cross_attn": _("cross-attention"),
    "feed_forward": _("feed-forward"),
    "final": _("at the end of the stack"),
}
_difference_by_width = st.cache_data(max_entries=64, show_spinner=False)(difference_by_width)


def two_norms_part(view: View) -> None:
    """Draws the part."""
    cfg = view.cfg
    if cfg.d_model < 2:
        st.info(_("This model's vectors have one number each, and one number has no spread: there is nothing to norm."))
        return
    places = norms(view.run().values, cfg)
    left, right = st.columns(2)
    with left:
        chosen = controls.pick("norm_place", _("which norm of the model"), [_place(*at, cfg.norm) for at in places])
    at = list(places)[chosen]
    labels = view.src_labels if at[0] == "encoder" else view.tgt_labels
    with right:
        token = controls.pick("token", _("which word"), labels)
    given, gave = places[at]
    before = given[token]
    standard, unbiased = two_norms(before, cfg.norm_eps)

    document.figure(
        curves(
            np.arange(cfg.d_model),
            {_("before"): before, _("after the norm"): standard},
            x_title=_("dimension"),
            y_title=_("value"),
            markers=cfg.d_model <= 64,
        ),
        "before-after",
        _(
            "the numbers of “{word}”, before and after. The shape stays; the level moves to 0 and the size to 1. Mean {m:.3f} "
            "→ {n:.3f}, spread (std) {s:.3f} → {t:.3f}."
        ).format(word=labels[token], m=before.mean(), n=abs(standard.mean()), s=before.std(), t=standard.std()),
    )

    document.section(_("Two ways to write it"))
    st.markdown(
        _(
            "Spread can be counted over all d numbers or over d − 1 (**unbiased**), and the small number eps that forbids "
            "division by 0 can stand inside the root or behind it. Papers, notes and libraries differ."
        )
    )
    gap = unbiased - standard
    n = min(_SHOWN, cfg.d_model)
    document.figure(
        matrix(
            np.stack([standard, unbiased, gap])[:, :n],
            rows=["standard", "unbiased", _("difference")],
            columns=n,
            column_title=_("dimension (first {n} of {all})").format(n=n, all=cfg.d_model),
            signed=True,
            decimals=3,
            cell=44,
        ),
        "two-norms",
        _("the same numbers through both; the last row is what changes. All of it is smaller by one common factor."),
    )
    names = [_("before"), _("standard (torch)"), _("unbiased, eps outside")]
    rows = np.stack([before, standard, unbiased]).astype(np.float64)
    st.dataframe(
        {
            "": names,
            _("mean"): [f"{abs(x) if abs(x) < 5e-6 else x:.5f}" for x in rows.mean(axis=1)],
            _("std over d"): [f"{x:.5f}" for x in rows.std(axis=1)],
            _("std over d − 1"): [f"{x:.5f}" for x in rows.std(axis=1, ddof=1)],
        },
        hide_index=True,
    )
    largest = float(np.abs(gap).max())
    document.reading(
        _("each norm brings its own spread to 1. Largest difference between them for this vector: **{gap:.5f}**.").format(
            gap=largest
        )
    )

    off_standard, off_unbiased = norm_used(state.model_of(view.key), at, given, gave)
    st.markdown(
        _(
            "And this model's own norm in this place? Over all {n} words its results lie within {a:.2g} of the first way and "
            "within {b:.2g} of the second (its own gain and bias applied to both): it is the **{kind}** one."
        ).format(
            n=len(labels),
            a=off_standard,
            b=off_unbiased,
            kind=_("standard") if off_standard < off_unbiased else _("unbiased"),
        )
    )

    document.section(_("Does it matter?"))
    seed = controls.slider("norm_seed", _("seed of the random vectors"), 0, 50, 0)
    top, typical = _difference_by_width(_WIDTHS, 8, seed, cfg.norm_eps)
    document.figure(
        curves(
            _WIDTHS,
            {_("largest"): top, _("typical"): typical},
            x_title=_("width d of the vector"),
            y_title=_("difference"),
            log_x=True,
            log_y=True,
            markers=True,
        ),
        "by-width",
        _(
            "8 random vectors of each width through both norms. Largest difference {a:.3f} at d = 16 and {b:.4f} at d = 512: "
            "the wider the vector, the less it matters."
        ).format(a=top[_WIDTHS.index(16)], b=top[_WIDTHS.index(512)]),
    )
    document.formula(
        r"\begin{gathered}\mathrm{standard}(x)=\frac{x-\bar x}{\sqrt{\frac1d\sum_i(x_i-\bar x)^2+\varepsilon}}\\"
        r"\mathrm{unbiased}(x)=\frac{x-\bar x}{\sqrt{\frac1{d-1}\sum_i(x_i-\bar x)^2}+\varepsilon}\end{gathered}",
        _(
            "Section 3.1 of the paper says only “layer normalization”. Gain and bias, which are learned, are left out of the "
            "pictures (1 and 0). Here d = {d} and ε = {eps:g}."
        ).format(d=cfg.d_model, eps=cfg.norm_eps),
    )
    document.try_this(
        _("Lower **d_model** to 8: the two now differ about eight times as much as at 64."),
        _("Open **Variant** in the sidebar and switch the **layer norm**: the model then uses the other one."),
        _("Set **norm** to “post”: the norms then stand behind the sums, and are given other vectors."),
    )
    document.the_code(two_norms, UnbiasedNorm, norm_used, difference_by_width)


def _place(stack: str, layer: int, part: str, norm: str) -> str:
    side = _("encoder") if stack == "encoder" else _("decoder")
    if part == "final":
        return f"{side}: {_PARTS[part]}"
    words = _("{side}, layer {i}: before {part}") if norm == "pre" else _("{side}, layer {i}: after {part}")
    return words.format(side=side, i=layer, part=_PARTS[part])
