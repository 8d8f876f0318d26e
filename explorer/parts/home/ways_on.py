"""The three ways on from Home: to be shown, to try, to train."""

import streamlit as st

from explorer.i18n import _
from explorer.ui.navigation import link


def draw() -> None:
    """A link each: its first words in large type."""
    with st.container(key="ways-on"):
        link("story", _("**Show me** what happens inside, in nine short steps."))
        link("heads", _("**Let me try** my own words, every head, every layer."))
        link("training", _("**Let me train** a model of my own, and watch it learn."))
