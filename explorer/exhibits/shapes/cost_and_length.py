"""The cost of self-attention, a recurrent layer and a convolution as a sequence gets longer."""

import threading
from typing import Annotated

import numpy as np
import streamlit as st

from explorer.figures.lines import curves
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.exhibit import drawn, numbers_of_choices, numbers_of_sizes
from explorer.pictures.registry import Ends
from explorer.session import current
from explorer.ui import document
from explorer.ui.widgets import pressed, slider
from transformer_core.analysis.length_cost import Measured, measure_layers, multiplications
from transformer_core.model.config import TransformerConfig

LENGTHS = tuple(2**i for i in range(13))
SHORTEST_KERNEL, LONGEST_KERNEL = 3, 15  # the ends of the knob
LAYERS = "self-attention", "recurrent", "convolution"  # the order of all costs
_PART = "cost_and_length"
_MEASURED = (16, 64, 256, 1024)
_one_at_a_time = threading.Lock()  # two measurements at once would measure each other

Kernel = Annotated[int, Ends(SHORTEST_KERNEL, LONGEST_KERNEL)]  # tokens that a convolution sees

# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers_of_sizes()
def operations(cfg: TransformerConfig, kernel: Kernel) -> np.ndarray:
    """The operations in one layer, as the paper counts them: self-attention, a recurrent layer and a convolution, by the length
    of the sequence. Shape: (layer, length)
    """
    return operations_of(np.array(LENGTHS), cfg.d_model, kernel)


@numbers_of_choices()
def sequential(kernel: Kernel) -> np.ndarray:
    """The steps that have to wait for the one before: in self-attention, a recurrent layer and a convolution, by the length of
    the sequence. Shape: (layer, length)
    """
    return steps_of(np.array(LENGTHS))


@numbers_of_choices()
def path(kernel: Kernel) -> np.ndarray:
    """The longest path between two tokens: in self-attention, recurrent layers and convolutions, by the length of the sequence.
    Shape: (layer, length)
    """
    return path_of(np.array(LENGTHS), kernel)


def operations_of(n: np.ndarray, d: int, kernel: int) -> np.ndarray:
    """Operations per layer on n tokens of width d, without constant factors (section 4, table 1).

    Shape: (length,) -> (layer, length)
    """
    return np.stack([n**2 * d, n * d**2, kernel * n * d**2])


def steps_of(n: np.ndarray) -> np.ndarray:
    """Sequential steps of each layer on n tokens (table 1). Shape: (length,) -> (layer, length)"""
    return np.stack([n**0, n, n**0])


def path_of(n: np.ndarray, kernel: int) -> np.ndarray:
    """Steps or layers between the two tokens farthest apart (table 1); the convolutions are dilated, and stacked until every
    token reaches every other.

    Shape: (length,) -> (layer, length)
    """
    stacked = np.ceil(np.log(n) / np.log(kernel) - 1e-9)  # rounding must add no layer where n is a power of the kernel
    return np.stack([n**0, n, np.maximum(stacked, 1).astype(int)])


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(operations)
def _draw_operations(values: np.ndarray, shown: ShownModel, *, kernel: int) -> Figure:
    d = shown.cfg.d_model
    return _by_length(values, _("operations"), {_("n = d"): d, _("n = k·d"): kernel * d})  # where the curves cross


@drawn(sequential)
def _draw_sequential(values: np.ndarray, _shown: ShownModel, *, kernel: int) -> Figure:
    return _by_length(values, _("sequential steps"))


@drawn(path)
def _draw_path(values: np.ndarray, _shown: ShownModel, *, kernel: int) -> Figure:
    return _by_length(values, _("longest path"))


def _by_length(values: np.ndarray, title: str, marks: dict[str, int] | None = None) -> Figure:
    names = _names_of_layers()
    return curves(
        LENGTHS,
        {names[name]: row for name, row in zip(LAYERS, values, strict=True)},
        x_title=_("length n"),
        y_title=title,
        log_x=True,
        log_y=True,
        markers=True,
        marks=marks,
    )


def _names_of_layers() -> dict[str, str]:
    """Returns what each kind of layer is called."""
    return {
        "self-attention": _("self-attention"),
        "recurrent": _("recurrent"),
        "convolution": _("convolution"),
        "recurrent (RNN)": _("recurrent (RNN)"),
        "recurrent (GRU)": _("recurrent (GRU)"),
    }


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    """Draws the part, for one sentence."""
    d, n = shown.cfg.d_model, len(shown.read)
    kernel = slider("kernel", _("k, tokens that a convolution sees"), SHORTEST_KERNEL, LONGEST_KERNEL, 3, step=2)
    words = _(
        "operations in one layer of width d = {d}, as the paper counts them: for self-attention those of comparing all "
        "pairs alone, which rise fastest. They are fewer than a recurrent layer's as long as n is below d = {d}, and fewer "
        "than a convolution's below k·d = {kd}. Your source has n = {n}; what a whole layer takes, with its projections, "
        "stands in the table."
    )
    if not shown.cfg.has_encoder:
        words = _(
            "operations in one layer of width d = {d}, as the paper counts them: for self-attention those of comparing all "
            "pairs alone, which rise fastest. They are fewer than a recurrent layer's as long as n is below d = {d}, and fewer "
            "than a convolution's below k·d = {kd}. Your text has n = {n}; what a whole layer takes, with its projections, "
            "stands in the table."
        )
    document.picture(operations.of(shown, kernel), words.format(d=d, kd=kernel * d, n=n))
    document.details("cost_and_length", lambda: _details(shown, kernel))


