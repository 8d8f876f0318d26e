"""The details folded below a run: its numbers, the learning rate, gradients, all answers and their probabilities."""

import math

import numpy as np
import streamlit as st

from explorer.exhibits.shared import answer_now
from explorer.figures.lines import curves
from explorer.figures.matrix import matrix
from explorer.i18n import _, share_text
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import RunHistory
from explorer.learning.snapshots import Snapshot
from explorer.ui import document
from explorer.ui.format import measure_name, small
from transformer_core.analysis.attention_map import token_labels
from transformer_core.data.tasks import has_source


def draw(run: TrainingRun, history: RunHistory, seen: Snapshot, row: int) -> None:
    """Draws all of it, for the step on screen. `row`: of the probe, counts from 0."""
    _numbers(run, history)
    _answers(run, seen)
    left, right = st.columns(2, gap="large")
    with left:
        _rates(history, seen)
    with right:
        _gradients(history, seen, run.plan.cfg.has_encoder)
    _probabilities(run, seen, row)


def _numbers(run: TrainingRun, history: RunHistory) -> None:
    """Draws the numbers of the last step. They stand below the figures, so that these are seen without scrolling."""
    right, stepped = history.evaluation, len(history.loss) > 0
    pace_help = _("Tokens of the answers, padding not counted, and time spent on steps alone, evaluations not counted.")
    clock_help = _("From the first step to the last, with all that the run waited for: slow motion, evaluations, other runs.")
    of_rows = _("Of {n:,} held-out sequences.") if run.plan.has_held_out else _("Of the {n:,} sequences that it learns from.")
    if not has_source(run.plan.task):
        pace_help = _("Tokens that count, and time spent on steps alone, evaluations not counted.")
        of_rows = _("Of the tokens that count in {n:,} held-out texts.")
        if not run.plan.has_held_out:
            of_rows = _("Of the tokens of the {n:,} lines that it learns from.")
    cells = (
        (_("step"), f"{history.step:,}", None),
        (_("loss"), f"{history.loss[-1]:.3f}" if stepped else "–", None),
        (
            measure_name(run.plan.task),
            share_text(right.exact_match, 1) if right else "–",
            of_rows.format(n=right.rows) if right else None,
        ),
        (_("tokens per second"), f"{history.tokens_per_second:,.0f}" if stepped else "–", pace_help),
        (_("learning rate"), small(history.learning_rate[-1], 2) if stepped else "–", None),
        (_("compute (seconds)"), f"{history.seconds:.1f}", None),
        (_("by the clock (seconds)"), f"{history.clock_seconds:.1f}", clock_help),
    )
    row = st.container(horizontal=True)
    for name, value, help in cells:
        row.metric(name, value, width=150, help=help)


def _answers(run: TrainingRun, seen: Snapshot) -> None:
    """Lists the answers to all rows of the probe."""
    rows = [answer_now.words(run.plan, seen, row) for row in range(len(seen.right))]
    right = [_("✓ yes") if each else _("✗ no") for each in seen.right]
    of_source = has_source(run.plan.task)
    if not of_source:
        right = [answer_now.verdict_of(seen, row) for row in range(len(rows))]
    st.dataframe(
        {
            (_("source") if of_source else _("text")): [" ".join(source) for source, _answer in rows],
            (_("decoded") if of_source else _("goes on with")): [" ".join(answer) for _source, answer in rows],
            _("right"): right,
        },
        hide_index=True,
    )


def _rates(history: RunHistory, seen: Snapshot) -> None:
    if len(history.steps):
        rates = np.minimum(history.learning_rate, np.finfo(np.float32).max)  # any rate can be typed
        document.picture(
            curves(
                history.steps,
                {_("learning rate"): rates},
                x_title=_("step"),
                y_title=_("learning rate"),
                height=380,
                grows=True,
                marks={_("shown"): seen.step},
            ),
            _("the learning rate of each step: how large the updates are."),
            "training-rate",
        )


def _gradients(history: RunHistory, seen: Snapshot, has_encoder: bool) -> None:
    taken = [each for each in history.snapshots if not math.isnan(each.loss)]
    if len(taken) < 2:
        return
    names = {name: _module(name) for name in taken[0].gradient_norms}
    if not has_encoder:
        names["tgt_embedding"] = _("embedding")
    norms = {names[name]: np.array([each.gradient_norms[name] for each in taken]) for name in taken[0].gradient_norms}
    document.picture(
        curves(
            [each.step for each in taken],
            norms,
            x_title=_("step"),
            y_title=_("gradient norm"),
            log_y=True,
            height=380,
            grows=True,
            marks={_("shown"): seen.step},
        ),
        _("the norm of the gradient for each part of the model, before clipping, on a logarithmic scale."),
        "training-gradients",
    )


def _module(name: str) -> str:
    """The title of a module of the model, such as `encoder.0`."""
    stack, _dot, layer = name.partition(".")
    if layer:
        return {"encoder": _("encoder layer {n}"), "decoder": _("decoder layer {n}")}[stack].format(n=layer)
    return {
        "src_embedding": _("source embedding"),
        "tgt_embedding": _("target embedding"),
        "encoder_norm": _("encoder norm"),
        "decoder_norm": _("decoder norm"),
        "output": _("output projection"),
    }[name]


def _probabilities(run: TrainingRun, seen: Snapshot, row: int) -> None:
    """Draws the probability of each token of the answer, at each of its positions."""
    vocabulary = run.plan.task.vocabulary
    labels = [label for label in seen.probe.labels[row].tolist() if label != vocabulary.pad]
    tokens = list(dict.fromkeys(labels))
    probabilities = seen.probabilities[row, : len(labels)].astype(np.float32)  # (position, vocab)
    own = probabilities[:, tokens]
    document.picture(
        matrix(
            np.column_stack([own, np.clip(1 - own.sum(axis=1), 0, 1)]),
            rows=token_labels(vocabulary.decode(labels)),
            columns=[*vocabulary.decode(tokens), _("all others")],
            row_title=_("right token"),
            column_title=_("predicted probability"),
        ),
        _(
            "a row is a position of the answer, a column one of its tokens; a cell is the probability that the model gives it "
            "there after step {n:,}, given the right tokens before (teacher forcing). A model that has learned the answer "
            "gives the right token of each row a probability near 1."
        ).format(n=seen.step)
        if has_source(run.plan.task)
        else _(
            "a row is a position of the text, a column one of its tokens; a cell is the probability that the model gives it "
            "there after step {n:,}, given the right tokens before. What the text does not decide nobody can know."
        ).format(n=seen.step),
        "training-probabilities",
    )
