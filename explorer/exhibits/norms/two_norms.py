"""One vector through layer norm as torch and as many textbooks write it, and how far the two lie apart."""

from typing import Annotated, Any

import numpy as np
import streamlit as st
import torch

from explorer.figures.lines import curves
from explorer.figures.matrix import Matrices, matrix
from explorer.figures.style import Figure
from explorer.i18n import N_, _
from explorer.model_on_screen.settings import RANGES
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.shown_run import run_of
from explorer.pictures.exhibit import among, drawn, numbers, numbers_of_sizes
from explorer.pictures.part_names import PARTS
from explorer.pictures.registry import Ends
from explorer.ui import document, pickers
from explorer.ui.format import plain, small
from explorer.ui.widgets import choose_number, pick, slider
from transformer_core.analysis import normalization
from transformer_core.analysis.normalization import norm_used
from transformer_core.analysis.residual_stream import norms
from transformer_core.analysis.run import Run
from transformer_core.model.config import TransformerConfig
from transformer_core.model.norms import UnbiasedNorm

WIDTHS = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
VECTORS = 8  # random ones, of each width
LARGEST = 10.0  # ε
LAST_SEED = 50  # the largest seed of the random vectors
SHOWN = 12  # numbers of a vector that are written out
_TRIED = (1e-12, 1e-9, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, LARGEST)  # ε that are offered
_ENDS = {"encoder": N_("encoder: at the end of the stack"), "decoder": N_("decoder: at the end of the stack")}
_PLACES = {
    ("encoder", "pre"): N_("encoder, layer {i}: before {part}"),
    ("encoder", "post"): N_("encoder, layer {i}: after {part}"),
    ("decoder", "pre"): N_("decoder, layer {i}: before {part}"),
    ("decoder", "post"): N_("decoder, layer {i}: after {part}"),
}

Tried = Annotated[float, Ends(RANGES["norm_eps"][0], LARGEST)]
Place = Annotated[int, among(lambda run, _said: len(norms(run.stages, run.cfg)))]
WordOfPlace = Annotated[int, among(lambda run, said: len(read_by(run, said["norm_place"])))]
Seed = Annotated[int, Ends(0, LAST_SEED)]

# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers(recorded=lambda run, *chosen: _of_the_core(run, *chosen)[:2])
def before_after(run: Run, norm_eps_tried: Tried, norm_eps_own: float, norm_place: Place, token: WordOfPlace) -> np.ndarray:
    """One word's vector before a layer norm and after it. Shape: (2, d_model)"""
    x, eps = read_by(run, norm_place)[token], eps_of(run.cfg, norm_eps_tried, norm_eps_own)
    standard, _unbiased = both_norms(x, eps)
    return np.stack([x, standard])


@numbers(recorded=lambda run, *chosen: _of_the_core(run, *chosen)[1:])
def two_norms(run: Run, norm_eps_tried: Tried, norm_eps_own: float, norm_place: Place, token: WordOfPlace) -> np.ndarray:
    """One word's vector after each of two norms, and the difference. Shape: (3, d_model)"""
    x, eps = read_by(run, norm_place)[token], eps_of(run.cfg, norm_eps_tried, norm_eps_own)
    standard, unbiased = both_norms(x, eps)
    return np.stack([standard, unbiased, unbiased - standard])


@numbers_of_sizes()
def by_width(cfg: TransformerConfig, norm_eps_tried: Tried, norm_eps_own: float, norm_seed: Seed) -> np.ndarray:
    """The largest difference between the two norms, and the typical one (root of the mean square), for random vectors of each
    width. Shape: (2, width)
    """
    eps, differences = eps_of(cfg, norm_eps_tried, norm_eps_own), []
    for width in WIDTHS:
        x = torch.randn(VECTORS, width, generator=torch.Generator().manual_seed(norm_seed)).numpy()
        standard, unbiased = both_norms(x, eps)
        gap = np.abs(standard - unbiased)
        differences.append([gap.max(), np.sqrt((gap**2).mean())])
    return np.array(differences).T


@numbers()
def by_eps(run: Run, norm_eps_tried: Tried, norm_eps_own: float, norm_place: Place, token: WordOfPlace) -> np.ndarray:
    """The standard deviation after each norm, of its own kind, for each ε. Shape: (2, ε)"""
    x, epsilons = read_by(run, norm_place)[token], epsilons_of(run.cfg, norm_eps_tried, norm_eps_own)
    results = [both_norms(x, eps) for eps in epsilons]
    return np.array([[standard.std(), unbiased.std(ddof=1)] for standard, unbiased in results]).T


def both_norms(x: np.ndarray, eps: float) -> tuple[np.ndarray, np.ndarray]:
    """Layer norm (section 3.1) over d numbers, ε inside the root; over d - 1, ε outside it. Shape: (..., d) -> both (..., d)"""
    centred = x - x.mean(axis=-1, keepdims=True)
    standard = centred / np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    unbiased = centred / (x.std(axis=-1, ddof=1, keepdims=True) + eps)
    return standard, unbiased


