"""Why a model did not learn its task: one reason, or what is seen of it, measured on the model itself."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from transformer_core.analysis.alignment import head_weights
from transformer_core.data.batch import Batch
from transformer_core.data.tasks import Task, has_source
from transformer_core.data.vocabulary import before_end
from transformer_core.model.decoding import greedy_decode
from transformer_core.model.masks import causal_mask
from transformer_core.model.stages import OUTPUT, attention_kinds, parse_stage
from transformer_core.model.trace import Trace
from transformer_core.model.transformer import Transformer
from transformer_core.training.cost import count_by_formula
from transformer_core.training.evaluation import rows_exact
from transformer_core.training.learned import Learned
from transformer_core.training.learning import stands_still

_ROWS = 200  # held-out rows behind each measurement
_SEED = 1
_WELL = 0.9  # share right from which there is nothing to explain
_WELL_JUDGED = 0.8  # the same of judged tokens, of which nobody may know all
_MOST = 0.5  # the share of rows for which a reason must hold
_ALIKE = 0.5  # share of the variance; in models that have learned it is about 0.8, without residual connections 0.1 to 0.3


@dataclass(frozen=True)
class Reason:
    """One sentence with the numbers that were measured, to be translated like an error, and where in the app it is explained.

    Attributes:
        cause: "diverged", "cross-attention", "causal-mask", "positions", "query", "residual", "too-short", or "unknown".
        page, part: ids, as the address has them.
    """

    template: str
    cause: str
    page: str
    part: str
    values: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.template.format(**self.values)


def why_not(learned: Learned) -> Reason | None:
    """Why a model is no better at its last step; None if most of what it answers is right.

    What its settings make impossible is measured; where they make nothing impossible, or where that is not what is found, the
    sentence says how far it got.
    """
    if learned.outcome == "diverged":
        return _diverged(learned)
    if learned.right >= (_WELL if has_source(learned.task) else _WELL_JUDGED):
        return None
    return _from_settings(learned) or _from_curve(learned)


def _from_settings(learned: Learned) -> Reason | None:
    cfg, task, model = learned.cfg, learned.task, learned.model(learned.last)
    batch = task.batch(_ROWS, torch.Generator().manual_seed(_SEED), held_out=True)
    n = len(batch.src)
    if cfg.has_encoder and not cfg.cross_attention and different_answers(model, task, batch) == 1:
        return Reason(
            "Without cross-attention nothing reaches the decoder: it gave the same answer to all {n} sources.",
            "cross-attention",
            "layers",
            "keys_and_values",
            {"n": n},
        )
    if not cfg.causal:
        seen, hidden = right_when_given(model, task, batch)
        if seen > hidden and batch.judged is not None:
            return Reason(
                "It has no causal mask: in {seen} of {n} texts all tokens that count are right when it sees what "
                "comes later, in {hidden} when that is hidden.",
                "causal-mask",
                "masks",
                "triangle",
                {"n": n, "seen": seen, "hidden": hidden},
            )
        if seen > hidden:
            return Reason(
                "It has no causal mask: {seen} of {n} answers are right when it sees what comes later, {hidden} when that is "
                "hidden.",
                "causal-mask",
                "masks",
                "triangle",
                {"n": n, "seen": seen, "hidden": hidden},
            )
    if cfg.has_encoder and cfg.position == "none" and (same := same_when_shuffled(model, task, batch)) > _MOST * n:
        return Reason(
            "Without positions it does not know the order of the words: {same} of {n} answers stay the same when the words of "
            "the source are shuffled.",
            "positions",
            "positions",
            "no_positions",
            {"n": n, "same": same},
        )
    if cfg.score == "concat_linear" and (cfg.has_encoder or not cfg.causal):  # behind the triangle, queries differ in any case
        difference = difference_between_queries(model, batch)
        return Reason(
            "Its score ignores the query: in {n} rows, the weights of any two queries differ by at most {difference:.7f}.",
            "query",
            "attention",
            "other_scores",
            {"n": n, "difference": difference},
        )
    if not cfg.residual and (share := variance_between_positions(model, task, batch)) < _ALIKE:
        before = variance_between_positions(learned.model(0), task, batch)
        return Reason(
            "It has no residual connections; of the decoder's output, {share:.0%} of the variance lies between the positions "
            "of an answer, {before:.0%} at step 0 ({n} answers)."
            if cfg.has_encoder
            else "It has no residual connections; of its output, {share:.0%} of the variance lies between the positions of a "
            "text, {before:.0%} at step 0 ({n} texts).",
            "residual",
            "norms",
            "residual_depth",
            {"n": n, "share": share, "before": before},
        )
    return None


def _diverged(learned: Learned) -> Reason:
    losses = learned.curve[~np.isnan(learned.curve[:, 2]), 2]
    values: dict[str, Any] = {"step": learned.last, "loss": float(losses[-1]) if len(losses) else math.nan}
    return Reason(
        "After step {step}, when the loss was {loss:.2f}, it or its gradient was no longer finite.",
        "diverged",
        "training",
        "schedule",
        values,
    )


def _from_curve(learned: Learned) -> Reason:
    values: dict[str, Any] = {
        "steps": learned.last,
        "n": learned.rows,
        "right": round(learned.right * learned.rows),
        "parameters": count_by_formula(learned.cfg),
        "share": learned.right,
    }
    of_answers = has_source(learned.task)
    if learned.outcome == "learned" and not stands_still(learned.curve):
        return Reason(
            "It ran out of its {steps:,} steps while it was still getting better: {right} of {n} answers are right."
            if of_answers
            else "It ran out of its {steps:,} steps while it was still getting better: {share:.0%} of the tokens that count "
            "are right.",
            "too-short",
            "training",
            "live_run",
            values,
        )
    return Reason(
        "It has {parameters:,} parameters, and ended with {right} of {n} answers right."
        if of_answers
        else "It has {parameters:,} parameters, and ended with {share:.0%} right of the tokens that count.",
        "unknown",
        "training",
        "live_run",
        values,
    )


# --- What is measured. ------------------------------------------------------------------------------------------------------


@torch.no_grad()
def _answers(model: Transformer, task: Task, src: Tensor, batch: Batch) -> list[tuple[int, ...]]:
    """The model's own answers to these sources, (batch, src), without the start and the end token."""
    rows = greedy_decode(model, src, task.start_id, batch.labels.size(1))[:, 1:].tolist()
    return [before_end(row, task.vocabulary.end) for row in rows]


