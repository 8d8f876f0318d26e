"""The keys and values of every decoder layer: from the encoder's one output, by that layer's own weights."""

import numpy as np
import streamlit as st

from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.pictures import keys_and_values as pictures
from explorer.session import model_choice
from explorer.ui import document
from explorer.ui.format import small
from explorer.ui.minimap import highlight
from transformer_core import MultiHeadAttention, TransformerConfig
from transformer_core.analysis.residual_stream import CrossProjections, cross_projections


def draw(shown: ShownModel) -> None:
    found = pictures.projections(shown)
    if not found:
        st.info(
            _("This model has no cross-attention: its decoder never sees the encoder's output, so it makes no K and V of it.")
        )
        return
    highlight("cross")
    _pictures(shown)
    document.details("keys_and_values", lambda: _more(shown, found))


def _more(shown: ShownModel, found: list[CrossProjections]) -> None:
    cfg = shown.cfg
    st.markdown(
        _(
            "The encoder hands over **one** matrix, its output. It goes to **every** decoder layer, and each layer computes "
            "its own keys K and values V from it with its own weights. The queries Q come from the decoder. While an answer is "
            "written, the memory stays the same: K and V need to be computed only **once** per layer. With the causal mask, "
            "only the query of the newest word is new at each step."
        )
    )
    document.section(_("Q comes from the decoder"))
    document.picture(
        pictures.q(shown),
        _("one row per target word, computed from the decoder's vectors after the self-attention of that layer."),
    )  # fmt: skip
    _differences(cfg, found)
    document.formula(
        r"\begin{gathered}K_\ell=<memory>\,W_\ell^K\\V_\ell=<memory>\,W_\ell^V\\"
        r"Q_\ell=x_\ell\,W_\ell^Q\end{gathered}",
        _("Section 3.2.3 of the paper; ℓ is the decoder layer, x the normed vectors that enter its cross-attention.")
        if cfg.norm == "pre"
        else _("Section 3.2.3 of the paper; ℓ is the decoder layer, x the vectors that enter its cross-attention."),
        memory=_("memory"),
    )
    if cfg.attention_bias:
        st.caption(_("In this model a learned bias is added to each product."))
    document.try_this(
        _("Raise the number of **layers**: there is still one memory, and every layer adds a K and a V of its own."),
        _("Change one word under **decoder input** (More settings): Q changes, K and V do not. What if a source word changes?"),
    )
    document.the_code(cross_projections, MultiHeadAttention)


def _pictures(shown: ShownModel) -> None:
    document.picture(
        pictures.memory(shown), _("the encoder's output, the **memory**: one row per source word. The model has only this one.")
    )
    document.picture(
        pictures.k_and_v(shown), _("one row per source word, computed from the memory above with each layer's W_K and W_V.")
    )


def _differences(cfg: TransformerConfig, found: list[CrossProjections]) -> None:
    """Says how far the drawn numbers are from the model's, and how far the layers differ."""
    document.section(_("Check"))
    table: dict[str, list] = {
        _("decoder layer"): list(range(cfg.n_layers)),
        _("K: error"): [small(each.k_error, 2) for each in found],
        _("V: error"): [small(each.v_error, 2) for each in found],
        _("Q: error"): [small(each.q_error, 2) for each in found],
    }
    if cfg.n_layers > 1:
        table[_("K: distance from layer 0")] = [f"{np.abs(each.k - found[0].k).max():.3f}" for each in found]
        table[_("V: distance from layer 0")] = [f"{np.abs(each.v - found[0].v).max():.3f}" for each in found]
    st.dataframe(table, hide_index=True)
    document.reading(
        _(
            "“error” is the largest difference between what was computed here and what the model itself used: at most "
            "{worst}, which is rounding."
        ).format(worst=small(max(max(each.k_error, each.v_error, each.q_error) for each in found)))
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
