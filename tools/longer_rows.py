"""Trains models on rows of 5 to 10 numbers, with every kind of positions, and asks them for rows of up to 20.

    python -m tools.longer_rows [--seeds 5] [--out transformer_core/shipped/longer-rows.jsonl]

A line for each model; one that is in the file already is not trained again. All learn by the app's own recipe of the task, for
1,000 steps; every batch has rows of one length, drawn evenly. To be run anew whenever the recipe, the data or a step changes.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from transformer_core import SHIPPED_MODELS
from transformer_core.analysis.longer_rows import ASKED, ROWS, TRAINED, LengthRow, read_lines, shares_right
from transformer_core.data.batch import Batch
from transformer_core.data.tasks import TASKS, CopyTask, ReverseTask
from transformer_core.data.vocabulary import Vocabulary
from transformer_core.model.config import TransformerConfig
from transformer_core.model.transformer import Transformer
from transformer_core.training.learning_plan import default_config, recipe_for
from transformer_core.training.trainer import Trainer, averaged
from transformer_core.training.whole_file import write_whole

STEPS = 1000
KINDS: Sequence[dict[str, Any]] = (
    {"position": "sinusoidal"},
    {"position": "learned"},
    {"position": "none"},
    {"position": "rotary"},
    {"position": "rotary", "cross_position": True},
    {"position": "alibi"},
    {"position": "alibi", "cross_position": True},
)


@dataclass(frozen=True)
class MixedLengths:
    """A task of numbers whose batches for training have rows of one length each, drawn evenly from TRAINED."""

    of: CopyTask
    in_one: bool = False  # source and answer one behind the other, for a decoder alone

    @property
    def name(self) -> str:
        return self.of.name

    @property
    def vocabulary(self) -> Vocabulary:
        return self.of.vocabulary

    @property
    def vocab(self) -> int:
        return self.of.vocab + self.in_one  # one more between source and answer

    @property
    def start_id(self) -> int:
        return self.of.start_id

    @property
    def pad_id(self) -> int:
        return self.of.pad_id

    @property
    def longest(self) -> tuple[int, int]:
        src, tgt = replace(self.of, length=TRAINED[-1]).longest
        return (0, src + tgt) if self.in_one else (src, tgt)

    @property
    def held_out_rows(self) -> int:
        return replace(self.of, length=TRAINED[-1]).held_out_rows

    @property
    def has_held_out(self) -> bool:
        return True

    def batch(self, size: int, generator: torch.Generator, held_out: bool = False) -> Batch:
        drawn = int(torch.randint(len(TRAINED), (), generator=generator))
        return self.of_length(TRAINED[-1] if held_out else TRAINED[drawn], size, generator, held_out)

    def of_length(self, length: int, size: int, generator: torch.Generator, held_out: bool) -> Batch:
        """Rows of so many numbers."""
        batch = replace(self.of, length=length).batch(size, generator, held_out)
        return self._joined(batch) if self.in_one else batch

    def _joined(self, batch: Batch) -> Batch:
        """Shape: src (rows, length), tgt (rows, length - 1) -> src (rows, 0), tgt and labels (rows, 2 · length - 1)"""
        between: Tensor = torch.full_like(batch.src[:, :1], self.of.vocab)
        tgt = torch.cat([batch.src, between, batch.labels[:, :-1]], dim=1)
        labels = torch.cat([torch.zeros_like(batch.src), batch.labels], dim=1)  # nothing is asked of the source
        return Batch(batch.src[:, :0], tgt, labels)

    def alternatives(self, src: Sequence[int]) -> Sequence[tuple[int, ...]]:
        return ()


def planned(seeds: int) -> Iterator[tuple[MixedLengths, TransformerConfig, int]]:
    """Yields task, configuration and seed of each model, all of one seed before the next."""
    for seed in range(seeds):
        for name in (CopyTask.name, ReverseTask.name):
            task = TASKS[name]()
            assert isinstance(task, CopyTask)
            for kind in KINDS:
                yield MixedLengths(task), replace(default_config(name), **kind), seed
        alone = MixedLengths(CopyTask(), in_one=True)
        sizes = replace(default_config("copy"), stacks="decoder", n_layers=2, src_vocab=alone.vocab, tgt_vocab=alone.vocab)
        for kind in KINDS:
            if not kind.get("cross_position"):
                yield alone, replace(sizes, **kind), seed


def trained(task: MixedLengths, cfg: TransformerConfig, seed: int, steps: int) -> LengthRow:
    """Trains a model for so many steps, and asks it."""
    recipe = replace(recipe_for(task.name, cfg, seed), steps=steps, evaluate_on=1)
    trainer = Trainer(Transformer(cfg, torch.Generator().manual_seed(seed)), task, recipe)
    for _step in range(steps):
        trainer.take()
    asked = [task.of_length(n, ROWS, torch.Generator().manual_seed(n), held_out=True) for n in ASKED]
    rows, tokens = shares_right(averaged(trainer.model, trainer.state()).eval(), asked)
    return LengthRow(
        task.name,
        cfg.stacks,
        cfg.position,
        cfg.cross_position,
        seed,
        steps,
        tuple(round(share, 4) for share in rows),
        tuple(round(share, 4) for share in tokens),
    )


def table(rows: Sequence[LengthRow]) -> str:
    """Formats the mean share of whole rows, and its lowest and highest, by length."""
    lines = []
    kinds = dict.fromkeys((row.task, row.stacks, row.position, row.cross_position, row.steps) for row in rows)
    for kind in sorted(kinds):
        own = [row for row in rows if (row.task, row.stacks, row.position, row.cross_position, row.steps) == kind]
        for name in ("rows", "tokens"):
            shares = np.array([getattr(row, name) for row in own])  # (seed, length)
            told = (
                f"{ASKED[i]}: {s.mean():.2f} ({s.min():.2f}–{s.max():.2f})" for i, s in enumerate(shares.T) if ASKED[i] >= 8
            )
            lines.append(f"{' '.join(map(str, kind))} {name} n={len(own)}  {'  '.join(told)}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5, help="of each kind (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=STEPS, help="of each model (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=SHIPPED_MODELS / "longer-rows.jsonl", help="default: %(default)s")
    args = parser.parse_args()
    torch.set_num_threads(1)
    rows = [*read_lines(args.out.read_text(encoding="utf-8"))] if args.out.exists() else []
    there = {(row.task, row.stacks, row.position, row.cross_position, row.seed, row.steps) for row in rows}
    for task, cfg, seed in planned(args.seeds):
        if (task.name, cfg.stacks, cfg.position, cfg.cross_position, seed, args.steps) in there:
            continue
        start = time.process_time()
        rows.append(trained(task, cfg, seed, args.steps))
        write_whole(args.out, "".join(f"{row.to_line()}\n" for row in rows).encode())
        kind = f"{task.name} {cfg.stacks} {cfg.position} {cfg.cross_position}"
        print(f"{kind}, seed {seed}: {time.process_time() - start:.1f} s of the processor", flush=True)
    print(table(rows))


if __name__ == "__main__":
    main()
