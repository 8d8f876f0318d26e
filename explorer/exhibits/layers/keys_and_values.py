"""The keys and values of every decoder layer: from the encoder's one output, by that layer's own weights."""

from typing import Any

import numpy as np
import streamlit as st

from explorer.figures.matrix import Matrices, matrices, matrix
from explorer.i18n import _
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.shown_run import run_of
from explorer.pictures.exhibit import drawn, numbers
from explorer.session import model_choice
from explorer.ui import document, navigation
from explorer.ui.format import small
from explorer.ui.minimap import highlight
from transformer_core import MultiHeadAttention
from transformer_core.analysis.run import Run
from transformer_core.model.stages import MEMORY

DIMENSIONS = 24  # columns that are drawn

# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers()
def memory(run: Run) -> np.ndarray:
    """The encoder's output. Shape: (source, d_model)"""
    return run.stages[MEMORY]


@numbers(recorded=lambda run: _recorded(run, "kv"))
def k_v(run: Run) -> np.ndarray:
    """The keys and values that each decoder layer makes of the encoder's output, K = memory · W_K and V = memory · W_V
    (section 3.2.3), all heads side by side. Shape: (layer · 2, source, d_model)
    """
    products = []
    for layer in range(run.cfg.n_layers):
        for name in ("w_k", "w_v"):
            w, b = run.attention("cross", layer).weights(name)
            products.append(memory(run) @ w + b)
    return np.stack(products)


@numbers(recorded=lambda run: _recorded(run, "q"))
def q(run: Run) -> np.ndarray:
    """The queries of each decoder layer, Q = x · W_Q, where x is what enters its cross-attention.
    Shape: (layer, target, d_model)
    """
    products = []
    for layer in range(run.cfg.n_layers):
        attention = run.attention("cross", layer)
        w, b = attention.weights("w_q")
        products.append(attention.input @ w + b)
    return np.stack(products)


def _recorded(run: Run, names: str) -> np.ndarray:
    """The vectors that the model has made in each layer, its heads side by side. Shape: (layer · names, word, d_model)"""
    layers = [run.attention("cross", layer) for layer in range(run.cfg.n_layers)]
    return np.stack([np.concatenate([*layer.projected(name)], axis=-1) for layer in layers for name in names])


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(memory)
def _draw_memory(values: np.ndarray, shown: ShownModel) -> Matrices:
    n = min(DIMENSIONS, shown.cfg.d_model)
    return matrix(
        values[:, :n],
        rows=shown.src_labels,
        columns=n,
        row_title=_("source"),
        signed=True,
        cell=24,
        column_title=_("dimension (first {n} of {all})").format(n=n, all=shown.cfg.d_model),
    )


@drawn(k_v)
def _draw_k_v(values: np.ndarray, shown: ShownModel) -> Matrices:
    return _draw(values, shown, "KV", rows=shown.src_labels, row_title=_("source"))


@drawn(q)
def _draw_q(values: np.ndarray, shown: ShownModel) -> Matrices:
    return _draw(values, shown, "Q", rows=shown.tgt_labels, row_title=_("target"))


def _draw(values: np.ndarray, shown: ShownModel, letters: str, **rows: Any) -> Matrices:
    n = min(DIMENSIONS, shown.cfg.d_model)
    names = [_("layer {i}: {letter}").format(i=i, letter=letter) for i in range(shown.cfg.n_layers) for letter in letters]
    columns = _("dimension, all heads side by side (first {n} of {all})").format(n=n, all=shown.cfg.d_model)
    return matrices(values[:, :, :n], names=names, columns=n, column_title=columns, signed=True, wide=4, **rows)


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    if not shown.cfg.has_encoder:
        highlight("decoder")
        st.info(
            _(
                "A decoder alone has no second sentence of which to make keys and values: each layer makes them of the vectors "
                "of its own text, as it makes the queries."
            )
        )
        navigation.link("attention", _("Where queries, keys and values come from"), part="one_head")
        navigation.link("decoding", _("Which keys and values are kept from step to step"), part="generation")
        return
    if not shown.cfg.cross_attention:
        st.info(
            _("This model has no cross-attention: its decoder never sees the encoder's output, so it makes no K and V of it.")
        )
        return
    highlight("cross")
    _pictures(shown)
    document.details("keys_and_values", lambda: _details(shown))


def _details(shown: ShownModel) -> None:
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
        q.of(shown),
        _("one row per target word, computed from the decoder's vectors after the self-attention of that layer."),
    )
    _differences(shown)
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
    document.the_code(k_v, q, MultiHeadAttention)


def _pictures(shown: ShownModel) -> None:
    document.picture(
        memory.of(shown), _("the encoder's output, the **memory**: one row per source word. The model has only this one.")
    )
    document.picture(k_v.of(shown), _("one row per source word, computed from the memory above with each layer's W_K and W_V."))


def _differences(shown: ShownModel) -> None:
    """Says how far the drawn numbers are from the model's, and how far the layers differ."""
    cfg, run = shown.cfg, run_of(shown)
    keys, values = k_v(run)[::2], k_v(run)[1::2]  # (layer, source, d_model)
    computed = {"k": keys, "v": values, "q": q(run)}
    errors = {name: _largest(computed[name] - _recorded(run, name)) for name in computed}
    document.section(_("Check"))
    table: dict[str, list[Any]] = {
        _("decoder layer"): list(range(cfg.n_layers)),
        _("K: error"): [small(each, 2) for each in errors["k"]],
        _("V: error"): [small(each, 2) for each in errors["v"]],
        _("Q: error"): [small(each, 2) for each in errors["q"]],
    }
    if cfg.n_layers > 1:
        table[_("K: distance from layer 0")] = [f"{each:.3f}" for each in _largest(keys - keys[0])]
        table[_("V: distance from layer 0")] = [f"{each:.3f}" for each in _largest(values - values[0])]
    st.dataframe(table, hide_index=True)
    document.caption(
        _(
            "“error” is the largest difference between what was computed here and what the model itself used: at most "
            "{worst}, which is rounding."
        ).format(worst=small(max(map(max, errors.values()))))
    )
    if cfg.n_layers > 1:
        st.caption(
            _("“distance” is the largest difference between a layer's K or V and that of layer 0: same memory, other weights.")
        )
        return
    st.info(_("This model has one layer, so there is no other layer to compare it with."), icon=":material/layers:")
    st.button(_("Show a model with 3 layers"), key="three-layers", on_click=model_choice.choose, args=("n_layers", 3))


def _largest(differences: np.ndarray) -> list[float]:
    """The largest difference in each layer. Shape: (layer, word, d_model)"""
    return np.abs(differences).max(axis=(1, 2)).tolist()
