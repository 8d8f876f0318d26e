"""What a model in training can do so far, in eval mode and on held-out rows."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor

from transformer_core.data.tasks import Batch, Task
from transformer_core.model.decoding import decode_from_guess, greedy_decode
from transformer_core.model.stages import MEMORY, parse_stage
from transformer_core.model.trace import Trace
from transformer_core.model.transformer import Transformer


@dataclass(frozen=True)
class ProbeResult:
    """What the model does with a few rows; all tensors are on the CPU.

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
    """A ProbeResult with `exact_match`, the share of many held-out sequences that greedy decoding gets right in every token."""

    exact_match: float


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
    trace = Trace()
    with _in_eval_mode(model):
        logits = model(batch.src, batch.tgt, trace=trace)  # (batch, tgt, tgt_vocab)
        if model.cfg.causal:
            src_mask = model.src_mask(batch.src)
            decoded = decode_from_guess(model, logits.argmax(dim=-1), task.start_id, trace[MEMORY], src_mask)
        else:
            decoded = greedy_decode(model, batch.src, task.start_id, batch.labels.size(1))
    weights = {name: trace[name].cpu() for name in trace.stages if parse_stage(name).name == "weights"}
    return ProbeResult(batch.to(torch.device("cpu")), weights, logits.softmax(dim=-1).cpu(), decoded.cpu())


def evaluate(model: Transformer, task: Task, test: Batch, batch: Batch) -> Evaluation:
    """Measures exact match on `test`, and probes the model on `batch`."""
    with _in_eval_mode(model):
        share = exact_match(model, task, test)
    return Evaluation(**vars(probe(model, task, batch)), exact_match=share)


@torch.no_grad()
def exact_match(model: Transformer, task: Task, test: Batch) -> float:
    """Share of sequences that greedy decoding gets right in every token. Expects eval mode.

    A causal model predicts the same next token whether it was given the beginning of the right answer or generated that
    beginning itself. So one teacher-forced pass shows which rows decoding would get right, at a tenth of the cost. A model
    without a causal mask really has to decode.
    """
    if model.cfg.causal:
        generated = model(test.src, test.tgt).argmax(dim=-1)  # (batch, tgt)
    else:
        generated = greedy_decode(model, test.src, task.start_id, test.labels.size(1))[:, 1:]  # (batch, tgt)
    right = rows_exact(generated, test.labels, task.pad_id)
    return int(right.sum()) / len(right)


def rows_exact(generated: Tensor, labels: Tensor, pad_id: int) -> Tensor:
    """Which rows are right in every token that is not padding. Shape: both (batch, tgt) -> (batch,) booleans"""
    return ((generated == labels) | (labels == pad_id)).all(dim=1)
