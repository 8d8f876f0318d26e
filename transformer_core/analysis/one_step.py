"""One step of plain gradient descent, seen from within: what is likely before it, the gradient part by part, and what is likely
after it.

The recipe's optimiser, Adam (section 5.3), is another rule: without moments of earlier steps, its first step would move every
weight that has a gradient by the same amount, up or down. Plain descent moves each in proportion to its gradient, which can be
followed by hand. The model is in eval mode, without dropout: the same row gives the same numbers.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_core.data.batch import Batch
from transformer_core.model.stages import DECODER, ENCODER, OUTPUT, embedding_stage
from transformer_core.model.trace import Trace, edited
from transformer_core.model.transformer import Transformer
from transformer_core.training.trainer import token_loss

RATE, CLIP = 0.1, 1.0


def row_of(src: Sequence[int], tgt: Sequence[int], labels: Sequence[int]) -> Batch:
    """A batch of one row, from its ids."""
    src_ids, tgt_ids, label_ids = (torch.tensor([[*ids]], dtype=torch.int64) for ids in (src, tgt, labels))
    return Batch(src_ids, tgt_ids, label_ids)


def likelihoods(model: Transformer, row: Batch) -> np.ndarray:
    """The probability of each right word of a single row. Shape: (place,)"""
    with torch.inference_mode():
        probabilities = model(row.src, row.tgt)[0].softmax(dim=-1)  # (place, vocab)
        found: np.ndarray = probabilities.gather(1, row.labels[0][:, None])[:, 0].numpy()
    return found


@dataclass(frozen=True, eq=False)
class Gradient:
    """The gradient of a loss.

    Attributes:
        loss: in nats per token.
        of: by the name of a parameter, of its shape.
    """

    loss: float
    of: Mapping[str, Tensor]

    @cached_property
    def norm(self) -> float:
        """The length of the whole, as one vector."""
        return length(self.of)

    def clipping(self, clip: float = CLIP) -> float:
        """The factor that scales it down to this length; 1 where it is no longer."""
        return _clipping(self.norm, clip)


def _clipping(norm: float, clip: float) -> float:
    return min(clip / (norm + 1e-6), 1.0)


def length(of: Mapping[str, Tensor]) -> float:
    """The length of tensors, as one vector."""
    return float(torch.stack([each.double().square().sum() for each in of.values()]).sum().sqrt())


def differentiate(model: Transformer, rows: Batch, label_smoothing: float = 0.0) -> Gradient:
    """The gradient of the mean loss per token (section 5.4), by autograd; the labels alone are right."""
    names, parameters = zip(*model.named_parameters(), strict=True)
    with torch.enable_grad():
        loss = token_loss(model(rows.src, rows.tgt), rows.labels, model.cfg.pad_id, label_smoothing)
        found = torch.autograd.grad(loss, parameters, allow_unused=True, materialize_grads=True)
    return Gradient(float(loss.detach()), dict(zip(names, found, strict=True)))


def nudged(model: Transformer, gradient: Gradient, rate: float = RATE, clip: float = CLIP) -> Transformer:
    """A copy of the model after the step: each weight − rate · clipping · its gradient."""
    moved = deepcopy(model)
    with torch.no_grad():
        for name, parameter in moved.named_parameters():
            parameter.sub_(rate * gradient.clipping(clip) * gradient.of[name])
    return moved


def part_of(name: str) -> str:
    """The part of figure 1 that a parameter belongs to, all layers of a stack together: "encoder.self_attn", the norm around it
    "encoder.self_attn_norm", the one behind the stack "encoder.final_norm"."""
    module, inner, *rest = name.split(".")
    if module == "output":
        return "decoder.linear"
    if module.endswith("_norm"):
        return f"{module.removesuffix('_norm')}.final_norm"
    if module.endswith("_embedding"):
        return {"src_embedding": "encoder", "tgt_embedding": "decoder"}[module] + ".embedding"
    assert inner.isdigit()
    return f"{module}.{rest[0].replace('_residual', '_norm')}"


def lengths_by_part(of: Mapping[str, Tensor]) -> dict[str, float]:
    """The length of the tensors of each part, as one vector; the squares add up to that of the whole."""
    parts: dict[str, dict[str, Tensor]] = {}
    for name, each in of.items():
        parts.setdefault(part_of(name), {})[name] = each
    return {part: length(tensors) for part, tensors in parts.items()}


@dataclass(frozen=True, eq=False)
class OneStep:
    """A step on some rows, and what it does to one row.

    Attributes:
        before, after: the probability of each right word of the row. Shape: (place,)
        norm: the length of the gradient of the rows that the step is taken on; rate, clip: of the step.
        lengths: of the gradient, by part; weights: of the weights themselves, by part.
    """

    before: np.ndarray
    after: np.ndarray
    norm: float
    lengths: Mapping[str, float]
    weights: Mapping[str, float]
    rate: float
    clip: float

    @property
    def clipping(self) -> float:
        """The factor that scaled the gradient down."""
        return _clipping(self.norm, self.clip)

    @property
    def weakest(self) -> int:
        """The place of the right word that was least likely."""
        return int(self.before.argmin())

    @property
    def losses(self) -> tuple[float, float]:
        """The mean of −log p over the row's words, before and after, in nats per token."""
        return loss_of(self.before), loss_of(self.after)


