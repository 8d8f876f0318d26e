"""While the model on screen is learning, the page is drawn again and again, as it gets better."""

import time

import streamlit as st

from explorer import server
from explorer.inference.shown_model import ShownModel
from explorer.session import current, learning
from explorer.ui.fragment import fragment

_LOOK = 0.1  # seconds between two looks at a model that is learning
_LATER = 0.04  # of the time since it began, a picture stands for this share: most changes in the beginning
_LONGEST = 1.0  # seconds that a picture stands at most, where nobody else is learning
_CROWD = 4  # windows that watch at once before each is drawn less often


def draw() -> None:
    """Draws nothing that can be seen. Only a page that shows a model as learning is drawn again: one that says why there is
    nothing to wait for is as it will be."""
    session = current()
    shown = session.rerun.shown
    if not isinstance(shown, ShownModel) or shown.course.state != "learning":
        return
    key = session.settings.plan().key
    drawn, at = learning.progress(key), time.monotonic()

    @fragment(run_every=_LOOK)
    def look() -> None:
        now = learning.progress(key)
        due = min(_LATER * now.seconds, _LONGEST) * max(1, server.learning().watched // _CROWD)
        if now.over or now.note is not drawn.note or (now.step > drawn.step and time.monotonic() - at >= due):
            st.rerun()

    look()
