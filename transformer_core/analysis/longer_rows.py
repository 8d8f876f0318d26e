"""Rows of numbers shorter or longer than those a model was trained on: how many it still answers exactly."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import torch

from transformer_core.data.batch import Batch
from transformer_core.data.tasks import CopyTask
from transformer_core.model.config import Position, Stacks
from transformer_core.model.decoding import greedy_decode
from transformer_core.model.transformer import Transformer
from transformer_core.training.evaluation import rows_exact

TRAINED, ASKED = range(5, 11), range(5, 21)  # numbers in a row, with the first, which is always 1
ROWS = 200  # held-out ones, of each length
_SHIPPED = Path(__file__).parents[1] / "shipped" / "longer-rows.jsonl"


def exact_by_length(model: Transformer, task: CopyTask, lengths: Iterable[int], rows: int, seed: int = 0) -> dict[int, float]:
    """The share of random rows of each length (including the first symbol) that greedy decoding answers without an error.

    Args:
        task: whose answer is right, at any length.
        rows: how many different ones, of each length, or all there are.
    """
    exact = {}
    for length in lengths:
        batch = replace(task, length=length).batch(rows, torch.Generator().manual_seed(seed), held_out=True)
        answers = greedy_decode(model, batch.src, task.start_id, length - 1)[:, 1:]  # (rows, length - 1)
        exact[length] = (answers == batch.labels).all(dim=1).double().mean().item()
    return exact


@dataclass(frozen=True)
class LengthRow:
    """One model that was trained on rows of TRAINED lengths, and asked for longer ones, too (`tools/longer_rows.py`).

    Attributes:
        task: "copy" or "reverse".
        steps: that it was trained for. seed: of its weights and data.
        rows, tokens: the shares of whole rows, and of single numbers, that it has right at each length of ASKED.
    """

    task: str
    stacks: Stacks
    position: Position
    cross_position: bool
    seed: int
    steps: int
    rows: tuple[float, ...]
    tokens: tuple[float, ...]

    def to_line(self) -> str:
        """Formats it as one line of JSON."""
        return json.dumps(asdict(self))


@cache
def measured() -> tuple[LengthRow, ...]:
    """The models whose results come with the package."""
    return read_lines(_SHIPPED.read_text(encoding="utf-8"))


def read_lines(text: str) -> tuple[LengthRow, ...]:
    """The models of a file that has one in each line."""
    return tuple(LengthRow(**_with_tuples(json.loads(line))) for line in text.splitlines())


def _with_tuples(values: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


@torch.no_grad()
def shares_right(model: Transformer, batches: Sequence[Batch]) -> tuple[list[float], list[float]]:
    """The shares of whole rows, and of single tokens, that are right in each batch. Padding among the labels is not counted.

    Each token is predicted behind the right ones before it. A row that is right so is also right where the model writes it
    alone by greedy decoding: as long as nothing is wrong, it reads the same.
    """
    rows, tokens = [], []
    for batch in batches:
        asked, guesses = batch.labels != model.cfg.pad_id, model(batch.src, batch.tgt).argmax(dim=-1)
        rows.append(rows_exact(guesses, batch.labels, model.cfg.pad_id).double().mean().item())
        tokens.append((guesses == batch.labels)[asked].double().mean().item())
    return rows, tokens
