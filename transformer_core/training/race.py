"""A race: a Transformer and two recurrent models of its size learn a task from the same rows, and all are judged alike.

Equal for all: the batches and their order, the held-out rows, Adam, clipping, the rule by which initial weights are drawn, and
that autograd finds the gradient. Each has a learning rate of its own (see RATES): one for all would decide the race.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any, Literal, get_args

import torch
from torch import Tensor

from transformer_core.data.batch import Batch
from transformer_core.data.tasks import CopyTask, ReverseTask
from transformer_core.errors import InputError
from transformer_core.model.config import PRESETS
from transformer_core.model.decoding import greedy_decode, without_padding
from transformer_core.model.recurrent import Recurrent, RecurrentConfig, greedy_answers
from transformer_core.model.transformer import Transformer
from transformer_core.training.evaluation import rows_exact
from transformer_core.training.trainer import token_loss

Entrant = Literal["transformer", "lstm-attention", "lstm"]
ENTRANTS: tuple[Entrant, ...] = get_args(Entrant)
TASKS: dict[str, type[CopyTask]] = {"copy": CopyTask, "reverse": ReverseTask}

RATES: dict[Entrant, float] = {"transformer": 3e-3, "lstm-attention": 5e-3, "lstm": 1e-2}  # chosen on seed 99
WIDTHS = {"lstm-attention": 68, "lstm": 72}  # with which they have as many parameters as the Transformer, within 1 %
TARGET = 0.9  # share of the held-out rows right at which a model has arrived
MOST_STEPS = 1500  # after which it gives up
EVERY = 25  # steps between two judgements
ROWS, BATCH = 200, 64  # held-out rows that are judged, or all there are; rows of a step


@dataclass(frozen=True)
class RaceRow:
    """The run of one model.

    Attributes:
        length: numbers of a row.
        right: share of the held-out rows that are right in all words, before the first step and after every EVERY steps.
        seconds: of the processor's time that the steps until then took, judging left out.
        by_place: share right of the first word of the answers, the second, …, as the model writes them at its end.
    """

    task: str
    length: int
    model: Entrant
    seed: int
    right: tuple[float, ...] = ()
    seconds: tuple[float, ...] = ()
    by_place: tuple[float, ...] = ()

    @property
    def step(self) -> int:
        """The last step after which it was judged."""
        return EVERY * (len(self.right) - 1)

    @property
    def has_arrived(self) -> bool:
        return self.right[-1] >= TARGET

    @property
    def is_over(self) -> bool:
        return self.has_arrived or self.step >= MOST_STEPS


@dataclass(frozen=True)
class Race:
    """The rows of a race, and what they were recorded on: seconds are comparable within one race alone."""

    day: str
    machine: str
    torch: str
    rows: tuple[RaceRow, ...]


def race_task(name: str, length: int) -> CopyTask:
    """The task with rows of so many words behind the first symbol, which is the same in all. Raises InputError."""
    if name not in TASKS:
        raise InputError("a race is run on {names}, not on {name}", names=", ".join(TASKS), name=name)
    return TASKS[name](length=length + 1)


def model_of(entrant: Entrant, vocab: int, generator: torch.Generator) -> Transformer | Recurrent:
    """A model before its first step; its weights are drawn from the generator."""
    if entrant == "transformer":
        return Transformer(replace(PRESETS["tiny"], src_vocab=vocab, tgt_vocab=vocab), generator)
    cfg = RecurrentConfig(vocab, vocab, WIDTHS[entrant], attention=entrant == "lstm-attention")
    return Recurrent(cfg, generator)


def parameters_of(entrant: Entrant, vocab: int) -> int:
    """Counts the parameters of a model."""
    return sum(parameter.numel() for parameter in model_of(entrant, vocab, torch.Generator()).parameters())


class Racer:
    """A model under way.

    Attributes:
        row: how it has run so far.
        steps_taken, seconds: also those since it was last judged.
    """

    def __init__(self, entrant: Entrant, task: str, length: int, seed: int, rate: float | None = None):
        """`rate`: another one than that of RATES."""
        _load_torch()
        self.task = race_task(task, length)
        weights, self._data, held_out = (torch.Generator().manual_seed(3 * seed + n) for n in range(3))
        self.model = model_of(entrant, self.task.vocab, weights)
        self._optimiser = torch.optim.Adam(
            self.model.parameters(), lr=RATES[entrant] if rate is None else rate, betas=(0.9, 0.98), eps=1e-9, fused=True
        )
        self._test = self.task.batch(ROWS, held_out, held_out=True)
        self.steps_taken, self.seconds = 0, 0.0
        self.row = RaceRow(task, length, entrant, seed)
        self._judge()

    def step(self) -> None:
        """Takes a step; after every EVERY of them the model is judged."""
        began = time.thread_time()
        batch = self.task.batch(BATCH, self._data)
        loss = token_loss(self.model(batch.src, batch.tgt), batch.labels, self.task.pad_id)
        self._optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self._optimiser.step()
        self.seconds += time.thread_time() - began
        self.steps_taken += 1
        if self.steps_taken % EVERY == 0:
            self._judge()

    def _judge(self) -> None:
        right = int(rows_predicted_right(self.model, self._test, self.task.pad_id).sum()) / len(self._test.src)
        seconds = round(self.seconds, 3)
        self.row = replace(self.row, right=(*self.row.right, right), seconds=(*self.row.seconds, seconds))
        if self.row.is_over:
            written = written_by(self.model, self._test, self.task.start_id)
            shares = (written == self._test.labels).float().mean(dim=0)  # (answer,)
            self.row = replace(self.row, by_place=tuple(round(share, 3) for share in shares.tolist()))


@cache
def _load_torch() -> None:
    """Has torch load what it loads at the first step of an optimiser: that takes seconds, which are nobody's."""
    value = torch.nn.Parameter(torch.zeros(1))
    value.grad = torch.zeros(1)
    torch.optim.Adam([value], fused=True).step()


