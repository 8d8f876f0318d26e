"""The stage: one step of the story at a time, by the address bar."""

import streamlit as st

from explorer.components import slides
from explorer.sections.story import scenes


@st.fragment  # the next step concerns nothing else on the page
def stage() -> None:
    """Draws the step that the address names, and the way to the others."""
    scenes.recordings()  # they are ready by the time they are played
    step = _step()
    slides.show([each.title for each in scenes.STEPS], step, st.query_params.get("present") == "on", _go, key="slides")
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.header(scenes.STEPS[step].title, anchor=False)
        words = st.container(key="story-words")
        try:
            said = scenes.STEPS[step].play(right.container(key="story-picture"))
        except ValueError as error:
            st.error(str(error), icon=":material/tune:")
            return
        for sentence in said:
            words.markdown(sentence.replace("<", "\\<"))


def _step() -> int:
    """The step of the address, counted from 0; the first where it names none."""
    named = st.query_params.get("step", "1")
    return int(named) - 1 if named.isdecimal() and 1 <= int(named) <= len(scenes.STEPS) else 0


def _go(step: int, present: bool) -> None:
    st.query_params["step"] = str(step + 1)
    if present:
        st.query_params["present"] = "on"
    else:
        st.query_params.pop("present", None)
