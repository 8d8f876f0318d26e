"""The runs of a window beside one another: a table, their curves, and two of them at the same step."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from explorer import contents, document, lab, runs
from explorer.controls import choose, pick, slider
from explorer.figures.lines import overlaid
from explorer.figures.matrix import matrices, matrix
from explorer.runs import PastRun, Snapshot, Status, limits
from explorer.runs.comparison import common_steps, differences, reached, smallest
from explorer.runs.shelf import TITLES
from explorer.sections.seen import attention_seen
from explorer.sections.watching import STATUS
from explorer.turns import fragment
from explorer.words import _
from transformer_core.accounting import count_by_formula

GOAL = 0.99  # the share of rows answered without a slip that counts as having got there
_POLL = 1.0  # seconds between two looks at a run under way


def comparing() -> None:
    """All that can be said of this window's runs."""
    run = lab.current_run()
    if not runs.scheduler().compared(run, lab.session()):
        st.info(
            _(
                "Nothing has been trained in this window yet. Press **Start** on the page Training, turn one knob in the "
                "sidebar, press **Start anew**, and come back: both stand here."
            ),
            icon=":material/play_circle:",
        )
        contents.link("training", _("Train the first one, in seconds"))
        return
    polling = run is not None and run.status == Status.RUNNING

    @fragment(run_every=_POLL if polling else None)
    def overview() -> None:
        found = runs.scheduler().compared(run, lab.session())
        _table(found)
        _curves(found)
        if polling and run is not None and run.status != Status.RUNNING:
            st.rerun()

    overview()
    _side_by_side(runs.scheduler().compared(run, lab.session()))


def name(run: PastRun) -> str:
    return _("run {n}").format(n=run.number)


def _what(run: PastRun, first: PastRun) -> str:
    """What was chosen: of the first run its task and sizes, of the others what they have instead."""
    if run is first:
        words = _("{task}; d_model {d}, heads {h}, layers {n}, seed {s}")
        cfg, recipe = run.plan.cfg, run.plan.recipe
        task = TITLES.get(run.plan.task.name, run.plan.task.name)
        return words.format(task=task, d=cfg.d_model, h=cfg.n_heads, n=cfg.n_layers, s=recipe.seed)
    changed = differences(first.plan, run.plan)
    if not changed:
        return _("the same as {run}").format(run=name(first))
    return ", ".join(f"{key} {value:g}" if isinstance(value, float) else f"{key} {value}" for key, value in changed.items())


def _table(found: Sequence[PastRun]) -> None:
    rows = []
    for run in found:
        there = reached(run.history, GOAL)
        exact = run.history.exact_match
        rows.append(
            {
                _("run"): run.number,
                _("what it has"): _what(run, found[0]),
                _("parameters"): count_by_formula(run.plan.cfg),
                _("steps to {goal:.0%}").format(goal=GOAL): there[0] if there else None,
                _("seconds to {goal:.0%}").format(goal=GOAL): round(there[1], 2) if there else None,
                _("exact at the end, %"): None if exact is None else round(100 * exact, 1),
                _("steps in all"): run.history.step,
                _("it is"): STATUS[run.history.status],
            }
        )
    st.dataframe(rows, hide_index=True, column_config={_("parameters"): st.column_config.NumberColumn(format="localized")})
    document.reading(
        _(
            "a line is a run. Of the first it says what it was, of the others in what they differ from it. Seconds are those "
            "of its own steps, not of waiting between them; on a busy machine each step takes longer. An empty cell: it never "
            "got there."
        )
    )
    if (least := smallest(found, GOAL)) is not None:
        words = _("The fewest parameters that reached {goal:.0%} here: {n:,}, in {run}.")
        st.success(words.format(goal=GOAL, n=count_by_formula(least.plan.cfg), run=name(least)), icon=":material/compress:")
    else:
        st.caption(_("None of these has reached {goal:.0%} yet.").format(goal=GOAL))