def read_by(run: Run, place: int) -> np.ndarray:
    """The input of one of the model's norms. Shape: (word, d_model)"""
    return list(norms(run.stages, run.cfg).values())[place][0]


def eps_of(cfg: TransformerConfig, tried: float, own: float) -> float:
    """The ε of both norms: the model's, also when that is changed, until another is tried. `own` was the model's before."""
    return cfg.norm_eps if tried == own else tried


def epsilons_of(cfg: TransformerConfig, tried: float, own: float) -> list[float]:
    """The ε that are compared, with the model's and the one that is tried."""
    powers = 10.0 ** np.arange(-12, 1.5, 0.5)
    return sorted({*powers.tolist(), cfg.norm_eps, eps_of(cfg, tried, own)})


def _of_the_core(run: Run, tried: float, own: float, place: int, token: int) -> np.ndarray:
    """The vector before the norm, after the norms of torch and of the core, and the difference. Shape: (4, d_model)"""
    x = read_by(run, place)[token]
    standard, unbiased = normalization.two_norms(x, eps_of(run.cfg, tried, own))
    return np.stack([x, standard, unbiased, unbiased - standard])


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(before_after)
def _draw_before_after(values: np.ndarray, _shown: ShownModel, **_chosen: float) -> Figure:
    before, after = values
    axes: dict[str, Any] = {"x_title": _("dimension"), "y_title": _("value"), "markers": len(before) <= 64}
    return curves(np.arange(len(before)), {_("before"): before, _("after the norm"): after}, **axes)


@drawn(two_norms)
def _draw_two_norms(values: np.ndarray, _shown: ShownModel, **_chosen: float) -> Matrices:
    d = values.shape[1]
    n = min(SHOWN, d)
    return matrix(
        values[:, :n],
        rows=[_("standard"), _("unbiased"), _("difference")],
        columns=n,
        signed=True,
        decimals=3,
        cell=44,
        column_title=_("dimension (first {n} of {all})").format(n=n, all=d),
    )


@drawn(by_width)
def _draw_by_width(values: np.ndarray, _shown: ShownModel, **_chosen: float) -> Figure:
    largest, typical = values
    axes: dict[str, Any] = {"x_title": _("width d of the vector"), "y_title": _("difference"), "markers": True}
    return curves(WIDTHS, {_("largest"): largest, _("typical"): typical}, log_x=True, log_y=True, **axes)


@drawn(by_eps)
def _draw_by_eps(
    values: np.ndarray, shown: ShownModel, *, norm_eps_tried: float, norm_eps_own: float, norm_place: int, token: int
) -> Figure:
    own, tried = shown.cfg.norm_eps, eps_of(shown.cfg, norm_eps_tried, norm_eps_own)
    figure = curves(
        epsilons_of(shown.cfg, norm_eps_tried, norm_eps_own),
        {_("standard"): values[0], _("unbiased"): values[1]},
        log_x=True,
        x_title="ε",
        y_title=_("standard deviation after the norm"),
        marks={_("this model"): own} | ({} if tried == own else {_("chosen"): tried}),
    )
    figure["layout"]["xaxis"]["exponentformat"] = "power"
    return figure


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    cfg = shown.cfg
    if cfg.d_model < 2:
        st.info(_("This model's vectors have one number each. One number has no spread, so there is nothing to normalize."))
        return
    places = list(norms(shown.forward().values, cfg))
    with pickers.line():
        place = pick("norm_place", _("norm"), [_place(*each, cfg.norm) for each in places])
        stack, _layer, _part = places[place]
        token = pick("token", _("word"), shown.labels_of(stack))
    word, eps = plain(shown.labels_of(stack)[token]), cfg.norm_eps
    first = st.container()  # it follows the ε that stands below it

    def details() -> None:
        nonlocal eps
        eps = _formulas_and_eps(cfg.norm_eps)
        _details(shown, eps, place, token, word)

    document.details("two_norms", details)
    with first:
        _before_after(shown, eps, place, token, word)


