"""From what the model computes to what it says: in training, step by step, and with several answers at once."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from explorer import document, state
from explorer.sections.beam_tree import beam_tree
from explorer.sections.step_by_step import step_by_step
from explorer.sections.two_lanes import two_lanes
from explorer.words import _

view = document.opening_of_model(
    _("Decoding"),
    _(
        "The model says one word at a time, and reads what it has said before it says the next: this is **decoding**. "
        "In training it is handed the right answer instead, so that a slip at the start does not spoil the rest of the lesson."
    ),
)


def part(draw: Callable[[state.View], None]) -> None:
    try:
        draw(view)
    except ValueError as error:  # a model from a file may say ids that its source side, or the label, does not know
        st.error(str(error), icon=":material/tune:")


document.parts(
    {
        _("Two lanes"): partial(part, two_lanes),
        _("Step by step"): partial(part, step_by_step),
        _("Beam search"): partial(part, beam_tree),
    }
)
