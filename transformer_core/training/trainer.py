"""Training, one step at a time: it can be stopped anywhere, saved, and resumed.

Optimiser, schedule and loss are the paper's (sections 5.3 and 5.4). All random numbers come from generators with one seed, so
that on one CPU, with one number of threads, a run can be repeated to the last bit, from its beginning or any saved step.
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_core.data.batch import Batch, RightTokens
from transformer_core.data.tasks import Task, has_source
from transformer_core.errors import InputError, WordedError
from transformer_core.model.config import TransformerConfig
from transformer_core.model.dropout import use_dropout_generator
from transformer_core.model.kernels import SHORT_ROW
from transformer_core.model.trace import is_observed
from transformer_core.model.transformer import Transformer
from transformer_core.training import backpropagation, cuda_graph
from transformer_core.training.evaluation import (
    Evaluation,
    FinalEvaluation,
    ProbeResult,
    evaluate,
    exact_match,
    judged_right,
    probe,
)

Optimiser = Literal["adam", "sgd"]
OPTIMISERS: tuple[Optimiser, ...] = ("adam", "sgd")

Schedule = Literal["noam", "cosine"]
SCHEDULES: tuple[Schedule, ...] = ("noam", "cosine")
CONSTANT_SHARE = 0.3  # share of the steps after which the cosine schedule begins to decay

Precision = Literal["auto", "float32", "bfloat16"]
PRECISIONS: tuple[Precision, ...] = ("auto", "float32", "bfloat16")

# The width of the paper's base model. Multiplying a thousand tokens by a matrix of this width takes half a GFLOP, tens of
# microseconds in float32; a product a quarter as large takes about as long as converting its inputs would.
_WIDTH_FOR_BFLOAT16 = 512

# The state that each optimiser keeps of earlier gradients: vectors as long as all parameters together.
MOMENTS: dict[Optimiser, tuple[str, ...]] = {"adam": ("exp_avg", "exp_avg_sq"), "sgd": ("momentum_buffer",)}
PROBE_ROWS = 4  # held-out rows that are looked at in every tensor
STEP_VERSION = 1  # of what a step computes; whoever changes a step's result raises it: models learned before are others
_FINAL = 5  # the final evaluation draws this many times the rows of a regular one
AVERAGE = "average"  # another such vector: the moving average of the weights


@dataclass(frozen=True)
class Recipe:
    """The settings of a training. The defaults teach the `tiny` preset to copy in about a second on one CPU thread.

    Attributes:
        steps: how many steps to take at most.
        batch_size: sequences per step.
        rate: peak learning rate, reached at the end of the warm-up; None means the paper's, (d_model · warmup)^-0.5.
        warmup: steps of linear warm-up; what follows depends on `schedule`.
        optimiser: "adam", or "sgd" (plain gradient descent with momentum 0.9) for comparison.
        betas, eps: of Adam (section 5.3).
        label_smoothing: share of the target probability spread over all tokens (section 5.4).
        clip: gradient clipping: a gradient with a larger norm (over all parameters) is scaled down to this one.
        seed: of initial weights, data and dropout.
        evaluate_every: steps between two evaluations; each decodes `evaluate_on` held-out sequences, or all there are.
        device: "cpu", "cuda" or "mps"; small models train fast on the CPU.
        precision: of the matrix products, "float32" or "bfloat16"; "auto" is bfloat16 for wide models on CUDA. Weights, sums,
            softmax, norms, loss and optimiser are float32 in any case.
        linear_warmup: whether the rate rises to its peak; otherwise it is at the peak from the first step to the end of the
            warm-up, and decays from there as usual.
        schedule: "noam", the paper's: the rate falls with 1/√step (section 5.3, equation 3); "cosine": it stays at its peak for
            30 % of the steps, then falls along half a cosine to nearly 0 at the last one.
        average: share of the newest weights in an exponential moving average, after each step (section 6.1 averages the last
            checkpoints); 0: no average. If there is one, it is what is evaluated, and the model that is handed out in the end.
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
    device: str = "cpu"
    precision: Precision = "auto"
    linear_warmup: bool = True
    schedule: Schedule = "noam"
    average: float = 0.0

    def __post_init__(self) -> None:
        for name in ("steps", "batch_size", "warmup", "evaluate_every", "evaluate_on"):
            if getattr(self, name) < 1:
                raise InputError("{name} must be at least 1, not {value}", name=name, value=getattr(self, name))
        if self.optimiser not in OPTIMISERS:
            raise InputError("optimiser must be adam or sgd, not {value}", value=repr(self.optimiser))
        if self.schedule not in SCHEDULES:
            raise InputError("schedule must be noam or cosine, not {value}", value=repr(self.schedule))
        if self.precision not in PRECISIONS:
            raise InputError("precision must be auto, float32 or bfloat16, not {value}", value=repr(self.precision))
        if self.rate is not None and not 0 < self.rate < math.inf:
            raise InputError("the learning rate must be above 0 and finite, not {value}", value=self.rate)
        if not 0 <= self.label_smoothing < 1:
            raise InputError("label_smoothing must be at least 0 and below 1, not {value}", value=self.label_smoothing)
        if not self.clip > 0:
            raise InputError("clip must be above 0, not {value}", value=self.clip)
        if not all(0 <= beta < 1 for beta in self.betas):
            raise InputError("betas must be at least 0 and below 1, not {value}", value=self.betas)
        if not self.eps >= 0:
            raise InputError("eps must be at least 0, not {value}", value=self.eps)
        if not 0 <= self.average < 1:
            raise InputError("average must be at least 0 and below 1, not {value}", value=self.average)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Recipe":
        """The recipe that `dataclasses.asdict` produced, possibly read from JSON; anything else raises InputError."""
        examples = {field.name: field.default for field in fields(cls)}
        for name, value in values.items():
            if name not in examples:
                raise InputError("unknown setting {name}", name=repr(name))
            if not _is_like(value, examples[name]) and not (name == "rate" and value is None):
                raise InputError("{name} cannot be {value}", name=name, value=repr(value))
        settings: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
        return cls(**settings)


