"""The whole model in one drawing, whose parts lead to their pages, and every page with one line about it."""

import streamlit as st

from explorer.components import model_map
from explorer.i18n import N_, _
from explorer.model_on_screen.shown_model import ShownModel
from explorer.session import model_choice
from explorer.ui import document
from explorer.ui.navigation import CONTENTS, GROUPS, follow, link, switch
from explorer.ui.widgets import pressed

_LINES = {
    "look_closer": N_("one word as it is written: where it looks, and what each look brings"),
    "positions": N_("how tokens become vectors, and positions become waves"),
    "masks": N_("which tokens may attend to which"),
    "attention": N_("one attention weight, computed digit by digit"),
    "heads": N_("several attentions side by side"),
    "what_matters": N_("what the model needs: words, heads and parts cut out, and measured"),
    "layers": N_("one token's vector on its way through a layer"),
    "norms": N_("what norms and residual connections do in a deep stack"),
    "shapes": N_("every tensor, every parameter; change one"),
    "one_step": N_("one sentence, one step: what moves in the model, and in its answer"),
    "next_word": N_("a decoder alone, as in GPT, goes on with a story"),
    "decoding": N_("how the answer is generated, token by token"),
    "be_the_head": N_("say where the model looks as it writes a word, and see what it writes"),
    "predict": N_("say what the model will do, then see, then a new case"),
    "training": N_("from random weights to a model that knows its task"),
    "sentences": N_("a model learns pairs of sentences, or a text, that you bring"),
    "compare": N_("which setting learned sooner"),
    "break_it": N_("what each part is for: remove it and see"),
    "hunt": N_("one part of a translator is broken: find it with few looks"),
    "lesson": N_("views of these pages as steps, with your notes: one link, a file, or a room"),
    "reference": N_("every part, by the question that it answers"),
}


def draw(shown: ShownModel) -> None:
    """The drawing, and the list beside it."""
    document.section(_("The whole model"))
    picture, pages = st.columns([3, 2], gap="large")
    with picture:
        clicked = model_map.show(shown.cfg, len(shown.src), len(shown.tgt))
        document.caption(
            _(
                "from the bottom up. The encoder (left) reads the source, the decoder (right) writes the target; the thick "
                "line carries the encoder's output, the memory, from which each decoder layer makes its keys and values. "
                "Dashed lines around a part are residual connections. Shapes are (batch, tokens, d_model). Click a part to "
                "look inside."
            )
        )
    with pages:
        _list()
    if clicked:
        follow(clicked)


def _list() -> None:
    for group, entries in GROUPS.items():
        listed = [entry for entry in entries if entry.name in _LINES]
        if listed and group:
            st.caption(_(group))
        for entry in listed:
            link(entry.name, _("**{page}** · {line}").format(page=_(CONTENTS[entry.name].title), line=_(_LINES[entry.name])))
    st.caption(_("Another trained model"))
    if pressed(_("Which noun is “it”?"), key="pronoun-en", icon=":material/play_arrow:"):
        model_choice.open_task("pronoun-en")
        switch("heads", kind="encoder", layer=1, part="words_and_lines")
    st.caption(_("You cannot break anything here. The address bar always holds what you see: copy it to share it."))
