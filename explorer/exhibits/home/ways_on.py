"""The ways on from the first screen: to be shown, to look inside, to turn the sizes, to lead a room."""

import streamlit as st

from explorer.i18n import _, current_language
from explorer.model_on_screen.shown_model import ShownModel
from explorer.ui.navigation import link


def draw(shown: ShownModel) -> None:
    """Draws a link each, its first words in large type; the sentence and the attention on screen go along."""
    sentence, _answer = shown.sentences
    with st.container(key="ways-on"):
        tell, look, turn, lead = st.columns(4)
        with tell:
            link("story", _("**Tell me** the story, in ten short steps"), say=sentence)
        with look:
            label = _("**Let me open it** every head, every number")
            link("look_closer", label, task=shown.task, src=sentence)
        with turn:
            label = _("**Turn its knobs** d_model, heads, layers")
            link("shapes", label, task=shown.task, src=sentence)
        with lead:
            label = _("**Run this with a room** phones follow, guess and vote")
            st.markdown(f"[:material/arrow_forward: {label}](room/new?lang={current_language()})")