@dataclass(frozen=True)
class StepReport:
    """One training step. `loss` in nats per token, `tokens` of the answers without padding, `seconds` of compute for the step
    alone, `evaluation` every few steps."""

    step: int
    loss: float
    learning_rate: float
    gradient_norm: float
    tokens: int
    seconds: float
    evaluation: Evaluation | None

    @property
    def tokens_per_second(self) -> float:
        return self.tokens / self.seconds


class TrainingDiverged(WordedError, ArithmeticError):
    """The loss or the gradient is no longer a finite number; the model still has the weights from before that `step`."""

    @property
    def step(self) -> int:
        return int(self.values["step"])


def _diverged(step: int, loss: float, gradient_norm: float) -> TrainingDiverged:
    if math.isfinite(loss):
        return TrainingDiverged(
            "training stopped at step {step}: the gradient norm became {gradient_norm}. "
            "Lower the learning rate, or lengthen the warm-up.",
            step=step,
            gradient_norm=gradient_norm,
        )
    return TrainingDiverged(
        "training stopped at step {step}: the loss became {loss}. Lower the learning rate, or lengthen the warm-up.",
        step=step,
        loss=loss,
    )


def learning_rate(step: int, d_model: int, recipe: Recipe) -> float:
    """By the schedule "noam": d_model^-0.5 · min(step^-0.5, step · warmup^-1.5), scaled so that its peak is `recipe.rate`
    (section 5.3, equation 3). "cosine" has the same warm-up and peak.

    `step` counts from 1.
    """
    peak: float = (d_model * recipe.warmup) ** -0.5 if recipe.rate is None else recipe.rate
    rise = step / recipe.warmup if recipe.linear_warmup else 1.0
    if recipe.schedule == "noam":
        fall: float = (recipe.warmup / step) ** 0.5
        return peak * min(fall, rise)
    decay_from = CONSTANT_SHARE * recipe.steps
    progress = min(max(0.0, step - decay_from) / (recipe.steps + 1 - decay_from), 1.0)
    return peak * min(rise, 1.0) * (1 + math.cos(math.pi * progress)) / 2


