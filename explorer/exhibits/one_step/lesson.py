"""The sentence that the parts of this page learn from, and after which kept step they do."""

from typing import NamedTuple

import streamlit as st

from explorer import i18n
from explorer.i18n import _
from explorer.model_on_screen.one_step import kept_steps, lesson_of
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.one_step import StepChoices
from explorer.session import current, model_choice
from explorer.ui import document, pickers
from explorer.ui.widgets import choose
from transformer_core.errors import InputError
from transformer_core.model.config import TransformerConfig

_PICTURES = ".st-key-one-step-pictures"


class Lesson(NamedTuple):
    """What the parts of this page show.

    Attributes:
        shown: the model on screen; learner: the same after the chosen kept step, with the sentence and its right answer.
    """

    shown: ShownModel
    choices: StepChoices
    learner: ShownModel


def pick() -> Lesson | None:
    """Draws the choice of the kept step; None, after saying why, where nothing can be learned from what is on screen. Raises
    InputError for a model that cannot be shown."""
    shown = current().shown()
    steps = kept_steps(shown.learning)
    with pickers.line():
        titles = {step: f"{step:,}" if shown.learning.says_steps else _("an unknown number of steps") for step in steps}
        after = choose("one_step_after", _("one more step, after"), steps, titles)
    with document.notes():
        if (why := current().rerun.refused) is not None:
            document.refused_text(why, current().settings.src, model_choice.choose, _PICTURES)
        if shown.choice.is_changed:
            st.caption(_("This page shows the model without your cuts and changed weights."))
        if shown.learning.last == 0:
            st.caption(_("This model has learned nothing yet: its weights are random."))
    try:
        return Lesson(shown, StepChoices(after), lesson_of(shown, after))
    except InputError as error:
        st.info(i18n.error(error))
        return None


def table_of(cfg: TransformerConfig) -> str:
    """Names the table of embeddings that a tied output layer is."""
    if cfg.tie_embeddings == "output" and cfg.has_encoder:
        return _("the table of the decoder's embeddings")
    return _("the table of the embeddings")
