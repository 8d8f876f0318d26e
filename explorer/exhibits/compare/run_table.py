"""A browser's runs of one task beside one another: a table, their curves, and two of them at the same step."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from explorer import limits, resources
from explorer.components import scrubber
from explorer.exhibits.compare import learned_curves
from explorer.exhibits.shared import run_charts, run_status
from explorer.figures.attention import attention_heatmap, axes_of
from explorer.figures.matrix import matrices, matrix
from explorer.i18n import _
from explorer.learning.comparison import common_steps, differences, reached, smallest
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import STATUS_WORDS, RunHistory, Status
from explorer.learning.snapshots import Snapshot
from explorer.learning.task_titles import task_title
from explorer.session import run_all_again, runs
from explorer.session.numbers import as_number
from explorer.ui import document, navigation, pickers
from explorer.ui.format import measure_name, right_words
from explorer.ui.fragment import fragment
from explorer.ui.setting_names import setting_words
from explorer.ui.widgets import address_value, choose, pick, set_next
from transformer_core import CopyTask, Task
from transformer_core.data.tasks import has_source
from transformer_core.model.stages import AttentionKind, attention_kinds
from transformer_core.training.cost import count_by_formula

TARGET = 0.99  # the exact match that counts as having learned the task
_END = -1  # the last step, in the address
_POLL = 1.0  # seconds between two redraws of a run under way


def draw() -> None:
    """Compares this browser's runs; before there are any, models that the app has."""
    _runs()
    document.details("run_table", _details)


def _details() -> None:
    document.try_this(
        _("Train twice and change only the **seed** (More settings): how far apart are two runs that differ in nothing else?"),
        _(
            "How small can the model be? Fix the **peak learning rate**, which follows from d_model, and halve d_model until "
            "it no longer reaches {target:.0%}."
        ).format(target=TARGET),
        _("Compare one head with four at the same width, after 50 steps and at the end."),
    )
    document.the_code(differences, reached)


def _runs() -> None:
    run = runs.current_run()
    run_status.gone_note(run)
    past_runs = resources.training_scheduler().compared(run, runs.owner())
    if not past_runs:
        learned_curves.draw()
        return
    task = _task(past_runs)
    _overview(run, task)
    _side_by_side(_of_task(run, task))


def _task(past_runs: Sequence[RunHistory]) -> Task:
    """Draws the choice of the task: steps and parameters can be compared within one task only."""
    tasks = list(dict.fromkeys(each.plan.task for each in past_runs))
    if len(tasks) == 1:
        return tasks[0]
    return tasks[pick("compare_task", _("task"), [_task_title(task) for task in tasks], tasks.index(past_runs[-1].plan.task))]


def _task_title(task: Task) -> str:
    title = task_title(task.name)
    if not isinstance(task, CopyTask):
        return title
    return _("{task} · {n} symbols, length {length}").format(task=title, n=task.vocab - 1, length=task.length)


def _of_task(run: TrainingRun | None, task: Task) -> list[RunHistory]:
    return [each for each in resources.training_scheduler().compared(run, runs.owner()) if each.plan.task == task]


def _overview(run: TrainingRun | None, task: Task) -> None:
    polling = any(each.status == Status.RUNNING for each in _of_task(run, task))

    @fragment(run_every=_POLL if polling else None)
    def view() -> None:
        past_runs = _of_task(run, task)
        _table(past_runs)
        run_charts.draw({_name(each): each for each in past_runs}, "compare")
        if polling and not any(each.status == Status.RUNNING for each in past_runs):
            run_all_again()

    view()


def _name(run: RunHistory) -> str:
    return _("run {n}").format(n=run.number)


def _settings(run: RunHistory, first: RunHistory) -> str:
    """Returns the first run's sizes, or in what another run differs from it."""
    if run is first:
        cfg = run.plan.cfg
        words = _("d_model {d}, heads {h}, layers {n}, seed {s}")
        return words.format(d=cfg.d_model, h=cfg.n_heads, n=cfg.n_layers, s=run.plan.recipe.seed)
    changed = differences(first.plan, run.plan)
    if not changed:
        return _("the same as {run}").format(run=_name(first))
    return _(", ").join(setting_words(name, value) for name, value in changed.items())


def _table(past_runs: Sequence[RunHistory]) -> None:
    rows, task = [], past_runs[0].plan.task
    for run in past_runs:
        there, right = reached(run, TARGET), run.evaluation
        rows.append(
            {
                _("run"): run.number,
                _("settings"): _settings(run, past_runs[0]),
                _("parameters"): count_by_formula(run.plan.cfg),
                _("steps to {target:.0%}").format(target=TARGET): there[0] if there else None,
                _("seconds to {target:.0%}").format(target=TARGET): round(there[1], 2) if there else None,
                measure_name(task): None if right is None else right_words(right.exact_match, right.rows, task),
                (_("of sequences") if has_source(task) else _("of texts")): None if right is None else right.rows,
                _("steps"): run.step,
                _("status"): _(STATUS_WORDS[run.status]),
            }
        )
    st.caption(_("Task: {task}").format(task=_task_title(past_runs[0].plan.task)))
    st.dataframe(rows, hide_index=True, column_config={_("parameters"): st.column_config.NumberColumn(format="localized")})
    document.caption(
        _(
            "a row is a run; all but the first show only what differs. Steps and seconds (of the steps alone) are those to the "
            "first evaluation with {target:.0%}, often a lucky one; empty: there was none. A run that ended by itself was then "
            "tested again, on other held-out sequences where there are any, and exact match is that of this test; of any other "
            "run it is that of the last evaluation. In brackets the 95% confidence interval of each: that two overlap shows "
            "neither that the runs are alike nor that they differ."
        ).format(target=TARGET)
        if has_source(task)
        else _(
            "a row is a run; all but the first show only what differs. Steps and seconds (of the steps alone) are those to the "
            "first evaluation with {target:.0%}, often a lucky one; empty: there was none. A run that ended by itself was then "
            "tested again, on other held-out texts, and the share right of the tokens that count is that of this test; "
            "of any other run it is that of the last evaluation."
        ).format(target=TARGET)
    )
    if least := smallest(past_runs, TARGET):
        words = _("The smallest model whose evaluation reached {target:.0%} here has {n:,} parameters: {runs}.").format(
            target=TARGET, n=count_by_formula(least[0].plan.cfg), runs=_(", ").join(map(_name, least))
        )
        st.success(words, icon=":material/compress:")
    else:
        st.caption(_("None of these runs has reached {target:.0%} yet.").format(target=TARGET))


