"""Why scores are divided by √d_k: an experiment with random vectors, and where the head on screen stands."""

import math
from typing import Annotated

import numpy as np
import streamlit as st
import torch

from explorer.exhibits.shared.softmax import softmax
from explorer.figures.lines import curves
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.shown_run import run_of
from explorer.pictures.exhibit import Head, Kind, Layer, drawn, numbers, numbers_of_choices, numbers_of_sizes
from explorer.pictures.registry import Ends
from explorer.ui import document, pickers
from explorer.ui.widgets import slider
from transformer_core.analysis.run import Run
from transformer_core.analysis.score_scaling import DIVISORS, HeadScale, Scaling, head_scale, scaling
from transformer_core.model.config import TransformerConfig
from transformer_core.model.stages import AttentionKind

KEYS = (2, 64)  # the ends of the knob
LAST_SEED = 20
WIDTHS = tuple(2**i for i in range(10))
MOST_SCORES = 2**13  # of the experiment: drawing vectors for them takes most of its time
PAPER_WIDTH = 64  # of a head in the paper, 3.2.2

Keys = Annotated[int, Ends(*KEYS)]
Seed = Annotated[int, Ends(0, LAST_SEED)]
Chosen = tuple[AttentionKind, int, int, int, int]  # kind, layer, head, number of keys and seed

# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers_of_choices()
def experiment(widths: tuple[int, ...], scale_keys: Keys, scale_seed: Seed) -> Scaling:
    """Scores and softmax of random queries and keys, by the width of a head (section 3.2.1)."""
    return scaling(widths, scale_keys, min(512, MOST_SCORES // scale_keys), scale_seed)


@numbers()
def scale_of_head(run: Run, kind: Kind, layer: Layer, head: Head) -> HeadScale:
    """The same of a head of the model."""
    part = run.attention(kind, layer)
    return head_scale(part["q"][head], part["k"][head], part.allowed)


@numbers()
def scale_variance(run: Run, kind: Kind, layer: Layer, head: Head, scale_keys: Keys, scale_seed: Seed) -> np.ndarray:
    """The variance of q · k by the width of a head: in theory d_k, measured, and in this model's head. Shape: (3, width)"""
    measured, own = experiment(widths_of(run.cfg), scale_keys, scale_seed), scale_of_head(run, kind, layer, head)
    return np.stack([measured.widths, measured.variance, np.where(measured.widths == run.cfg.d_k, own.products, np.nan)])


@scale_variance.formula
def variance_by_formula(run: Run, kind: Kind, layer: Layer, head: Head, scale_keys: Keys, scale_seed: Seed) -> np.ndarray:
    """The width itself, and the variance of q · k: of random vectors, and in this model's head. Shape: (3, width)"""
    widths, part = np.array(widths_of(run.cfg)), run.attention(kind, layer)
    q, k = random_vectors(int(widths[-1]), scale_keys, scale_seed)
    measured = [(q[..., :d_k] @ k[..., :d_k].swapaxes(1, 2)).var() for d_k in widths]
    own = (part["q"][head] @ part["k"][head].T)[part.allowed].var()
    return np.stack([widths, measured, np.where(widths == run.cfg.d_k, own, np.nan)])


@numbers_of_sizes()
def scale_entropy(
    cfg: TransformerConfig, kind: Kind, layer: Layer, head: Head, scale_keys: Keys, scale_seed: Seed
) -> np.ndarray:
    """The entropy of the softmax, in bits, by the width of a head, for each divisor of the scores. Shape: (divisor, width)"""
    return np.stack(list(experiment(widths_of(cfg), scale_keys, scale_seed).entropy.values()))


@scale_entropy.formula
def entropy_by_formula(
    cfg: TransformerConfig, kind: Kind, layer: Layer, head: Head, scale_keys: Keys, scale_seed: Seed
) -> np.ndarray:
    """−Σ w log₂ w of the weights w = softmax(q · k / divisor), on average over random queries. Shape: (divisor, width)"""
    q, k = random_vectors(widths_of(cfg)[-1], scale_keys, scale_seed)
    entropy = []
    for d_k in widths_of(cfg):
        products = q[..., :d_k] @ k[..., :d_k].swapaxes(1, 2)  # (query, 1, key)
        for divisor in (1, np.sqrt(d_k), d_k):
            w = softmax(products / divisor)
            entropy.append(-(w * np.log2(np.where(w > 0, w, 1))).sum(axis=-1).mean())
    return np.reshape(entropy, (-1, 3)).T


@numbers_of_sizes()
def scale_gradient(
    cfg: TransformerConfig, kind: Kind, layer: Layer, head: Head, scale_keys: Keys, scale_seed: Seed
) -> np.ndarray:
    """The size of the gradient at q by the width of a head, for each divisor of the scores. Shape: (divisor, width)"""
    return np.stack(list(experiment(widths_of(cfg), scale_keys, scale_seed).gradient.values()))


@scale_gradient.formula
def gradient_by_formula(
    cfg: TransformerConfig, kind: Kind, layer: Layer, head: Head, scale_keys: Keys, scale_seed: Seed
) -> np.ndarray:
    """The size of ∂w/∂q, where w = softmax(q · k / divisor): the median over random queries. Shape: (divisor, width)"""
    q, k = random_vectors(widths_of(cfg)[-1], scale_keys, scale_seed)
    sizes = []
    for d_k in widths_of(cfg):
        keys = k[..., :d_k]
        for divisor in (1, np.sqrt(d_k), d_k):
            w = softmax(q[..., :d_k] @ keys.swapaxes(1, 2) / divisor)  # (query, 1, key)
            slopes = w.swapaxes(1, 2) * (keys - w @ keys) / divisor  # (query, key, d_k): of each weight, by q
            sizes.append(np.median(np.sqrt((slopes**2).sum(axis=(1, 2)))))
    return np.reshape(sizes, (-1, 3)).T


def random_vectors(width: int, keys: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Queries, and for each its keys, of numbers with mean 0 and variance 1. Shape: (query, 1, width), (query, key, width)"""
    luck, queries = torch.Generator().manual_seed(seed), min(512, MOST_SCORES // keys)
    q, k = (torch.randn(queries, n, width, generator=luck).double().numpy() for n in (1, keys))
    return q, k


def widths_of(cfg: TransformerConfig) -> tuple[int, ...]:
    """Returns the widths of the experiment; that of the model's heads is one of them."""
    return tuple(sorted({*WIDTHS, cfg.d_k}))


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(scale_variance)
def _draw_variance(values: np.ndarray, shown: ShownModel, **_chosen: str | int) -> Figure:
    theory, measured, own = values
    series = {_("theory: d_k"): theory, _("measured, random q and k"): measured, _("this model's head"): own}
    figure, products = _over_widths(shown.cfg, series, _("variance of q · k")), float(np.nanmax(own))
    if products > 0:
        figure["layout"]["yaxis"] |= {"type": "log", "dtick": 1}
    figure["layout"]["meta"]["alt"] = _(
        "variance of q · k: {a:.2f} at d_k {b}, {c:.0f} at d_k {d}; this model's head: {own:.3g} at d_k {e}"
    ).format(a=measured[0], b=int(theory[0]), c=measured[-1], d=int(theory[-1]), own=products, e=shown.cfg.d_k)
    figure["data"][-1]["marker"] = {"size": 13, "symbol": "diamond"}  # one point alone
    return figure


@drawn(scale_entropy)
def _draw_entropy(values: np.ndarray, shown: ShownModel, **_chosen: str | int) -> Figure:
    return _over_widths(shown.cfg, _by_divisor(values), _("entropy (bits)"))


@drawn(scale_gradient)
def _draw_gradient(values: np.ndarray, shown: ShownModel, **_chosen: str | int) -> Figure:
    return _over_widths(shown.cfg, _by_divisor(values), _("size of the gradient at q"))


def _by_divisor(values: np.ndarray) -> dict[str, np.ndarray]:
    return {f"÷ {name}": row for name, row in zip(DIVISORS, values, strict=True)}


def _over_widths(cfg: TransformerConfig, series: dict[str, np.ndarray], y_title: str) -> Figure:
    """Draws curves over the width of a head, with a tick at each doubling."""
    figure = curves(
        np.array(widths_of(cfg)),
        series,
        x_title=_("d_k, dimensions of the head"),
        y_title=y_title,
        log_x=True,
        markers=True,
        alt="; ".join(f"{name}: {values[0]:.3g} → {values[-1]:.3g}" for name, values in series.items()),
    )
    figure["layout"]["xaxis"] |= {"tickvals": WIDTHS, "ticktext": [str(width) for width in WIDTHS]}
    figure["layout"]["yaxis"]["rangemode"] = "tozero"
    return figure


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    """Draws how the width of a head changes its scores and the softmax, undivided and divided in two ways."""
    kind, layer, head = pickers.which_head(shown.cfg, "cross")
    left, right = st.columns(2)
    keys = int(slider("scale_keys", _("number of keys"), *KEYS, 16, place=left))
    other = _("Another seed gives other random vectors.")
    seed = int(slider("scale_seed", _("seed"), 0, LAST_SEED, 0, other, place=right))
    chosen = kind, layer, head, keys, seed
    _variance(shown, chosen)
    document.details("why_scale", lambda: _details(shown, chosen))


def _details(shown: ShownModel, chosen: Chosen) -> None:
    kind, layer, head, keys, seed = chosen
    st.markdown(
        _(
            "A score is a sum of d_k products, one for each dimension of the head. The more there are, the farther the scores "
            "lie apart, and the nearer the softmax comes to all or nothing, where it hardly responds to changes any more. Here "
            "this is measured on random vectors."
        )
    )
    document.section(_("What the softmax makes of them"))
    _softmax(shown, chosen, experiment(widths_of(shown.cfg), keys, seed))
    document.section(_("Where this model's head stands"))
    _own(scale_of_head(run_of(shown), kind, layer, head), shown.cfg.d_k)
    document.formula(
        r"\begin{gathered}q\cdot k=\sum_{i=1}^{d_k}q_ik_i,\qquad\mathrm{Var}(q_i)=\mathrm{Var}(k_i)=1\\"
        r"\Rightarrow\ \mathrm{Var}(q\cdot k)=d_k,\quad\mathrm{Var}\left(\frac{q\cdot k}{\sqrt{d_k}}\right)=1\end{gathered}",
        _("Section 3.2.1 of the paper, footnote 4: independent components of mean 0 and variance 1."),
    )
    document.try_this(
        _("Set **heads** to 1, or increase **d_model**: this model's point moves to the right."),
        _("Change the **number of keys**: does the softmax of the undivided scores still saturate?"),
    )
    document.the_code(scaling, head_scale, scale_variance, scale_entropy, scale_gradient)


def _variance(shown: ShownModel, chosen: Chosen) -> None:
    """Draws the variance of the scores against the width."""
    picture = scale_variance.of(shown, *chosen)
    theory, measured, _own = picture.values
    ratio = measured / theory
    how = _(
        "how widely the scores vary. If all components of q and k have variance 1, the variance of q · k is d_k; measured, "
        "it is {low:.2f} to {high:.2f} times d_k. Dividing by √d_k brings it back to about 1 at every width."
    )
    document.picture(picture, how.format(low=ratio.min(), high=ratio.max()))


def _softmax(shown: ShownModel, chosen: Chosen, measured: Scaling) -> None:
    """Draws entropy and gradient of the softmax against the width, for each divisor."""
    keys = chosen[3]
    left, right = st.columns(2)
    with left:
        how = _(
            "how widely attention is spread: {most:.2f} bits is uniform over {keys} keys, 0 bits is a single key. At "
            "d_k = {d}: undivided {one:.2f}, ÷ √d_k {root:.2f}, ÷ d_k {full:.2f}."
        )
        sentence = how.format(most=math.log2(keys), keys=keys, **_last(measured.widths, measured.entropy))
        document.picture(scale_entropy.of(shown, *chosen), sentence)
    with right:
        how = _(
            "how strongly the weights respond when q changes (norm of ∂weights/∂q, the median of the queries). At d_k = {d}: "
            "undivided {one:.3f}, ÷ √d_k {root:.3f}, ÷ d_k {full:.3f}. Near 0, a change of q hardly moves the attention, and "
            "hardly any of the gradient gets past the softmax to q."
        )
        document.picture(scale_gradient.of(shown, *chosen), how.format(**_last(measured.widths, measured.gradient)))
    st.markdown(_at_usual_widths(measured, shown.cfg.d_k))


def _at_usual_widths(measured: Scaling, d_k: int) -> str:
    """Says what the division does at the widths that heads have: the paper's, and this model's."""
    sentences = [
        _("At {whose} width, d_k = {d}, the gradient is {one:.2f} undivided and {root:.2f} divided by √d_k.").format(
            whose=whose,
            d=width,
            one=_at(measured, measured.gradient["1"], width),
            root=_at(measured, measured.gradient["√d_k"], width),
        )
        for whose, width in ((_("the paper’s"), PAPER_WIDTH), (_("this model’s"), d_k))
    ]
    is_larger = [
        _at(measured, measured.gradient["1"], width) > _at(measured, measured.gradient["√d_k"], width)
        for width in measured.widths
    ]
    if any(is_larger):
        words = _(
            "On these random vectors the undivided gradient is the **larger** one up to d_k = {d}; in the widest heads next to "
            "nothing is left of it. Divided by √d_k it stays about the same at every width, and so does the spread of "
            "attention."
        )
        sentences.append(words.format(d=int(measured.widths[[i for i, larger in enumerate(is_larger) if larger][-1]])))
    sentences.append(
        _(
            "**Undivided**, the softmax of the widest heads saturates: one key gets nearly everything. Divided by **d_k**, "
            "they attend almost uniformly, whatever q is. Divided by **√d_k**, neither happens, at any width measured here."
        )
    )
    return " ".join(sentences)


def _at(measured: Scaling, readings: np.ndarray, width: int) -> float:
    return float(readings[list(measured.widths).index(width)])


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
    document.caption(
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
