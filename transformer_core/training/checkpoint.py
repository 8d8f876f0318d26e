"""Trained models as safetensors files: the weights, the configuration, a few facts, and what it takes to resume training.

Nothing is ever unpickled. The header (names, shapes and types) is checked against the configuration in the file before any
weight is read, so that a damaged or foreign file gives one clear error and never half a model. Weights are float32, or float16
in a file half as large; once read, they are float32.

The state of training, if it is saved, is beside the weights: tensors named `training.…` and one entry of the metadata. So is
the course of its learning: a tensor with the bytes of the file that `learned` makes.
"""

import errno
import json
import math
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import safetensors.torch
import torch

from transformer_core.data.tasks import Task, task_from_dict, task_to_dict
from transformer_core.errors import InputError
from transformer_core.model.config import TransformerConfig
from transformer_core.model.transformer import Transformer, shapes_only
from transformer_core.training.cost import count_by_formula
from transformer_core.training.trainer import Recipe, TrainingState, check_stacks, moment_names
from transformer_core.training.whole_file import move, part_of, write_part

MAX_PARAMETERS = 100_000_000
_LONGEST_HEADER = 4 * 2**20  # bytes; parsing one takes half a second
_MOST_DIGITS = 18  # of a whole number
MAX_POSITIONS = 10_000_000  # values of all positions; sinusoids are computed, so the file's size does not bound them
MAX_LAYERS = 64
MAX_VOCABULARY = 50_000
MAX_LENGTH = 8_192  # tokens that a model has positions for
_FORMAT = "transformer-explorer-1"
_TRAINING = "training."  # prefix of the tensors that hold the state of training
_COURSE = "course"  # the tensor that holds the bytes of another file, see `learned.to_bytes`
_Expected = dict[str, tuple[list[int], tuple[str, ...]]]  # by name, a tensor's shape and its possible types
_GENERATOR_BYTES = torch.Generator().get_state().numel()  # on a CPU; shorter on other devices


class CheckpointError(InputError):
    """The file is not a model of ours, or not a complete one."""


@dataclass(frozen=True)
class Training:
    """The training of a model, and how far it had come: `Trainer(model, task, recipe)` and `restore(state)` resume it."""

    task: Task
    recipe: Recipe
    state: TrainingState


@dataclass(frozen=True)
class Checkpoint:
    """A model in eval mode and what is known of it.

    Attributes:
        facts: such as task, steps and accuracy, plain JSON values.
        training: None where the file holds no state of training.
        course: the content of a file with the course of its learning, unread (see `learned.from_bytes`); b"" where the file
            holds none.
    """

    model: Transformer
    facts: dict[str, Any] = field(default_factory=dict)
    training: Training | None = None
    course: bytes = b""


def to_bytes(
    model: Transformer,
    facts: dict[str, Any] | None = None,
    training: Training | None = None,
    *,
    half: bool = False,
    course: bytes = b"",
) -> bytes:
    """The model as the content of a safetensors file; `training` makes it two or three times as large, and resumable, `half`
    half as large: the weights are rounded to float16, and training cannot be resumed. `course`: what `learned.to_bytes` makes
    of its learning.

    Raises:
        InputError: for weights beyond the range of float16, and for `half` with `training`.
    """
    # In training all parameters are views of one vector; safetensors needs separate tensors.
    tensors = {name: tensor.detach().cpu().clone().contiguous() for name, tensor in model.named_parameters()}
    if half:
        if training is not None:
            raise InputError("training cannot be resumed from weights in half precision; leave out one of the two")
        tensors = {name: _halved(name, tensor) for name, tensor in tensors.items()}
    header = {"format": _FORMAT, "config": json.dumps(asdict(model.cfg)), "facts": json.dumps(facts or {})}
    if training is not None:
        state = training.state
        vectors = state.moments | {"data": state.data, "dropout": state.dropout}
        tensors |= {_TRAINING + name: vector for name, vector in vectors.items()}
        header["training"] = json.dumps(
            {
                "task": task_to_dict(training.task),
                "recipe": asdict(training.recipe),
                "step": state.step,
                "dropout_bytes": state.dropout.numel(),
            }
        )
    if course:
        tensors[_COURSE] = torch.frombuffer(bytearray(course), dtype=torch.uint8)
    return ordered(safetensors.torch.save(tensors, metadata=header))


