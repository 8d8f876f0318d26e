"""What this is, the model drawn whole, and the ways in."""

import streamlit as st

from explorer.components import model_map
from explorer.i18n import _
from explorer.parts.home import ways_in
from explorer.ui import document, navigation

shown = document.opening_of_model(
    _("Transformer Explorer"),
    _("The Transformer of 2017, whole and running: change a setting, and watch."),
    _(
        "In 2017 the paper “Attention Is All You Need” described a model that reads one sentence and writes another, and "
        "nearly every language model of today descends from it. Here it is, whole and running: change a setting, and all that "
        "you see is computed anew."
    ),
)
if shown is not None:
    cfg = shown.cfg
    st.markdown(
        _(
            "**Now on screen:** {n:,} parameters · {layers} + {layers} layers · {heads} heads with d_k = {d_k} · source "
            "(1, {src}, {d}) → target (1, {tgt}, {d}) → logits (1, {tgt}, {v})"
        ).format(
            n=shown.parameters, layers=cfg.n_layers, heads=cfg.n_heads, d_k=cfg.d_k, d=cfg.d_model, v=cfg.tgt_vocab,
            src=len(shown.src), tgt=len(shown.tgt),
        )
    )  # fmt: skip
    picture, ways = st.columns([3, 2], gap="large")
    with picture:
        clicked = model_map.show(cfg, len(shown.src), len(shown.tgt))
        document.reading(
            _(
                "from the bottom up. The encoder (left) reads the source, the decoder (right) writes the target; the thick "
                "line carries the encoder's output, the memory, from which each decoder layer makes its keys and values. "
                "Dashed lines around a part are residual connections. Shapes are (batch, tokens, d_model). Click a part to "
                "look inside."
            )
        )
    with ways:
        ways_in.draw()
    if clicked:
        navigation.follow(clicked)
