"""Where K and V of every decoder layer come from: the encoder's one output, and that layer's own weights."""

from typing import Any

import numpy as np
import streamlit as st

from explorer.figures.matrix import matrices, matrix
from explorer.i18n import _
from explorer.inference.forward import model_of
from explorer.inference.shown_model import ShownModel
from explorer.session import model_choice
from explorer.ui import document
from explorer.ui.minimap import highlight
from transformer_core import MultiHeadAttention, TransformerConfig
from transformer_core.analysis.residual_stream import CrossProjections, cross_projections
from transformer_core.model.stages import MEMORY

_DIMENSIONS = 24  # columns that are drawn


def draw(shown: ShownModel) -> None:
    cfg, run = shown.cfg, shown.forward()
    found = cross_projections(model_of(shown.choice), run.values)
    if not found:
        st.info(
            _("This model has no cross-attention: its decoder never sees the encoder's output, so it makes no K and V of it.")
        )
        return
    highlight("cross")
    st.markdown(
        _(
            "The encoder hands over **one** matrix, its output. It goes to **every** decoder layer, and each layer computes "
            "its own keys K and values V from it with its own weights. The queries Q come from the decoder."
        )
    )
    _pictures(shown, found)
    _differences(cfg, found)
    document.formula(
        r"\begin{gathered}K_\ell=\mathrm{memory}\,W_\ell^K\\V_\ell=\mathrm{memory}\,W_\ell^V\\"
        r"Q_\ell=x_\ell\,W_\ell^Q\end{gathered}",
        _("Section 3.2.3 of the paper; ℓ is the decoder layer, x the normed vectors that enter its cross-attention.")
        if cfg.norm == "pre"
        else _("Section 3.2.3 of the paper; ℓ is the decoder layer, x the vectors that enter its cross-attention."),
    )
    if cfg.attention_bias:
        st.caption(_("In this model a learned bias is added to each product."))
    document.try_this(
        _("Raise the number of **layers**: there is still one memory, and every layer adds a K and a V of its own."),
        _("Change one word under **decoder input** (More settings): Q changes, K and V do not. What if a source word changes?"),
    )
    document.the_code(cross_projections, MultiHeadAttention)


def _pictures(shown: ShownModel, found: list[CrossProjections]) -> None:
    cfg = shown.cfg
    n = min(_DIMENSIONS, cfg.d_model)
    document.figure(
        matrix(shown.forward()[MEMORY][:, :n], rows=shown.src_labels, columns=n, row_title=_("source"), signed=True, cell=24,
               column_title=_("dimension (first {n} of {all})").format(n=n, all=cfg.d_model)),
        "memory",
        _("the encoder's output, the **memory**: one row per source word. The model has only this one."),
    )  # fmt: skip

    columns = _("dimension, all heads side by side (first {n} of {all})").format(n=n, all=cfg.d_model)
    shape: dict[str, Any] = {"columns": n, "column_title": columns, "signed": True, "wide": 2}
    document.section(_("K and V, computed anew in every layer"))
    document.figure(
        matrices(
            np.stack([values[:, :n] for each in found for values in (each.k, each.v)]),
            names=[_("layer {i}: {letter}").format(i=i, letter=letter) for i in range(cfg.n_layers) for letter in "KV"],
            rows=shown.src_labels, row_title=_("source"), **shape,
        ),
        "k-v",
        _("one row per source word, computed from the memory above with each layer's W_K and W_V."),
    )  # fmt: skip
    document.section(_("Q comes from the decoder"))
    document.figure(
        matrices(
            np.stack([each.q[:, :n] for each in found]),
            names=[_("layer {i}: {letter}").format(i=i, letter="Q") for i in range(cfg.n_layers)],
            rows=shown.tgt_labels, row_title=_("target"), **shape,
        ),
        "q",
        _("one row per target word, computed from the decoder's vectors after the self-attention of that layer."),
    )  # fmt: skip


def _differences(cfg: TransformerConfig, found: list[CrossProjections]) -> None:
    """What is drawn against what the model used; and the layers against each other, where there are several."""
    document.section(_("Check"))
    table: dict[str, list] = {
        _("decoder layer"): list(range(cfg.n_layers)),
        _("K: error"): [f"{each.k_error:.1e}" for each in found],
        _("V: error"): [f"{each.v_error:.1e}" for each in found],
        _("Q: error"): [f"{each.q_error:.1e}" for each in found],
    }
    if cfg.n_layers > 1:
        table[_("K: distance from layer 0")] = [f"{np.abs(each.k - found[0].k).max():.3f}" for each in found]
        table[_("V: distance from layer 0")] = [f"{np.abs(each.v - found[0].v).max():.3f}" for each in found]
    st.dataframe(table, hide_index=True)
    document.reading(
        _(
            "“error” is the largest difference between what was computed here and what the model itself used: at most "
            "{worst:.1e}, which is rounding."
        ).format(worst=max(max(each.k_error, each.v_error, each.q_error) for each in found))
    )
    if cfg.n_layers > 1:
        st.caption(
            _("“distance” is the largest difference between a layer's K or V and that of layer 0: same memory, other weights.")
        )
        return
    st.info(_("This model has one layer, so there is no other layer to compare it with."), icon=":material/layers:")
    st.button(
        _("Show a model with 3 layers"), key="three-layers", on_click=model_choice.choose, args=("n_layers", 3)
    )  # fmt: skip
