"""A model learns the visitor's own pairs of sentences within seconds; then every page can show it."""

import streamlit as st

from explorer.exhibits.sentences import what_to_learn
from explorer.exhibits.shared import delete_model, model_files, pairs_learned, run_controls, run_progress, text_learned
from explorer.i18n import _
from explorer.learning.run_history import Status
from explorer.session import runs
from explorer.ui import document, more
from transformer_core.data.tasks import OwnTask, PairsTask, TextTask
from transformer_core.training.learning_plan import own_plan

document.opening(
    _("Your own sentences"),
    _("Bring pairs of sentences, or a text: anything with a rule. A small model learns it while you watch."),
    _(
        "Of pairs it learns the answers; of a text, each next word, with a decoder alone, as ChatGPT does. Five rows are "
        "enough to begin, two hundred the most. With twenty or more, up to a fifth is kept from training: only these can show "
        "that the model does more than remember. All of it stays in this window, in the run, and in the files of its model; "
        "others see them only if you give them the address. **Reset** and **Delete this model** remove them."
    ),
)
run = runs.current_run()
own = run if run is not None and isinstance(run.plan.task, OwnTask) else None
with document.notes():
    run_controls.notes(run)
buttons = st.container(horizontal=True, gap="xsmall", vertical_alignment="center")
learning = st.container()
plan = what_to_learn.draw(own.plan.task if own is not None else None)
with buttons:
    run_controls.draw(own, plan, clear=what_to_learn.clear, can_clear=what_to_learn.can_clear(own))
with learning:
    if own is not None:
        run_progress.draw(own)
    model_files.take_home(own)
    opened = st.container()
model_files.upload(plan)
with opened:
    delete_model.draw()
if own is not None and own.status in (Status.DONE, Status.STOPPED):
    learned = text_learned if isinstance(own.plan.task, TextTask) else pairs_learned
    document.details("answers", lambda: learned.draw(own))
more.draw()
document.the_code(PairsTask, TextTask, own_plan)
