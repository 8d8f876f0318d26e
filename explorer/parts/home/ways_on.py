"""The three ways on from the first screen: to be shown, to look inside, to train."""

import streamlit as st

from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.ui.navigation import link


def draw(shown: ShownModel) -> None:
    """Draws a link each, its first words in large type; the sentence on screen goes along."""
    sentence, _answer = shown.sentences
    with st.container(key="ways-on"):
        for place, door in zip(st.columns(3), ("story", "heads", "training"), strict=True):
            with place:
                if door == "story":
                    link("story", _("**Tell me** the story, in nine short steps"))
                elif door == "heads":
                    link("heads", _("**Let me open it** every head, every number"), task=shown.task, src=sentence, kind="cross")
                else:
                    link("training", _("**Let me train one** from nothing, and watch it learn"))