def moment_names(recipe: Recipe) -> tuple[str, ...]:
    """The vectors, each as long as all parameters together, that a training by this recipe carries from step to step."""
    return (*MOMENTS[recipe.optimiser], AVERAGE) if recipe.average else MOMENTS[recipe.optimiser]


def devices() -> dict[str, bool]:
    """The devices that a recipe may name, and whether this machine has them."""
    return {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}


def resolve_device(name: str) -> torch.device:
    """Raises InputError for a device that this machine does not have."""
    there = devices()
    if name not in there:
        raise InputError("device must be cpu, cuda or mps, not {value}", value=repr(name))
    if not there[name]:
        raise InputError(
            "this machine has no {device} device that torch {version} can use; choose cpu",
            device=name,
            version=str(torch.__version__),
            nearest={"device": ("cpu",)},
        )
    return torch.device(name)


def resolve_precision(name: Precision, device: torch.device, d_model: int) -> torch.dtype:
    """ "auto" is bfloat16 from the paper's width on, on CUDA devices that support it, and float32 otherwise."""
    pays = device.type == "cuda" and d_model >= _WIDTH_FOR_BFLOAT16
    if name == "bfloat16" or (name == "auto" and pays and torch.cuda.is_bf16_supported(including_emulation=False)):
        return torch.bfloat16
    return torch.float32


@dataclass(frozen=True, eq=False)
class TrainingState:
    """All that a Trainer carries from one step to the next, except for the weights, as copies on the CPU.

    Attributes:
        step: how many steps have been taken.
        moments: the state of the optimiser, and the average of the weights if there is one, by the names in MOMENTS and
            AVERAGE, each (parameters,) in the model's order.
        data, dropout: the states of their random generators, as bytes; dropout's depends on the kind of device.
    """

    step: int
    moments: dict[str, Tensor]
    data: Tensor
    dropout: Tensor


def averaged(model: Transformer, state: TrainingState) -> Transformer:
    """The model to hand out: a copy with the average of its weights, or the model itself where no average is kept."""
    if AVERAGE not in state.moments:
        return model
    handed_out = Transformer(model.cfg, initialise=False)
    torch.nn.utils.vector_to_parameters(state.moments[AVERAGE], handed_out.parameters())
    return handed_out.eval()


