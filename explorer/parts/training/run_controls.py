"""The buttons of a run: start, pause, resume, one step, stop, reset."""

from collections.abc import Callable
from typing import Literal

import streamlit as st

from explorer import i18n, server
from explorer.i18n import _
from explorer.parts.shared import live
from explorer.session import current, runs
from explorer.training.plan import TrainingPlan
from explorer.training.run import TrainingRun
from explorer.training.run_history import Status
from explorer.ui.format import plain


def notes(run: TrainingRun | None) -> None:
    """What a person should know before pressing anything: what was refused, and whose run this is."""
    if (refused := current().take_notice()) is not None:
        st.error(plain(i18n.error(refused)), icon=":material/hourglass_top:")
    live.gone_note(run)
    if run is not None and not runs.is_mine(run):
        st.info(
            _("This run belongs to another browser; you can watch it here. **New run** starts one of your own."),
            icon=":material/visibility:",
        )


def draw(run: TrainingRun | None, plan: TrainingPlan | None) -> None:
    """Only what makes sense now can be pressed."""
    mine = run is not None and runs.is_mine(run)
    status = run.status if run is not None else None
    under_way = mine and status in (Status.RUNNING, Status.PAUSED)
    row = st.container(horizontal=True)

    def button(label: str, icon: str, action: Callable[[], None], enabled: bool, primary: bool = False) -> None:
        kind: Literal["primary", "secondary"] = "primary" if primary else "secondary"
        row.button(label, icon=f":material/{icon}:", on_click=action, disabled=not enabled, type=kind, key=f"button-{icon}")

    def begin() -> None:
        assert plan is not None
        runs.start(plan)

    def again() -> None:
        assert run is not None
        runs.start(run.plan)

    button(_("Start") if run is None else _("New run"), "play_circle", begin, plan is not None, primary=run is None)
    if status == Status.PAUSED:
        button(_("Resume"), "play_arrow", _switch(run, TrainingRun.play), mine, primary=True)
    else:
        button(_("Pause"), "pause", _switch(run, TrainingRun.pause), mine and status == Status.RUNNING)
    button(_("One step"), "skip_next", _switch(run, TrainingRun.step_once), under_way)
    button(_("Stop"), "stop", _switch(run, TrainingRun.stop), under_way)
    button(_("Reset"), "replay", again, mine)


def _switch(run: TrainingRun | None, turn: Callable[[TrainingRun], None]) -> Callable[[], None]:
    def action() -> None:
        assert run is not None
        turn(run)
        server.training_scheduler().wake(run)

    return action
