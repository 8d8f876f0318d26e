"""The ways in from Home: the story, two models to look at, and every page with one line about it."""

import streamlit as st

from explorer.i18n import N_, _
from explorer.session import model_choice
from explorer.ui import document
from explorer.ui.navigation import CONTENTS, GROUPS, link, switch

_EXAMPLES = (  # a task, and the attention that shows something of it
    ("everyday-fr", "cross", 1, N_("A translator, word by word")),
    ("pronoun-en", "encoder", 1, N_("Which noun is “it”?")),
)
_LINES = {
    "positions": N_("how tokens become vectors, and positions become waves"),
    "masks": N_("which tokens may attend to which"),
    "attention": N_("one attention weight, computed digit by digit"),
    "heads": N_("several attentions side by side"),
    "layers": N_("one token's vector on its way through a layer"),
    "norms": N_("what keeps deep stacks trainable"),
    "shapes": N_("every tensor, every parameter"),
    "decoding": N_("how the answer is generated, token by token"),
    "training": N_("from random weights to a model that knows its task"),
    "compare": N_("which setting learned sooner"),
    "break_it": N_("what each part is for: remove it and see"),
}


def draw() -> None:
    document.section(_("New to all this?"))
    link("story")
    st.caption(_("The whole story in nine pictures, for a room or for you alone."))
    document.section(_("See it at work"))
    st.caption(_("Two small trained models: see what their attention looks at."))
    for task, kind, layer, title in _EXAMPLES:
        button = st.button(_(title), key=task, icon=":material/play_arrow:", on_click=model_choice.open_task, args=(task,))
        if button:
            switch("heads", kind=kind, layer=layer, part="words_and_lines")
    document.section(_("Every page"))
    for group, entries in GROUPS.items():
        listed = [entry for entry in entries if entry.name in _LINES]
        if listed and group:
            st.caption(_(group))
        for entry in listed:
            link(entry.name, _("**{page}** · {line}").format(page=_(CONTENTS[entry.name].title), line=_(_LINES[entry.name])))
    st.caption(_("You cannot break anything here. The address bar always holds what you see: copy it to share it."))
