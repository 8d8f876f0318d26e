"""What a model is to learn of somebody's own: pairs, or a text; the field for it, and the plan."""

from dataclasses import replace

import streamlit as st

from explorer.exhibits.sentences import pairs_field, text_field
from explorer.exhibits.shared import how_long, run_controls
from explorer.i18n import _
from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.session import current, runs
from explorer.ui import more, pickers
from explorer.ui.widgets import choose, drop_file, slider
from transformer_core.data.pairs import as_lines
from transformer_core.data.tasks import OwnTask, PairsTask, TextTask
from transformer_core.training.learning_plan import own_plan

_WIDTHS = (32, 64, 128)  # d_model
_DROPOUTS = (0.0, 0.1, 0.2, 0.3, 0.4)


def draw(task: OwnTask | None) -> TrainingPlan | None:
    """Draws the field, folded if a run on screen learns `task`. Returns how a model would learn what is in the field; None,
    after the reason, if none can.
    """
    session = current()
    if isinstance(task, PairsTask):  # where the page was loaded anew
        session.pairs = session.pairs or as_lines(task.pairs)
    if isinstance(task, TextTask):
        session.own_text = session.own_text or "\n".join(task.lines)
    with st.expander(_("What it learns"), expanded=task is None, icon=":material/table_rows:"):
        titles = {"pairs": _("a sentence and its answer"), "text": _("a text, word by word")}
        usual = "text" if isinstance(task, TextTask) else "pairs"
        is_text = choose("learns", _("learn"), [*titles], titles, default=usual) == "text"
        return text_field.draw(_planned) if is_text else pairs_field.draw(_planned)


def can_clear(run: TrainingRun | None) -> bool:
    """Returns whether there is anything of one's own to clear."""
    return runs.is_mine(run) if run is not None else bool(f"{current().pairs}{current().own_text}".strip())


def clear() -> None:
    """Clears the field, and ends the run, with its result (call it in a callback)."""
    session, run = current(), runs.current_run()
    if run is not None and isinstance(run.plan.task, OwnTask):
        runs.remove(run)
    session.pairs = session.own_text = session.asked = ""
    session.controls.remembered["from_room"] = ""
    drop_file("pairs-file")
    drop_file("text-file")


def _planned(task: OwnTask) -> TrainingPlan:
    """Draws how long it takes. Returns the usual plan, unless somebody has chosen another seed, size or dropout. Raises
    InputError where it is too large.
    """
    usual = own_plan(task, seed=0)
    with more.controls():
        seed = slider("pairs_seed", _("seed"), 0, 20, 0)
    with more.controls(), pickers.line():
        width = choose("pairs_width", _("d_model"), _WIDTHS, default=usual.cfg.d_model)
        dropout = choose("pairs_dropout", _("dropout"), _DROPOUTS, default=usual.cfg.dropout)
    cfg = replace(usual.cfg, d_model=width, dropout=dropout)
    plan = TrainingPlan(cfg, task, replace(usual.recipe, seed=seed), usual.target)
    plan.check()
    st.markdown(f":material/timer: {how_long.words(plan, run_controls.is_watched(None))[0]}")
    return plan
