"""The training page: what to learn and how, the run on screen, its buttons, and what can be taken home or brought along."""

import secrets
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from explorer import contents, server
from explorer.controls import choose, knobs, number, open_model, pick_name, slider
from explorer.server.browser_token import browser_token
from explorer.state import config
from explorer.training.plan import TrainingPlan
from explorer.training.run import TrainingRun
from explorer.training.run_history import Status
from explorer.training.task_titles import TASK_TITLES
from explorer.words import _
from transformer_core import TASKS, CopyTask, Recipe, ReverseTask, SortTask, checkpoint
from transformer_core.data.corpora import CORPORA
from transformer_core.training.checkpoint import Checkpoint, CheckpointError
from transformer_core.training.trainer import OPTIMISERS

_NUMBER_TASKS = {kind.name: kind for kind in (CopyTask, ReverseTask, SortTask)}


def settings() -> TrainingPlan | None:
    """What to learn and how, from the page's knobs and the shared ones; None, with one clear sentence, where that cannot be."""
    words = _("Numbers to say again, sentences to answer, or sums, which want two layers and learned positions (Variant).")
    kind = pick_name("task", _("What to learn"), list(TASKS), {name: _(title) for name, title in TASK_TITLES.items()}, words)
    with st.expander(_("How to learn it"), icon=":material/tune:"):
        task, rate, rest = st.columns(3)
    with task:
        if kind not in CORPORA:
            symbols = slider("symbols", _("different symbols"), 2, 50, 10, _("The numbers 1 to this one. More are harder."))
            length = slider("length", _("length of a row"), 2, 32, 10, _("How many numbers it has to say; the first is given."))
        target = slider(
            "goal", _("target, in % of the rows"), 50, 100, 99, _("Training stops when so many are answered without a slip.")
        )
        batch = slider("batch_size", _("rows per step (batch)"), 4, 256, 32, _("How many are shown before each correction."), 4)
    with rate:
        peak = number(
            "rate", _("highest learning rate"), 3e-3, "%.5f", _("How far a correction goes. Too high: nothing is learned.")
        )
        warmup = slider("warmup", _("warm-up steps"), 1, 1000, 30, _("Corrections start small and grow for so many steps."))
        clip = number("clip", _("longest gradient"), 1.0, "%.2f", _("A longer correction is shortened to this."))
        smoothing = slider(
            "smoothing", _("label smoothing"), 0.0, 0.3, 0.0, _("Share of the target spread over all; 0.1 in the paper."), 0.05
        )
    with rest:
        steps = slider("steps", _("steps at most"), 50, 5000, 1000, _("Training stops here at the latest."), 50)
        optimiser = choose(
            "optimiser", _("optimiser"), OPTIMISERS, help=_("adam gives every number its own pace; sgd does not.")
        )
        about = _("auto takes a graphics card when there is one. On cuda, wide models (512) multiply in half precision.")
        device = choose("device", _("device"), ["auto", "cpu", "cuda", "mps"], help=about)
    try:
        shared = knobs()
        recipe = Recipe(
            steps=steps, batch_size=batch, rate=peak, warmup=warmup, optimiser=optimiser, clip=clip, label_smoothing=smoothing,
            seed=shared.seed, device=device,
        )  # fmt: skip
        task_chosen = TASKS[kind]() if kind in CORPORA else _NUMBER_TASKS[kind](symbols + 1, length)
        plan = TrainingPlan(config(shared, task_chosen.vocab), task_chosen, recipe, target / 100)
        plan.check()
    except ValueError as error:
        st.error(str(error), icon=":material/tune:")
        return None
    return plan


def session() -> str:
    """This browser tab, as the server knows it: a viewer of runs."""
    context = get_script_run_ctx()
    return context.session_id if context else "alone"


def owner() -> str:
    """This browser, which owns the runs that it starts; where it has no token, this visit has one."""
    return browser_token() or st.session_state.setdefault("_owner", secrets.token_urlsafe(16))


def keep_run() -> None:
    """Keeps the run of this session alive and in the address bar, on whichever page: a reload finds it again."""
    run_id = st.session_state.setdefault("_run", st.query_params.get("run"))
    if run_id and server.training_scheduler().get(run_id, session()) is not None:
        st.query_params["run"] = run_id


def current_run() -> TrainingRun | None:
    """The run of this session, or the one that the link names (its owner steers it, others watch)."""
    run_id = st.session_state.get("_run") or st.query_params.get("run")
    run = server.training_scheduler().get(run_id, session()) if run_id else None
    if run is None and run_id:
        st.warning(_("The run in this link is no longer on the server: runs end soon after their last window is closed."))
        st.session_state["_run"] = None
        st.query_params.pop("run", None)
    return run


def start(plan: TrainingPlan) -> None:
    """Starts a run in place of the one before."""
    scheduler = server.training_scheduler()
    old = st.session_state.get("_run")
    before = scheduler.get(old, session()) if old else None
    try:
        run = scheduler.add(TrainingRun(plan, owner()), instead_of=before if before and before.owner == owner() else None)
    except ValueError as error:
        st.session_state["_refused"] = str(error)
        return
    st.session_state["_run"] = st.query_params["run"] = run.id