class Trainer:
    """Trains `model` in place, one step at a time.

    The weights and `state()` are all there is to a run: a Trainer of the same task and recipe, with these weights and this
    state, continues as if it had never stopped, on a CPU to the last bit.

    On the device, a step is two functions, `_find_gradient` and `_update`; between them the host reads the loss. On CUDA both
    are recorded as graphs: they read nothing back, and all that they change stays where it is in memory. On a CPU, the usual
    model's gradient is computed without autograd (backpropagation.py).
    """

    def __init__(self, model: Transformer, task: Task, recipe: Recipe):
        check_stacks(model.cfg, task)
        device = resolve_device(recipe.device)
        self.model, self.task, self.recipe = model.to(device), task, recipe
        self.steps_taken = 0
        self._clipping = 1.0  # the factor of the last gradient clipping
        seeds = range(4 * recipe.seed, 4 * recipe.seed + 4)  # no two runs share random numbers, whatever their seeds
        self._data, held_out = (torch.Generator().manual_seed(seed) for seed in seeds[:2])
        self._dropout = torch.Generator(device).manual_seed(seeds[2])
        self._final_seed = seeds[3]
        use_dropout_generator(model, self._dropout)
        self._test, self.probe_batch = (
            task.batch(size, held_out, held_out=True).to(device) for size in (recipe.evaluate_on, PROBE_ROWS)
        )
        self._parameters, self._gradients = _flatten(model)
        self._optimiser = _optimiser(self._parameters, recipe)
        self._average = self._parameters.detach().clone() if recipe.average else None
        self._precision = resolve_precision(recipe.precision, device, model.cfg.d_model)
        self._records = self._can_record()
        self._without_autograd = self._can_go_without_autograd()
        self._call = self._recorder() if self._records else cuda_graph.directly
        model.train()

    def _can_record(self) -> bool:
        ids = self.recipe.batch_size * max(self.task.longest)
        return self._parameters.device.type == "cuda" and ids <= cuda_graph.MOST_IDS

    def _can_go_without_autograd(self) -> bool:
        fits = self._parameters.device.type == "cpu" and self._precision is torch.float32 and not self._records
        return fits and backpropagation.covers(self.model)

    def _recorder(self) -> Callable[..., Any]:
        memory = [*self._optimiser.state[self._parameters].values()]
        if self._average is not None:
            memory.append(self._average)
        return cuda_graph.Recorder([self._parameters.detach(), self._gradients, *memory], self._dropout)

    def step(self) -> StepReport:
        """Takes a step, and evaluates the model every few of them. Raises what `take` does."""
        report = self.take()
        if report.step % self.recipe.evaluate_every and report.step != self.recipe.steps:
            return report
        return replace(report, evaluation=self.evaluate())

    def take(self) -> StepReport:
        """Takes a step and reports it. Between steps the weights may be read and saved; during one, no other thread may do so.

        Raises:
            TrainingDiverged: when the loss or the gradient is not finite. A step that fails has not been taken: weights and
                state are those from before it.
        """
        drawn = self._data.get_state(), self._dropout.get_state()
        try:
            return self._step()
        except BaseException:
            self._data.set_state(drawn[0])
            self._dropout.set_state(drawn[1])
            raise

    @property
    def evaluated_on(self) -> int:
        """The number of rows in each evaluation: there may be fewer than the recipe asks for."""
        return len(self._test.src)

    def share_right(self) -> float:
        """The share of the held-out rows of this training that the model answers right at present."""
        with self._averaged():
            return exact_match(self.model, self.task, self._test)

    def evaluate(self) -> Evaluation:
        """Evaluates the model at present, on the held-out rows of this training."""
        with self._averaged():
            return evaluate(self.model, self.task, self._test, self.probe_batch)

    def evaluate_finally(self) -> FinalEvaluation:
        """Evaluates the model at the end, on rows that had no say in when that was."""
        rows = self.final_rows().to(self._parameters.device)
        with self._averaged():
            lots = torch.arange(len(rows.src)).split(self.recipe.evaluate_on)  # as many at once as there is memory for
            right = torch.cat([judged_right(self.model, self.task, rows.rows(lot)) for lot in lots])
        return FinalEvaluation(int(right.sum()) / len(right), len(rows.src))

    def final_rows(self) -> Batch:
        """Held-out rows that no evaluation looks at, each once; where there are no others, those there are."""
        generator = torch.Generator().manual_seed(self._final_seed)
        drawn = self.task.batch(_FINAL * self.recipe.evaluate_on, generator, held_out=True)
        seen = {tuple(row) for row in _what_tells_rows_apart(self._test).tolist()}
        others = [place for place, row in enumerate(_what_tells_rows_apart(drawn).tolist()) if tuple(row) not in seen]
        return drawn.rows(torch.tensor(others)) if others else drawn

    def _step(self) -> StepReport:
        recipe, step = self.recipe, self.steps_taken + 1
        start = time.perf_counter()
        batch = self.task.batch(recipe.batch_size, self._data)
        if self._records:  # every shape would be recorded by itself
            batch = batch.padded(self.task.longest, self.task.pad_id)
        loss, length = self._gradient_of(batch).tolist()  # the one wait for the device
        if not (math.isfinite(loss) and math.isfinite(length)):
            raise _diverged(step, loss, length)
        self._clipping = min(recipe.clip / (length + 1e-6), 1.0)
        rate = learning_rate(step, self.model.cfg.d_model, recipe)
        self._call(self._update, rate)
        self.steps_taken = step
        seconds = time.perf_counter() - start
        tokens = int((batch.labels != self.task.pad_id).sum())
        return StepReport(step, loss, rate, length, tokens, seconds, evaluation=None)

    def _gradient_of(self, batch: Batch) -> Tensor:
        """Computes and clips the gradient. Shape: -> (2,), the loss and the gradient's norm before clipping"""
        if self._without_autograd and not is_observed() and backpropagation.begin_with_tokens(self.model, batch.src, batch.tgt):
            loss = backpropagation.differentiate(self.model, batch.src, batch.tgt, partial(self._loss, batch))
            return self._clipped(loss)
        if batch.right is None:
            found: Tensor = self._call(self._find_gradient, batch.src, batch.tgt, batch.labels)
            return found
        return self._find_gradient(batch.src, batch.tgt, batch.labels, batch.right)  # of another shape in each step

    def _find_gradient(self, src: Tensor, tgt: Tensor, labels: Tensor, right: RightTokens | None = None) -> Tensor:
        """Computes and clips the gradient. Shape: a Batch's -> (2,), the loss and the gradient's norm before clipping"""
        return self._clipped(self._differentiate(Batch(src, tgt, labels, right).to(self._parameters.device)))

    def _clipped(self, loss: Tensor) -> Tensor:
        """Clips the gradient. Shape: () -> (2,), the loss and the gradient's norm before clipping"""
        length = self._gradients.norm()
        self._gradients.mul_((self.recipe.clip / (length + 1e-6)).clamp(max=1.0))
        return torch.stack([loss, length])

    def _differentiate(self, batch: Batch) -> Tensor:
        """Fills the gradients; returns the loss, ()."""
        self._gradients.zero_()
        with _products_in(self._precision, self._parameters.device):
            logits = self.model(batch.src, batch.tgt)
        loss = self._loss(batch, logits.float())
        loss.backward()
        return loss.detach()

    def _loss(self, batch: Batch, logits: Tensor) -> Tensor:
        if batch.right is not None:
            return right_loss(logits, batch.right, self.recipe.label_smoothing)
        return token_loss(logits, batch.labels, self.task.pad_id, self.recipe.label_smoothing)

    def _update(self, rate: float | Tensor) -> None:
        self._optimiser.param_groups[0]["lr"] = rate
        self._optimiser.step()

        if self._average is not None:
            self._average.lerp_(self._parameters.detach(), self.recipe.average)

    @contextmanager
    def _averaged(self) -> Iterator[None]:
        """Lets the average take the place of the weights, if there is one."""
        if self._average is None:
            yield
            return
        weights = self._parameters.detach()
        kept = weights.clone()
        weights.copy_(self._average)
        try:
            yield
        finally:
            weights.copy_(kept)

    def averaged(self) -> Transformer:
        """The model to hand out, see `averaged`."""
        return averaged(self.model, self.state())

    def probe(self) -> ProbeResult:
        """Runs the model on the probe batch."""
        with self._averaged():
            return probe(self.model, self.task, self.probe_batch)

    def gradient_norms(self) -> dict[str, float]:
        """The norm of the last step's gradient before clipping, part by part: "encoder.0", "output"... The squares add up to
        that of the whole. All are 0 before the first step."""
        parts: dict[str, int] = {}  # they are consecutive in the vector of gradients
        for name, parameter in self.model.named_parameters():
            module, inner, *_ = name.split(".")
            part = f"{module}.{inner}" if inner.isdigit() else module
            parts[part] = parts.get(part, 0) + parameter.numel()
        lengths = torch.stack([piece.norm() for piece in self._gradients.split(list(parts.values()))]) / self._clipping
        return dict(zip(parts, lengths.tolist(), strict=True))

    def state(self) -> TrainingState:
        held = self._optimiser.state[self._parameters] | {AVERAGE: self._average}
        copies = {name: held[name].to("cpu", copy=True) for name in moment_names(self.recipe)}
        return TrainingState(self.steps_taken, copies, self._data.get_state(), self._dropout.get_state())

    def restore(self, state: TrainingState) -> None:
        """Goes back, or forward, to the step of `state`; the weights of that step are for the caller to load.

        Raises:
            InputError: for the state of another optimiser, another size of model, or another kind of device.
        """
        sizes = {name: moment.numel() for name, moment in state.moments.items()}
        if sizes != dict.fromkeys(moment_names(self.recipe), self._parameters.numel()):
            raise InputError(
                "this state of training does not fit {optimiser} and the model's parameters; start a new training",
                optimiser=self.recipe.optimiser,
            )
        try:
            if self.model.cfg.dropout > 0:
                self._dropout.set_state(state.dropout)
            self._data.set_state(state.data)
        except RuntimeError as error:
            raise InputError("this training cannot be resumed on this device: {error}", error=str(error)) from error
        for name, value in self._optimiser.state[self._parameters].items():
            value.copy_(state.moments[name]) if name in state.moments else value.fill_(state.step)
        if self._average is not None:
            self._average.copy_(state.moments[AVERAGE])
        self.steps_taken = state.step