def _halved(name: str, tensor: torch.Tensor) -> torch.Tensor:
    most = torch.finfo(torch.float16).max
    if tensor.abs().max() > most:
        raise InputError(
            "{name} holds a weight beyond {most:,.0f}, the largest in half precision; save it in full", name=name, most=most
        )
    return tensor.half()


def ordered(data: bytes) -> bytes:
    """The same file with its header sorted: safetensors shuffles the metadata, and equal models should give equal files."""
    length = int.from_bytes(data[:8], "little")
    header = json.dumps(json.loads(data[8 : 8 + length]), sort_keys=True, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)  # the weights after it start at a multiple of 8 bytes
    return len(header).to_bytes(8, "little") + header + data[8 + length :]


def save(
    path: str | Path,
    model: Transformer,
    facts: dict[str, Any] | None = None,
    training: Training | None = None,
    *,
    half: bool = False,
) -> None:
    """Writes the whole file or nothing, see `to_bytes`. Raises OSError; where the file could be written but not moved to its
    place, the error names where it is."""
    path = Path(path)
    part = write_part(path, to_bytes(model, facts, training, half=half))
    try:
        move(part, path)
    except OSError as error:
        words = f"{path} cannot be replaced ({error.strerror}); the model is safe in {part}: rename that file"
        raise OSError(words) from error


def check_can_save(path: str | Path, size: int = 0) -> None:
    """Raises OSError where a file of so many bytes could not be saved: for there is no such folder, or one may not write there,
    or the disk is full."""
    path = Path(path).absolute()
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent} to save the model in; create it first")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file in it")
    trial = part_of(path)
    try:
        trial.touch()
    finally:
        with suppress(OSError):  # what could not be made need not be removed
            trial.unlink(missing_ok=True)
    if (free := shutil.disk_usage(path.parent).free) < size:
        raise OSError(errno.ENOSPC, f"the file takes {size >> 20:,} MB, and only {free >> 20:,} MB are free", str(path.parent))


def load(path: str | Path) -> Checkpoint:
    """Raises CheckpointError for a file that is not a complete model, OSError for one that cannot be read."""
    return from_bytes(Path(path).read_bytes())


def from_bytes(data: bytes) -> Checkpoint:
    """The model in a safetensors file's content. Raises CheckpointError."""
    header = read_header(data)
    metadata = header.pop("__metadata__", None)
    if not isinstance(metadata, dict) or metadata.get("format") != _FORMAT:
        raise CheckpointError("this safetensors file holds no configuration; choose one that was saved by Transformer Explorer")
    try:
        cfg = TransformerConfig.from_dict(json.loads(metadata["config"]))
        facts = read_facts(metadata.get("facts", "{}"))
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise CheckpointError("the file's configuration cannot be read: {error}", error=_reason(error)) from error
    if not isinstance(facts, dict):
        raise CheckpointError("the file's configuration cannot be read: its facts are not pairs of a name and a value")
    claim = _read_claim(metadata["training"], cfg) if "training" in metadata else None
    has_course = _holds_course(header)
    header.pop(_COURSE, None)
    _check_tensors(header, cfg, claim)
    tensors = read_tensors(data)
    course = tensors.pop(_COURSE).numpy().tobytes() if has_course else b""
    if not all(tensor.isfinite().all() for tensor in tensors.values()):
        raise CheckpointError("the file holds weights that are not finite numbers; choose another one")
    training = _training(claim, tensors) if claim is not None else None
    model = Transformer(cfg, initialise=False)
    # Names were compared above; a tied embedding is in the file once. Half precision becomes float32.
    model.load_state_dict(tensors, strict=False)
    return Checkpoint(model.eval(), facts, training, course)


