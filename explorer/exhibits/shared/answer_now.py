"""The answers of models to one row after a step, in large type."""

from collections.abc import Mapping
from html import escape

import streamlit as st

from explorer.i18n import _
from explorer.learning.plan import TrainingPlan
from explorer.learning.snapshots import Snapshot
from transformer_core.data.tasks import CopyTask
from transformer_core.data.vocabulary import before_end


def draw(plan: TrainingPlan, seen: Mapping[str, Snapshot], row: int) -> None:
    """Draws the source, and below each title the answer and whether it is right. `row`: of the probe, counts from 0.

    Where only one answer is right, each wrong token is marked; a sentence may have several right answers.
    """
    source, _answer = words(plan, next(iter(seen.values())), row)
    asked = " ".join(f"<span>{escape(token)}</span>" for token in source)
    lines = [f"<p><i>{escape(_('asked'))}</i> <span class=tokens>{asked}</span></p>"]
    for title, snapshot in seen.items():
        _source, answer = words(plan, snapshot, row)
        wrong = _wrong(plan, snapshot, row)
        written = " ".join(f"<b{' class=wrong' if i in wrong else ''}>{escape(token)}</b>" for i, token in enumerate(answer))
        verdict, kind = (_("✓ right"), "is-right") if snapshot.right[row] else (_("✗ not right"), "is-wrong")
        tokens = f"<span class=tokens>{written or '…'}</span>"
        lines.append(f'<p class="{kind}"><i>{escape(title)}</i> {tokens} <em>{escape(verdict)}</em></p>')
    st.html(f'<div class="answer-now">{"".join(lines)}</div>')


def words(plan: TrainingPlan, seen: Snapshot, row: int) -> tuple[list[str], list[str]]:
    """Returns the tokens of the source, and those of the answer: without padding, and up to the end."""
    vocabulary = plan.task.vocabulary
    src, decoded = (
        vocabulary.decode(i for i in before_end(ids[row].tolist(), vocabulary.end) if i != vocabulary.pad)
        for ids in (seen.probe.src, seen.decoded)
    )
    return src, decoded[vocabulary.end is not None :]  # the start token is a symbol of the row where there is no end


def _wrong(plan: TrainingPlan, seen: Snapshot, row: int) -> set[int]:
    """Returns which tokens of an answer differ from the only right one, the start token being the first."""
    if not isinstance(plan.task, CopyTask):
        return set()
    given, right = seen.decoded[row, 1:].tolist(), seen.probe.labels[row].tolist()
    return {i for i, (token, label) in enumerate(zip(given, right, strict=True), 1) if token != label}
