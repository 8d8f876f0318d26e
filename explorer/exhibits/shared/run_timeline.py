"""A run at any of its recorded steps: one scrubber moves all pictures, and the run can resume from the step it shows."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import streamlit as st
import torch

from explorer.components import scrubber
from explorer.exhibits.shared import answer_now, run_details
from explorer.figures.lines import curves, training_curves
from explorer.i18n import _
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import STATUS_WORDS, RunHistory
from explorer.learning.snapshots import Snapshot
from explorer.model_on_screen.first_aligned import ALIGNED
from explorer.pictures.run_attention import Watched, run_attention
from explorer.programs.of_run import can_be_written
from explorer.session import run_all_again, runs
from explorer.ui import document, pickers
from explorer.ui.format import measure_name
from explorer.ui.widgets import choose, pressed
from transformer_core.analysis.alignment import telling_places
from transformer_core.analysis.attention_map import AttentionMap
from transformer_core.analysis.attention_metrics import first_aligned
from transformer_core.analysis.repeat_heads import scores_of
from transformer_core.data.tasks import PairsTask, RepeatTask, has_source, is_tested_on_training
from transformer_core.model.stages import attention_kinds, attention_path


def draw(run: TrainingRun, history: RunHistory) -> None:
    """Draws the scrubber; the answer, the attention and the curves at the step where it stands; and, folded, all else."""
    snapshots = history.snapshots
    if not snapshots:
        st.caption(_("The first figures appear in a moment."))
        return
    pictures = st.container()
    watched = _watched(run, len(snapshots[0].right))
    with pictures:
        step = _scrubber(run, history)
        seen = snapshots[-1] if step is None else next((s for s in reversed(snapshots) if s.step <= step), snapshots[0])
        answer_now.draw(run.plan, {_("writes"): seen}, watched.row)
        left, right = st.columns(2, gap="large")
        with left:
            _attention(run, seen, watched)
        with right:
            _curves(run, history, seen)
        if run.plan.task.name == RepeatTask.name:
            _repeating_heads(run, snapshots, seen)
    _resume(run, history, None if step is None else seen.step)
    document.details("run", lambda: run_details.draw(run, history, seen, watched.row))


def _watched(run: TrainingRun, rows: int) -> Watched:
    cfg = run.plan.cfg
    kinds = sorted(attention_kinds(cfg), key=lambda kind: kind != "cross")
    with st.container(horizontal=True, gap="medium"):
        help = _("Held out: the model is never trained on them.")
        if is_tested_on_training(run.plan.task):
            help = _("The model learns from them: there are too few to hold any out.")
        row = choose("sample", _("sequence"), list(range(1, rows + 1)), help=help)
        kind = choose("watch", _("attention"), kinds, pickers.kind_titles()) if len(kinds) > 1 else kinds[0]
        layers = range(cfg.n_layers)
        layer = choose("timeline_layer", _("layer"), layers, default=layers[-1]) if cfg.n_layers > 1 else 0
        titles: dict[Literal["mean", "each"], str] = {"mean": _("mean of all"), "each": _("each")}
        heads = choose("timeline_heads", _("heads"), [*titles], titles) if cfg.n_heads > 1 else "each"
    return Watched(row - 1, kind, layer, heads)


def _scrubber(run: TrainingRun, history: RunHistory) -> int | None:
    """Draws the scrubber, and returns the chosen step; None while it follows the run."""
    steps = [each.step for each in history.snapshots]
    curve = [(int(step), float(share)) for step, share in history.evaluations[:, :2]]
    jumps = [*scrubber.reached(curve, steps), *_first_aligned(run, history.snapshots)]
    track = scrubber.Track(steps, curve, jumps, live=not run.over, note=_note(run, history))
    return scrubber.show(track, key=f"scrubber-{run.id}-{run.branch}")


def _note(run: TrainingRun, history: RunHistory) -> str:
    """Says how far the run is from its target, while it is under way."""
    if run.over:
        return ""
    words = _("{status} · {exact:.1%} of {n} tested sequences right, target {target:.0%}")
    if run.watched:
        words = _(
            "{status} in slow motion, {compute:.1f} s of compute in {clock:.0f} s · {exact:.1%} of {n} tested sequences "
            "right, target {target:.0%}"
        )
    if not has_source(run.plan.task):
        words = _("{status} · {exact:.1%} of the tokens that count in {n} texts are right, target {target:.0%}")
        if run.watched:
            words = _(
                "{status} in slow motion, {compute:.1f} s of compute in {clock:.0f} s · {exact:.1%} of the tokens that "
                "count in {n} texts are right, target {target:.0%}"
            )
    return words.format(
        status=_(STATUS_WORDS[history.status]),
        exact=history.exact_match or 0.0,
        n=run.plan.evaluated_on,
        target=run.plan.target,
        compute=history.seconds,
        clock=history.clock_seconds,
    )


def _first_aligned(run: TrainingRun, snapshots: Sequence[Snapshot]) -> list[scrubber.Jump]:
    """Returns a jump to the first step at which a head of cross-attention follows the answer, or one without a step if none
    does; no jump if the task has no alignment."""
    places = telling_places(run.plan.task, snapshots[0].probe)  # (row, query, key)
    if not run.plan.cfg.cross_attention or not places.any():
        return []
    names = [attention_path("cross", layer).stage("weights") for layer in range(run.plan.cfg.n_layers)]
    every = np.stack([np.concatenate([each.weights[name] for name in names], axis=1) for each in snapshots])
    weights = every.swapaxes(1, 2)  # (moment, head, row, query, key)
    found = first_aligned(
        weights.reshape(*weights.shape[:2], -1, weights.shape[-1]), places.reshape(-1, places.shape[-1]), ALIGNED
    )
    title = scrubber.follows(run.plan.task.name)
    if found is None:
        return [scrubber.Jump(title, None)]
    layer, head = divmod(found[1], run.plan.cfg.n_heads)
    title = _("{title} (layer {layer}, head {head})").format(title=title, layer=layer, head=head)
    return [scrubber.Jump(title, snapshots[found[0]].step)]


def _resume(run: TrainingRun, history: RunHistory, step: int | None) -> None:
    """Draws the buttons that take the run back to the chosen step, to go on or wait there."""
    row = st.container(horizontal=True, vertical_alignment="center")
    if runs.is_mine(run):
        for label, icon, pause in ((_("Resume from here"), "fork_right", False), (_("Back to this step"), "history", True)):
            there = step is None or step >= history.step
            key = f"button-{icon}"
            if pressed(label, place=row, icon=f":material/{icon}:", key=key, disabled=there) and step is not None:
                runs.go_back(run, step, pause)
                run_all_again()  # the whole page: the run is under way again
    size = sum(each.nbytes for each in history.snapshots) / 2**20
    words = _(
        "{n} snapshots, {size:.1f} MB. Resuming from one of them repeats the same run, step for step. To open the model as it "
        "was then on other pages, go **back to this step** first."
    )
    row.caption(words.format(n=len(history.snapshots), size=size))


def _curves(run: TrainingRun, history: RunHistory, seen: Snapshot) -> None:
    document.picture(
        training_curves(
            history.steps,
            history.loss,
            history.evaluations,
            target=run.plan.target,
            guessing=run.plan.guessing_loss,
            at=seen.step,
            right=measure_name(run.plan.task),
        ),
        _(
            "top: the share of the tested sequences answered without an error. Below: the training loss, which is lower when "
            "the right token gets a higher probability. The vertical line marks the step shown."
        )
        if has_source(run.plan.task)
        else _(
            "top: the share right of the tokens that count in the tested texts. Below: the training loss, of these tokens "
            "alone, which is lower when the right token gets a higher probability. The vertical line marks the step shown."
        ),
        "training-curves",
        run=run.id if can_be_written(run.plan) else "",
    )


def _repeating_heads(run: TrainingRun, snapshots: Sequence[Snapshot], seen: Snapshot) -> None:
    """Draws the largest share of attention that a head gives, after each recorded step, to the two places of repeating."""
    cfg, probe = run.plan.cfg, seen.probe
    paths = [attention_path("decoder", layer).stage("weights") for layer in range(cfg.n_layers)]
    weights = [torch.from_numpy(np.stack([each.weights[path] for path in paths]).swapaxes(1, 2)).float() for each in snapshots]
    scores = [scores_of(each, probe, run.plan.task.pad_id) for each in weights]  # (layer, head, row, query, key) each
    series = {
        _("the letter before"): np.array([each.before.max() for each in scores]),
        _("what came after"): np.array([each.after.max() for each in scores]),
    }
    assert probe.judged is not None
    document.picture(
        curves(
            [each.step for each in snapshots],
            series,
            x_title=_("step"),
            y_title=_("share of attention"),
            markers=True,
            height=240,
            marks={_("shown"): float(seen.step)},
            grows=True,
        ),
        _(
            "the head that gives most of its attention to the letter before it, and the head that gives most, in the "
            "repetition, to what came after the same letter the last time; here on few letters, {n} in {rows} held-out rows."
        ).format(n=int(probe.judged.sum()), rows=len(probe.tgt)),
        "training-repeat-heads",
    )


def _attention(run: TrainingRun, seen: Snapshot, watched: Watched) -> None:
    attention = seen.attention_map(run.plan, watched.kind, watched.layer, watched.row)
    words = how_to_read(attention, seen.step, watched.heads == "mean")
    if isinstance(run.plan.task, PairsTask) and watched.kind == "cross":
        looking = _("A token that it looks at need not be the one that it translates: cut the line on Heads, and see.")
        words = f"{words} {looking}"
    document.picture(
        run_attention(run.plan, seen, watched),
        words,
        "training-attention",
        film=watched.address(run),
    )


def how_to_read(attention: AttentionMap, step: int, is_mean: bool) -> str:
    """Says what the picture of a run's attention after a step shows: the mean of all heads, or each."""
    words = {
        "cross": _(
            "cross-attention in layer {layer} after step {n:,}, {heads}, while the decoder is given the right answer. A row is "
            "the token that should come next; its weights on the source tokens add up to 1."
        ),
        "encoder": _(
            "the encoder's self-attention in layer {layer} after step {n:,}, {heads}. Each row is a query; its weights add up "
            "to 1."
        ),
        "decoder": _(
            "the decoder's self-attention in layer {layer} after step {n:,}, {heads}. Each row is a query; its weights add up "
            "to 1. Grey cells with × are masked."
        )
        if not attention.allowed.all()
        else _(
            "the decoder's self-attention in layer {layer} after step {n:,}, {heads}. Each row is a query; its weights add up "
            "to 1."
        ),
    }[attention.kind]
    heads = _("the mean of {n} heads").format(n=attention.n_heads) if is_mean else _("each head by itself")
    return words.format(layer=attention.layer, n=step, heads=heads)