def _details(shown: ShownModel, kernel: int) -> None:
    st.markdown(
        _(
            "Three kinds of layer let tokens exchange information: **self-attention** compares all pairs at once, a "
            "**recurrent** layer reads one token after the other, a **convolution** sees k neighbours, and is stacked until "
            "every token reaches every other."
        )
    )
    left, right = st.columns(2)
    with left:
        document.picture(
            sequential.of(shown, kernel),
            _("steps that have to wait for the one before: n in a recurrent layer, one in the others."),
        )
    with right:
        document.picture(
            path.of(shown, kernel),
            _("steps or layers between the two tokens farthest apart: in self-attention, one joins any two."),
        )
    _for_this_length(len(shown.read), shown.cfg.d_model, kernel)
    document.formula(
        r"\begin{array}{lll}&<operations>&<path>\\ <attention>&n^2 d&1\\ <recurrent>&n\,d^2&n\\"
        r"<convolution>&k\,n\,d^2&\log_k n\end{array}",
        _("Section 4 of the paper, table 1: orders of magnitude, without constant factors; the convolutions are dilated."),
        operations=_("operations"),
        path=_("longest path"),
        attention=_("self-attention"),
        recurrent=_("recurrent"),
        convolution=_("convolution"),
    )
    _measured(shown, kernel)
    document.try_this(
        _("Change **d_model** in the sidebar: the points where the curves cross move along."),
        _("Measure: does the recurrent layer's time grow in proportion to the length? Then raise d_model, and measure again."),
    )
    document.the_code(operations_of, steps_of, path_of, multiplications, measure_layers)


def _for_this_length(n: int, d: int, kernel: int) -> None:
    names, whole, here = _names_of_layers(), multiplications(n, d, kernel), np.array([n])
    counted, steps, paths = (each[:, 0] for each in (operations_of(here, d, kernel), steps_of(here), path_of(here, kernel)))
    st.dataframe(
        {
            _("layer"): [names[name] for name in LAYERS],
            _("operations"): ["n²·d", "n·d²", "k·n·d²"],
            _("for n = {n}").format(n=n): [f"{each:,}" for each in counted],
            _("whole layer"): ["4·n·d² + 2·n²·d", "2·n·d²", "k·n·d²"],
            _("multiplications for n = {n}").format(n=n): [f"{whole[name]:,}" for name in LAYERS],
            _("sequential steps"): [str(each) for each in steps],
            _("longest path"): [str(each) for each in paths],
        },
        hide_index=True,
    )
    wide = multiplications(d, d, kernel)
    document.caption(
        _(
            "“operations” as in the paper, “whole layer” with every matrix: the four projections of attention and the sum of "
            "values, the two matrices of a recurrent layer. Counted so, self-attention takes {here:.1f} times as many as the "
            "recurrent layer, and {there:.1f} times where n = d. What it saves are the steps that wait."
        ).format(here=whole["self-attention"] / whole["recurrent"], there=wide["self-attention"] / wide["recurrent"])
    )


@shared_cache(2**18)
def _timed(d_model: int, n_heads: int, kernel: int) -> Measured:
    with _one_at_a_time:
        return measure_layers(_MEASURED, d_model, n_heads, kernel)


def _measured(shown: ShownModel, kernel: int) -> None:
    cfg = shown.cfg
    document.section(_("Milliseconds, measured"))
    st.markdown(
        _(
            "Operations are not time: those that do not depend on each other can run in parallel. Here PyTorch's own layers "
            "are timed on the server, one sequence at a time, for the lengths {lengths}."
        ).format(lengths=", ".join(map(str, _MEASURED)))
    )
    sizes = (cfg.d_model, cfg.n_heads, kernel)
    if pressed(_("Measure here"), icon=":material/timer:", key="measure"):
        current().measured[_PART] = sizes
    if current().measured.get(_PART) != sizes:
        st.caption(_("Press the button to measure; it takes a few seconds."))
        return
    with st.spinner(_("Measuring…")):
        timings = _timed(*sizes)
    names = _names_of_layers()
    document.picture(
        curves(
            list(timings.lengths),
            {names[name]: np.asarray(times) for name, times in timings.milliseconds.items()},
            x_title=_("length n"),
            y_title=_("milliseconds"),
            log_x=True,
            log_y=True,
            markers=True,
        ),
        _(
            "measured on this machine for d = {d}, {h} heads and k = {k}; number of threads: {threads}. Each point is the "
            "fastest of several passes. Others who use the server at the same time slow it down."
        ).format(threads=timings.threads, d=cfg.d_model, h=cfg.n_heads, k=kernel),
        "milliseconds",
    )
    st.dataframe(
        {_("length n"): list(timings.lengths)}
        | {names[name]: [f"{value:.2f}" for value in times.tolist()] for name, times in timings.milliseconds.items()},
        hide_index=True,
        key="milliseconds-table",
    )
