"""The model's answer to one row, as it is after a step, in large type."""

from html import escape

import streamlit as st

from explorer.i18n import _
from explorer.training.plan import TrainingPlan
from explorer.training.snapshots import Snapshot
from transformer_core.data.tasks import CopyTask
from transformer_core.data.vocabulary import before_end


def draw(plan: TrainingPlan, seen: Snapshot, row: int) -> None:
    """Draws the source, the answer and whether it is right. `row`: of the probe, counts from 0.

    Where only one answer is right, each wrong token is marked; a sentence may have several right answers.
    """
    source, answer = words(plan, seen, row)
    wrong = _wrong(plan, seen, row) if isinstance(plan.task, CopyTask) else set()
    marked = " ".join(
        f'<b class="wrong">{escape(token)}</b>' if i in wrong else f"<b>{escape(token)}</b>" for i, token in enumerate(answer)
    )
    asked = " ".join(f"<span>{escape(token)}</span>" for token in source)
    verdict = _("✓ right") if seen.right[row] else _("✗ not right")
    kind = "is-right" if seen.right[row] else "is-wrong"
    asks, writes = escape(_("asked")), escape(_("writes"))
    line = f"<i>{asks}</i> {asked} <i>{writes}</i> {marked or '…'} <em>{escape(verdict)}</em>"
    st.html(f'<div class="answer-now {kind}"><p class="said">{line}</p></div>')


def words(plan: TrainingPlan, seen: Snapshot, row: int) -> tuple[list[str], list[str]]:
    """Returns the tokens of the source, and those of the answer: without padding, and up to the end."""
    vocabulary = plan.task.vocabulary
    src, decoded = (
        vocabulary.decode(i for i in before_end(ids[row].tolist(), vocabulary.end) if i != vocabulary.pad)
        for ids in (seen.probe.src, seen.decoded)
    )
    return src, decoded[vocabulary.end is not None :]  # the start token is a symbol of the row where there is no end


def _wrong(plan: TrainingPlan, seen: Snapshot, row: int) -> set[int]:
    """Returns which tokens of an answer differ from the right one, the start token being the first."""
    given, right = seen.decoded[row, 1:].tolist(), seen.probe.labels[row].tolist()
    return {i for i, (token, label) in enumerate(zip(given, right, strict=True), 1) if token != label}
