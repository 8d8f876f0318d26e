"""One token's vector through the layers, sublayer by sublayer: how long it is, what is added to it, how far it turns."""

import numpy as np
import streamlit as st
from torch import nn

from explorer.figures.lines import bars, curves
from explorer.figures.matrix import Matrices, matrix
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.shown_run import run_of
from explorer.pictures.exhibit import Layer, Stack, Word, drawn, numbers
from explorer.pictures.part_names import PARTS
from explorer.ui import document, more, pickers
from explorer.ui.format import plain, true_minus
from explorer.ui.minimap import highlight
from explorer.ui.widgets import pick
from transformer_core.analysis.residual_stream import Sublayer, sublayers, walk
from transformer_core.analysis.run import Run
from transformer_core.model.layers import DecoderLayer, EncoderLayer, ResidualConnection
from transformer_core.model.stages import MEMORY, OUTPUT

DIMENSIONS = 32  # columns that are drawn of a vector

# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers()
def stream_rows(run: Run, stack: Stack, layer: Layer, token: Word) -> np.ndarray:
    """One word's vector, a row for each operation of the layer. Shape: (operation, d_model)"""
    steps = sublayers_of(run, stack, layer)
    vectors = [steps[0].before, *(vector for _name, vector in operations(run, stack, layer))]
    if run.cfg.has_final_norm and layer == run.cfg.n_layers - 1:  # the norm at the end of the stack
        vectors.append(run.stages[MEMORY if stack == "encoder" else OUTPUT])
    return np.stack([vector[token] for vector in vectors])


@stream_rows.formula
def rows_by_formula(run: Run, stack: Stack, layer: Layer, token: Word) -> np.ndarray:
    """x + F(LayerNorm(x)) of each part F of the layer (pre-norm), or LayerNorm(x + F(x)) (post-norm; section 3.1), operation by
    operation; F(…) is read off the pass. Shape: (operation, d_model)
    """
    parts = sublayers_of(run, stack, layer)
    x = parts[0].before[token]  # (d_model,)
    rows = [x]
    for step in parts:
        added, norm = step.added[token], run.model.get_submodule(f"{stack}.{layer}.{step.part}_residual.norm")
        if run.cfg.norm == "pre":
            rows += [layer_norm(x, norm), added, x + added]
        else:
            rows += [added, x + added, layer_norm(x + added, norm)]
        x = rows[-1]
    if run.cfg.has_final_norm and layer == run.cfg.n_layers - 1:
        rows.append(layer_norm(x, run.model.get_submodule(f"{stack}_norm")))
    return np.stack(rows)


def layer_norm(x: np.ndarray, norm: nn.Module) -> np.ndarray:
    """LayerNorm(x): mean 0 and standard deviation 1, then the learned gain and bias. Shape: (d_model,) -> (d_model,)"""
    gain, bias = (each.detach().numpy() for each in norm.parameters())
    return (x - x.mean()) / np.sqrt(x.var() + norm.eps) * gain + bias


@numbers()
def lengths(run: Run, stack: Stack, layer: Layer, token: Word) -> np.ndarray:
    """The length of the vector before each part of the layer, of what the part adds, and of the vector after it.
    Shape: (3, part)
    """
    steps = sublayers_of(run, stack, layer)
    vectors = [[step.before[token], step.added[token], step.after[token]] for step in steps]
    return np.linalg.norm(np.array(vectors, np.float64), axis=-1).T


@numbers()
def stream(run: Run, stack: Stack, token: Word) -> np.ndarray:
    """The length of the vector at the start of the stack and after each part of all layers. Shape: (1 + part,)"""
    steps = walk(run.stages, run.cfg, stack)
    vectors = [steps[0].before[token], *(step.after[token] for step in steps)]
    return np.linalg.norm(np.array(vectors, np.float64), axis=-1)


@numbers()
def cosines(run: Run, stack: Stack, layer: Layer, token: Word) -> np.ndarray:
    """The cosine of the angle between the vector before and after each part: 1 is the same direction; NaN for a vector of
    zeros. Shape: (part,)
    """
    steps = sublayers_of(run, stack, layer)
    before = np.array([step.before[token] for step in steps], np.float64)
    after = np.array([step.after[token] for step in steps], np.float64)
    both = np.linalg.norm(before, axis=-1) * np.linalg.norm(after, axis=-1)
    return np.divide((before * after).sum(axis=-1), both, out=np.full(both.shape, np.nan), where=both > 0)


def sublayers_of(run: Run, stack: str, layer: int) -> list[Sublayer]:
    """The parts of the layer, in order."""
    return [step for step in walk(run.stages, run.cfg, stack) if step.layer == layer]


def operations(run: Run, stack: str, layer: int) -> list[tuple[str, np.ndarray]]:
    """The steps of a layer, in order (section 3.1): "norm", "sum" or a part's name, each with its vectors; no sums in a
    model without residual connections. Shape: each (word, d_model)
    """
    return [
        (step.part if name == "output" else name, vectors)
        for step in sublayers_of(run, stack, layer)
        for name, vectors in step.ordered.items()
        if run.cfg.residual or name != "sum"
    ]


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(stream_rows)
def _draw_rows(rows: np.ndarray, shown: ShownModel, *, stack: Stack, layer: int, token: int) -> Matrices:
    n, d_model = min(DIMENSIONS, shown.cfg.d_model), shown.cfg.d_model
    names = [_("input"), *_operations_of(shown, stack, layer), _("norm at the end of the stack")]
    return matrix(
        rows[:, :n],
        rows=names[: len(rows)],
        columns=n,
        signed=True,
        column_title=_("dimension (first {n} of {all})").format(n=n, all=d_model),
    )


