"""The training runs of this visitor: the one on screen, and those that are started from here.

A run belongs to the browser that started it, known by a cookie of ours, and not to a window: whoever reloads a page keeps the
runs, and whoever watches by a link stays a watcher.
"""

from explorer import resources
from explorer.learning.ablations import AblationPair
from explorer.learning.plan import TrainingPlan
from explorer.learning.race import RacePlan
from explorer.learning.run import TrainingRun
from explorer.learning.saved_runs import SavedRun
from explorer.runtime.browser_token import BrowserToken, browser_token
from explorer.session.session import Notice, current
from explorer.streamlit_patches import script_run
from transformer_core.errors import InputError


def viewer() -> str:
    """This window, as the server knows it."""
    return script_run.session_id() or "alone"


def owner() -> str:
    """Returns the id of this browser, from its cookie; that of the window if there is no cookie."""
    return browser_token() or viewer()


def keeps_cookies() -> bool:
    """True if this browser is recognised after a reload. One that has not kept our cookie keeps none of Streamlit's either,
    which then takes no file from it.
    """
    return browser_token() is not None or not BrowserToken.given


def keep_alive() -> None:
    """Tells the server, on any page, that somebody still has the run on screen."""
    run_id = current().run_id
    if run_id:
        resources.training_scheduler().view_run(run_id, viewer())


def current_run() -> TrainingRun | None:
    """Returns the run of this visitor, or the one that the link names: its owner controls it, others watch."""
    run_id = current().run_id
    return resources.training_scheduler().view_run(run_id, viewer()) if run_id else None


def is_mine(run: TrainingRun) -> bool:
    return run.owner == owner()


def start(plan: TrainingPlan, watched: bool = False, resumed: SavedRun | None = None) -> None:
    """Starts a run in place of the one before (call it in a callback). `watched`: slow enough to be watched; `resumed`: the
    interrupted run that the plan continues.
    """
    session, before = current(), current_run()
    instead_of = before if before is not None and is_mine(before) else None
    try:
        run = resources.training_scheduler().add_run(TrainingRun(plan, owner(), watched, lasts=True), instead_of, viewer())
    except InputError as error:
        session.notice = Notice("training", error)
        return
    session.run_id = run.id
    resources.saved_runs().follow(run, resumed)


def unwatched() -> TrainingRun | None:
    """Returns this browser's newest run that is under way but not on screen, while no other is on screen here."""
    if current_run() is not None:
        return None
    mine = [run for run in resources.training_scheduler().runs() if is_mine(run) and resources.saved_runs().follows(run)]
    return next((run for run in reversed(mine) if not _is_seen(run)), None)


def unwatched_pair() -> AblationPair | None:
    """Returns this browser's newest experiment that is not on screen, and whose two runs still exist."""
    mine = {run.id: run for run in resources.training_scheduler().runs() if is_mine(run)}
    for pair in [run.pair for run in reversed(mine.values())]:
        both = [mine.get(run_id) for run_id in (pair.baseline, pair.ablated)] if pair is not None else [None]
        if not any(run is None or _is_seen(run) for run in both):
            return pair
    return None


def race() -> TrainingRun | None:
    """Returns this browser's newest race; this window keeps it alive."""
    mine = [run for run in resources.training_scheduler().runs() if is_mine(run) and isinstance(run.plan, RacePlan)]
    return resources.training_scheduler().view_run(mine[-1].id, viewer()) if mine else None


def start_race(plan: RacePlan) -> None:
    """Starts a race in place of the one before (call it in a callback)."""
    try:
        resources.training_scheduler().add_run(TrainingRun(plan, owner()), race(), viewer())
    except InputError as error:
        current().notice = Notice("compare", error)


def end_race() -> None:
    """Ends this browser's race and forgets it (call it in a callback)."""
    if (run := race()) is not None:
        resources.training_scheduler().remove_run(run)


def _is_seen(run: TrainingRun) -> bool:
    return any(map(resources.is_open, list(run.viewers)))


def show(run: TrainingRun) -> None:
    """Shows a run (call it in a callback)."""
    current().run_id = run.id


def interrupted() -> SavedRun | None:
    """Returns this browser's newest run that was under way when the server ended, while none is on screen."""
    saved = resources.saved_runs().of(owner()) if current_run() is None else []
    return saved[0] if saved else None


def resume(saved: SavedRun, watched: bool = False) -> None:
    """Restarts an interrupted run from its last state (call it in a callback); `watched` as for `start`."""
    try:
        plan = resources.saved_runs().plan(saved)
    except (InputError, OSError):
        current().notice = Notice("training", InputError("The state of this run cannot be read any more. Start a new one."))
        resources.saved_runs().forget(saved)
        return
    start(plan, watched, resumed=saved)


def remove(run: TrainingRun) -> None:
    """Ends and forgets the run on screen (call it in a callback)."""
    resources.training_scheduler().remove_run(run)
    current().run_id = None


def go_back(run: TrainingRun, step: int, pause: bool) -> None:
    """Rewinds a run to a step, and continues from there or pauses."""
    try:
        resources.training_scheduler().rewind_run(run, step, pause)
    except InputError as error:
        current().notice = Notice("training", error)
        return
    resources.saved_runs().follow(run)  # a finished run no longer had a file
