"""The three ways on from the first screen: to be shown, to look inside, to train."""

import streamlit as st

from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.ui.navigation import link


def draw(shown: ShownModel) -> None:
    """Draws a link each, its first words in large type; the sentence and the attention on screen go along."""
    sentence, _answer = shown.sentences
    with st.container(key="ways-on"):
        tell, look, train = st.columns(3)
        with tell:
            link("story", _("**Tell me** the story, in nine short steps"), say=sentence)
        with look:
            label = _("**Let me open it** every head, every number")
            link("heads", label, task=shown.task, src=sentence, kind="cross", layer=shown.cfg.n_layers - 1)
        with train:
            link("training", _("**Let me train one** from nothing, and watch it learn"))