def course_in(data: bytes) -> bytes:
    """The content of the file with the course of learning that a model's file holds; b"" where this holds none. Raises
    CheckpointError."""
    header = read_header(data)
    metadata = header.get("__metadata__")
    is_ours = isinstance(metadata, dict) and metadata.get("format") == _FORMAT
    return read_tensors(data)[_COURSE].numpy().tobytes() if is_ours and _holds_course(header) else b""


def _holds_course(header: Mapping[str, Any]) -> bool:
    entry = header.get(_COURSE)
    if entry is None:
        return False
    if not isinstance(entry, dict) or entry.get("dtype") != "U8":
        raise CheckpointError("the course of learning in the file is no file; choose another one")
    return True


@dataclass(frozen=True)
class _Claim:
    """The facts of a file's metadata about its training, read before any tensor."""

    task: Task
    recipe: Recipe
    step: int
    dropout_bytes: int

    def expected(self, parameters: int) -> _Expected:
        """The tensors that belong to it."""
        moments: _Expected = {_TRAINING + name: ([parameters], ("F32",)) for name in moment_names(self.recipe)}
        return moments | {
            f"{_TRAINING}data": ([_GENERATOR_BYTES], ("U8",)),
            f"{_TRAINING}dropout": ([self.dropout_bytes], ("U8",)),
        }


def _read_claim(text: str, cfg: TransformerConfig) -> _Claim:
    try:
        values = json.loads(text)
        claim = _Claim(
            task_from_dict(values["task"]), Recipe.from_dict(values["recipe"]), values["step"], values["dropout_bytes"]
        )
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise CheckpointError("the state of training in the file cannot be read: {error}", error=_reason(error)) from error
    for name, number, most in (("step", claim.step, claim.recipe.steps), ("dropout", claim.dropout_bytes, _GENERATOR_BYTES)):
        if type(number) is not int or not 0 <= number <= most:
            raise CheckpointError(
                "in the file's state of training, {name} must be a whole number from 0 to {most}, not {value}",
                name=name,
                value=repr(number),
                most=most,
            )
    try:
        check_stacks(cfg, claim.task)
    except InputError as error:
        raise CheckpointError("the state of training in the file cannot be read: {error}", error=error) from error
    if not claim.task.vocab == cfg.src_vocab == cfg.tgt_vocab:
        raise CheckpointError(
            "the file's task has {vocab} ids, but its model reads {src_vocab} and generates {tgt_vocab}; choose another file",
            vocab=claim.task.vocab,
            src_vocab=cfg.src_vocab,
            tgt_vocab=cfg.tgt_vocab,
        )
    return claim


def _training(claim: _Claim, tensors: dict[str, torch.Tensor]) -> Training:
    """The state of training; its tensors are removed from `tensors`."""
    moments = {name: tensors.pop(_TRAINING + name) for name in moment_names(claim.recipe)}
    data, dropout = (tensors.pop(_TRAINING + name) for name in ("data", "dropout"))
    try:
        for state in (data, dropout):
            if state.numel() == _GENERATOR_BYTES:  # another device's is checked on that device
                torch.Generator().set_state(state)
    except RuntimeError as error:
        raise CheckpointError(
            "the file's random generators are damaged, so training cannot be resumed; save or download it again"
        ) from error
    return Training(claim.task, claim.recipe, TrainingState(claim.step, moments, data, dropout))


def _reason(error: Exception) -> InputError | str:
    """The reason inside another error: an InputError is kept as it is, so that it can be translated, too."""
    return error if isinstance(error, InputError) else str(error)


def read_facts(text: str) -> Any:
    """The facts of a file. Raises ValueError for what is no JSON, and InputError for a whole number that no count can be."""
    return json.loads(text, parse_int=_whole_number)


