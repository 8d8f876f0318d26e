"""One token's vector through the layers, sublayer by sublayer: how long it is, what is added to it, how far it turns."""

import numpy as np
import streamlit as st

from explorer.figures.lines import bars, curves
from explorer.figures.matrix import matrix
from explorer.i18n import N_, _
from explorer.inference.shown_model import ShownModel
from explorer.ui import document, pickers
from explorer.ui.format import plain
from explorer.ui.minimap import highlight
from explorer.ui.widgets import choose, pick
from transformer_core.analysis.residual_stream import Sublayer, walk
from transformer_core.model.layers import DecoderLayer, EncoderLayer, ResidualConnection
from transformer_core.model.stages import MEMORY, OUTPUT

_PARTS = {"self_attn": N_("self-attention"), "cross_attn": N_("cross-attention"), "feed_forward": N_("feed-forward")}
_DIMENSIONS = 32  # columns that are drawn


def draw(shown: ShownModel) -> None:
    cfg = shown.cfg
    with pickers.line():
        titles = {"encoder": _("encoder"), "decoder": _("decoder")}
        stack = choose("stack", _("stack"), list(titles), titles)
        layer = choose("layer", _("layer"), range(cfg.n_layers))
    highlight(*(f"{stack}.{part}" for part in ("self_attn", "cross_attn", "feed_forward", "norm")), layer=layer)
    labels = shown.src_labels if stack == "encoder" else shown.tgt_labels
    with pickers.line():
        token = pick("token", _("word"), labels)
    every = walk(shown.forward().values, cfg, stack)
    steps = [step for step in every if step.layer == layer]
    _operations(shown, stack, steps, token, labels[token])
    _lengths(steps, token)
    _whole_stack(every, token, labels[token])
    _formula(shown)
    document.try_this(
        _(
            "Switch **norm** in the sidebar between “pre” and “post”: the order changes. At step 0, with post-norm, every "
            "part leaves a vector about √d_model long."
        ),
        _("Raise the number of **layers** and watch the length of the vector from part to part."),
        _("Choose the decoder: it has a third part, cross-attention, which reads the encoder's output."),
    )
    document.the_code(EncoderLayer, DecoderLayer, ResidualConnection, walk)


def _operations(shown: ShownModel, stack: str, steps: list[Sublayer], token: int, word: str) -> None:
    """The word's vector, one row per operation."""
    cfg = shown.cfg
    done = [(_operation(step, name), value[token]) for step in steps for name, value in _results(step, cfg.residual)]
    st.markdown(
        _("A layer of this model computes, in this order: {order}.").format(order=" → ".join(name for name, _x in done))
    )
    rows = [(_("input"), steps[0].before[token]), *done]
    if cfg.has_final_norm and steps[0].layer == cfg.n_layers - 1:
        last = MEMORY if stack == "encoder" else OUTPUT
        rows.append((_("norm at the end of the stack"), shown.forward()[last][token]))
    n = min(_DIMENSIONS, cfg.d_model)
    how_to_read = (
        _("the vector of “{word}”, one row per operation, from top to bottom. A row “+” is the sum of the part's output and of "
          "what the residual connection carries past the part.")
        if cfg.residual
        else _("the vector of “{word}”, one row per operation, from top to bottom. This model has no residual connections: the "
               "output of a part replaces its input.")
    )  # fmt: skip
    document.figure(
        matrix(np.stack([value for _name, value in rows])[:, :n], rows=[name for name, _value in rows], columns=n,
               column_title=_("dimension (first {n} of {all})").format(n=n, all=cfg.d_model), signed=True),
        "stream-rows",
        how_to_read.format(word=plain(word)),
    )  # fmt: skip


def _results(step: Sublayer, residual: bool) -> list[tuple[str, np.ndarray]]:
    """What a sublayer computes, in order; without a residual connection there is nothing to add."""
    return [(name, value) for name, value in step.ordered.items() if residual or name != "sum"]


def _operation(step: Sublayer, result: str) -> str:
    return {"norm": _("norm"), "output": _(_PARTS[step.part]), "sum": "+"}[result]


def _lengths(steps: list[Sublayer], token: int) -> None:
    """How long the vector is around each sublayer, and how far it turns."""
    names = [_(_PARTS[step.part]) for step in steps]
    lengths = np.stack([step.lengths[:, token] for step in steps], axis=1)  # (before, output, after) by sublayer
    cosines = np.array([step.cosine[token] for step in steps])
    st.dataframe(
        {
            _("part"): names,
            _("length before"): [f"{x:.3f}" for x in lengths[0]],
            _("length of its output"): [f"{x:.3f}" for x in lengths[1]],
            _("length after"): [f"{x:.3f}" for x in lengths[2]],
            _("cosine before / after"): ["–" if np.isnan(x) else f"{x:.3f}" for x in cosines],
        },
        hide_index=True,
    )
    document.reading(
        _("length is √(sum of squares). A cosine of 1 means that the direction is kept, 0 that it has turned by a right angle.")
    )
    if not np.isnan(cosines).all():
        st.caption(_("The direction changes most at: {part}.").format(part=names[int(np.nanargmin(cosines))]))
    document.figure(
        bars(names, dict(zip([_("before"), _("output"), _("after")], lengths, strict=True)), y_title=_("length")),
        "lengths",
        _("the length of the vector before each part, of the part's output, and of the vector after it."),
    )


def _whole_stack(every: list[Sublayer], token: int, word: str) -> None:
    lengths = np.array([every[0].lengths[0, token], *(step.lengths[2, token] for step in every)])
    document.figure(
        curves(np.arange(len(lengths)), {_("length"): lengths}, x_title=_("parts passed, in all layers"), y_title=_("length"),
               markers=True, height=300),
        "stream",
        _(
            "the length of the vector of “{word}” through the whole stack: {a:.2f} at first, {b:.2f} after the last part."
        ).format(word=plain(word), a=lengths[0], b=lengths[-1]),
    )  # fmt: skip


def _formula(shown: ShownModel) -> None:
    cfg = shown.cfg
    inner = r"\mathrm{Sublayer}(\mathrm{LayerNorm}(x))" if cfg.norm == "pre" else r"\mathrm{Sublayer}(x)"
    total = f"x+{inner}" if cfg.residual else inner
    source = (
        _("Section 3.1 of the paper, which is post-norm, as is this model. In training, dropout acts on each part's output.")
        if cfg.norm == "post"
        else _("Section 3.1 of the paper, but pre-norm; the paper's model is post-norm. In training, dropout acts on each "
               "part's output.")
    )  # fmt: skip
    document.formula(f"y={total}" if cfg.norm == "pre" else rf"y=\mathrm{{LayerNorm}}({total})", source)
    st.caption(
        _("This model has one more norm at the end of each stack.")
        if cfg.has_final_norm
        else _("This model has no norm at the end of its stacks.")
    )