def loss_of(likely: np.ndarray) -> float:
    """The mean of −log p, in nats per token. Shape: (place,)"""
    return float(-np.log(np.maximum(likely.astype(np.float64), np.finfo(np.float32).tiny)).mean())


def one_step(model: Transformer, row: Batch, rows: Batch | None = None, rate: float = RATE, clip: float = CLIP) -> OneStep:
    """Takes a step on `rows`, by default on the row itself, and asks how likely the row's words are before and after."""
    gradient = differentiate(model, row if rows is None else rows)
    after = likelihoods(nudged(model, gradient, rate, clip), row)
    weights = lengths_by_part({name: each.detach() for name, each in model.named_parameters()})
    return OneStep(likelihoods(model, row), after, gradient.norm, lengths_by_part(gradient.of), weights, rate, clip)


def beside(row: Batch, others: Batch, pad_id: int) -> Batch:
    """One batch of the row and the others, padded to one length."""
    longest = max(row.src.size(1), others.src.size(1)), max(row.tgt.size(1), others.tgt.size(1))
    one, rest = (each.padded(longest, pad_id) for each in (row, others))
    return Batch(torch.cat([one.src, rest.src]), torch.cat([one.tgt, rest.tgt]), torch.cat([one.labels, rest.labels]))


@dataclass(frozen=True, eq=False)
class OutputGradient:
    """The gradient of the output layer for one row, written out.

    Where the layer is the table of the embeddings (section 3.4), the same matrix is also read from, and its gradient is the sum
    of both ways.

    Attributes:
        probabilities: softmax of the logits. Shape: (place, vocab)
        errors: the gradient of the loss with respect to the logits: (softmax − target) / places. Shape: (place, vocab)
        states: the decoder's outputs. Shape: (place, d_model)
        read: the ids of the words that are read from it, the source's first; none where it is no table. Shape: (word read,)
        entering: likewise with respect to each vector that then enters the first layer. Shape: (word read, d_model)
        found: autograd's gradient of the layer's weight. Shape: (vocab, d_model)
        weight: the layer's weight. Shape: (vocab, d_model)
        scale: the factor of a row of the table in a vector that enters, √d_model.
    """

    probabilities: np.ndarray
    errors: np.ndarray
    states: np.ndarray
    read: np.ndarray
    entering: np.ndarray
    found: np.ndarray
    weight: np.ndarray
    scale: float

    @property
    def as_output(self) -> np.ndarray:
        """The sum over the places of error ⊗ state, an outer product each. Shape: (vocab, d_model)"""
        found: np.ndarray = self.errors.T @ self.states
        return found

    @property
    def as_table(self) -> np.ndarray:
        """At the row of each word that is read: scale times the gradient with respect to its vector. Shape: (vocab, d_model)"""
        found = np.zeros_like(self.weight)
        np.add.at(found, self.read, self.scale * self.entering)
        return found

    @property
    def written_out(self) -> np.ndarray:
        """The whole gradient. Shape: (vocab, d_model)"""
        found: np.ndarray = self.as_output + self.as_table
        return found


def output_gradient(model: Transformer, row: Batch, label_smoothing: float = 0.0) -> OutputGradient:
    """Computes the output layer's gradient for a row without padding, beside autograd's: from softmax − one-hot and the
    decoder's outputs; where the layer is the table of the embeddings, also from the gradients with respect to the vectors that
    are read from it."""
    read, vectors = _read_from_the_output(model, row), list[Tensor]()

    def enters(x: Tensor) -> Tensor:
        vectors.append(x)
        return x

    with torch.enable_grad(), Trace() as trace, edited({embedding_stage(stack, "sum"): enters for stack in read}):
        logits = model(row.src, row.tgt)
    loss = token_loss(logits, row.labels, model.cfg.pad_id, label_smoothing)
    by_stack = torch.autograd.grad(loss, vectors) if vectors else ()  # each (1, word read, d_model)
    probabilities, states = logits[0].softmax(dim=-1), trace[OUTPUT][0]  # (place, vocab), (place, d_model)
    right = F.one_hot(row.labels[0], logits.size(-1)).to(logits.dtype)  # (place, vocab)
    target = torch.lerp(right, torch.full_like(right, 1 / right.size(1)), label_smoothing)  # section 5.4
    name = "output.weight" if model.output is not None else "tgt_embedding.table.weight"
    return OutputGradient(
        probabilities=_array(probabilities),
        errors=_array((probabilities - target) / len(target)),
        states=_array(states),
        read=_array(torch.cat([row.src.new_empty(0), *read.values()])),
        entering=_array(torch.cat([states.new_empty(0, model.cfg.d_model), *(each[0] for each in by_stack)])),
        found=_array(differentiate(model, row, label_smoothing).of[name]),
        weight=_array(model.get_parameter(name)),
        scale=model.tgt_embedding.scale,
    )


def _array(x: Tensor) -> np.ndarray:
    found: np.ndarray = x.detach().numpy()
    return found


def _read_from_the_output(model: Transformer, row: Batch) -> dict[str, Tensor]:
    """The ids that each stack reads from the matrix of the output layer, by stack, in the order of the pass. Shape: (word,)"""
    target, both = {DECODER: row.tgt[0]}, {ENCODER: row.src[0], DECODER: row.tgt[0]}
    return {"none": {}, "output": target, "all": both}[model.cfg.tie_embeddings]