def different_answers(model: Transformer, task: Task, batch: Batch) -> int:
    """Counts the different answers that it gives to the sources of a batch."""
    return len({*_answers(model, task, batch.src, batch)})


@torch.no_grad()
def right_when_given(model: Transformer, task: Task, batch: Batch) -> tuple[int, int]:
    """Counts the answers that are right in every token, or every judged one, where it is given the right answer as decoder's
    input: with what its own mask lets it see of that, and with what comes later hidden."""
    labels = batch.labels if batch.judged is None else batch.labels.where(batch.judged, task.pad_id)
    triangle = model.tgt_mask(batch.tgt) & causal_mask(batch.tgt.size(1))
    seen, hidden = (
        rows_exact(model(batch.src, batch.tgt, tgt_mask=mask).argmax(dim=-1), labels, task.pad_id) for mask in (None, triangle)
    )
    return int(seen.sum()), int(hidden.sum())


def same_when_shuffled(model: Transformer, task: Task, batch: Batch) -> int:
    """Counts the answers that stay the same when the tokens of their source change places."""
    before = _answers(model, task, batch.src, batch)
    after = _answers(model, task, shuffled(batch.src, task.pad_id), batch)
    return sum(one == other for one, other in zip(before, after, strict=True))


def shuffled(src: Tensor, pad_id: int) -> Tensor:
    """Every row in a random order of its own; padding stays at the end. Shape: (batch, src) -> (batch, src)"""
    places = torch.rand(src.shape, generator=torch.Generator().manual_seed(_SEED)).masked_fill(src == pad_id, 2.0)
    return src.gather(1, places.argsort(dim=1))


@torch.no_grad()
def difference_between_queries(model: Transformer, batch: Batch) -> float:
    """The largest difference between the weights that two queries of a row give to the same key, in the encoder and in
    cross-attention: there all queries may attend to the same keys."""
    with Trace(only=["weights"]) as trace:
        model(batch.src, batch.tgt)
    kinds = [kind for kind in attention_kinds(model.cfg) if kind != "decoder" or not model.cfg.has_encoder]
    weights = (head_weights(trace, kind, model.cfg.n_layers) for kind in kinds)
    return max(float((each.amax(dim=-2) - each.amin(dim=-2)).max()) for each in weights)


@torch.no_grad()
def variance_between_positions(model: Transformer, task: Task, batch: Batch) -> float:
    """The share of the variance of the decoder's output, over all answers, that lies between the positions of one answer (the
    rest is between answers), given the right ones. 0: it is the same at all positions."""
    with Trace(only=[parse_stage(OUTPUT).name]) as trace:
        model(batch.src, batch.tgt)
    output, there = trace[OUTPUT], (batch.labels != task.pad_id)[:, :, None]  # (batch, tgt, d_model), (batch, tgt, 1)
    means = (output * there).sum(dim=1, keepdim=True) / there.sum(dim=1, keepdim=True)  # (batch, 1, d_model)
    within = ((output - means).square() * there).sum()
    overall = output[there[:, :, 0]].mean(dim=0)  # (d_model,)
    return float(within / ((output - overall).square() * there).sum().clamp(min=1e-12))
