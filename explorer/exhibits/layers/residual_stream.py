"""One token's vector through the layers, sublayer by sublayer: how long it is, what is added to it, how far it turns."""

import numpy as np
import streamlit as st

from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.pictures import layers
from explorer.ui import document, pickers
from explorer.ui.format import plain, true_minus
from explorer.ui.minimap import highlight
from explorer.ui.widgets import choose, pick
from transformer_core.analysis.residual_stream import Sublayer, walk
from transformer_core.model.layers import DecoderLayer, EncoderLayer, ResidualConnection


def draw(shown: ShownModel) -> None:
    cfg = shown.cfg
    with pickers.line():
        titles: dict[layers.Stack, str] = {"encoder": _("encoder"), "decoder": _("decoder")}
        stack = choose("stack", _("stack"), list(titles), titles)
        layer = pickers.which_layer(cfg)
    highlight(*(f"{stack}.{part}" for part in ("self_attn", "cross_attn", "feed_forward", "norm")), layer=layer)
    labels = shown.src_labels if stack == "encoder" else shown.tgt_labels
    with pickers.line():
        token = pick("token", _("word"), labels)
    choices = layers.WordChoices(stack, layer, token)
    steps = layers.steps_of(shown, choices)
    _operations(shown, choices, steps, labels[token])
    document.details("residual_stream", lambda: _more(shown, choices, steps, labels[token]))


def _more(shown: ShownModel, choices: layers.WordChoices, steps: list[Sublayer], word: str) -> None:
    _lengths(shown, choices, steps)
    _whole_stack(shown, choices, word)
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


def _operations(shown: ShownModel, choices: layers.WordChoices, steps: list[Sublayer], word: str) -> None:
    """The word's vector, one row per operation."""
    done = layers.done(shown, steps, layers.token_of(shown, choices))
    st.markdown(
        _("A layer of this model computes, in this order: {order}.").format(order=" → ".join(name for name, _x in done))
    )
    how_to_read = (
        _("the vector of “{word}”, one row per operation, from top to bottom. A row “+” is the sum of the part's output and of "
          "what the residual connection carries past the part.")
        if shown.cfg.residual
        else _("the vector of “{word}”, one row per operation, from top to bottom. This model has no residual connections: the "
               "output of a part replaces its input.")
    )  # fmt: skip
    document.picture(layers.operations(shown, choices), how_to_read.format(word=plain(word)))


def _lengths(shown: ShownModel, choices: layers.WordChoices, steps: list[Sublayer]) -> None:
    """The length of the vector around each sublayer, and the angle by which it turns."""
    token = layers.token_of(shown, choices)
    names = [_(layers.PARTS[step.part]) for step in steps]
    lengths = np.stack([step.lengths[:, token] for step in steps], axis=1)  # (before, output, after) by sublayer
    cosines = np.array([step.cosine[token] for step in steps])
    st.dataframe(
        {
            _("part"): names,
            _("length before"): [f"{x:.3f}" for x in lengths[0]],
            _("length of its output"): [f"{x:.3f}" for x in lengths[1]],
            _("length after"): [f"{x:.3f}" for x in lengths[2]],
            _("cosine before / after"): ["–" if np.isnan(x) else true_minus(f"{x:.3f}") for x in cosines],
        },
        hide_index=True,
    )
    document.reading(
        _("length is √(sum of squares). A cosine of 1 means that the direction is kept, 0 that it has turned by a right angle.")
    )
    if not np.isnan(cosines).all():
        st.caption(_("The direction changes most at: {part}.").format(part=names[int(np.nanargmin(cosines))]))
    document.picture(
        layers.lengths(shown, choices),
        _("the length of the vector before each part, of the part's output, and of the vector after it."),
    )


def _whole_stack(shown: ShownModel, choices: layers.WordChoices, word: str) -> None:
    lengths = layers.lengths_of(shown, choices)
    document.picture(
        layers.whole_stack(shown, choices),
        _(
            "the length of the vector of “{word}” through the whole stack: {a:.2f} at first, {b:.2f} after the last part."
        ).format(word=plain(word), a=lengths[0], b=lengths[-1]),
    )


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