def check_stacks(cfg: TransformerConfig, task: Task) -> None:
    """Raises InputError for a decoder alone where the task has a source to read, and for an encoder where it has none."""
    if has_source(task) and not cfg.has_encoder:
        raise InputError(
            "the task {task} has a source, and a decoder alone reads none; choose both stacks",
            task=task.name,
            nearest={"stacks": ("both",)},
        )
    if cfg.has_encoder and not has_source(task):
        raise InputError(
            "the task {task} has no source; choose the decoder alone", task=task.name, nearest={"stacks": ("decoder",)}
        )


def token_loss(logits: Tensor, labels: Tensor, pad_id: int, label_smoothing: float = 0.0) -> Tensor:
    """Cross-entropy per token that is not padding, in nats; it includes the log-softmax, so the model returns logits.

    Shape: logits (batch, tgt, vocab), labels (batch, tgt) -> ()
    """
    if logits.size(-1) < SHORT_ROW:  # a short vocabulary comes second to last, where torch's log-softmax is vectorised
        return F.cross_entropy(logits.mT, labels, ignore_index=pad_id, label_smoothing=label_smoothing)
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=pad_id, label_smoothing=label_smoothing)


def right_loss(logits: Tensor, right: RightTokens, label_smoothing: float = 0.0) -> Tensor:
    """Cross-entropy of the right tokens' probabilities, per place, in nats. Shape: logits (batch, tgt, vocab) -> ()"""
    row, place, token = right.at.T
    logarithms = F.log_softmax(logits, dim=-1)
    log_probabilities = logarithms[row, place, token]  # (right token,)
    if label_smoothing:
        log_probabilities = torch.lerp(log_probabilities, logarithms[row, place].mean(dim=-1), label_smoothing)
    return -(right.shares * log_probabilities).sum() / right.shares.sum()


