"""What heads cost: by formula, and measured on this machine when asked."""

import numpy as np
import streamlit as st

from explorer import controls, document
from explorer.figures.lines import bars, curves
from explorer.state import View
from explorer.words import _
from transformer_core.analysis.head_split import head_choices, head_cost, measure_heads

_REPEATS = 15


def what_heads_cost(view: View) -> None:
    """Parameters, operations and milliseconds against the number of heads."""
    d_model, bias = view.cfg.d_model, view.cfg.attention_bias
    st.markdown(
        _(
            "Eight heads are not eight times the work: they **share** the width, so each is narrower. What does grow with "
            "their number is how many weights pass through the softmax."
        )
    )
    length = int(controls.slider("cost_length", _("words in the sentence"), 4, 128, 32))
    choices = head_choices(d_model)
    costs = [head_cost(d_model, h, length, bias) for h in choices]

    document.section(_("1 · By formula"))
    st.dataframe(
        {
            _("heads"): choices,
            "d_k": [cost.d_k for cost in costs],
            _("parameters"): [f"{cost.parameters:,}" for cost in costs],
            _("operations"): [f"{cost.flops:,}" for cost in costs],
            _("numbers through the softmax"): [f"{cost.weights:,}" for cost in costs],
            _("operations, were each head of full width"): [f"{cost.full_width_flops:,}" for cost in costs],
        },
        hide_index=True,
    )
    one = costs[0]
    shared, full = ([getattr(cost, name) / one.flops for cost in costs] for name in ("flops", "full_width_flops"))
    series = {_("heads that share the width"): np.array(shared), _("heads of full width"): np.array(full)}
    drawn = curves(
        choices, series, x_title=_("heads"), y_title=_("operations, one head = 1"), log_x=True, log_y=True, markers=True
    )
    ticks = [h for h in choices if h & (h - 1) == 0]
    for axis in ("xaxis", "yaxis"):
        drawn["layout"][axis] |= {"tickmode": "array", "tickvals": ticks, "ticktext": [str(h) for h in ticks]}
    document.figure(
        drawn,
        "cost",
        _(
            "one head of full width takes {flops} operations. {n} heads that share the width take {shared:.3g} times as many, "
            "{n} of full width {full:.3g} times."
        ).format(flops=controls.count_words(one.flops), n=choices[-1], shared=shared[-1], full=full[-1]),
    )

    document.section(_("2 · By the clock"))
    size = (d_model, length, bias)
    if st.button(_("Measure here"), icon=":material/timer:"):
        st.session_state["_heads_measured"] = size
    if st.session_state.get("_heads_measured") == size:
        _measured(choices, _milliseconds(d_model, tuple(choices), length))
    else:
        st.caption(
            _("Runs the model's own attention {n} times for each number of heads, for a second or so.").format(n=_REPEATS)
        )
    document.formula(
        r"\begin{gathered}\underbrace{4(d^2+d)}_{\text{parameters}}\qquad\underbrace{h\,n^2}_{\text{softmax}}\\"
        r"\underbrace{2\cdot 4\,n\,d^2+2\cdot 2\,n^2 d}_{\text{operations}}\end{gathered}",
        _(
            "d = d_model, n = words, h = heads; only the softmax's part has an h in it. Section 3.2.2 of the paper: “the total "
            "computational cost is similar to that of single-head attention with full dimensionality”."
        ),
    )
    document.try_this(
        _("Move **words** up: the softmax's part grows with their square."),
        _("Set **d_model** to 512 and measure: what do 8 heads cost beside one?"),
    )
    document.the_code(head_cost, measure_heads)


def _measured(choices: list[int], milliseconds: list[float]) -> None:
    """The measurement, and what it says of many heads beside one."""
    names = [str(h) for h in choices]
    document.figure(
        bars(names, {_("milliseconds"): np.array(milliseconds)}, y_title=_("milliseconds per pass")),
        "cost-measured",
        _(
            "one pass of the real module, the median of {n}, for each number of heads. {most} heads took {times:.2f} times as "
            "long as one. Another machine, or this one when busy, gives other numbers."
        ).format(n=_REPEATS, most=choices[-1], times=milliseconds[-1] / milliseconds[0]),
    )


@st.cache_data(max_entries=64, show_spinner=False)
def _milliseconds(d_model: int, choices: tuple[int, ...], length: int) -> list[float]:
    return measure_heads(d_model, list(choices), length, batch=1, repeats=_REPEATS)
