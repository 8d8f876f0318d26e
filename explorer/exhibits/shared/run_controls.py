"""The buttons of a run: start, pause, resume, one step, stop, reset."""

from collections.abc import Callable
from typing import Literal

import streamlit as st

from explorer import i18n, resources
from explorer.exhibits.shared import cookies, run_status
from explorer.i18n import _
from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import OVER, Status
from explorer.learning.saved_runs import SavedRun
from explorer.learning.slow_motion import seconds_at
from explorer.learning.task_titles import task_title
from explorer.session import current, runs
from explorer.session.address import as_option
from explorer.ui.format import plain
from explorer.ui.widgets import address_value, linked_switch

_WATCHED_STEPS = 50  # the help of the switch says how long these take in slow motion


def notes(run: TrainingRun | None) -> None:
    """Draws the notes above the buttons: a refusal, a run to go back to, and whose run is on screen."""
    if (refused := current().take_notice()) is not None:
        st.error(plain(i18n.error(refused)), icon=":material/hourglass_top:")
    if (left := runs.unwatched()) is not None:
        _offer_back(left)
    elif run is None and (saved := runs.interrupted()) is not None:
        _offer(saved)
    else:
        run_status.gone_note(run)
    cookies.note()
    if run is not None and not runs.is_mine(run):
        st.info(
            _("This run belongs to another browser; you can watch it here. **New run** starts one of your own."),
            icon=":material/visibility:",
        )


def _offer_back(left: TrainingRun) -> None:
    """Offers the owner to go back to a run that no window shows."""
    words = _("A run of yours is still here, at step {n:,}: {task}.")
    words = words.format(task=plain(task_title(left.plan.task.name)), n=left.history().step)
    remove = resources.training_scheduler().remove_run
    with st.container(key="left", horizontal=True, vertical_alignment="center"):
        st.info(words, icon=":material/undo:", width="stretch")
        st.button(_("Back to it"), type="primary", key="take-up", on_click=runs.show, args=(left,))
        st.button(_("Discard it"), type="tertiary", key="forget-left", on_click=remove, args=(left,))


def _offer(saved: SavedRun) -> None:
    """Offers the owner to resume a run that was saved before a restart of the server."""
    if saved.step:
        words = _("Your run was interrupted. Its state after step {n:,} was saved: {task}.")
    else:
        words = _("Your run was interrupted when it had just begun: {task}. It can begin again, with the same numbers.")
    label = _("Go on from step {n:,}").format(n=saved.step) if saved.step else _("Begin again")
    with st.container(key="cut-off", horizontal=True, vertical_alignment="center"):
        st.info(words.format(task=plain(task_title(saved.task)), n=saved.step), icon=":material/restart_alt:", width="stretch")
        st.button(
            label,
            icon=":material/play_arrow:",
            type="primary",
            key="go-on-saved",
            on_click=runs.resume,
            args=(saved, is_watched(None)),
        )
        st.button(_("Discard it"), type="tertiary", key="forget-saved", on_click=resources.saved_runs().forget, args=(saved,))


def draw(
    run: TrainingRun | None,
    plan: TrainingPlan | None,
    whole: bool = True,
    *,
    clear: Callable[[], None] | None = None,
    can_clear: bool = False,
) -> None:
    """Draws the buttons; those that make no sense now are disabled. `whole`: all of them; else one pauses and resumes. `clear`:
    what *Reset* calls, if it `can_clear`; None: the same run begins anew.

    Each is always there with the same key: a new one would take the focus from whoever pressed it by keyboard.
    """
    mine = run is not None and runs.is_mine(run)
    status = run.status if run is not None else None
    under_way = mine and status in (Status.RUNNING, Status.PAUSED)

    watched = is_watched(run)

    def button(label: str, icon: str, action: Callable[[], None], enabled: bool, primary: bool = False) -> None:
        kind: Literal["primary", "secondary"] = "primary" if primary else "secondary"
        st.button(label, icon=f":material/{icon}:", on_click=action, disabled=not enabled, type=kind, key=f"button-{icon}")

    def begin() -> None:
        assert plan is not None
        runs.start(plan, watched)

    def again() -> None:
        assert run is not None
        runs.start(run.plan, watched)

    button(_("Start") if run is None else _("New run"), "play_circle", begin, plan is not None, primary=True)
    if whole:
        button(_("Pause"), "pause", _switch(run, TrainingRun.pause), mine and status == Status.RUNNING)
        button(_("Resume"), "play_arrow", _switch(run, TrainingRun.play), mine and status == Status.PAUSED)
        button(_("One step"), "skip_next", _switch(run, TrainingRun.step_once), under_way)
        button(_("Stop"), "stop", _switch(run, TrainingRun.stop), under_way)
        button(_("Reset"), "replay", clear or again, mine if clear is None else can_clear)
    elif status == Status.PAUSED:
        button(_("Resume"), "pause", _switch(run, TrainingRun.play), mine)
    else:
        button(_("Pause"), "pause", _switch(run, TrainingRun.pause), mine and status == Status.RUNNING)
    help = _(
        "On: the steps are taken so slowly that one can watch the pictures change; the first {n} take about {s:.0f} "
        "seconds. Off: as fast as the server can go. The numbers are the same."
    ).format(n=_WATCHED_STEPS, s=seconds_at(_WATCHED_STEPS))
    linked_switch("slow_motion", _("slow motion"), watched, _take_pace, help)


def is_watched(run: TrainingRun | None) -> bool:
    """Returns whether the run is in slow motion: the visitor's choice, or else only until a first run is over."""
    seen = any(past.status in OVER for past in resources.training_scheduler().compared(run, runs.owner()))
    return address_value("pace", "fast" if seen else "slow", lambda text: as_option(text, ("fast", "slow"))) == "slow"


def _take_pace(slow: bool) -> None:
    current().controls.remembered["pace"] = "slow" if slow else "fast"
    run = runs.current_run()
    if run is not None and runs.is_mine(run):
        run.watched = slow
        resources.training_scheduler().wake_run(run)


def _switch(run: TrainingRun | None, turn: Callable[[TrainingRun], None]) -> Callable[[], None]:
    def action() -> None:
        assert run is not None
        turn(run)
        resources.training_scheduler().wake_run(run)

    return action