def _curves(found: Sequence[PastRun]) -> None:
    left, right = st.columns(2)
    losses = {name(run): (run.history.steps, run.history.loss) for run in found}
    last = "; ".join(f"{title}: {values[-1]:.3f}" for title, (_at, values) in losses.items())
    with left:
        document.figure(
            overlaid(losses, x_title=_("step"), y_title=_("loss (nats per token)"), alt=last),
            "compare-loss",
            _("how surprised each is by the right answer, step by step; lower is better."),
        )
    exact = {name(run): (looks[:, 0], looks[:, 1]) for run in found if len(looks := run.history.looks)}
    if not exact:
        return
    last = "; ".join(f"{title}: {values[-1]:.1%}" for title, (_at, values) in exact.items())
    with right:
        document.figure(
            overlaid(exact, x_title=_("step"), y_title=_("answers exactly right"), alt=last),
            "compare-exact",
            _("the share of unseen rows that each answers without a slip: which one rises first?"),
        )


def _side_by_side(found: Sequence[PastRun]) -> None:
    """Attention of two runs at the same step, on one scale, and what one has more than the other."""
    document.section(_("Two of them at the same step"))
    if len(found) < 2:
        st.caption(_("Train a second one: the first one's history stays here, and so do those of the last {n}.").format(
            n=limits.PAST_RUNS))  # fmt: skip
        contents.link("training")
        return
    labels = [name(run) for run in found]
    first, second, which = st.columns(3)
    with first:
        one = found[pick("compare_one", _("one"), labels, len(found) - 2)]
    with second:
        other = found[pick("compare_other", _("the other"), labels, len(found) - 1)]
    pair = (one, other)
    with which:
        crossing = all(run.plan.cfg.cross_attention for run in pair)
        kind = choose("compare_kind", _("attention on a fixed row"), ["cross", "encoder", "decoder"][not crossing :])
    kept = common_steps(one.history, other.history)
    heads = min(run.plan.cfg.n_heads for run in pair)
    left, right = st.columns(2)
    with left:
        chosen = max(kept)
        if len(kept) > 1:
            pace = one.plan.recipe.evaluate_every
            chosen = slider("compare_step", _("step"), min(kept), max(kept), max(kept), _("Both after so many steps."), pace)
    with right:
        head = pick("compare_head", _("head"), [_("average of all"), *(_("head {i}").format(i=i) for i in range(heads))])
    step = min(kept, key=lambda at: abs(at - chosen))
    _attention(pair, kept[step], kind, head - 1, step)


def _attention(pair: Sequence[PastRun], seen: Sequence[Snapshot], kind: str, head: int, step: int) -> None:
    """Two matrices, and where they are about the same row, their difference. `head` -1 is the average of all."""
    drawn = [attention_seen(run.plan, snapshot, kind, -1) for run, snapshot in zip(pair, seen, strict=True)]
    values = [each.weights.mean(axis=0) if head < 0 else each.weights[head] for each in drawn]  # (query, key)
    names = [name(run) for run in pair]
    if drawn[0].words != drawn[1].words:
        for i, place in enumerate(st.columns(2)):
            with place:
                st.markdown(f"**{names[i]}**")
                picture = matrix(values[i], valid=drawn[i].valid, **drawn[i].words)
                document.figure(
                    picture, f"compare-{i}", _("the last layer after step {n:,}; one scale for both.").format(n=step)
                )
        st.caption(_("They were tried on different rows (another task or seed), so that cell by cell there is no difference."))
        return
    valid, words = drawn[0].valid & drawn[1].valid, drawn[0].words  # the same row, though one may see what is to come
    document.figure(
        matrices(values, names=names, valid=np.stack([each.valid for each in drawn]), wide=2, size=340, **words),
        "compare-both",
        _("the last layer of each after step {n:,}, on the same row and on one scale from 0 to 1.").format(n=step),
    )
    document.figure(
        matrix(values[1] - values[0], signed=True, valid=valid, **words),
        "compare-difference",
        _("what {other} gives to a word more than {one} does; where it gives less, the number is below 0.").format(
            one=names[0], other=names[1]
        ),
    )
