"""The training page's moving parts: which run is on screen, its buttons, its live view, and what can be taken home."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from torch import Tensor

from explorer import contents, document, runs
from explorer.components.plot import show
from explorer.controls import choose, knobs, number, open_model, pick_name, slider
from explorer.figures.lines import training_curves
from explorer.figures.matrix import matrices
from explorer.runs import History, Plan, Run, Status
from explorer.runs.shelf import TITLES
from explorer.state import config, token_labels
from explorer.words import _
from transformer_core import TASKS, CopyTask, Recipe, ReverseTask, SortTask, checkpoint
from transformer_core.checkpoint import Checkpoint, CheckpointError
from transformer_core.measures import mask_tiles
from transformer_core.sentences import CORPORA
from transformer_core.training import OPTIMISERS

_POLL, _POLL_PAUSED = 0.2, 0.5  # seconds between two looks at a run under way

_NUMBER_TASKS = {kind.name: kind for kind in (CopyTask, ReverseTask, SortTask)}
_STATUS = {
    Status.RUNNING: _("learning"),
    Status.PAUSED: _("paused"),
    Status.DONE: _("finished"),
    Status.STOPPED: _("stopped"),
    Status.FAILED: _("failed"),
}


def settings() -> Plan | None:
    """What to learn and how, from the page's knobs and the shared ones; None, with one clear sentence, where that cannot be."""
    words = _("Numbers to say again, sentences to answer, or sums, which want two layers and learned positions (Variant).")
    kind = pick_name("task", _("What to learn"), list(TASKS), TITLES, words)
    with st.expander(_("How to learn it"), icon=":material/tune:"):
        task, rate, rest = st.columns(3)
    with task:
        if kind not in CORPORA:
            symbols = slider("symbols", _("different symbols"), 2, 50, 10, _("The numbers 1 to this one. More are harder."))
            length = slider("length", _("length of a row"), 2, 32, 10, _("How many numbers it has to say; the first is given."))
        goal = slider(
            "goal", _("goal, in % of the rows"), 50, 100, 99, _("Training stops when so many are answered without a slip.")
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
        device = choose(
            "device", _("device"), ["auto", "cpu", "cuda", "mps"], help=_("auto takes a graphics card when there is one")
        )
    try:
        shared = knobs()
        recipe = Recipe(
            steps=steps, batch_size=batch, rate=peak, warmup=warmup, optimiser=optimiser, clip=clip, label_smoothing=smoothing,
            seed=shared.seed, device=device,
        )  # fmt: skip
        task_chosen = TASKS[kind]() if kind in CORPORA else _NUMBER_TASKS[kind](symbols + 1, length)
        plan = Plan(config(shared, task_chosen.vocab), task_chosen, recipe, goal / 100)
        plan.check()
    except ValueError as error:
        st.error(str(error), icon=":material/tune:")
        return None
    return plan


def session() -> str:
    """This browser tab, as the server knows it."""
    context = get_script_run_ctx()
    return context.session_id if context else "alone"


def keep_run() -> None:
    """Keeps the run of this session alive and in the address bar, on whichever page: a reload finds it again."""
    run_id = st.session_state.setdefault("_run", st.query_params.get("run"))
    if run_id and runs.scheduler().get(run_id, session()) is not None:
        st.query_params["run"] = run_id


def current_run() -> Run | None:
    """The run of this session, or the one that the link names (its owner steers it, others watch)."""
    run_id = st.session_state.get("_run") or st.query_params.get("run")
    run = runs.scheduler().get(run_id, session()) if run_id else None
    if run is None and run_id:
        st.warning(_("The run in this link is no longer on the server: runs end soon after their last window is closed."))
        st.session_state["_run"] = None
        st.query_params.pop("run", None)
    return run


def start(plan: Plan) -> None:
    """Starts a run in place of the one before."""
    scheduler = runs.scheduler()
    old = st.session_state.get("_run")
    before = scheduler.get(old, session()) if old else None
    try:
        run = scheduler.add(Run(plan, session()), instead_of=before if before and before.owner == session() else None)
    except ValueError as error:
        st.session_state["_refused"] = str(error)
        return
    st.session_state["_run"] = st.query_params["run"] = run.id


def buttons(run: Run | None, plan: Plan | None) -> None:
    """Start, pause, step, stop and reset; only what makes sense now can be pressed."""
    if refused := st.session_state.pop("_refused", None):
        st.error(refused, icon=":material/hourglass_top:")
    if run is not None and run.owner != session():
        st.info(
            _("This run belongs to another window; here you can watch it. **Start anew** makes one of your own."),
            icon=":material/visibility:",
        )
    mine = run is not None and run.owner == session()
    status = run.status if run is not None else None
    row = st.container(horizontal=True)

    def button(label: str, icon: str, action: Callable[[], None], enabled: bool, primary: bool = False) -> None:
        kind: Literal["primary", "secondary"] = "primary" if primary else "secondary"
        row.button(label, icon=f":material/{icon}:", on_click=action, disabled=not enabled, type=kind, key=f"button-{icon}")

    def turn(switch: str) -> Callable[[], None]:
        def action() -> None:
            assert run is not None
            getattr(run, switch)()
            runs.scheduler().wake(run)

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


def live(run: Run) -> None:
    """The run on screen, looked at several times a second while it is under way."""
    polling, every = not run.over, _pace(run)

    @st.fragment(run_every=every if polling else None)
    def view() -> None:
        runs.scheduler().get(run.id, session())  # somebody is looking
        history = run.history()
        _headline(run, history)
        left, right = st.columns([2, 3], gap="large")
        with left:
            _curves(run, history)
        with right:
            _attention(run, history)
        _answers(run, history)
        if polling and (run.over or _pace(run) != every):
            st.rerun()  # once more as a whole: the buttons change, and the looking ends or takes another pace

    view()


def _pace(run: Run) -> float:
    """Seconds between two looks: the more runs share the workers, the less is new at each look, and looks take time as well."""
    shared = (max(runs.scheduler().crowd - 1, 0) // 4).bit_length()
    return (_POLL if run.status == Status.RUNNING else _POLL_PAUSED) * 2**shared


def in_line(run: Run) -> bool:
    """Whether a run waits for its turn, and says so."""
    place = runs.scheduler().place(run)
    if place is not None:
        words = _("Many runs are under way on this server: this one is number {n} in line, and goes on by itself.")
        st.info(words.format(n=place), icon=":material/hourglass_top:")
    return place is not None


def _headline(run: Run, history: History) -> None:
    goal, exact = run.plan.goal, history.exact_match
    in_line(run)
    status = _STATUS[history.status]
    if history.status == Status.FAILED:
        st.error(history.message, icon=":material/error:")
    elif history.status == Status.DONE and exact is not None and exact >= goal:
        words = _("Goal reached: {exact:.1%} of the rows answered exactly, after {n:,} steps and {s:.1f} seconds of compute.")
        st.success(words.format(exact=exact, n=history.step, s=history.seconds), icon=":material/flag:")
    elif history.status == Status.DONE:
        words = _(
            "All {n:,} steps are done, and the goal of {goal:.0%} was not reached: {exact:.1%}. Try more "
            "steps, another rate, or a larger model."
        )
        st.warning(words.format(n=history.step, goal=goal, exact=exact or 0.0), icon=":material/flag:")
    elif history.message:
        st.warning(history.message, icon=":material/timer_off:")
    else:
        words = _("Goal: {goal:.0%} of unseen rows answered without a slip · {status}").format(goal=goal, status=status)
        st.progress(min((exact or 0.0) / goal, 1.0), words)
    cells = (
        (_("step"), f"{history.step:,}"),
        (_("loss"), f"{history.loss[-1]:.3f}" if len(history.loss) else "–"),
        (_("exact"), f"{exact:.1%}" if exact is not None else "–"),
        (_("tokens per second"), f"{history.tokens_per_second:,.0f}" if len(history.loss) else "–"),
        (_("learning rate"), f"{history.learning_rate[-1]:.1e}" if len(history.loss) else "–"),
        (_("seconds of compute"), f"{history.seconds:.1f}"),
    )
    for column, (name, value) in zip(st.columns(len(cells)), cells, strict=True):
        column.metric(name, value)


def _curves(run: Run, history: History) -> None:
    guessing = math.log(run.plan.task.vocab - 1)
    picture = training_curves(
        history.steps, history.loss, history.looks, history.learning_rate, goal=run.plan.goal, guessing=guessing
    )
    document.figure(
        picture,
        "training-curves",
        _(
            "top: how surprised the model is by the right answer (lower is better). Middle: the share of unseen rows it "
            "answers without a slip. Bottom: how far each correction goes."
        ),
    )


def _attention(run: Run, history: History) -> None:
    look = history.look
    if look is None:
        st.caption(_("The first look at its attention comes after {n} steps.").format(n=run.plan.recipe.evaluate_every))
        return
    kind = choose("watch", _("attention on a fixed row"), ["cross", "encoder", "decoder"][not run.plan.cfg.cross_attention :])
    scope = {"cross": "cross_attn", "encoder": "self_attn", "decoder": "self_attn"}[kind]
    layer = run.plan.cfg.n_layers - 1
    stack = "encoder" if kind == "encoder" else "decoder"
    weights = look.weights[f"{stack}.{layer}.{scope}.weights"][0].numpy()
    tiles = mask_tiles(look.probe.src[0].tolist(), look.probe.tgt[0].tolist(), run.plan.task.pad_id, run.plan.cfg.causal)
    asks, asked = _labels(run, look.probe.tgt), _labels(run, look.probe.src)
    rows, columns = (asked if kind == "encoder" else asks), (asks if kind == "decoder" else asked)
    show(
        matrices(
            weights, names=[_("head {i}").format(i=i) for i in range(len(weights))], rows=rows, columns=columns,
            row_title=_("asks (query, {side})").format(side=stack),
            column_title=_("is asked (key, {side})").format(side="decoder" if kind == "decoder" else "encoder"),
            valid=tiles["target"] if kind == "decoder" else None, wide=2, size=230,
        ),
        "training-attention",
    )  # fmt: skip
    document.reading(
        _(
            "the last layer after step {n:,}. In “cross”, each row is the moment when the next word is to be said: has the "
            "model learned where in the source that word comes from, the row points there."
        ).format(n=history.look_step)
    )


def _labels(run: Run, ids: Tensor) -> list[str]:
    """Position and symbol of the first row of the probe."""
    return token_labels(run.plan.task.vocabulary.decode(ids[0].tolist()))


def _answers(run: Run, history: History) -> None:
    look = history.look
    if look is None:
        return
    vocabulary, labels = run.plan.task.vocabulary, look.probe.labels
    right = ((look.decoded[:, 1:] == labels) | (labels == vocabulary.pad)).all(dim=1).tolist()

    def words(ids: list[int]) -> str:
        """Up to the end token, and without padding."""
        ids = ids[: ids.index(vocabulary.end)] if vocabulary.end in ids else ids
        return " ".join(vocabulary.decode(i for i in ids if i != vocabulary.pad))

    st.dataframe(
        {
            _("it is shown"): [words(row) for row in look.probe.src.tolist()],
            _("it says"): [words(row[vocabulary.end is not None :]) for row in look.decoded.tolist()],
            _("right"): [_("✓ yes") if exact else _("✗ no") for exact in right],
        },
        hide_index=True,
    )


def take_home(run: Run) -> None:
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


def _open(run: Run) -> None:
    try:
        open_model(runs.shelf().add(run.checkpoint()).id)
    except CheckpointError as error:  # the weights of a run that failed may not be numbers any more
        st.session_state["_refused"] = _("This model cannot be opened: {error}.").format(error=error)


def _go(page: str) -> None:
    if "_refused" in st.session_state:
        st.rerun()
    contents.switch(page, kind="cross")


def upload(plan: Plan | None) -> None:
    """A model that was downloaded here, or saved by `python -m transformer_core train --out`: to open, and to train on."""
    with st.expander(_("Open a model file"), icon=":material/upload_file:"):
        file = st.file_uploader(_("a .safetensors file that was saved here"), type="safetensors", key="upload")
        if file is None:
            return
        try:
            loaded, stored = checkpoint.from_bytes(file.getvalue()), runs.shelf().add(file.getvalue())
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
            words = _(
                "Its training stopped after step {n:,}. It goes on as if it never had, up to the goal and the steps set above."
            )
            st.caption(words.format(n=loaded.training.state.step))


def _onward(loaded: Checkpoint, plan: Plan) -> Plan:
    """The training that a file was saved in the midst of, up to where the page's knobs say."""
    assert loaded.training is not None
    recipe = replace(loaded.training.recipe, steps=plan.recipe.steps)
    return Plan(loaded.model.cfg, loaded.training.task, recipe, plan.goal, loaded)
