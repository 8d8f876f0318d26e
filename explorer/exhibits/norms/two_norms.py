"""One vector through layer norm as torch and as many textbooks write it, and how far the two lie apart."""

from dataclasses import replace

import numpy as np
import streamlit as st

from explorer.i18n import N_, _
from explorer.inference.forward import model_of
from explorer.inference.shown_model import ShownModel
from explorer.pictures import norms as pictures
from explorer.pictures.norms import NormChoices
from explorer.pictures.part_names import PARTS
from explorer.ui import document, pickers
from explorer.ui.format import plain, small
from explorer.ui.widgets import choose_number, pick, slider
from transformer_core.analysis.normalization import deviation_by_eps, difference_by_width, norm_used, two_norms
from transformer_core.analysis.residual_stream import norms
from transformer_core.model.norms import UnbiasedNorm

_TRIED = (1e-12, 1e-9, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0)  # ε that are offered
_ENDS = {"encoder": N_("encoder: at the end of the stack"), "decoder": N_("decoder: at the end of the stack")}
_PLACES = {
    ("encoder", "pre"): N_("encoder, layer {i}: before {part}"),
    ("encoder", "post"): N_("encoder, layer {i}: after {part}"),
    ("decoder", "pre"): N_("decoder, layer {i}: before {part}"),
    ("decoder", "post"): N_("decoder, layer {i}: after {part}"),
}


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
    choices = NormChoices(cfg.norm_eps, cfg.norm_eps, norm_place=list(places).index(at), token=token)
    first = st.container()  # it follows the ε that stands below it

    def more() -> None:
        nonlocal choices
        choices = replace(choices, norm_eps_tried=_formulas_and_eps(cfg.norm_eps))
        _more(shown, choices, at, given, gave, labels[token])

    document.details("two_norms", more)
    with first:
        standard, _unbiased = two_norms(given[token], choices.norm_eps_tried)
        _before_after(shown, choices, given[token], standard, labels[token])


def _more(
    shown: ShownModel, choices: NormChoices, at: tuple[str, int, str], given: np.ndarray, gave: np.ndarray, word: str
) -> None:
    """Draws both norms, and where they differ."""
    cfg, token, eps = shown.cfg, choices.token, choices.norm_eps_tried
    standard, unbiased = two_norms(given[token], eps)
    _two_ways(shown, choices, given[token], standard, unbiased)
    _own(shown, at, given, gave)
    _by_width(shown, choices)
    _by_eps(shown, choices, given[token], word)
    document.formula(
        r"\begin{gathered}<standard>(x)=\frac{x-\mu}{\sqrt{\frac1d\sum_i(x_i-\mu)^2+\varepsilon}}\\"
        r"<unbiased>(x)=\frac{x-\mu}{\sqrt{\frac1{d-1}\sum_i(x_i-\mu)^2}+\varepsilon}\end{gathered}",
        _(
            "Section 3.1 of the paper says only “layer normalization”; the first formula is that of Ba et al. (2016). The "
            "learned gain and bias are left out of the pictures (1 and 0). μ is the mean of x; here d = {d} and ε = {eps}."
        ).format(d=cfg.d_model, eps=small(eps, 6)),
        standard=_("standard"),
        unbiased=_("unbiased"),
    )
    document.try_this(
        _(
            "Change **d_model**: with a small ε, the two differ by a share of 1 − √(1 − 1/d), {narrow:.1%} at d = 8 and "
            "{wide:.1%} at d = 64."
        ).format(narrow=_share(8), wide=_share(64)),
        _("Switch **layer norm** in the sidebar: the model then uses the other one."),
        _("Set **norm** to “post”: the norms then come after the residual connections, and receive other vectors."),
    )  # fmt: skip
    document.the_code(two_norms, UnbiasedNorm, norm_used, difference_by_width)


def _share(d: int) -> float:
    """Returns by which share of itself every number differs between the two norms, without eps."""
    return 1 - (1 - 1 / d) ** 0.5


def _place(stack: str, layer: int, part: str, norm: str) -> str:
    if part == "final":
        return _(_ENDS[stack])
    return _(_PLACES[stack, norm]).format(i=layer, part=_(PARTS[part]))