@torch.no_grad()
def rows_predicted_right(model: Transformer | Recurrent, test: Batch, pad_id: int) -> Tensor:
    """True for the rows that the model writes right in every word. Shape: -> (batch,) booleans

    Both kinds of models predict a word from those before it alone. So a row that is right in every word where the right ones
    are given is written right, and no other is: one pass tells, in place of as many as there are words.
    """
    likeliest = without_padding(model(test.src, test.tgt), pad_id).argmax(dim=-1)
    return rows_exact(likeliest, test.labels, pad_id)


def written_by(model: Transformer | Recurrent, test: Batch, start_id: int) -> Tensor:
    """The answers that a model writes, each word the likeliest behind its own ones. Shape: -> (batch, answer)"""
    words = test.labels.size(1)
    if isinstance(model, Recurrent):
        return greedy_answers(model, test.src, start_id, words)
    return greedy_decode(model, test.src, start_id, words)[:, 1:]


# --- The file. --------------------------------------------------------------------------------------------------------------


def to_bytes(race: Race) -> bytes:
    """A race as JSON, each row on a line of its own."""
    facts = {name: value for name, value in asdict(race).items() if name != "rows"}
    rows = ",\n".join(json.dumps(asdict(row)) for row in race.rows)
    return f'{json.dumps(facts)[:-1]}, "rows": [\n{rows}\n]}}\n'.encode()


def read_race(data: bytes) -> Race:
    """The race of a file that `to_bytes` has written."""
    facts: dict[str, Any] = json.loads(data)
    return Race(rows=tuple(_row(row) for row in facts.pop("rows")), **facts)


def _row(facts: dict[str, Any]) -> RaceRow:
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in facts.items()}
    return RaceRow(**values)


def rows_of(rows: Sequence[RaceRow], task: str, length: int, model: Entrant) -> list[RaceRow]:
    """The rows of one model in one setting, by their seeds."""
    found = (row for row in rows if (row.task, row.length, row.model) == (task, length, model))
    return sorted(found, key=lambda row: row.seed)
