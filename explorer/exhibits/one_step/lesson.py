"""The sentence that the parts of this page learn from, and after which kept step they do."""

import streamlit as st

from explorer.i18n import _
from explorer.model_on_screen.one_step import kept_steps, lesson_of
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.one_step import StepChoices
from explorer.session import current, model_choice
from explorer.ui import document, pickers
from explorer.ui.widgets import choose

_PICTURES = ".st-key-one-step-pictures"


def pick() -> tuple[ShownModel, StepChoices, ShownModel]:
    """Draws the choice of the kept step. Returns the model on screen, the choice, and the model after that step with the
    sentence and its right answer. Raises InputError as `lesson_of` does.
    """
    shown = current().shown()
    steps = kept_steps(shown.learning)
    with pickers.line():
        after = choose("one_step_after", _("one more step, after"), steps, {step: f"{step:,}" for step in steps})
    with document.notes():
        if (why := current().rerun.refused) is not None:
            document.refused_text(why, current().settings.src, model_choice.choose, _PICTURES)
        if shown.learning.step == 0 and shown.learning.last == 0:
            st.caption(_("This model has learned nothing yet, and one step from random weights moves next to nothing."))
    return shown, StepChoices(after), lesson_of(shown, after)