@drawn(lengths)
def _draw_lengths(values: np.ndarray, shown: ShownModel, *, stack: Stack, layer: int, token: int) -> Figure:
    series = dict(zip([_("before"), _("output"), _("after")], values, strict=True))
    return bars(_parts_of(shown, stack), series, y_title=_("length"))


@drawn(stream)
def _draw_stream(values: np.ndarray, _shown: ShownModel, *, stack: Stack, token: int) -> Figure:
    return curves(
        np.arange(len(values)),
        {_("length"): values},
        x_title=_("parts passed, in all layers"),
        y_title=_("length"),
        markers=True,
        height=300,
    )


def _parts_of(shown: ShownModel, stack: Stack) -> list[str]:
    return [_(PARTS[part]) for part in sublayers(shown.cfg, stack)]


def _operations_of(shown: ShownModel, stack: Stack, layer: int) -> list[str]:
    """The steps of a layer, in order."""
    titles = {"norm": _("norm"), "sum": "+"}
    return [titles.get(name) or _(PARTS[name]) for name, _vectors in operations(run_of(shown), stack, layer)]


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    cfg = shown.cfg
    with pickers.line():
        stack = pickers.which_stack(cfg)
    with pickers.line(), more.controls():
        layer = pickers.which_layer(cfg)
    highlight(*(f"{stack}.{part}" for part in ("self_attn", "cross_attn", "feed_forward", "norm")), layer=layer)
    labels = shown.labels_of(stack)
    with pickers.line():
        token = pick("token", _("word"), labels)
    _operations(shown, stack, layer, token)
    document.details("residual_stream", lambda: _details(shown, stack, layer, token))


def _details(shown: ShownModel, stack: Stack, layer: int, token: int) -> None:
    order = " → ".join(_operations_of(shown, stack, layer))
    st.markdown(_("A layer of this model computes, in this order: {order}.").format(order=order))
    _lengths(shown, stack, layer, token)
    _whole_stack(shown, stack, token)
    _formula(shown)
    document.try_this(
        _(
            "Switch **norm** in the sidebar between “pre” and “post”: the order changes. At step 0, with post-norm, every "
            "part leaves a vector about √d_model long."
        ),
        _("Raise the number of **layers** and watch the length of the vector from part to part."),
        _("Choose the decoder: it has a third part, cross-attention, which reads the encoder's output.")
        if shown.cfg.cross_attention
        else "",
    )
    document.the_code(EncoderLayer, DecoderLayer, ResidualConnection, stream_rows, lengths, stream)


def _operations(shown: ShownModel, stack: Stack, layer: int, token: int) -> None:
    """The word's vector, one row per operation."""
    how_to_read = (
        _(
            "the numbers of “{word}” on their way through the layer, from top to bottom. “+” adds a part's output to what came "
            "before the part."
        )
        if shown.cfg.residual
        else _(
            "the numbers of “{word}” on their way through the layer, from top to bottom. This model has no residual "
            "connections: the output of a part replaces its input."
        )
    )
    word = plain(shown.labels_of(stack)[token])
    document.picture(stream_rows.of(shown, stack, layer, token), how_to_read.format(word=word))


def _lengths(shown: ShownModel, stack: Stack, layer: int, token: int) -> None:
    """The length of the vector around each sublayer, and the angle by which it turns."""
    names, picture = _parts_of(shown, stack), lengths.of(shown, stack, layer, token)
    before, added, after = picture.values
    turns = cosines(run_of(shown), stack, layer, token)
    st.dataframe(
        {
            _("part"): names,
            _("length before"): [f"{x:.3f}" for x in before],
            _("length of its output"): [f"{x:.3f}" for x in added],
            _("length after"): [f"{x:.3f}" for x in after],
            _("cosine before / after"): ["–" if np.isnan(x) else true_minus(f"{x:.3f}") for x in turns],
        },
        hide_index=True,
    )
    document.caption(
        _("length is √(sum of squares). A cosine of 1 means that the direction is kept, 0 that it has turned by a right angle.")
    )
    if not np.isnan(turns).all():
        st.caption(_("The direction changes most at: {part}.").format(part=names[int(np.nanargmin(turns))]))
    how_to_read = _("the length of the vector before each part, of the part's output, and of the vector after it.")
    document.picture(picture, how_to_read)


def _whole_stack(shown: ShownModel, stack: Stack, token: int) -> None:
    picture = stream.of(shown, stack, token)
    document.picture(
        picture,
        _(
            "the length of the vector of “{word}” through the whole stack: {a:.2f} at first, {b:.2f} after the last part."
        ).format(word=plain(shown.labels_of(stack)[token]), a=picture.values[0], b=picture.values[-1]),
    )


def _formula(shown: ShownModel) -> None:
    cfg = shown.cfg
    inner = r"\mathrm{Sublayer}(\mathrm{LayerNorm}(x))" if cfg.norm == "pre" else r"\mathrm{Sublayer}(x)"
    total = f"x+{inner}" if cfg.residual else inner
    source = (
        _("Section 3.1 of the paper, which is post-norm, as is this model. In training, dropout acts on each part's output.")
        if cfg.norm == "post"
        else _(
            "Section 3.1 of the paper, but pre-norm; the paper's model is post-norm. In training, dropout acts on each "
            "part's output."
        )
    )
    document.formula(f"y={total}" if cfg.norm == "pre" else rf"y=\mathrm{{LayerNorm}}({total})", source)
    st.caption(
        (
            _("This model has one more norm at the end of each stack.")
            if cfg.has_final_norm
            else _("This model has no norm at the end of its stacks.")
        )
        if cfg.has_encoder
        else (_("This model has one more norm at its end.") if cfg.has_final_norm else _("This model has no norm at its end."))
    )