def _what_tells_rows_apart(rows: Batch) -> Tensor:
    """Their sources, or where these have no tokens, what the decoder is given. Shape: -> (batch, tokens)"""
    return rows.src if rows.src.size(1) else rows.tgt


def _optimiser(parameters: Tensor, recipe: Recipe) -> torch.optim.Optimizer:
    """The optimiser, with its state allocated (as zeros) before the first step, so that it stays in place."""
    kind = parameters.device.type
    fused = kind in ("cpu", "cuda")
    memory = {name: torch.zeros_like(parameters) for name in MOMENTS[recipe.optimiser]}
    optimiser: torch.optim.Optimizer
    if recipe.optimiser == "sgd":
        optimiser = torch.optim.SGD([parameters], momentum=0.9, fused=fused)
    else:
        optimiser = torch.optim.Adam([parameters], betas=recipe.betas, eps=recipe.eps, fused=fused, capturable=kind == "cuda")
        memory["step"] = torch.zeros((), device=parameters.device if fused else "cpu")
    optimiser.state[parameters] = memory
    return optimiser


def _products_in(precision: torch.dtype, device: torch.device) -> AbstractContextManager[Any]:
    """Computes matrix products in `precision`. Every weight is used once: there is nothing to cache."""
    if precision is torch.float32:
        return nullcontext()
    return torch.autocast(device.type, precision, cache_enabled=False)


def _flatten(model: Transformer) -> tuple[Tensor, Tensor]:
    """Puts all parameters into one vector and all gradients into another, and makes them views of these.

    Adam, clipping and zeroing are then one operation each, not one per parameter: a tenth of a step for a small model.
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


def _is_like(value: Any, example: Any) -> bool:
    """Returns whether a value read from a file may take the place of `example`; huge integers may not."""
    if isinstance(example, tuple):
        return isinstance(value, (tuple, list)) and len(value) == len(example) and all(map(_is_like, value, example))
    kinds = (int, float) if isinstance(example, float) else (type(example),)
    return type(value) in kinds and (type(value) is not int or abs(value) < 2**60)
