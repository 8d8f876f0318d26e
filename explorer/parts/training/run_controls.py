"""The buttons of a run: start, pause, resume, one step, stop, reset."""

from collections.abc import Callable
from typing import Literal

import streamlit as st

from explorer import i18n, server
from explorer.i18n import _
from explorer.session import current, runs
from explorer.training.plan import TrainingPlan
from explorer.training.run import TrainingRun
from explorer.training.run_history import Status
from explorer.ui.format import plain


def draw(run: TrainingRun | None, plan: TrainingPlan | None) -> None:
    """Only what makes sense now can be pressed."""
    if (refused := current().take_notice()) is not None:
        st.error(plain(i18n.error(refused)), icon=":material/hourglass_top:")
    if run is None and current().run_id is not None:
        st.warning(
            _("The run in this link is no longer on the server: runs end soon after their last window is closed."),
            icon=":material/link_off:",
        )
    mine = run is not None and runs.is_mine(run)
    if run is not None and not mine:
        st.info(
            _("This run belongs to another browser; you can watch it here. **New run** starts one of your own."),
            icon=":material/visibility:",
        )
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
        button(_("Resume"), "play_arrow", _turn(run, "play"), mine, primary=True)
    else:
        button(_("Pause"), "pause", _turn(run, "pause"), mine and status == Status.RUNNING)
    button(_("One step"), "skip_next", _turn(run, "step_once"), under_way)
    button(_("Stop"), "stop", _turn(run, "stop"), under_way)
    button(_("Reset"), "replay", again, mine)
    row.caption(_("Reset starts the same run again: the same seed, the same numbers."))


def _turn(run: TrainingRun | None, switch: str) -> Callable[[], None]:
    def action() -> None:
        assert run is not None
        getattr(run, switch)()
        server.training_scheduler().wake(run)

    return action
