"""The answers of models to one row after a step, in large type."""

from collections.abc import Mapping
from html import escape

import numpy as np
import streamlit as st

from explorer.i18n import _
from explorer.learning.plan import TrainingPlan
from explorer.learning.snapshots import Snapshot
from transformer_core.data.tasks import CopyTask, has_source
from transformer_core.data.vocabulary import before_end


def draw(plan: TrainingPlan, seen: Mapping[str, Snapshot], row: int) -> None:
    """Draws the source, and below each title the answer and whether it is right. `row`: of the probe, counts from 0.

    Where only one answer is right, each wrong token is marked; a sentence may have several right answers. Of a decoder alone,
    the tokens that count stand there, each as the model writes it behind the right ones before.
    """
    source, _answer = words(plan, next(iter(seen.values())), row)
    asked = " ".join(f"<span>{escape(token)}</span>" for token in source)
    lines = [f"<p><i>{escape(asked_title(plan))}</i> <span class=tokens>{asked}</span></p>"]
    for title, snapshot in seen.items():
        _source, answer = words(plan, snapshot, row)
        wrong = _wrong(plan, snapshot, row)
        written = " ".join(f"<b{' class=wrong' if i in wrong else ''}>{escape(token)}</b>" for i, token in enumerate(answer))
        verdict, kind = verdict_of(snapshot, row), "is-right" if snapshot.right[row] else "is-wrong"
        tokens = f"<span class=tokens>{written or '…'}</span>"
        lines.append(f'<p class="{kind}"><i>{escape(title)}</i> {tokens} <em>{escape(verdict)}</em></p>')
    st.html(f'<div class="answer-now">{"".join(lines)}</div>')


def asked_title(plan: TrainingPlan) -> str:
    return _("asked") if has_source(plan.task) else _("reads")


def verdict_of(seen: Snapshot, row: int) -> str:
    """Says whether a row is right, or how many of its tokens that count."""
    if seen.probe.judged is None:
        return _("✓ right") if seen.right[row] else _("✗ not right")
    labels, judged = (each[row].numpy() for each in (seen.probe.labels, seen.probe.judged))
    words = _("✓ {right} of {n} right") if seen.right[row] else _("{right} of {n} right")
    return words.format(right=int((seen.decoded[row, 1:] == labels)[judged].sum()), n=int(judged.sum()))


def words(plan: TrainingPlan, seen: Snapshot, row: int) -> tuple[list[str], list[str]]:
    """Returns the tokens of the source, and those of the answer: without padding, and up to the end. Of a decoder alone, its
    text up to the first token that it decides, and what the model writes for each that it decides."""
    vocabulary = plan.task.vocabulary
    if seen.probe.judged is not None:
        judged = seen.probe.judged[row].numpy()
        before = seen.probe.tgt[row, : int(judged.argmax()) + 1].tolist()
        return vocabulary.decode(before[1:] or before), vocabulary.decode(seen.decoded[row, 1:][judged].tolist())
    src, decoded = (
        vocabulary.decode(i for i in before_end(ids[row].tolist(), vocabulary.end) if i != vocabulary.pad)
        for ids in (seen.probe.src, seen.decoded)
    )
    return src, decoded[vocabulary.end is not None :]  # the start token is a symbol of the row where there is no end


def _wrong(plan: TrainingPlan, seen: Snapshot, row: int) -> set[int]:
    """Returns which tokens of an answer differ from the only right one, the start token being the first."""
    if seen.probe.judged is not None:
        judged = seen.probe.judged[row].numpy()
        return {*np.flatnonzero((seen.decoded[row, 1:] != seen.probe.labels[row].numpy())[judged]).tolist()}
    if not isinstance(plan.task, CopyTask):
        return set()
    given, right = seen.decoded[row, 1:].tolist(), seen.probe.labels[row].tolist()
    return {i for i, (token, label) in enumerate(zip(given, right, strict=True), 1) if token != label}