def go_back(run: TrainingRun, step: int, pause: bool) -> None:
    """Lets a run go back to a step and on from there, or wait there."""
    try:
        server.training_scheduler().rewind(run, step, pause)
    except ValueError as error:
        st.session_state["_refused"] = str(error)


def buttons(run: TrainingRun | None, plan: TrainingPlan | None) -> None:
    """Start, pause, step, stop and reset; only what makes sense now can be pressed."""
    if refused := st.session_state.pop("_refused", None):
        st.error(refused, icon=":material/hourglass_top:")
    if run is not None and run.owner != owner():
        st.info(
            _("This run belongs to another browser; here you can watch it. **Start anew** makes one of your own."),
            icon=":material/visibility:",
        )
    mine = run is not None and run.owner == owner()
    status = run.status if run is not None else None
    row = st.container(horizontal=True)

    def button(label: str, icon: str, action: Callable[[], None], enabled: bool, primary: bool = False) -> None:
        kind: Literal["primary", "secondary"] = "primary" if primary else "secondary"
        row.button(label, icon=f":material/{icon}:", on_click=action, disabled=not enabled, type=kind, key=f"button-{icon}")

    def turn(switch: str) -> Callable[[], None]:
        def action() -> None:
            assert run is not None
            getattr(run, switch)()
            server.training_scheduler().wake(run)

        return action

    def begin() -> None:
        assert plan is not None
        start(plan)

    def again() -> None:
        assert run is not None
        start(run.plan)

    button(_("Start") if run is None else _("Start anew"), "play_circle", begin, plan is not None, primary=run is None)
    if status == Status.PAUSED:
        button(_("Go on"), "play_arrow", turn("play"), mine, primary=True)
    else:
        button(_("Pause"), "pause", turn("pause"), mine and status == Status.RUNNING)
    button(_("One step"), "skip_next", turn("step_once"), mine and status in (Status.RUNNING, Status.PAUSED))
    button(_("Stop"), "stop", turn("stop"), mine and status in (Status.RUNNING, Status.PAUSED))
    button(_("Reset"), "replay", again, mine)
    row.caption(_("Reset starts the same run again: same seed, same numbers."))


def in_line(run: TrainingRun) -> bool:
    """Whether a run waits for its turn, and says so."""
    position = server.training_scheduler().queue_position(run)
    if position is not None:
        words = _("Many runs are under way on this server: this one is number {n} in line, and goes on by itself.")
        st.info(words.format(n=position), icon=":material/hourglass_top:")
    return position is not None


def take_home(run: TrainingRun) -> None:
    """The model as it is now: open it on the other pages, or download it."""
    if run.status == Status.RUNNING or run.history().step == 0:
        return
    row = st.container(horizontal=True)
    if row.button(_("Open on Heads"), icon=":material/view_module:", type="primary", on_click=_open, args=(run,)):
        _go("heads")
    if row.button(_("Open on Attention"), icon=":material/footprint:", on_click=_open, args=(run,)):
        _go("attention")
    row.download_button(
        _("Download the model"), partial(run.checkpoint, training=True), file_name=f"{run.plan.task.name}-{run.id}.safetensors",
        icon=":material/download:", mime="application/octet-stream", on_click="ignore",
    )  # fmt: skip


def _open(run: TrainingRun) -> None:
    try:
        open_model(server.model_store().add(run.checkpoint()).id)
    except CheckpointError as error:  # the weights of a run that failed may not be numbers any more
        st.session_state["_refused"] = _("This model cannot be opened: {error}.").format(error=error)


def _go(page: str) -> None:
    if "_refused" in st.session_state:
        st.rerun()
    contents.switch(page, kind="cross")


def upload(plan: TrainingPlan | None) -> None:
    """A model that was downloaded here, or saved by `python -m transformer_core train --out`: to open, and to train on."""
    with st.expander(_("Open a model file"), icon=":material/upload_file:"):
        file = st.file_uploader(_("a .safetensors file that was saved here"), type="safetensors", key="upload")
        if file is None:
            return
        try:
            loaded, stored = checkpoint.from_bytes(file.getvalue()), server.model_store().add(file.getvalue())
        except CheckpointError as error:
            st.error(_("This file cannot be opened: {error}.").format(error=error), icon=":material/error:")
            return
        st.success(stored.name)
        row = st.container(horizontal=True)
        if row.button(_("Open on Heads"), key="open-upload", on_click=open_model, args=(stored.id,)):
            contents.switch("heads", kind="cross")
        if loaded.training is not None and plan is not None:
            row.button(
                _("Go on training"), icon=":material/play_arrow:", key="go-on", on_click=start, args=(_onward(loaded, plan),)
            )
            words = _("Its training stopped after step {n:,}. It resumes there, up to the target and the steps set above.")
            st.caption(words.format(n=loaded.training.state.step))


def _onward(loaded: Checkpoint, plan: TrainingPlan) -> TrainingPlan:
    """The training that a file was saved in the midst of, up to where the page's knobs say."""
    assert loaded.training is not None
    recipe = replace(loaded.training.recipe, steps=plan.recipe.steps)
    return TrainingPlan(loaded.model.cfg, loaded.training.task, recipe, plan.target, loaded)