def _before_after(shown: ShownModel, choices: NormChoices, before: np.ndarray, standard: np.ndarray, word: str) -> None:
    document.picture(
        pictures.before_after(shown, choices),
        _(
            "the numbers of “{word}”, before and after. The curve keeps its shape; the mean goes from {m:.3f} to {n:.3f}, the "
            "standard deviation from {s:.3f} to {t:.3f}."
        ).format(word=plain(word), m=before.mean(), n=abs(standard.mean()), s=before.std(), t=standard.std()),
    )


def _formulas_and_eps(own: float) -> float:
    """Draws both formulas, and the control of their ε, which begins with the model's."""
    document.section(_("Two ways to write it"))
    words, knob = st.columns([3, 1], gap="large")
    words.markdown(
        _(
            "The standard deviation can be taken over d numbers or over d − 1 (**unbiased**), and the small number ε that "
            "prevents a division by 0 can stand inside the root or outside it. Papers, textbooks and libraries differ."
        )
    )
    help = _("Of both norms on this page, with which the word's vector is computed anew; the model keeps its own.")
    with knob:
        return choose_number("norm_eps_tried", "ε", sorted({*_TRIED, own}), own, help)


def _two_ways(shown: ShownModel, choices: NormChoices, before: np.ndarray, standard: np.ndarray, unbiased: np.ndarray) -> None:
    gap = unbiased - standard
    document.picture(
        pictures.both_norms(shown, choices),
        _("the same vector through both norms, and the difference. With this ε, the unbiased norm gives {ratio:.4f} times the "
          "number of the standard one, everywhere.").format(ratio=float(unbiased.std() / standard.std())),
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
            "where ε is small, each norm brings its own kind of standard deviation (std) close to 1. The largest difference "
            "between them for this vector is **{gap:.5f}**."
        ).format(gap=float(np.abs(gap).max()))
    )


def _own(shown: ShownModel, at: tuple[str, int, str], given: np.ndarray, gave: np.ndarray) -> None:
    """Says which of the two the model uses here, judged by its results."""
    standard, unbiased = norm_used(model_of(shown.choice), at, given, gave)
    words = (
        _("Which one does this model use? Over all {n} words, its results are within {a} of the standard norm and within "
          "{b} of the unbiased one (its own gain and bias applied to both): it is the **standard** one.")
        if standard < unbiased
        else _("Which one does this model use? Over all {n} words, its results are within {a} of the standard norm and "
               "within {b} of the unbiased one (its own gain and bias applied to both): it is the **unbiased** one.")
    )  # fmt: skip
    st.markdown(words.format(n=len(given), a=small(standard, 2), b=small(unbiased, 2)))


def _by_width(shown: ShownModel, choices: NormChoices) -> None:
    document.section(_("Does it matter?"))
    seed = slider("norm_seed", _("seed of the random vectors"), 0, pictures.LAST_SEED, 0)
    drawn = pictures.WidthChoices(choices.norm_eps_tried, choices.norm_eps_own, norm_seed=seed)
    top, _typical = pictures.difference_of(shown, drawn)
    document.picture(
        pictures.by_width(shown, drawn),
        _(
            "the largest difference between the two norms over {vectors} random vectors of each width: {a:.3f} at d = 16 and "
            "{b:.4f} at d = 512, with ε = {eps}."
        ).format(
            vectors=pictures.VECTORS,
            a=top[pictures.WIDTHS.index(16)],
            b=top[pictures.WIDTHS.index(512)],
            eps=small(pictures.eps_of(shown, drawn), 6),
        ),
    )


def _by_eps(shown: ShownModel, choices: NormChoices, x: np.ndarray, word: str) -> None:
    document.section(_("What ε does"))
    eps, wide = pictures.eps_of(shown, choices), x.astype(np.float64)
    (standard,), (unbiased,) = deviation_by_eps(x, [eps])
    document.picture(
        pictures.by_eps(shown, choices),
        _(
            "what is left of the standard deviation of “{word}”, each norm's own kind. Inside the root ε is added to the "
            "variance, here {variance:.3g}, outside to the standard deviation, here {deviation:.3g}: a norm stops working "
            "where ε is no longer small beside that number. With ε = {eps}: {a:.5f} and {b:.5f}."
        ).format(
            word=plain(word), variance=float(wide.var()), deviation=float(wide.std(ddof=1)), eps=small(eps, 6), a=standard,
            b=unbiased,
        ),
    )  # fmt: skip
