"""`sweep`: which of these settings learn soonest? Every combination, from several seeds, on all cores or on a cluster."""

import argparse
import math
import os
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import torch

from transformer_core.analysis.sweep import combinations, varied
from transformer_core.commands import process_pool, ray_pool
from transformer_core.commands.options import SEED, SIZES, STEPS, THREADS, check_parameters, several, share, whole
from transformer_core.commands.row_file import RowFile
from transformer_core.commands.sweep_table import SHORT, combination_name, row_words, table
from transformer_core.data.tasks import TASKS
from transformer_core.errors import InputError
from transformer_core.model.config import CHOICES, TransformerConfig
from transformer_core.training import learned
from transformer_core.training.folder import ModelFolder, open_folder
from transformer_core.training.learning import Learning
from transformer_core.training.learning_plan import default_config
from transformer_core.training.sweep_rows import SweepRow, failed, plan_of, planned, row_of
from transformer_core.training.trainer import TrainingDiverged

_CHOICES = {name: CHOICES[name] for name in ("norm", "position", "tie_embeddings", "score", "activation")}
_SETTINGS = (*SIZES, "dropout", *_CHOICES)
_MOST = 2000  # models of one command


@dataclass(frozen=True)
class Trained:
    """The result of a planned row, and its model as a file; None where that is none of the app's."""

    row: SweepRow
    model: bytes | None = None


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "sweep", help="train every combination of some settings, from several seeds; what is in the file already is skipped"
    )
    names = sorted(TASKS)
    command.add_argument("--task", default="copy", choices=names, metavar="TASK", help="one of " + ", ".join(names))
    kinds: dict[str, tuple[Callable[[str], Any], str]] = {name: (size, "N,N,…") for name, size in SIZES.items()}
    kinds |= {"dropout": (share, "SHARE,…")} | {name: (_one_of(words), "WORD,…") for name, words in _CHOICES.items()}
    for name, (kind, shown) in kinds.items():
        options = ["--" + each.replace("_", "-") for each in (name, SHORT.get(name)) if each]
        words = f" ({', '.join(_CHOICES[name])})" if name in _CHOICES else ""
        command.add_argument(*options, dest=name, type=several(kind), metavar=shown, help=f"values of {name}{words}")
    seeds = command.add_mutually_exclusive_group()
    seeds.add_argument(
        "--seeds", type=whole(1, _MOST), default=1, metavar="N", help="so many seeds of each, from 0 (default: 1)"
    )
    seeds.add_argument("--seed", type=several(SEED), metavar="N,N,…", help="these seeds of each")
    command.add_argument(
        "--steps", type=STEPS, help="so many steps at most, and no models are kept (default: as the app learns, and they are)"
    )
    command.add_argument(
        "--out", type=Path, default=Path("sweep.jsonl"), metavar="FILE", help="a row for each model (default: %(default)s)"
    )
    command.add_argument(
        "--processes", type=whole(1, 256), metavar="N", help="train so many at once (default: one for each core)"
    )
    command.add_argument("--threads", type=THREADS, default=1, metavar="N", help="CPU threads of each (default: %(default)s)")
    command.add_argument("--folder", help="of the models (default: the app's own, EXPLORER_MODELS or a cache of yours)")
    command.set_defaults(run=run)


def _one_of(words: Sequence[str]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise argparse.ArgumentTypeError(f"must be one of {', '.join(words)}, not {text[:40]!r}")
        return text

    return read


def run(args: argparse.Namespace) -> int:
    """Trains what is missing. The exit code is 1 if a model could not be trained."""
    jobs, impossible = jobs_of(args)
    for words in impossible:
        print(f"left out: {words}", flush=True)
    if not jobs:
        raise InputError("none of these combinations can be built")
    folder = open_folder(args.folder)
    if args.steps is None:
        folder.check()
    asked = {job.identity for job in jobs}
    with RowFile(args.out) as file:
        there = {row.identity for row in file.rows() if row.outcome != "failed"}
        missing = [job for job in jobs if job.identity not in there]
        print(f"{len(missing)} to train, {len(jobs) - len(missing)} there already, in {args.out}", flush=True)
        try:
            if missing:
                _train_all(missing, args, file, folder)
        finally:  # also after Ctrl-C
            rows = [row for row in file.rows() if row.identity in asked]
            if rows:
                print("\n" + table(combinations(rows)), flush=True)
    return 1 if any(row.outcome == "failed" for row in rows) else 0


def jobs_of(args: argparse.Namespace) -> tuple[list[SweepRow], list[str]]:
    """The rows that are asked for, all combinations of one seed before the next; and what is wrong with those combinations that
    cannot be built."""
    given = {name: values for name in _SETTINGS if (values := getattr(args, name)) is not None}
    seeds = range(args.seeds) if args.seed is None else args.seed
    if (count := math.prod(map(len, [*given.values(), seeds]))) > _MOST:
        raise InputError("these are {n:,} models; the limit of a sweep is {most:,}", n=count, most=_MOST)
    possible: list[TransformerConfig] = []
    impossible: dict[str, None] = {}
    for values in product(*given.values()):
        try:
            cfg = replace(default_config(args.task), **dict(zip(given, values, strict=True)))
            check_parameters(cfg)
        except InputError as error:
            impossible[str(error)] = None  # of several combinations perhaps, and said once
        else:
            possible.append(cfg)
    return [planned(args.task, cfg, seed, args.steps) for seed in seeds for cfg in possible], list(impossible)


def _train_all(jobs: Sequence[SweepRow], args: argparse.Namespace, file: RowFile, folder: ModelFolder) -> None:
    """A model is in the folder before its row is in the file, so that a row that is there needs nothing more."""
    start, names = time.monotonic(), varied(combinations(jobs))
    with closing(_trained(jobs, args)) as done:
        for n, trained in enumerate(done, start=1):
            row = trained.row
            if trained.model is not None and (key := plan_of(row).key) not in folder:
                folder.write(key, trained.model)
            file.append(row)
            name = f"{combination_name(combinations([row])[0], names)}, seed {row.seed}"
            print(f"{n}/{len(jobs)}  {time.monotonic() - start:5.0f} s  {name}: {row_words(row)}", flush=True)


def _trained(jobs: Sequence[SweepRow], args: argparse.Namespace) -> Generator[Trained, None, None]:
    """Yields the result of each, as they finish: on the cluster that EXPLORER_CLUSTER names, or else in processes of this
    machine."""
    work = partial(train, threads=args.threads)
    if address := os.environ.get("EXPLORER_CLUSTER", "").strip():
        return ray_pool.run(work, jobs, address, args.threads, _lost)
    return process_pool.run(work, jobs, args.processes or _cores(), _lost)


def _cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _lost(row: SweepRow, reason: str) -> Trained:
    return Trained(failed(row, reason))


def train(row: SweepRow, threads: int) -> Trained:
    """Trains the model of a row that was planned. Runs in a process of its own."""
    torch.set_num_threads(threads)
    try:
        learning = Learning(plan_of(row), keep=None if row.most_steps is None else ())
        start = time.process_time()
        while learning.outcome is None:
            with suppress(TrainingDiverged):  # the outcome says so
                learning.step()
        result, seconds = learning.learned(), time.process_time() - start
    except Exception as error:  # of whatever kind: this row says so, and the others go on
        return Trained(failed(row, f"{type(error).__name__}: {error}"))
    return Trained(row_of(row, result, seconds), learned.to_bytes(result) if row.most_steps is None else None)
