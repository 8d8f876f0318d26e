"""A model learns a task, live: choose, start, watch, open what it has learned."""

import streamlit as st

from explorer.exhibits.shared import run_controls
from explorer.exhibits.training import live_run, recipe_form, schedule
from explorer.i18n import _
from explorer.session import runs
from explorer.ui import document, more

document.opening(
    _("Training"),
    _("From random weights to a model that knows its task: each **step** nudges every weight to lower the **loss**."),
    _(
        "In each step the model is shown a batch of examples; the loss measures how far its predictions are from the right "
        "answers. Watch attention form."
    ),
)
run = runs.current_run()
with document.notes():
    run_controls.notes(run)
row = st.container(horizontal=True, gap="xsmall")
buttons = row.container(horizontal=True, gap="xsmall", width="content", vertical_alignment="center")
plan = recipe_form.draw(row)
with buttons:
    run_controls.draw(run, plan, more.is_on())
document.parts({live_run: _("Live run"), schedule: _("Schedule and smoothing")}, plan, run)
