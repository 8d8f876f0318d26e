"""Attention in five minutes, for people who know nothing of it: to be read alone, or shown to a room."""

import streamlit as st

from explorer.exhibits.story import slides
from explorer.i18n import _
from explorer.ui import document

with st.container(key="story-opening"):
    document.opening(
        _("Five minutes"),
        _("What happens inside a machine that reads and writes, in ten short steps."),
        _(
            "All that you see is computed by small trained models. Turn the pages with the arrow keys; **Present** fills the "
            "screen."
        ),
    )
slides.draw()
