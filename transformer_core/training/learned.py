"""A model and the course of its learning: its weights after some of the steps, in a file that can be read a step at a time.

Steps stand closer together in the beginning, where most changes. The weights of step 0 are in no file: they are drawn from the
seed.
"""

import json
import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import safetensors.torch
import torch
from torch import Tensor

from transformer_core.data.tasks import Task, has_source, task_from_dict, task_to_dict
from transformer_core.model.config import TransformerConfig
from transformer_core.model.transformer import Transformer
from transformer_core.training import packing
from transformer_core.training.checkpoint import (
    CheckpointError,
    check_sizes,
    course_in,
    ordered,
    read_facts,
    read_header,
    read_tensors,
)
from transformer_core.training.evaluation import FinalEvaluation
from transformer_core.training.trainer import Recipe

Outcome = Literal["learned", "cannot-learn", "diverged"]
_FORMAT = "transformer-explorer-learned-1"
_DIGITS = 9  # the most digits of a step in a file
_EVALUATIONS = 100_000


class KeptSteps:
    """A model at the kept steps of its learning.

    Attributes:
        curve: (evaluations, 3): step, share of held-out rows answered right, loss of that step in nats per token.
        states: the parameters after each step but 0, (parameters,); the last is the end.
    """

    curve: np.ndarray
    states: Mapping[int, Tensor]

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """The steps at which it can be seen, in order, 0 first."""
        return (0, *sorted(self.states))

    @property
    def last(self) -> int:
        return self.steps[-1]

    def nearest(self, step: int | None) -> int:
        """The last step kept that is not after this one, or the first; None stands for the end."""
        return self.last if step is None else self.steps[max(bisect_right(self.steps, step) - 1, 0)]

    def right_at(self, step: int) -> float | None:
        """The share answered right after a step; None where it was not measured, as before the first step."""
        rows = self.curve[self.curve[:, 0] == step]
        return float(rows[0, 1]) if len(rows) else None

    @property
    def nbytes(self) -> int:
        return sum(state.nbytes for state in self.states.values())


@dataclass(frozen=True, eq=False)
class Learned(KeptSteps):
    """A model at every step that was kept.

    Attributes:
        outcome: "learned", also where the steps ran out on the way; "cannot-learn" where it stopped getting better far from
            the target; "diverged" where the loss became infinite.
        curve: (evaluations, 3): step, share of held-out rows answered right, loss of that step in nats per token.
        rows: how many held-out rows each share is of.
        states: the parameters after each step, (parameters,) float16 in the order of `Transformer.parameters`; the last is the
            end. Without step 0.
        seconds: of compute.
        key: the name of its file in a folder of models, that of its plan; "" where a file has been opened by itself.
        final: the evaluation of the end on rows of its own; None where there was none.
    """

    cfg: TransformerConfig
    task: Task
    recipe: Recipe
    outcome: Outcome
    curve: np.ndarray
    rows: int
    states: Mapping[int, Tensor]
    seconds: float
    key: str = ""
    final: FinalEvaluation | None = None

    @property
    def right(self) -> float:
        """The share answered right at the end."""
        return float(self.curve[-1, 1])

    def model(self, step: int) -> Transformer:
        """The model after a step that was kept, in eval mode. Raises KeyError for another step."""
        if step == 0:
            return initial(self.cfg, self.recipe.seed)
        return with_parameters(self.cfg, self.states[step])

    def within(self, most_bytes: int) -> "Learned":
        """The same at fewer steps, every other of which is left out until the weights of all take so many bytes at most; the
        last step stays."""
        steps = sorted(self.states)
        of_each = self.states[steps[-1]].nbytes
        while len(steps) > 1 and len(steps) * of_each > most_bytes:
            steps = steps[(len(steps) - 1) % 2 :: 2]
        return replace(self, states={step: self.states[step] for step in steps})


def initial(cfg: TransformerConfig, seed: int) -> Transformer:
    """The model before its first step, in eval mode."""
    return Transformer(cfg, torch.Generator().manual_seed(seed)).eval()


def parameters_of(model: Transformer) -> Tensor:
    """All parameters, one after another, a tied one once. Shape: -> (parameters,) float16"""
    most = torch.finfo(torch.float16).max  # weights that diverge may be beyond it
    return torch.cat([parameter.detach().flatten().clamp(-most, most).half() for parameter in model.parameters()]).cpu()


def with_parameters(cfg: TransformerConfig, parameters: Tensor) -> Transformer:
    """The model with these parameters, in eval mode. Shape: (parameters,)"""
    model = Transformer(cfg, initialise=False)
    torch.nn.utils.vector_to_parameters(parameters.float(), model.parameters())
    return model.eval()