def _whole_number(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise InputError("it has a number of {n} digits", n=len(digits))
    return int(digits)


def read_header(data: bytes) -> dict[str, Any]:
    """The JSON header of a safetensors file: 8 bytes of length, then the text. Raises CheckpointError also for one that is
    longer than any model's.
    """
    length = int.from_bytes(data[:8], "little")
    if len(data) < 9 or length > len(data) - 8 or data[8:9] != b"{":
        raise CheckpointError("this is not a complete safetensors file; save or download it again")
    if length > _LONGEST_HEADER:
        raise CheckpointError(
            "the file's header has {n:,} kB, and that of a model up to {most:,} kB; choose another file",
            n=length >> 10,
            most=_LONGEST_HEADER >> 10,
        )
    try:
        header = json.loads(data[8 : 8 + length])
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise CheckpointError("the file is damaged: its header cannot be read; save or download it again") from error
    if not isinstance(header, dict):
        raise CheckpointError("the file is damaged: its header cannot be read; save or download it again")
    return header


def read_tensors(data: bytes) -> dict[str, torch.Tensor]:
    """The tensors of a safetensors file, whose header has been checked."""
    try:
        return safetensors.torch.load(data)
    except Exception as error:  # safetensors raises its own kinds, and they differ between versions
        raise CheckpointError("the file is damaged ({error}); save or download it again", error=str(error)) from error


def check_sizes(cfg: TransformerConfig) -> int:
    """The parameters of a model that a file claims. Raises CheckpointError where it is larger than any of ours."""
    # Comes before anything of the claimed size is built, even on "meta": a file may hold numbers of any length.
    vocabulary, longest = max(cfg.src_vocab, cfg.tgt_vocab), max(cfg.max_len, cfg.longest_tgt)
    if vocabulary > MAX_VOCABULARY:
        raise CheckpointError(
            "the file claims a vocabulary of more than {most:,} ids; choose another model", most=MAX_VOCABULARY
        )
    if longest > MAX_LENGTH:
        raise CheckpointError("the file claims positions for more than {most:,} tokens; choose another model", most=MAX_LENGTH)
    count = count_by_formula(cfg)
    if count > MAX_PARAMETERS:
        raise CheckpointError("the file claims more than {most:,} parameters; choose a smaller model", most=MAX_PARAMETERS)
    if longest * cfg.d_model > MAX_POSITIONS:
        raise CheckpointError("the file claims positions of more than {most:,} values; lower max_len", most=MAX_POSITIONS)
    if cfg.n_layers > MAX_LAYERS:
        raise CheckpointError(
            "the file claims {layers:,} layers; choose a model of at most {most}", layers=cfg.n_layers, most=MAX_LAYERS
        )
    return count


def _check_tensors(header: dict[str, Any], cfg: TransformerConfig, claim: _Claim | None = None) -> None:
    expected_count = check_sizes(cfg)
    kinds: tuple[str, ...] = ("F32", "F16") if claim is None else ("F32",)
    expected: _Expected = {name: (list(p.shape), kinds) for name, p in shapes_only(cfg).named_parameters()}
    total = sum(math.prod(shape) for shape, _ in expected.values())
    if total != expected_count:
        raise AssertionError(f"formula {expected_count} and count {total} disagree for {cfg}")
    if claim is not None:
        expected |= claim.expected(total)
    if missing := expected.keys() - header.keys():
        raise CheckpointError(
            "the file lacks {name} (missing tensors: {n}); choose another one", name=min(missing), n=len(missing)
        )
    if extra := header.keys() - expected.keys():
        raise CheckpointError(
            "the file holds {name}, which its configuration does not have; choose another one", name=repr(min(extra))
        )
    for name, (shape, kinds) in expected.items():
        entry = header[name]
        if not isinstance(entry, dict) or entry.get("shape") != shape or entry.get("dtype") not in kinds:
            found = (entry.get("shape"), entry.get("dtype")) if isinstance(entry, dict) else entry
            raise CheckpointError(
                "{name} should have the shape {shape} and type {kind}, but the file says {found}",
                name=name,
                shape=str(shape),
                kind="/".join(kinds),
                found=str(found),
            )