def _side_by_side(past_runs: Sequence[RunHistory]) -> None:
    """Draws the attention of two runs at the same step, on one scale, and its difference."""
    document.section(_("Two runs at the same step"))
    if len(past_runs) < 2:
        words = _("Train a second model on this task. This run stays here: the last {n} are kept.")
        st.caption(words.format(n=limits.PAST_RUNS + 1))
        navigation.link("training")
        return
    labels = [_name(run) for run in past_runs]
    first, second, third, fourth = st.columns(4)
    with first:
        one = past_runs[pick("compare_one", _("one run"), labels, len(past_runs) - 2)]
    with second:
        other = past_runs[pick("compare_other", _("the other run"), labels, len(past_runs) - 1)]
    pair = (one, other)
    with third:
        every: tuple[AttentionKind, ...] = ("cross", "encoder", "decoder")
        kinds = [kind for kind in every if all(kind in attention_kinds(run.plan.cfg) for run in pair)]
        kind = choose("compare_kind", _("attention"), kinds, pickers.kind_titles()) if len(kinds) > 1 else kinds[0]
    both = common_steps(one, other)
    if not both:
        st.info(_("No step of the two runs was kept of both."))
        return
    heads = min(run.plan.cfg.n_heads for run in pair)
    titles = [_("average of all heads"), *(_("head {i}").format(i=i) for i in range(heads))]
    with fourth:
        head = pick("compare_head", _("head"), titles) - 1
    step = _step(pair, list(both))
    _attention(pair, both[step], kind, None if head < 0 else head, step)


def _step(pair: Sequence[RunHistory], steps: Sequence[int]) -> int:
    """Draws the slider of the steps that both runs have kept, and returns the chosen one."""

    def move(step: int | None) -> None:
        set_next("compare_step", _END if step is None else step)

    chosen = int(address_value("compare_step", _END, lambda text: as_number(text, whole=True)))
    jumps = [jump for run in pair for jump in _reached(run, steps)]
    # The curves of both stand above, on one scale.
    at = scrubber.show(
        scrubber.Track(steps, jumps=jumps), None if chosen == _END else chosen, key="compare-steps", on_move=move
    )
    return steps[-1] if at is None else max((step for step in steps if step <= at), default=steps[0])


def _reached(run: RunHistory, steps: Sequence[int]) -> list[scrubber.Jump]:
    curve = [(int(step), float(share)) for step, share in run.evaluations[:, :2]]
    names = _("{run} · {moment}")
    return [scrubber.Jump(names.format(run=_name(run), moment=jump.name), jump.step) for jump in scrubber.reached(curve, steps)]


def _attention(pair: Sequence[RunHistory], seen: Sequence[Snapshot], kind: AttentionKind, head: int | None, step: int) -> None:
    """Draws two matrices and, if they are of one sequence, their difference. Head None: the mean of all."""
    maps = [snapshot.attention_map(run.plan, kind, -1, 0) for run, snapshot in zip(pair, seen, strict=True)]
    names = [_name(run) for run in pair]
    if maps[0].query_tokens != maps[1].query_tokens or maps[0].key_tokens != maps[1].key_tokens:
        words = _("the last layer after step {n:,}, on a scale from 0 to 1 for both runs.")
        for i, place in enumerate(st.columns(2)):
            with place:
                st.markdown(f"**{names[i]}**")
                document.picture(attention_heatmap(maps[i], head), words.format(n=step), f"compare-{i}")
        st.caption(
            _("The runs have different seeds, and so different held-out sequences: there is no cell-by-cell difference.")
        )
        return
    values = np.stack([each.mean() if head is None else each.weights[head] for each in maps])  # (run, query, key)
    axes = axes_of(maps[0])
    document.picture(
        matrices(values, names=names, valid=np.stack([each.allowed for each in maps]), wide=2, size=340, **axes),
        _("the last layer of each run after step {n:,}, on the same sequence and on one scale from 0 to 1.").format(n=step),
        "compare-both",
    )
    both = maps[0].allowed & maps[1].allowed  # the same sequence, though one model may have no causal mask
    document.picture(
        matrix(values[1] - values[0], signed=True, valid=both, **axes),
        _("the weight in {other} minus the weight in {one}: negative where {one} gives more.").format(
            one=names[0], other=names[1]
        ),
        "compare-difference",
    )