def to_bytes(learned: Learned, *, small: bool = False, origin: str = "") -> bytes:
    """As the content of a safetensors file; `small` keeps a byte for each number (see `packing`), in place of two. `origin`
    tells equal courses apart: files of different origin differ."""
    facts = {
        "config": asdict(learned.cfg),
        "task": task_to_dict(learned.task),
        "recipe": asdict(learned.recipe),
        "outcome": learned.outcome,
        "rows": learned.rows,
        "seconds": learned.seconds,
        **({} if learned.final is None else {"final": asdict(learned.final)}),
        **({"origin": origin} if origin else {}),
    }
    tensors: dict[str, Tensor] = {"curve": torch.from_numpy(np.ascontiguousarray(learned.curve, dtype=np.float64))}
    for step, state in learned.states.items():
        tensors |= packing.packed(str(step), state) if small else {f"{step}": state.half()}
    metadata = {"format": _FORMAT, "facts": json.dumps(facts)}
    return ordered(safetensors.torch.save(tensors, metadata=metadata))


def is_learned(data: bytes) -> bool:
    """Returns whether the content of a file claims to be of this format; nothing else is checked."""
    metadata = read_header(data).get("__metadata__")
    return isinstance(metadata, dict) and metadata.get("format") == _FORMAT


def from_bytes(data: bytes) -> Learned:
    """Reads a file, also one of a model that holds its course besides. Raises CheckpointError, one clear sentence, for anything
    else."""
    data = course_in(data) or data
    header = read_header(data)
    metadata = header.pop("__metadata__", None)
    if not isinstance(metadata, dict) or metadata.get("format") != _FORMAT:
        raise CheckpointError(
            "this safetensors file holds no course of learning; choose one that was saved by Transformer Explorer"
        )
    try:
        facts = read_facts(metadata["facts"])
        cfg, task = TransformerConfig.from_dict(facts["config"]), task_from_dict(facts["task"])
        recipe, outcome = Recipe.from_dict(facts["recipe"]), facts["outcome"]
        rows, seconds = int(facts["rows"]), float(facts["seconds"])
        final = FinalEvaluation(**facts["final"]) if "final" in facts else None
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise CheckpointError("the course of learning in the file cannot be read: {error}", error=str(error)) from error
    (src, tgt), words = task.longest, {task.vocab, cfg.src_vocab, cfg.tgt_vocab}
    fits = len(words) == 1 and src <= cfg.max_len and tgt <= cfg.longest_tgt and has_source(task) == cfg.has_encoder
    if outcome not in get_args(Outcome) or not fits or rows < 1 or not 0 <= seconds < math.inf or not _is_possible(final):
        raise CheckpointError("the course of learning in the file contradicts itself; choose another one")
    steps = _check_states(header, check_sizes(cfg))
    tensors = read_tensors(data)
    curve = tensors.pop("curve").numpy()
    if not (np.diff(curve[:, 0], prepend=-1.0) > 0).all() or not ((curve[:, 1] >= 0) & (curve[:, 1] <= 1)).all():
        raise CheckpointError("the curve of the file's learning is not one; choose another file")
    if not all(tensor.isfinite().all() for tensor in tensors.values() if tensor.is_floating_point()):
        raise CheckpointError("the file holds weights that are not finite numbers; choose another one")
    states = {step: tensors[str(step)] if str(step) in tensors else packing.unpacked(str(step), tensors) for step in steps}
    return Learned(cfg, task, recipe, outcome, curve, rows, states, seconds, final=final)


def _is_possible(final: FinalEvaluation | None) -> bool:
    if final is None:
        return True
    is_share = type(final.exact_match) in (int, float) and 0 <= final.exact_match <= 1
    return is_share and type(final.rows) is int and final.rows > 0


def _check_states(header: dict[str, Any], parameters: int) -> list[int]:
    """The steps in a file's header, in order, once every tensor in it is known to have the right shape and type."""
    curve = header.pop("curve", None)
    if not isinstance(curve, dict) or curve.get("dtype") != "F64" or not _is_curve(curve.get("shape")):
        raise CheckpointError("the file lacks the curve of its learning; choose another one")
    expected = {}
    named = {name.partition(".")[0] for name in header}
    steps = sorted({int(step) for step in named if step.isdecimal() and len(step) < _DIGITS})
    for step in steps:
        if str(step) in header:
            expected[str(step)] = ([parameters], "F16")
        else:
            expected[f"{step}.bytes"] = ([parameters], "I8")
            expected[f"{step}.most"] = ([-(-parameters // packing.BLOCK)], "F16")
    saved = {
        name: (entry.get("shape"), entry.get("dtype")) if isinstance(entry, dict) else entry for name, entry in header.items()
    }
    if 0 in steps or saved != expected:
        raise CheckpointError("the weights in the file do not fit its configuration; choose another one")
    return steps


def _is_curve(shape: Any) -> bool:
    return (
        isinstance(shape, list)
        and len(shape) == 2
        and shape[1] == 3
        and isinstance(shape[0], int)
        and 0 < shape[0] <= _EVALUATIONS
    )
