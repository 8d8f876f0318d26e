"""What self-attention, a recurrent layer and a convolution cost as a sequence gets longer."""

import threading

import numpy as np
import streamlit as st

from explorer import controls, document
from explorer.figures.lines import curves
from explorer.state import View
from explorer.words import _
from transformer_core.analysis.length_cost import Measured, crossovers, layer_costs, measure_layers

_LENGTHS = [2**i for i in range(13)]
_MEASURED = (16, 64, 256, 1024)
_one_at_a_time = threading.Lock()  # two measurements at once would measure each other


def cost_and_length_part(view: View) -> None:
    """Draws the part."""
    cfg, n = view.cfg, len(view.src)
    d = cfg.d_model
    document.section(_("1 · Operations, steps in series, and the longest path"))
    st.markdown(
        _(
            "Three ways to let words know of each other: **self-attention** compares all pairs at once, a **recurrent** "
            "layer reads word by word, a **convolution** looks at k neighbours and is stacked until all are reached."
        )
    )
    kernel = controls.slider("kernel", _("k, neighbours in a convolution"), 3, 15, 3, step=2)
    costs, meet = layer_costs(_LENGTHS, d, kernel), crossovers(d, kernel)
    names = _names()
    document.figure(
        curves(
            _LENGTHS,
            {names[name]: cost.operations for name, cost in costs.items()},
            x_title=_("length n"),
            y_title=_("operations"),
            log_x=True,
            log_y=True,
            markers=True,
            marks={_("n = d"): meet["recurrent"], _("n = k·d"): meet["convolution"]},
        ),
        "operations",
        _(
            "operations in one layer of width d = {d}. Self-attention is the steepest: it needs fewer than a recurrent "
            "layer while n is below d = {d}, and fewer than a convolution below k·d = {kd}. Yours has {n} words."
        ).format(d=d, kd=meet["convolution"], n=n),
    )
    left, right = st.columns(2)
    with left:
        document.figure(
            curves(_LENGTHS, {names[name]: cost.sequential for name, cost in costs.items()}, x_title=_("length n"),
                   y_title=_("steps in series"), log_x=True, log_y=True, markers=True),
            "sequential",
            _("steps that wait for the one before: a recurrent layer reads word by word, the others all at once."),
        )  # fmt: skip
    with right:
        document.figure(
            curves(_LENGTHS, {names[name]: cost.path for name, cost in costs.items()}, x_title=_("length n"),
                   y_title=_("longest path"), log_x=True, log_y=True, markers=True),
            "path",
            _("steps or layers between the two words farthest apart: attention joins any two in one."),
        )  # fmt: skip
    own = layer_costs([n], d, kernel)
    st.dataframe(
        {
            _("layer"): [names[name] for name in own],
            _("operations"): ["n²·d", "n·d²", "k·n·d²"],
            _("for your {n} words").format(n=n): [f"{int(cost.operations[0]):,}" for cost in own.values()],
            _("steps in series"): [str(int(cost.sequential[0])) for cost in own.values()],
            _("longest path"): [str(int(cost.path[0])) for cost in own.values()],
        },
        hide_index=True,
    )
    document.formula(
        r"\begin{array}{lll}&\text{operations}&\text{path}\\ \text{self-attention}&n^2 d&1\\ \text{recurrent}&n\,d^2&n\\"
        r"\text{convolution}&k\,n\,d^2&\log_k n\end{array}",
        _("Section 4 of the paper, table 1: orders of magnitude, without constant factors; the convolutions are dilated."),
    )
    _measured(view, kernel)
    document.try_this(
        _("Turn **d_model** in the sidebar: the place where the curves cross moves along."),
        _("Measure, turn d_model up, and measure again: does the recurrent layer's time grow in step with the length?"),
    )
    document.the_code(layer_costs, measure_layers)


def _names() -> dict[str, str]:
    return {
        "self-attention": _("self-attention"),
        "recurrent": _("recurrent"),
        "convolution": _("convolution"),
        "recurrent (RNN)": _("recurrent (RNN)"),
        "recurrent (GRU)": _("recurrent (GRU)"),
    }


@st.cache_data(max_entries=64, show_spinner=False)
def _time(d_model: int, n_heads: int, kernel: int) -> Measured:
    with _one_at_a_time:
        return measure_layers(_MEASURED, d_model, n_heads, kernel)


def _measured(view: View, kernel: int) -> None:
    cfg = view.cfg
    document.section(_("2 · Milliseconds, measured"))
    st.markdown(
        _(
            "Operations are not time: those that need not wait for each other are done side by side. Here torch's own "
            "layers are timed on the server, one sequence at a time, for lengths of {lengths}."
        ).format(lengths=", ".join(map(str, _MEASURED)))
    )
    sizes = (cfg.d_model, cfg.n_heads, kernel)
    if st.button(_("Measure here"), icon=":material/timer:", key="measure"):
        st.session_state["_measured"] = sizes
    if st.session_state.get("_measured") != sizes:
        st.caption(_("Nothing is measured before you press; it takes a few seconds."))
        return
    with st.spinner(_("Measuring…")):
        found = _time(*sizes)
    names = _names()
    document.figure(
        curves(
            list(found.lengths),
            {names[name]: np.asarray(times) for name, times in found.milliseconds.items()},
            x_title=_("length n"),
            y_title=_("milliseconds"),
            log_x=True,
            log_y=True,
            markers=True,
        ),
        "milliseconds",
        _(
            "as measured on this machine, with {threads} threads, d = {d}, {h} heads, k = {k}: the fastest of several "
            "passes. Others who use the server at the same time slow it down."
        ).format(threads=found.threads, d=cfg.d_model, h=cfg.n_heads, k=kernel),
    )
    st.dataframe(
        {_("length n"): list(found.lengths)}
        | {names[name]: [f"{value:.2f}" for value in times.tolist()] for name, times in found.milliseconds.items()},
        hide_index=True,
        key="milliseconds-table",
    )
