"""A run as it was after any of its steps: one scrubber moves all pictures, and the run can go on from there."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from explorer import document
from explorer.components import scrubber
from explorer.controls import choose
from explorer.figures.lines import curves, training_curves
from explorer.figures.matrix import matrices, matrix
from explorer.lab import go_back, owner
from explorer.sections.seen import attention_seen
from explorer.state import token_labels
from explorer.training.run import TrainingRun
from explorer.training.run_history import RunHistory
from explorer.training.snapshots import Snapshot
from explorer.words import _
from transformer_core.analysis.alignment import aligned_places
from transformer_core.analysis.attention_metrics import first_aligned

_POINTS = 0.5  # share of a head's weight on the places that the words come from, at which it is said to point at them


def time_machine(run: TrainingRun, history: RunHistory) -> None:
    """The scrubber, and everything that it moves."""
    snapshots = history.snapshots
    if not snapshots:
        st.caption(_("The first picture comes in a moment."))
        return
    watched = _watched(run, len(snapshots[0].right))
    steps = [each.step for each in snapshots]
    jumps = [_first_right(snapshots, watched.row), *_pointing(run, snapshots, watched.row)]
    chosen = scrubber.show(steps, jumps, live=not run.over, key=f"scrubber-{run.id}-{run.branch}")
    seen = snapshots[-1] if chosen is None else next((s for s in reversed(snapshots) if s.step <= chosen), snapshots[0])
    left, right = st.columns([3, 2], gap="large")
    with left:
        _attention(run, seen, watched)
    with right:
        _curves(run, history, seen)
    _ways_on(run, history, None if chosen is None else seen.step)
    _answers(run, seen)
    left, right = st.columns([3, 2], gap="large")
    with left:
        _chances(run, seen, watched.row)
    with right:
        _gradients(snapshots, seen)


@dataclass(frozen=True)
class _Watched:
    """What of the model is looked at: a row of the probe, one of its attentions, a layer (from 0)."""

    row: int
    kind: str
    layer: int


def _watched(run: TrainingRun, rows: int) -> _Watched:
    cfg = run.plan.cfg
    places = st.container(horizontal=True, gap="large")
    with places:
        row = choose("sample", _("row"), list(range(1, rows + 1)), _("Rows that the model does not learn from."))
        kind = choose("watch", _("attention on this row"), ["cross", "encoder", "decoder"][not cfg.cross_attention :])
        layer = choose("layer_watched", _("layer"), list(range(cfg.n_layers, 0, -1))) if cfg.n_layers > 1 else 1
    return _Watched(row - 1, kind, layer - 1)


def _first_right(snapshots: Sequence[Snapshot], row: int) -> scrubber.Jump:
    step = next((each.step for each in snapshots if each.right[row]), None)
    return scrubber.Jump(_("first time right"), step)


def _pointing(run: TrainingRun, snapshots: Sequence[Snapshot], row: int) -> list[scrubber.Jump]:
    """The first moment at which a head of cross-attention points; nothing where the task has no places to point at."""
    places = aligned_places(run.plan.task, snapshots[0].probe)[row]
    if not run.plan.cfg.cross_attention or not places.any():
        return []
    names = [f"decoder.{layer}.cross_attn.weights" for layer in range(run.plan.cfg.n_layers)]
    weights = np.stack([np.concatenate([each.weights[name][row] for name in names]) for each in snapshots])
    found = first_aligned(weights, places, _POINTS)
    if found is None:
        return [scrubber.Jump(_("a head points"), None)]
    layer, head = divmod(found[1], run.plan.cfg.n_heads)
    return [scrubber.Jump(_("a head points (layer {l}, head {h})").format(l=layer + 1, h=head), snapshots[found[0]].step)]


def _ways_on(run: TrainingRun, history: RunHistory, step: int | None) -> None:
    """The run can go back to the step that was chosen, and go on or wait there."""
    row = st.container(horizontal=True, vertical_alignment="center")
    if run.owner == owner():
        for label, icon, pause in ((_("Go on from here"), "fork_right", False), (_("Back to this step"), "history", True)):
            there = step is None or step >= history.step
            if row.button(label, icon=f":material/{icon}:", key=f"button-{icon}", disabled=there) and step is not None:
                go_back(run, step, pause)
                st.rerun()  # as a whole: the run is under way again
    size = sum(each.nbytes for each in history.snapshots) / 2**20
    words = _(
        "{n} snapshots, {size:.1f} MB. From any of them the same run comes again, number for number; a run that waits at a "
        "step can be opened on the other pages as it was then."
    )
    row.caption(words.format(n=len(history.snapshots), size=size))


def _answers(run: TrainingRun, seen: Snapshot) -> None:
    vocabulary = run.plan.task.vocabulary

    def words(ids: list[int]) -> str:
        """Up to the end token, and without padding."""
        ids = ids[: ids.index(vocabulary.end)] if vocabulary.end in ids else ids
        return " ".join(vocabulary.decode(i for i in ids if i != vocabulary.pad))

    st.dataframe(
        {
            _("it is shown"): [words(row) for row in seen.probe.src.tolist()],
            _("it says"): [words(row[vocabulary.end is not None :]) for row in seen.decoded.tolist()],
            _("right"): [_("✓ yes") if right else _("✗ no") for right in seen.right],
        },
        hide_index=True,
    )


def _curves(run: TrainingRun, history: RunHistory, seen: Snapshot) -> None:
    guessing = math.log(run.plan.task.vocab - 1)
    document.figure(
        training_curves(
            history.steps, history.loss, history.evaluations, history.learning_rate, target=run.plan.target, guessing=guessing,
            at=seen.step,
        ),
        "training-curves",
        _(
            "top: how surprised the model is by the right answer (lower is better). Middle: the share of unseen rows it "
            "answers without a slip. Bottom: how far each correction goes. The upright line is the step shown."
        ),
    )  # fmt: skip


def _gradients(snapshots: Sequence[Snapshot], seen: Snapshot) -> None:
    """How long the gradient of every part was."""
    taken = [each for each in snapshots if not math.isnan(each.loss)]
    if len(taken) < 2:
        return
    lengths = {_part(name): np.array([each.gradient_norms[name] for each in taken]) for name in taken[0].gradient_norms}
    document.figure(
        curves(
            [each.step for each in taken], lengths, x_title=_("step"), y_title=_("gradient"), log_y=True, height=380,
            marks={_("shown"): seen.step},
        ),
        "training-gradients",
        _("how strongly each part of the model was asked to change (the length of its gradient), at the steps kept."),
    )  # fmt: skip


def _part(name: str) -> str:
    """`encoder.0` as people say it."""
    stack, _dot, layer = name.partition(".")
    if layer:
        return _("{stack} layer {n}").format(stack=stack, n=int(layer) + 1)
    return {
        "src_embedding": _("source table"),
        "tgt_embedding": _("target table"),
        "encoder_norm": _("encoder norm"),
        "decoder_norm": _("decoder norm"),
        "output": _("output"),
    }[name]


def _attention(run: TrainingRun, seen: Snapshot, watched: _Watched) -> None:
    drawn = attention_seen(run.plan, seen, watched.kind, watched.layer, watched.row)
    names = [_("head {i}").format(i=i) for i in range(len(drawn.weights))]
    document.figure(
        matrices(drawn.weights, names=names, valid=drawn.valid, wide=2, size=230, **drawn.words),
        "training-attention",
        _(
            "layer {layer} after step {n:,}. In “cross”, each row is the moment when the next word is to be said: has the "
            "model learned where in the source that word comes from, the row points there. A head is said to point when at "
            "least {share:.0%} of its weight lies there, on average over the words of this row."
        ).format(layer=watched.layer + 1, n=seen.step, share=_POINTS),
    )


def _chances(run: TrainingRun, seen: Snapshot, row: int) -> None:
    """How probable the model finds every word of the answer, in every place of it."""
    vocabulary = run.plan.task.vocabulary
    labels = [label for label in seen.probe.labels[row].tolist() if label != vocabulary.pad]
    words = list(dict.fromkeys(labels))
    chances = seen.probabilities[row, : len(labels)].astype(np.float32)  # (said, vocab)
    own = chances[:, words]
    document.figure(
        matrix(
            np.column_stack([own, np.clip(1 - own.sum(axis=1), 0, 1)]), rows=token_labels(vocabulary.decode(labels)),
            columns=[*vocabulary.decode(words), _("all others")], row_title=_("is to be said"), column_title=_("its chance"),
        ),
        "training-chances",
        _(
            "for each place of the answer, how probable the model finds the words of this answer after step {n:,}, given "
            "those before it. Once it knows the answer, every row has one dark cell, under its own word."
        ).format(n=seen.step),
    )  # fmt: skip
