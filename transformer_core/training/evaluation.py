"""Evaluation of a model in training, in eval mode and on held-out rows."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor

from transformer_core.data.batch import Batch, padded_rows
from transformer_core.data.tasks import Task
from transformer_core.model.decoding import greedy_decode, without_padding
from transformer_core.model.stages import MEMORY, parse_stage
from transformer_core.model.trace import Trace
from transformer_core.model.transformer import Transformer


@dataclass(frozen=True)
class ProbeResult:
    """The model's pass over a few rows; all tensors are on the CPU.

    Attributes:
        batch: the rows.
        weights: stage name -> attention weights under teacher forcing, (batch, head, query, key).
        probabilities: of every token at every position, under teacher forcing, (batch, tgt, tgt_vocab).
        decoded: the result of greedy decoding, (batch, 1 + tgt), start token first.
    """

    batch: Batch
    weights: dict[str, Tensor]
    probabilities: Tensor
    decoded: Tensor


@dataclass(frozen=True)
class Evaluation(ProbeResult):
    """A ProbeResult with `exact_match`, the share of many held-out sequences that greedy decoding gets right in every token:
    as in one of the right answers, where there are several. Of a task that judges single tokens, the share of those."""

    exact_match: float


@dataclass(frozen=True)
class FinalEvaluation:
    """The `exact_match` of a training at its end, of so many `rows` that none of its evaluations has looked at. A training that
    ends at the first evaluation with some share right ends where its rows happen to come out well: that share is too high."""

    exact_match: float
    rows: int


@contextmanager
def _in_eval_mode(model: Transformer) -> Iterator[None]:
    training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(training)


@torch.no_grad()
def probe(model: Transformer, task: Task, batch: Batch) -> ProbeResult:
    """One traced pass over a few rows, and the few more that decoding takes: a few percent of the cost of `exact_match`."""
    with _in_eval_mode(model):
        with Trace() as trace:
            logits = model(batch.src, batch.tgt)  # (batch, tgt, tgt_vocab)
        if model.cfg.causal:
            memory = trace[MEMORY] if model.cfg.has_encoder else model.encode(batch.src)
            guess = without_padding(logits, task.pad_id).argmax(dim=-1)
            decoded = decode_from_guess(model, guess, task.start_id, memory, model.src_mask(batch.src))
        else:
            decoded = greedy_decode(model, batch.src, task.start_id, batch.labels.size(1))
    weights = {name: trace[name].cpu() for name in trace.stages if parse_stage(name).name == "weights"}
    return ProbeResult(batch.to(torch.device("cpu")), weights, logits.softmax(dim=-1).cpu(), decoded.cpu())


@torch.no_grad()
def decode_from_guess(model: Transformer, guess: Tensor, start_id: int, memory: Tensor, src_mask: Tensor) -> Tensor:
    """The tokens that `greedy_decode` generates, found by refining a guess: the model is given the whole guess at once, its
    predictions are the next guess, and so on until they no longer change.

    Each pass settles at least one more token: a bad guess takes as many passes as plain decoding, a good one a single pass. The
    model must be causal and in eval mode.

    Shape: guess (batch, steps), memory (batch, src, d_model), src_mask (batch, 1, 1, src) -> (batch, 1 + steps)
    """
    start = torch.full_like(guess[:, :1], start_id)  # (batch, 1)
    for _ in range(guess.size(1)):
        logits = model.decode(torch.cat([start, guess[:, :-1]], dim=1), memory, src_mask)  # (batch, steps, tgt_vocab)
        generated = without_padding(logits, model.cfg.pad_id).argmax(dim=-1)  # (batch, steps)
        if torch.equal(generated, guess):
            break
        guess = generated
    return torch.cat([start, guess], dim=1)


def evaluate(model: Transformer, task: Task, test: Batch, batch: Batch) -> Evaluation:
    """Measures exact match on `test`, and probes the model on `batch`."""
    return Evaluation(**vars(probe(model, task, batch)), exact_match=exact_match(model, task, test))


def exact_match(model: Transformer, task: Task, test: Batch) -> float:
    """Share of sequences that greedy decoding gets right in every token; of judged tokens, where a task judges single ones."""
    right = judged_right(model, task, test)
    return int(right.sum()) / len(right)


def judged_right(model: Transformer, task: Task, test: Batch) -> Tensor:
    """True for what is right of all that is judged: rows, see `rows_decoded_right`; or the judged tokens, each of them the most
    probable one behind the right tokens before it. Shape: -> (rows or tokens,) booleans"""
    if test.judged is None:
        return rows_decoded_right(model, task, test)
    with torch.no_grad(), _in_eval_mode(model):
        return (_likeliest(model, task, test) == test.labels)[test.judged]


@torch.no_grad()
def rows_decoded_right(model: Transformer, task: Task, test: Batch) -> Tensor:
    """True for the rows that greedy decoding gets right in every token. Shape: -> (batch,) booleans

    A causal model predicts the same next token whether it was given the beginning of the right answer or generated that
    beginning itself. So one teacher-forced pass shows which rows decoding would get right, at a tenth of the cost. A model
    without a causal mask really has to decode.
    """
    with _in_eval_mode(model):
        if model.cfg.causal:
            return _rows_of_causal(model, task, test)
        generated = greedy_decode(model, test.src, task.start_id, test.labels.size(1))[:, 1:]  # (batch, tgt)
        return rows_right(task, test, generated)


def _rows_of_causal(model: Transformer, task: Task, test: Batch) -> Tensor:
    """True for the rows that a causal model would decode right. A row that leaves its labels for the beginning of another right
    answer is given that one, and so on. Shape: -> (batch,) booleans"""
    generated = _likeliest(model, task, test)
    right = rows_exact(generated, test.labels, task.pad_id)
    others = {
        row: other
        for row, src, output, label in _wrong_rows(test, generated, right)
        if (answers := task.alternatives(src)) and (other := _turned_to(answers, output, label))
    }
    if others:
        rows, device = list(others), test.src.device
        labels = padded_rows(others.values(), task.pad_id).to(device)
        tgt = torch.cat([torch.full_like(labels[:, :1], task.start_id), labels[:, :-1]], dim=1)
        right[rows] = _rows_of_causal(model, task, Batch(test.src[rows], tgt, labels))
    return right


def _likeliest(model: Transformer, task: Task, test: Batch) -> Tensor:
    """The most probable token at every position under teacher forcing. What stands behind a row's label means nothing.
    Shape: -> (batch, tgt)"""
    generated = torch.full_like(test.labels, task.pad_id)
    for rows, part in test.by_length(task.pad_id):
        generated[rows, : part.tgt.size(1)] = without_padding(next_logits(model, part), task.pad_id).argmax(dim=-1)
    return generated


def next_logits(model: Transformer, batch: Batch) -> Tensor:
    """The logits at every position, which must not depend on later tokens. Shape: -> (batch, tgt, tgt_vocab)"""
    if model.cfg.causal:
        logits: Tensor = model(batch.src, batch.tgt)
        return logits
    beginnings = range(1, batch.tgt.size(1) + 1)
    return torch.stack([model(batch.src, batch.tgt[:, :length])[:, -1] for length in beginnings], dim=1)


def _turned_to(answers: Sequence[tuple[int, ...]], generated: list[int], label: list[int]) -> tuple[int, ...] | None:
    """The most probable answer that begins as what was generated, up to the first token that is not the label's."""
    at = next(i for i, pair in enumerate(zip(generated, label, strict=True)) if pair[0] != pair[1])
    begun = tuple(generated[: at + 1])
    return next((answer for answer in answers if answer[: at + 1] == begun), None)


def _wrong_rows(batch: Batch, generated: Tensor, right: Tensor) -> Iterator[tuple[int, list[int], list[int], list[int]]]:
    """Index, source, generated tokens and labels of every row that is not right."""
    rows = zip(right.tolist(), batch.src.tolist(), generated.tolist(), batch.labels.tolist(), strict=True)
    return ((i, *row) for i, (fine, *row) in enumerate(rows) if not fine)


def rows_right(task: Task, batch: Batch, generated: Tensor) -> Tensor:
    """True for the rows that begin with a right answer, the end token included where there is one.
    Shape: generated (batch, tgt) -> (batch,) booleans"""
    right = rows_exact(generated, batch.labels, task.pad_id)
    for row, src, output, _label in _wrong_rows(batch, generated, right):
        right[row] = any(tuple(output[: len(answer)]) == answer for answer in task.alternatives(src))
    return right


def rows_exact(generated: Tensor, labels: Tensor, pad_id: int) -> Tensor:
    """True for the rows that are right in every token that is not padding. Shape: both (batch, tgt) -> (batch,) booleans"""
    return ((generated == labels) | (labels == pad_id)).all(dim=1)
