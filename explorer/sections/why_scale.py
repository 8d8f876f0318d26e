"""Why scores are divided by √d_k: an experiment with random vectors, and where the open model's head stands."""

import math

import numpy as np
import streamlit as st

from explorer import controls, document
from explorer.figures.lines import curves
from explorer.figures.style import Figure
from explorer.state import Site
from explorer.words import _
from transformer_core.analysis.score_scaling import DIVISORS, HeadScale, Scaling, head_scale, scaling

_WIDTHS = tuple(2**i for i in range(10))


def why_scale(site: Site, head: int) -> None:
    """What a head's width does to its scores and to the softmax, undivided and divided in two ways."""
    st.markdown(
        _(
            "A score is a sum of as many products as the head has dimensions (**d_k**): the wider the head, the larger the "
            "sums. Large scores make the softmax all-or-nothing, and then it hardly answers to corrections any more. Here "
            "that is measured, on random vectors."
        )
    )
    d_k = site.view.cfg.d_k
    left, right = st.columns(2)
    keys = int(controls.slider("scale_keys", _("words to choose from (keys)"), 2, 64, 16, place=left))
    seed = int(controls.slider("scale_seed", _("draw"), 0, 20, 0, _("Another number, other vectors."), place=right))
    found = _scaling(tuple(sorted({*_WIDTHS, d_k})), keys, seed)
    own = head_scale(site["q"][head], site["k"][head], site.allowed)

    document.section(_("1 · The sums grow with the width"))
    here = np.where(found.widths == d_k, own.products, np.nan)
    measured = _("measured, random q and k")
    series = {_("theory: d_k"): found.widths.astype(np.float64), measured: found.variance, _("this model's head"): here}
    ratio = found.variance / found.widths
    words = _("variance of q·k from {a:.2f} at d_k {b} to {c:.0f} at d_k {d}; this model's head: {own:.3g} at d_k {e}")
    picture = _over_widths(found, series, _("variance of q · k"))
    picture["layout"]["yaxis"]["type"] = "log" if own.products > 0 else "linear"
    picture["layout"]["meta"]["alt"] = words.format(
        a=found.variance[0], b=found.widths[0], c=found.variance[-1], d=found.widths[-1], own=own.products, e=d_k
    )
    picture["data"][-1]["marker"] = {"size": 13, "symbol": "diamond"}  # one point alone
    document.figure(
        picture,
        "scale-variance",
        _(
            "how widely the scores scatter. With numbers of variance 1 the variance of q · k is d_k itself: measured, it is "
            "{low:.2f} to {high:.2f} times d_k. Dividing by √d_k brings it back to about 1, whatever the width."
        ).format(low=ratio.min(), high=ratio.max()),
    )

    document.section(_("2 · What the softmax makes of them"))
    left, right = st.columns(2)
    titles = {name: f"÷ {name}" for name in DIVISORS}
    with left:
        document.figure(
            _over_widths(found, {titles[name]: found.entropy[name] for name in DIVISORS}, _("entropy (bits)")),
            "scale-entropy",
            _(
                "how widely a word looks: {most:.2f} bits is all {keys} alike, 0 is one alone. At d_k = {d}: undivided "
                "{one:.2f}, ÷ √d_k {root:.2f}, ÷ d_k {full:.2f}."
            ).format(most=math.log2(keys), keys=keys, **_last(found.widths, found.entropy)),
        )
    with right:
        document.figure(
            _over_widths(found, {titles[name]: found.gradient[name] for name in DIVISORS}, _("size of the softmax's gradient")),
            "scale-gradient",
            _(
                "how much the weights still answer when a score changes. At d_k = {d}: undivided {one:.3f}, ÷ √d_k "
                "{root:.3f}, ÷ d_k {full:.3f}. Where it nears 0, nothing can be learned through it."
            ).format(**_last(found.widths, found.gradient)),
        )
    st.markdown(
        _(
            "Divided by **1**, wide heads go blind to corrections. Divided by **d_k**, they look at everything alike. Divided "
            "by **√d_k**, they behave the same at every width."
        )
    )
    document.section(_("3 · Where this model's head stands"))
    _own(own, d_k)
    document.formula(
        r"\begin{gathered}q\cdot k=\sum_{i=1}^{d_k}q_ik_i,\qquad\mathrm{Var}(q_i)=\mathrm{Var}(k_i)=1\\"
        r"\Rightarrow\ \mathrm{Var}(q\cdot k)=d_k,\quad\mathrm{Var}\left(\frac{q\cdot k}{\sqrt{d_k}}\right)=1\end{gathered}",
        _("Section 3.2.1 of the paper, footnote 4: independent numbers of mean 0 and variance 1."),
    )
    document.try_this(
        _("Turn **heads** down to 1, or **d_model** up: this model's point moves to the right."),
        _("Move **keys**: with more words to choose from, the undivided softmax saturates all the same."),
    )
    document.the_code(scaling, head_scale)


def _over_widths(found: Scaling, series: dict[str, np.ndarray], y_title: str) -> Figure:
    """Curves over the width of a head, which doubles from tick to tick."""
    picture = curves(
        found.widths, series, x_title=_("d_k, dimensions of the head"), y_title=y_title, log_x=True, markers=True,
        alt="; ".join(f"{name}: {values[0]:.3g} → {values[-1]:.3g}" for name, values in series.items()),
    )  # fmt: skip
    picture["layout"]["xaxis"] |= {"tickvals": _WIDTHS, "ticktext": [str(width) for width in _WIDTHS]}
    picture["layout"]["yaxis"]["rangemode"] = "tozero"
    return picture


def _own(own: HeadScale, d_k: int) -> None:
    """The open model's head beside the assumption of the argument."""
    st.dataframe(
        {
            _("variance of"): ["q", "k", "q · k", "q · k ÷ √d_k"],
            _("this head"): [f"{value:.4g}" for value in (own.q, own.k, own.products, own.scores)],
            _("in the argument"): ["1", "1", str(d_k), "1"],
        },
        hide_index=True,
    )
    st.dataframe(
        {
            _("this head, scores divided by"): list(DIVISORS),
            _("entropy (bits)"): [f"{own.entropy[name]:.3f}" for name in DIVISORS],
            _("size of the gradient"): [f"{own.gradient[name]:.3f}" for name in DIVISORS],
        },
        hide_index=True,
    )
    document.reading(
        _(
            "measured on the sentence in the sidebar, over the pairs that may attend. The argument supposes independent "
            "numbers of variance 1; a model's need not be, so its q · k has {times:.2g} times the variance of the argument."
        ).format(times=own.products / d_k)
    )


def _last(widths: np.ndarray, readings: dict[str, np.ndarray]) -> dict[str, float]:
    """The readings at the greatest width, by the names used in the sentences."""
    return {
        "d": int(widths[-1]),
        **{word: float(readings[n][-1]) for word, n in zip(("one", "root", "full"), DIVISORS, strict=True)},
    }


@st.cache_data(max_entries=64, show_spinner=False)
def _scaling(widths: tuple[int, ...], keys: int, seed: int) -> Scaling:
    return scaling(widths, keys, seed=seed)
