"""Trained models as safetensors files: the weights, the configuration, and a few facts about the training.

Nothing is ever unpickled. A file is checked from its header alone (names, shapes, types, against the configuration it claims)
before a single weight is read, so that a damaged or foreign file gives one clear error and never half a model.
"""

import json
import math
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import safetensors.torch
import torch

from transformer_core.accounting import count_by_formula
from transformer_core.config import TransformerConfig
from transformer_core.transformer import Transformer

MAX_PARAMETERS = 100_000_000
MAX_POSITIONS = 10_000_000  # values in the table of positions; it is computed, so that no file has to hold it
MAX_LAYERS = 64
_FORMAT = "transformer-explorer-1"


class CheckpointError(ValueError):
    """The file is not a model of ours, or not a whole one."""

    def __init__(self, message: str):
        # Names and values quoted from a foreign file may be of any length.
        super().__init__(message if len(message) <= 300 else message[:299] + "…")


@dataclass(frozen=True)
class Checkpoint:
    """A model in eval mode and what is known of it: `facts` such as task, steps and accuracy, plain JSON values."""

    model: Transformer
    facts: dict[str, Any] = field(default_factory=dict)


def to_bytes(model: Transformer, facts: dict[str, Any] | None = None) -> bytes:
    """The model as the content of a safetensors file."""
    # In training all parameters are views of one vector; safetensors wants each on its own.
    tensors = {name: tensor.detach().cpu().clone().contiguous() for name, tensor in _unique_state(model).items()}
    header = {"format": _FORMAT, "config": json.dumps(asdict(model.cfg)), "facts": json.dumps(facts or {})}
    return _ordered(safetensors.torch.save(tensors, metadata=header))


def _ordered(data: bytes) -> bytes:
    """The same file with its header in order: safetensors shuffles the metadata, and equal models would not be equal files."""
    length = int.from_bytes(data[:8], "little")
    header = json.dumps(json.loads(data[8 : 8 + length]), sort_keys=True, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)  # the weights behind it start at a multiple of 8 bytes
    return len(header).to_bytes(8, "little") + header + data[8 + length :]


def save(path: str | Path, model: Transformer, facts: dict[str, Any] | None = None) -> None:
    """Writes the file whole or not at all."""
    path = Path(path)
    partial = path.with_name(path.name + ".part")
    partial.write_bytes(to_bytes(model, facts))
    partial.replace(path)


def load(path: str | Path) -> Checkpoint:
    """Raises CheckpointError for a file that is not a whole model, OSError for one that cannot be read."""
    return from_bytes(Path(path).read_bytes())


def from_bytes(data: bytes) -> Checkpoint:
    """The model in a safetensors file's content. Raises CheckpointError."""
    header = _read_header(data)
    metadata = header.pop("__metadata__", None)
    if not isinstance(metadata, dict) or metadata.get("format") != _FORMAT:
        raise CheckpointError("this safetensors file was not saved by Transformer Explorer: it names no configuration")
    try:
        cfg = TransformerConfig.from_dict(json.loads(metadata["config"]))
        facts = json.loads(metadata.get("facts", "{}"))
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise CheckpointError(f"the file's configuration cannot be read: {error}") from error
    if not isinstance(facts, dict):
        raise CheckpointError("the file's configuration cannot be read: its facts are not a list of names and values")
    _check_tensors(header, cfg)
    try:
        tensors = safetensors.torch.load(data)
    except Exception as error:  # safetensors raises its own kinds, and they differ between versions
        raise CheckpointError(f"the file is damaged: {error}") from error
    if not all(tensor.isfinite().all() for tensor in tensors.values()):
        raise CheckpointError("the file holds weights that are not finite numbers")
    model = Transformer(cfg)
    model.load_state_dict(tensors, strict=False)  # names were compared above; a shared table stands in the file once
    return Checkpoint(model.eval(), facts)


def _unique_state(model: Transformer) -> dict[str, torch.Tensor]:
    """The parameters by name, a shared one once."""
    return dict(model.named_parameters())


def _read_header(data: bytes) -> dict[str, Any]:
    """The JSON header of a safetensors file: 8 bytes of length, then the text."""
    length = int.from_bytes(data[:8], "little")
    if len(data) < 9 or length > len(data) - 8 or data[8:9] != b"{":
        raise CheckpointError("this is not a safetensors file, or only the beginning of one")
    try:
        header = json.loads(data[8 : 8 + length])
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise CheckpointError("the file is damaged: its header cannot be read") from error
    if not isinstance(header, dict):
        raise CheckpointError("the file is damaged: its header cannot be read")
    return header


def _check_tensors(header: dict[str, Any], cfg: TransformerConfig) -> None:
    # Before anything of the claimed size is built, even without memory. Numbers of any length may stand in the file.
    expected_count = count_by_formula(cfg)
    if expected_count > MAX_PARAMETERS:
        raise CheckpointError(f"the file claims more parameters than the {MAX_PARAMETERS:,} that are loaded here")
    if max(cfg.max_len, cfg.longest_tgt) * cfg.d_model > MAX_POSITIONS:
        raise CheckpointError(f"the file claims a table of positions of more than {MAX_POSITIONS:,} values; lower max_len")
    if cfg.n_layers > MAX_LAYERS:
        raise CheckpointError(f"the file claims {cfg.n_layers:,} layers; at most {MAX_LAYERS} are loaded here")
    expected = {name: list(p.shape) for name, p in _unique_state(Transformer(cfg, device="meta")).items()}
    if missing := expected.keys() - header.keys():
        raise CheckpointError(f"the file lacks {min(missing)}, and {len(missing) - 1} more")
    if extra := header.keys() - expected.keys():
        raise CheckpointError(f"the file holds {min(extra)!r}, which its configuration does not have")
    for name, shape in expected.items():
        entry = header[name]
        if not isinstance(entry, dict) or entry.get("shape") != shape or entry.get("dtype") != "F32":
            found = (entry.get("shape"), entry.get("dtype")) if isinstance(entry, dict) else entry
            raise CheckpointError(f"{name} should have the shape {shape} and type F32, but the file says {found}")
    total = sum(math.prod(shape) for shape in expected.values())
    if total != expected_count:
        raise AssertionError(f"formula {expected_count} and count {total} disagree for {cfg}")
