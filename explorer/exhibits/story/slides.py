"""One scene of the story at a time; the address says which."""

from contextlib import suppress

import streamlit as st

from explorer import i18n
from explorer.components import slides as navigation
from explorer.exhibits.shared import asking
from explorer.exhibits.shared.asking import Asking
from explorer.exhibits.story import scenes, story_runs
from explorer.i18n import _
from explorer.rooms.script import bank
from explorer.session.address import as_option
from explorer.session.numbers import as_number
from explorer.ui.format import plain
from explorer.ui.fragment import fragment
from explorer.ui.widgets import address_value, set_next
from transformer_core.errors import InputError


@fragment  # the next scene concerns nothing else on the page
def draw() -> None:
    """Draws the scene that the address names, and the way to the others."""
    with suppress(InputError):  # if the server has no room, the scenes that draw them show the message
        story_runs.recordings()  # started now, so that they are ready when they are played
    step = int(address_value("scene", 1, _as_step))
    present = bool(address_value("present", False, lambda text: as_option(text, (True, False))))
    navigation.show([_(scene.title) for scene in scenes.SCENES], step - 1, present, _go, key="slides")
    scene = scenes.SCENES[step - 1]
    with st.container(key="story-title"):
        st.header(_(scene.title), anchor=False)
    with st.container(key="story-scene"):
        left, right = st.columns([2, 3], gap="large")
    with left:
        words = st.container(key="story-words")
        try:
            sentences = scene.draw(right.container(key="story-picture"))
        except InputError as error:
            st.error(plain(i18n.error(error)), icon=":material/tune:")
            return
        for sentence in sentences:
            words.markdown(sentence.replace("<", "\\<"))
    if scene.asks:
        asking.folded("story", scene.asks, lambda: _question(scene.asks))


def _question(answer: str) -> Asking:
    """Returns the question of the bank that is answered so, with its new case."""
    step = next(step for step in bank(i18n.current_language()) if step.answer == answer)
    assert step.asked is not None and step.new is not None
    return Asking(asking.of_bank(step.asked), step.because, asking.of_bank(step.new))


def _as_step(text: str) -> int | None:
    """Parses a step of the address, from 1; None if there is no such step."""
    step = as_number(text, whole=True)
    return int(step) if step is not None and 1 <= step <= len(scenes.SCENES) else None


def _go(step: int, present: bool) -> None:
    set_next("scene", step + 1)
    set_next("present", present)
