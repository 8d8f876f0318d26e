"""A model learns the visitor's own pairs of sentences within seconds; then every page can show it."""

import streamlit as st

from explorer.exhibits.sentences import pairs_field
from explorer.exhibits.shared import delete_model, model_files, pairs_learned, run_controls, run_progress
from explorer.i18n import _
from explorer.learning.run_history import Status
from explorer.session import runs
from explorer.ui import document, more
from transformer_core.data.tasks import PairsTask
from transformer_core.training.learning_plan import pairs_plan

document.opening(
    _("Your own sentences"),
    _("Bring pairs of sentences: two languages, a code, anything with a rule. A small model learns them while you watch."),
    _(
        "Five pairs are enough to begin, two hundred the most. With twenty sentences or more, up to a fifth is kept from "
        "training: only these can show that the model does more than remember. The pairs stay in this window, in the run, "
        "and in the files of its model; others see them only if you give them the address. **Reset** and **Delete this model** "
        "remove them."
    ),
)
run = runs.current_run()
own = run if run is not None and isinstance(run.plan.task, PairsTask) else None
with document.notes():
    run_controls.notes(run)
buttons = st.container(horizontal=True, gap="xsmall", vertical_alignment="center")
learning = st.container()
plan = pairs_field.draw(own)
with buttons:
    run_controls.draw(own, plan, clear=pairs_field.clear, can_clear=pairs_field.can_clear(own))
with learning:
    if own is not None:
        run_progress.draw(own)
    model_files.take_home(own)
    opened = st.container()
model_files.upload(plan)
with opened:
    delete_model.draw()
if own is not None and own.status in (Status.DONE, Status.STOPPED):
    document.details("answers", lambda: pairs_learned.draw(own))
more.draw()
document.the_code(PairsTask, pairs_plan)
