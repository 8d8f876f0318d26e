"""Attention in five minutes, for people who know nothing of it: to be read alone, or shown to a room."""

import streamlit as st

from explorer import document
from explorer.sections.story.stage import stage
from explorer.words import _

with st.container(key="story-opening"):
    document.opening(
        _("Five minutes"),
        _(
            "What happens inside a machine that reads and writes: nine pictures to touch, computed by small trained models. "
            "Turn the pages with the arrow keys; **Present** fills the screen."
        ),
    )
stage()
