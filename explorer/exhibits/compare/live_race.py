"""A race of one's own: all three models, trained here and now, on one core of the server."""

import secrets

import streamlit as st

from explorer import i18n, resources
from explorer.exhibits.compare import race_findings, race_pictures
from explorer.exhibits.shared import run_status
from explorer.i18n import _
from explorer.learning.race import RacePlan, race_plan
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import Status
from explorer.session import current, run_all_again, runs
from explorer.ui import document
from explorer.ui.format import plain
from explorer.ui.fragment import fragment
from transformer_core.analysis.race_results import Scale, shipped_race

_POLL = 0.3  # seconds between two redraws while nobody else trains
_LONGEST = 10  # numbers of a row, for which somebody waits
_SEEDS = 10_000


def of(task: str, length: int) -> TrainingRun | None:
    """Returns this browser's race, if it is of this task and length."""
    run = runs.race()
    is_it = run is not None and isinstance(run.plan, RacePlan) and (run.plan.task.name, run.plan.length) == (task, length)
    return run if is_it else None


def buttons(run: TrainingRun | None, task: str, length: int) -> None:
    """Draws what begins a race, and what ends the one on screen."""
    if run is not None and not run.over:
        st.button(_("Stop"), key="stop-race", icon=":material/stop:", on_click=run.stop)
        return
    seconds = race_findings.seconds_of_all(shipped_race().rows, task, length)
    help = _("All three learn here and now, in turn on one core of the server: about {seconds:.0f} s where it is free.")
    if is_long := length > _LONGEST:
        help = _("With length {n} it takes about {seconds:.0f} s of a core of this server: choose a shorter one.")
    st.button(
        _("Run it now") if run is None else _("Another seed"),
        key="run-race",
        type="primary",
        icon=":material/play_arrow:",
        disabled=is_long,
        help=help.format(n=length, seconds=seconds),
        on_click=_begin,
        args=(task, length),
    )
    if run is not None:
        st.button(_("The recorded race"), key="end-race", type="tertiary", on_click=runs.end_race)


def _begin(task: str, length: int) -> None:
    runs.start_race(race_plan(task, length, secrets.randbelow(_SEEDS)))


def draw(run: TrainingRun, scale: Scale) -> None:
    """Draws the race under way, or as it ended."""
    status = run.status

    @fragment(run_every=None if run.over else run_status.poll_seconds(_POLL))
    def view() -> None:
        resources.training_scheduler().view_run(run.id, runs.viewer())  # keeps it alive while this window is open
        _say(run)
        race_pictures.curves({row.model: [row] for row in run.race()}, scale)
        if run.status != status:
            run_all_again()  # the whole page: other buttons can be pressed

    view()


def _say(run: TrainingRun) -> None:
    """Says what seed it is, and where it stands."""
    seed = _("A race of your own, with seed {n:,}.").format(n=run.plan.recipe.seed)
    with document.notes():
        run_status.queue_note(run)
        run_status.busy_note(run)
        if run.status is Status.FAILED:
            st.error(plain(i18n.error(run.history().message)), icon=":material/error:")
        elif run.given_up:
            st.info(" ".join((seed, _("It was stopped."))), icon=":material/stop:")
        elif not run.over:
            st.info(" ".join((seed, _("All three learn now, with equal time of one core."))), icon=":material/sprint:")
        else:
            st.success(seed, icon=":material/flag:")


def refused() -> None:
    """Says why no race could begin."""
    if (error := current().take_notice()) is not None:
        st.error(plain(i18n.error(error)), icon=":material/hourglass_top:")
