"""The cost of heads: by formula, and measured on this machine when asked."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
import streamlit as st

from explorer.figures.lines import bars, curves
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.exhibit import drawn, numbers_of_sizes
from explorer.pictures.registry import Ends
from explorer.session import current
from explorer.ui import document
from explorer.ui.format import count_words
from explorer.ui.widgets import pressed, slider
from transformer_core.analysis.head_split import HeadCost, head_choices, head_cost, measure_heads
from transformer_core.model.config import TransformerConfig

SHORTEST, LONGEST = 4, 128  # tokens, the ends of the knob
_REPEATS = 15

Length = Annotated[int, Ends(SHORTEST, LONGEST)]

# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers_of_sizes()
def cost(cfg: TransformerConfig, cost_length: Length) -> np.ndarray:
    """The operations of all heads together, by their number, compared with those of a single head: of heads that share the
    width (section 3.2.2), and of heads of full width. Shape: (2, number of heads)
    """
    costs = costs_of(cfg, cost_length)
    return np.array([[each.flops for each in costs], [each.full_width_flops for each in costs]]) / costs[0].flops


def costs_of(cfg: TransformerConfig, length: int) -> list[HeadCost]:
    """The cost for each number of heads that divides the width."""
    return [head_cost(cfg.d_model, n_heads, length, cfg.attention_bias) for n_heads in head_choices(cfg.d_model)]


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(cost)
def _draw_cost(values: np.ndarray, shown: ShownModel, *, cost_length: int) -> Figure:
    heads, (shared, full) = head_choices(shown.cfg.d_model), values
    figure = curves(
        heads,
        {_("heads that share the width"): shared, _("heads of full width"): full},
        x_title=_("heads"),
        y_title=_("operations (one head = 1)"),
        log_x=True,
        log_y=True,
        markers=True,
    )
    ticks = [h for h in heads if h & (h - 1) == 0]
    for axis in ("xaxis", "yaxis"):
        figure["layout"][axis] |= {"tickmode": "array", "tickvals": ticks, "ticktext": [str(h) for h in ticks]}
    return figure


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    """Parameters, operations and milliseconds against the number of heads."""
    d_model, bias = shown.cfg.d_model, shown.cfg.attention_bias
    costs = costs_of(shown.cfg, SHORTEST)
    st.markdown(
        _(
            "Eight heads are not eight times the work: they **share** the width, so each is narrower. However many they are, "
            "together they have {n:,} parameters."
        ).format(n=costs[0].parameters)
    )
    if shown.cfg.has_score_weights:
        st.caption(
            _(
                "All numbers here are those of attention that scores by dot products. The score of the model on screen has "
                "parameters of its own, whose number depends on that of the heads."
            )
        )
    length = int(slider("cost_length", _("tokens in the sentence"), SHORTEST, LONGEST, 32))
    costs = costs_of(shown.cfg, length)
    _formulas(shown, length, costs)
    document.details("head_cost", lambda: _details(d_model, bias, length, costs))


def _details(d_model: int, bias: bool, length: int, costs: Sequence[HeadCost]) -> None:
    _table(costs)
    document.section(_("By the clock"))
    _clock([each.n_heads for each in costs], d_model, length)
    parameters = "4(d^2+d)" if bias else "4d^2"
    document.formula(
        rf"\begin{{gathered}}\underbrace{{{parameters}}}_{{<parameters>}}\qquad\underbrace{{h\,n^2}}_{{<weights>}}\\"
        r"\underbrace{2\cdot 4\,n\,d^2+2\cdot 2\,n^2 d}_{<operations>}\end{gathered}",
        _(
            "d = d_model, n = tokens, h = heads. The number of heads changes neither the parameters nor the operations, only "
            "how many attention weights there are. Section 3.2.2 of the paper: “the total computational cost is similar to "
            "that of single-head attention with full dimensionality”."
        ),
        parameters=_("parameters"),
        weights=_("attention weights"),
        operations=_("operations"),
    )
    document.try_this(
        _("Increase **tokens**: the number of attention weights grows with their square."),
        _("Set **d_model** to 512 and measure: what do 8 heads cost, compared with one?"),
    )
    document.the_code(head_cost, measure_heads, cost)


def _formulas(shown: ShownModel, length: int, costs: Sequence[HeadCost]) -> None:
    """The operations as curves."""
    picture = cost.of(shown, length)
    shared, full = picture.values[:, -1]
    document.picture(
        picture,
        _(
            "the work of all heads together, as a multiple of that of a single head, {flops} operations. At {n} it is "
            "× {shared:.3g} where they share the width, and × {full:.3g} where each has all of it."
        ).format(flops=count_words(costs[0].flops), n=costs[-1].n_heads, shared=shared, full=full),
    )


def _table(costs: Sequence[HeadCost]) -> None:
    st.markdown(_("What does grow with their number is how many attention weights there are."))
    st.dataframe(
        {
            _("heads"): [each.n_heads for each in costs],
            "d_k": [each.d_k for each in costs],
            _("parameters"): [f"{each.parameters:,}" for each in costs],
            _("operations"): [f"{each.flops:,}" for each in costs],
            _("attention weights"): [f"{each.weights:,}" for each in costs],
            _("operations if every head had the full width"): [f"{each.full_width_flops:,}" for each in costs],
        },
        hide_index=True,
    )


def _clock(heads: Sequence[int], d_model: int, length: int) -> None:
    """A button, and the measurement when it was pressed for these sizes."""
    measured, sizes = current().measured, (d_model, length)
    if pressed(_("Measure on this machine"), icon=":material/timer:", key="clock-heads"):
        measured["head_cost"] = sizes
    if measured.get("head_cost") != sizes:
        words = _("Runs the model's own attention {n} times for each number of heads, for a second or so.")
        st.caption(words.format(n=_REPEATS))
        return
    milliseconds = _milliseconds(d_model, tuple(heads), length)
    document.picture(
        bars([str(h) for h in heads], {_("milliseconds"): np.array(milliseconds)}, y_title=_("milliseconds per forward pass")),
        _(
            "one forward pass of the real module for each number of heads, the median of {n}. {most} heads took {times:.2f} "
            "times as long as one. Another machine, or this one when busy, gives other numbers."
        ).format(n=_REPEATS, most=heads[-1], times=milliseconds[-1] / milliseconds[0]),
        "cost-measured",
    )


@shared_cache(2**18)
def _milliseconds(d_model: int, heads: tuple[int, ...], length: int) -> list[float]:
    return measure_heads(d_model, list(heads), length, batch=1, repeats=_REPEATS)
