"""What this is, the model drawn whole, and the model in one line."""

import streamlit as st

from explorer import contents, controls, document, state
from explorer.components import model_map
from explorer.words import _

document.opening(
    _("Transformer Explorer"),
    _(
        "In 2017 a paper called “Attention Is All You Need” showed a machine that reads one sentence and writes another, and "
        "nearly every language model of today descends from it. Here it is, whole and running: turn a knob, and everything you "
        "see is computed anew by the real model."
    ),
)
view = state.view()
cfg = view.cfg
st.markdown(
    _(
        "**Now on screen:** {n:,} parameters · {layers} + {layers} layers · {heads} heads of {d_k} · source (1, {src}, {d}) → "
        "target (1, {tgt}, {d}) → words (1, {tgt}, {v})"
    ).format(
        n=view.parameters, layers=cfg.n_layers, heads=cfg.n_heads, d_k=cfg.d_k, d=cfg.d_model, v=cfg.tgt_vocab,
        src=len(view.src), tgt=len(view.tgt),
    )
)  # fmt: skip
document.weights_note(view)

picture, walk = st.columns([3, 2], gap="large")
with picture:
    clicked = model_map.show(cfg, len(view.src), len(view.tgt))
    document.reading(
        _(
            "from the bottom up. The encoder (left) reads the source, the decoder (right) writes the target; "
            "the thick line carries "
            "what was read. Dashed lines lead round a part. (sentences, words, width) are the shapes. Click a "
            "part to look inside."
        )
    )
with walk:
    document.section(_("New to all this?"))
    contents.link("story")
    st.caption(_("The whole story in nine pictures, for a room or for you alone."))
    document.section(_("See it at work"))
    st.caption(_("Two small trained models: look at what they look at."))
    for name, kind, layer, words in (
        ("translate-fr", "cross", 0, _("A translator, word by word")),
        ("pronoun-en", "encoder", 1, _("Which noun is “it”?")),
    ):
        if st.button(words, key=name, icon=":material/play_arrow:", on_click=controls.open_model, args=(name,)):
            contents.switch("heads", kind=kind, layer=layer)
    document.section(_("A walk in ten minutes"))
    for name, words in (
        ("positions", _("Words become numbers, and positions become waves.")),
        ("masks", _("Who may look at whom.")),
        ("attention", _("One look, followed digit by digit.")),
        ("heads", _("Several looks at once.")),
        ("layers", _("One word's way through a layer.")),
        ("norms", _("What keeps deep stacks trainable.")),
        ("shapes", _("Every table, every parameter.")),
        ("decoding", _("How the answer is written, word by word.")),
        ("training", _("From noise to a model that copies, in seconds.")),
        ("compare", _("Which setting got there sooner.")),
        ("break_it", _("What is each part for? Take it away.")),
    ):
        contents.link(name, f"**{contents.CONTENTS[name].title}** · {words}")
    st.caption(_("You cannot break anything here. The address bar always holds what you see: copy it to share it."))
if clicked:
    contents.follow(clicked)
