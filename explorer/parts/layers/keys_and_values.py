"""Where K and V of every decoder layer come from: the encoder's one output, and that layer's own weights."""

import numpy as np
import streamlit as st

from explorer import controls, document, state
from explorer.figures.matrix import matrices, matrix
from explorer.state import View
from explorer.words import _
from transformer_core import MultiHeadAttention
from transformer_core.analysis.residual_stream import cross_projections

_DIMENSIONS = 24  # columns that are drawn


def follow_k_v_part(view: View) -> None:
    """Draws the part."""
    cfg = view.cfg
    run = view.run()
    found = cross_projections(state.model_of(view.key), run.values)
    if not found:
        st.info(
            _(
                "This model has no cross-attention: its decoder knows nothing of the encoder’s output, so no K and V are made "
                "of it."
            )
        )
        return
    controls.shows("cross")
    st.markdown(
        _(
            "The encoder hands over **one** table, its output. It goes to **every** decoder layer, and each makes its own "
            "keys K and values V of it with its own weights. The queries Q come from the decoder."
        )
    )
    n = min(_DIMENSIONS, cfg.d_model)
    first = _("first {n} of {all}").format(n=n, all=cfg.d_model)
    document.figure(
        matrix(
            run["memory"][:, :n],
            rows=view.src_labels,
            columns=n,
            row_title=_("source"),
            column_title=_("dimension ({first})").format(first=first),
            signed=True,
            cell=24,
        ),
        "memory",
        _("the encoder's output (**memory**), one row per word of the source. There is only this one."),
    )

    document.section(_("K and V, made anew in every layer"))
    document.figure(
        matrices(
            np.stack([values[:, :n] for each in found for values in (each.k, each.v)]),
            names=[_("layer {i}: {letter}").format(i=i, letter=letter) for i in range(cfg.n_layers) for letter in "KV"],
            rows=view.src_labels,
            columns=n,
            row_title=_("source"),
            column_title=_("dimension, all heads side by side ({first})").format(first=first),
            signed=True,
            wide=2,
        ),
        "k-v",
        _(
            "computed here from the memory above and each layer's W_K and W_V: one row per word of the source. Same origin, "
            "different in every layer."
        ),
    )
    document.section(_("Q comes from the decoder"))
    document.figure(
        matrices(
            np.stack([each.q[:, :n] for each in found]),
            names=[_("layer {i}: Q").format(i=i) for i in range(cfg.n_layers)],
            rows=view.tgt_labels,
            columns=n,
            row_title=_("target"),
            column_title=_("dimension, all heads side by side ({first})").format(first=first),
            signed=True,
            wide=2,
        ),
        "q",
        _("one row per word of the target: computed from what the decoder layer holds after its own self-attention."),
    )

    document.section(_("Is it true?"))
    apart = [{name: float(np.abs(getattr(each, name) - getattr(found[0], name)).max()) for name in "kv"} for each in found]
    st.dataframe(
        {
            _("decoder layer"): list(range(cfg.n_layers)),
            _("K: off by"): [f"{each.k_error:.1e}" for each in found],
            _("V: off by"): [f"{each.v_error:.1e}" for each in found],
            _("Q: off by"): [f"{each.q_error:.1e}" for each in found],
            _("K against layer 0"): [f"{each['k']:.3f}" for each in apart],
            _("V against layer 0"): [f"{each['v']:.3f}" for each in apart],
        },
        hide_index=True,
    )
    document.reading(
        _(
            "“off by”: the largest difference between what was computed here and what the model itself used, {worst:.1e} at "
            "most (rounding). The last two columns: how far each layer's K and V lie from those of layer 0. {layers}"
        ).format(
            worst=max(max(each.k_error, each.v_error, each.q_error) for each in found),
            layers=_("With one layer there is nothing to compare: turn up the layers in the sidebar.")
            if cfg.n_layers == 1
            else "",
        )
    )
    document.formula(
        r"K_\ell=\mathrm{memory}\,W_\ell^K\qquad V_\ell=\mathrm{memory}\,W_\ell^V\qquad Q_\ell=x_\ell\,W_\ell^Q",
        _("Section 3.2.3 of the paper; ℓ is the decoder layer, x its vectors{norm}{bias}.").format(
            norm=_(" behind the norm") if cfg.norm == "pre" else "",
            bias=_("; each product also gets a learned bias") if cfg.attention_bias else "",
        ),
    )
    document.try_this(
        _("Turn up the **layers**: the memory stays one, and every layer adds a pair K, V of its own."),
        _("Change one word of the source: K and V change. Change one of the target: only Q does."),
    )
    document.the_code(cross_projections, MultiHeadAttention)