def _details(shown: ShownModel, eps: float, place: int, token: int, word: str) -> None:
    """Draws both norms, and where they differ."""
    cfg = shown.cfg
    _two_ways(shown, eps, place, token)
    _own(shown, place)
    _by_width(shown, eps)
    _by_eps(shown, eps, place, token, word)
    document.formula(
        r"\begin{gathered}<standard>(x)=\frac{x-\mu}{\sqrt{\frac1d\sum_i(x_i-\mu)^2+\varepsilon}}\\"
        r"<unbiased>(x)=\frac{x-\mu}{\sqrt{\frac1{d-1}\sum_i(x_i-\mu)^2}+\varepsilon}\end{gathered}",
        _(
            "Section 3.1 of the paper says only “layer normalization”; the first formula is that of Ba et al. (2016). μ is the "
            "mean of x, d = {d}, ε = {eps}. The pictures leave out the learned gain and bias."
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
    )
    document.the_code(two_norms, both_norms, UnbiasedNorm, norm_used, by_width)


def _share(d: int) -> float:
    """Returns by which share of itself every number differs between the two norms, without eps."""
    return 1 - (1 - 1 / d) ** 0.5


def _place(stack: str, layer: int, part: str, norm: str) -> str:
    if part == "final":
        return _(_ENDS[stack])
    return _(_PLACES[stack, norm]).format(i=layer, part=_(PARTS[part]))


def _before_after(shown: ShownModel, eps: float, place: int, token: int, word: str) -> None:
    picture = before_after.of(shown, eps, shown.cfg.norm_eps, place, token)
    before, after = picture.values
    document.picture(
        picture,
        _(
            "the numbers of “{word}”, before and after. The curve keeps its shape; the mean goes from {m:.3f} to {n:.3f}, the "
            "standard deviation from {s:.3f} to {t:.3f}."
        ).format(word=word, m=before.mean(), n=abs(after.mean()), s=before.std(), t=after.std()),
    )


def _formulas_and_eps(own: float) -> float:
    """Draws both formulas, and the control of their ε, which begins with the model's."""
    document.section(_("Two ways to write it"))
    words, knob = st.columns([3, 1], gap="large")
    words.markdown(
        _(
            "The standard deviation is taken over d numbers or over d − 1 (**unbiased**), and ε, which prevents a division by "
            "0, stands inside the root or outside."
        )
    )
    help = _("Of both norms on this page, with which the word's vector is computed anew; the model keeps its own.")
    with knob:
        return choose_number("norm_eps_tried", "ε", sorted({*_TRIED, own}), own, help)


def _two_ways(shown: ShownModel, eps: float, place: int, token: int) -> None:
    picture = two_norms.of(shown, eps, shown.cfg.norm_eps, place, token)
    by_torch, other, gap = picture.values
    document.picture(
        picture,
        _(
            "the same vector through both norms, and the difference. With this ε, the unbiased norm gives {ratio:.4f} times "
            "the number of the standard one, everywhere."
        ).format(ratio=float(other.std() / by_torch.std())),
    )
    rows = np.stack([read_by(run_of(shown), place)[token], by_torch, other]).astype(np.float64)
    st.dataframe(
        {
            "": [_("before"), _("standard (torch)"), _("unbiased, ε outside")],
            _("mean"): [f"{abs(x) if abs(x) < 5e-6 else x:.5f}" for x in rows.mean(axis=1)],
            _("std over d"): [f"{x:.5f}" for x in rows.std(axis=1)],
            _("std over d − 1"): [f"{x:.5f}" for x in rows.std(axis=1, ddof=1)],
        },
        hide_index=True,
    )
    document.caption(
        _("the largest difference between the two for this vector is **{gap:.5f}**.").format(gap=float(np.abs(gap).max()))
    )


def _own(shown: ShownModel, place: int) -> None:
    """Says which of the two the model uses here, judged by its results."""
    run = run_of(shown)
    at, (given, gave) = list(norms(run.stages, run.cfg).items())[place]
    to_standard, to_unbiased = norm_used(run.model, at, given, gave)
    words = (
        _(
            "This model's is the **standard** one: over all {n} words its results are within {a} of it, and within {b} of the "
            "unbiased one (its own gain and bias applied to both)."
        )
        if to_standard < to_unbiased
        else _(
            "This model's is the **unbiased** one: over all {n} words its results are within {a} of the standard one, and "
            "within {b} of it (its own gain and bias applied to both)."
        )
    )
    st.markdown(words.format(n=len(given), a=small(to_standard, 2), b=small(to_unbiased, 2)))


def _by_width(shown: ShownModel, eps: float) -> None:
    document.section(_("Does it matter?"))
    seed = slider("norm_seed", _("seed of the random vectors"), 0, LAST_SEED, 0)
    picture = by_width.of(shown, eps, shown.cfg.norm_eps, seed)
    largest, _typical = picture.values
    document.picture(
        picture,
        _(
            "the largest difference between the two norms over {vectors} random vectors of each width: {a:.3f} at d = 16 and "
            "{b:.4f} at d = 512, with ε = {eps}."
        ).format(vectors=VECTORS, a=largest[WIDTHS.index(16)], b=largest[WIDTHS.index(512)], eps=small(eps, 6)),
    )


def _by_eps(shown: ShownModel, eps: float, place: int, token: int, word: str) -> None:
    document.section(_("What ε does"))
    own, x = shown.cfg.norm_eps, read_by(run_of(shown), place)[token].astype(np.float64)
    picture = by_eps.of(shown, eps, own, place, token)
    left, right = picture.values[:, epsilons_of(shown.cfg, eps, own).index(eps)]
    document.picture(
        picture,
        _(
            "what is left of the standard deviation of “{word}”. Inside the root ε is added to the variance, here "
            "{variance:.3g}, outside to the standard deviation, here {deviation:.3g}. With ε = {eps}: {a:.5f} and {b:.5f}."
        ).format(word=word, variance=float(x.var()), deviation=float(x.std(ddof=1)), eps=small(eps, 6), a=left, b=right),
    )
