"""Training, one step at a time: an iterator of reports that can be stopped anywhere.

The optimiser, the schedule and the loss are the paper's (sections 5.3 and 5.4). Everything random draws from generators made
from one seed, so that a run can be repeated to the last bit on a CPU.
"""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_core.decoding import greedy_decode
from transformer_core.tasks import Batch, Task
from transformer_core.trace import Trace
from transformer_core.transformer import Transformer

Optimiser = Literal["adam", "sgd"]
OPTIMISERS: tuple[Optimiser, ...] = ("adam", "sgd")


@dataclass(frozen=True)
class Recipe:
    """How to train. The defaults teach the `tiny` preset to copy in about a second on one CPU thread.

    Attributes:
        steps: when to stop at the latest.
        batch_size: sequences per step.
        rate: highest learning rate, reached at the end of the warm-up; None means the paper's, (d_model · warmup)^-0.5.
        warmup: steps of linear warm-up; after it the rate falls with 1/√step (section 5.3, equation 3).
        optimiser: "adam", or "sgd" (plain gradient descent with momentum 0.9) to see what Adam is good for.
        betas, eps: of Adam (section 5.3).
        label_smoothing: share of the target probability spread over all tokens (section 5.4).
        clip: longest gradient (Euclidean norm over all parameters); longer ones are shortened to it.
        seed: of initial weights, data and dropout.
        evaluate_every: steps between two looks at the model; each decodes `evaluate_on` sequences that it has not learned from.
        device: "auto", "cpu", "cuda" or "mps".
    """

    steps: int = 1000
    batch_size: int = 32
    rate: float | None = 3e-3
    warmup: int = 30
    optimiser: Optimiser = "adam"
    betas: tuple[float, float] = (0.9, 0.98)
    eps: float = 1e-9
    label_smoothing: float = 0.0
    clip: float = 1.0
    seed: int = 0
    evaluate_every: int = 10
    evaluate_on: int = 200
    device: str = "auto"

    def __post_init__(self) -> None:
        for name in ("steps", "batch_size", "warmup", "evaluate_every", "evaluate_on"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.optimiser not in OPTIMISERS:
            raise ValueError(f"optimiser must be adam or sgd, not {self.optimiser!r}")
        if self.rate is not None and not 0 < self.rate < math.inf:
            raise ValueError(f"the learning rate must be above 0 and finite, not {self.rate}")
        if not 0 <= self.label_smoothing < 1:
            raise ValueError(f"label_smoothing must be at least 0 and below 1, not {self.label_smoothing}")
        if not self.clip > 0:
            raise ValueError(f"clip must be above 0, not {self.clip}")


@dataclass(frozen=True)
class Look:
    """What the model does at one moment, seen in eval mode.

    Attributes:
        exact_match: share of unseen sequences that greedy decoding gets right in every token.
        weights: stage name -> attention weights on the probe batch, (batch, head, query, key).
        probe: the probe batch; decoded: what greedy decoding makes of it, (batch, 1 + tgt), start token first.
    """

    exact_match: float
    weights: dict[str, Tensor]
    probe: Batch
    decoded: Tensor


@dataclass(frozen=True)
class StepReport:
    """One training step. `loss` in nats per token, `seconds` of compute for the step alone, `look` every few steps."""

    step: int
    loss: float
    learning_rate: float
    gradient_norm: float
    tokens: int
    seconds: float
    look: Look | None

    @property
    def tokens_per_second(self) -> float:
        return self.tokens / self.seconds


class TrainingDiverged(ArithmeticError):
    """The loss or the gradient is no longer a finite number; the model still has the weights from before that step."""

    def __init__(self, step: int, loss: float, gradient_norm: float):
        what = f"the gradient's length became {gradient_norm}" if math.isfinite(loss) else f"the loss became {loss}"
        super().__init__(f"training stopped at step {step}: {what}. Lower the learning rate, or lengthen the warm-up.")
        self.step = step


def learning_rate(step: int, d_model: int, recipe: Recipe) -> float:
    """d_model^-0.5 · min(step^-0.5, step · warmup^-1.5), scaled so that its peak is `recipe.rate` (section 5.3, equation 3).

    `step` counts from 1.
    """
    peak = (d_model * recipe.warmup) ** -0.5 if recipe.rate is None else recipe.rate
    return peak * min((recipe.warmup / step) ** 0.5, step / recipe.warmup)


def resolve_device(name: str) -> torch.device:
    """ "auto" takes the first of cuda, mps and cpu that is there. Raises ValueError for one that is not."""
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if name == "auto":
        return torch.device(next(kind for kind, available in there.items() if available))
    if name not in there:
        raise ValueError(f"device must be auto, cpu, cuda or mps, not {name!r}")
    if not there[name]:
        raise ValueError(f"this machine has no {name} device that torch {torch.__version__} can use; choose auto or cpu")
    return torch.device(name)


def train_steps(model: Transformer, task: Task, recipe: Recipe) -> Iterator[StepReport]:
    """Trains `model` in place, one report per step, `recipe.steps` times.

    Between two reports the weights may be read and saved, but not by another thread while a step is under way.

    Raises:
        TrainingDiverged: when the loss or the gradient stops being finite.
    """
    device = resolve_device(recipe.device)
    model.to(device)
    seeds = range(4 * recipe.seed, 4 * recipe.seed + 3)  # no two runs share a stream, whatever their seeds
    data, held_out = (torch.Generator().manual_seed(seed) for seed in seeds[:2])
    model.use_dropout_generator(torch.Generator(device).manual_seed(seeds[2]))
    test, probe = (task.batch(size, held_out, held_out=True).to(device) for size in (recipe.evaluate_on, 4))
    parameters, gradients = _flatten(model)
    model.train()
    optimiser = _optimiser(parameters, recipe)

    for step in range(1, recipe.steps + 1):
        start = time.perf_counter()
        batch = task.batch(recipe.batch_size, data).to(device)
        gradients.zero_()
        loss = token_loss(model(batch.src, batch.tgt), batch.labels, task.pad_id, recipe.label_smoothing)
        loss.backward()
        gradient_norm = gradients.norm()
        gradients.mul_((recipe.clip / (gradient_norm + 1e-6)).clamp(max=1.0))
        value, length = torch.stack([loss.detach(), gradient_norm]).tolist()  # the one wait for the device
        if not (math.isfinite(value) and math.isfinite(length)):
            raise TrainingDiverged(step, value, length)
        rate = optimiser.param_groups[0]["lr"] = learning_rate(step, model.cfg.d_model, recipe)
        optimiser.step()
        seconds = time.perf_counter() - start
        look = take_look(model, task, test, probe) if step % recipe.evaluate_every == 0 or step == recipe.steps else None
        yield StepReport(step, value, rate, length, batch.labels.numel(), seconds, look)


def token_loss(logits: Tensor, labels: Tensor, pad_id: int, label_smoothing: float = 0.0) -> Tensor:
    """Cross-entropy per token that is not padding, in nats; it contains the log-softmax, so the model returns logits.

    Shape: logits (batch, tgt, vocab), labels (batch, tgt) -> ()
    """
    # The vocabulary goes second to last: over a short last axis torch's CPU log-softmax is not vectorised.
    return F.cross_entropy(logits.mT, labels, ignore_index=pad_id, label_smoothing=label_smoothing)


@torch.no_grad()
def take_look(model: Transformer, task: Task, test: Batch, probe: Batch) -> Look:
    """Tries the model on `test`, decodes `probe`, and records attention on the teacher-forced probe, all in eval mode."""
    training = model.training
    model.eval()
    share = exact_match(model, task, test)
    decoded = greedy_decode(model, probe.src, task.start_id, probe.labels.size(1))
    trace = Trace()
    model(probe.src, probe.tgt, trace=trace)
    model.train(training)
    weights = {name: trace[name].cpu() for name in trace.stages if name.endswith(".weights")}
    return Look(share, weights, probe.to(torch.device("cpu")), decoded.cpu())


@torch.no_grad()
def exact_match(model: Transformer, task: Task, test: Batch) -> float:
    """Share of sequences that greedy decoding gets right in every token. Expects eval mode.

    A causal model that is given the right answer's beginning says the same next token as one that has said that beginning
    itself. So one teacher-forced pass tells where decoding would be right throughout, at a tenth of the cost. A model that may
    look ahead really has to decode.
    """
    if model.cfg.causal:
        said = model(test.src, test.tgt).argmax(dim=-1)  # (batch, tgt)
    else:
        said = greedy_decode(model, test.src, task.start_id, test.labels.size(1))[:, 1:]  # (batch, tgt)
    right = ((said == test.labels) | (test.labels == task.pad_id)).all(dim=1)
    return int(right.sum()) / len(right)


def _optimiser(parameters: Tensor, recipe: Recipe) -> torch.optim.Optimizer:
    fused = parameters.device.type in ("cpu", "cuda")
    if recipe.optimiser == "sgd":
        return torch.optim.SGD([parameters], momentum=0.9, fused=fused)
    return torch.optim.Adam([parameters], betas=recipe.betas, eps=recipe.eps, fused=fused)


def _flatten(model: Transformer) -> tuple[Tensor, Tensor]:
    """Lays all parameters into one vector, and all gradients into another, of which they become views.

    Adam, clipping and zeroing then are one operation each, not one per parameter: a tenth of a step for a small model.
    """
    members = list(model.parameters())
    parameters = torch.nn.Parameter(torch.cat([p.detach().flatten() for p in members]))
    gradients = torch.zeros_like(parameters)
    parameters.grad = gradients
    sizes = [p.numel() for p in members]
    for member, value, gradient in zip(members, parameters.detach().split(sizes), gradients.split(sizes), strict=True):
        member.data = value.view_as(member)
        member.grad = gradient.view_as(member)
    return parameters, gradients
