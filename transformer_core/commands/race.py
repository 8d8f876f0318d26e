"""`race`: a Transformer, an LSTM and an LSTM with attention learn a task from the same rows. Who has 90 % right first?"""

import argparse
import datetime
import math
import platform
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

import torch

from transformer_core.analysis.race_results import Scale, arrival, by_place
from transformer_core.commands.options import SEED, several, whole
from transformer_core.data.tasks import CopyTask
from transformer_core.errors import InputError
from transformer_core.training.race import (
    ENTRANTS,
    MOST_STEPS,
    RATES,
    TARGET,
    TASKS,
    Race,
    Racer,
    RaceRow,
    parameters_of,
    rows_of,
    to_bytes,
)
from transformer_core.training.whole_file import write_whole

_CPU = Path("/proc/cpuinfo")


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "race",
        help="race a Transformer against an LSTM with attention and one without, of the same size",
        description="One thread; seconds are those of the processor, for the steps alone, and comparable within one race only.",
    )
    command.add_argument("--task", choices=TASKS, help="one of them (default: both)")
    command.add_argument(
        "--length",
        type=several(whole(2, 100)),
        default=[5, 10, 20],
        metavar="N,N,…",
        help="numbers of a row (default: 5,10,20)",
    )
    seeds = command.add_mutually_exclusive_group()
    seeds.add_argument(
        "--seeds", type=whole(1, 100), default=5, metavar="N", help="so many seeds, from 0 (default: %(default)s)"
    )
    seeds.add_argument("--seed", type=several(SEED), metavar="N,N,…", help="these seeds")
    command.add_argument("--model", choices=ENTRANTS, help="this one alone (default: all three)")
    command.add_argument("--rate", type=float, help="another learning rate, to choose one (default: each model's own)")
    command.add_argument("--out", type=Path, metavar="FILE", help="write the race here, as JSON")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Runs all models of a seed before the next seed's: should the machine be busy for a while, all are slowed alike."""
    if args.rate is not None and not 0 < args.rate < math.inf:
        raise InputError("the learning rate must be above 0 and finite, not {value}", value=args.rate)
    tasks, models = [args.task] if args.task else [*TASKS], [args.model] if args.model else ENTRANTS
    seeds = range(args.seeds) if args.seed is None else args.seed
    rows: list[RaceRow] = []
    for seed, length, task, model in product(seeds, args.length, tasks, models):
        racer = Racer(model, task, length, seed, args.rate)
        while not racer.row.is_over:
            racer.step()
        rows.append(racer.row)
        print(f"{task} {length}, {model}, seed {seed}: {_words(racer.row)}", flush=True)
        if args.out is not None:
            write_whole(args.out, to_bytes(Race(f"{datetime.date.today()}", _machine(), torch.__version__, tuple(rows))))
    print(f"\n{_machine()}, torch {torch.__version__}, one thread")
    for model in models:
        rate = RATES[model] if args.rate is None else args.rate
        print(f"{model}: {parameters_of(model, CopyTask().vocab):,} parameters, learning rate {rate:g}")
    print("\n" + table(rows))
    return 0


def table(rows: Sequence[RaceRow]) -> str:
    """A line for each setting and model: steps and seconds until TARGET, middle and range, and what is right by place."""
    lines = [f"{'':28}steps to {TARGET:.0%}           processor seconds   right by place at the end"]
    for task, length, model in dict.fromkeys((row.task, row.length, row.model) for row in rows):
        runs = rows_of(rows, task, length, model)
        places = " ".join(f"{share:.2f}" for share in by_place(runs))
        name = f"{task} {length}, {model}"
        lines.append(f"{name:28}{_range(runs, 'steps'):24}{_range(runs, 'seconds'):20}{places}")
    return "\n".join(lines)


def _range(runs: Sequence[RaceRow], scale: Scale) -> str:
    at = [found for row in runs if (found := arrival(row, scale)) is not None]
    digits = 0 if scale == "steps" else 1
    if not at:
        return f"none in {MOST_STEPS:,}" if scale == "steps" else "-"
    of = "" if len(at) == len(runs) else f", {len(at)} of {len(runs)}"
    return f"{median(at):.{digits}f} ({min(at):.{digits}f}-{max(at):.{digits}f}){of}"


def _words(row: RaceRow) -> str:
    steps, seconds = arrival(row), arrival(row, "seconds")
    if steps is None:
        return f"not in {row.step:,} steps, {row.seconds[-1]:.1f} s; {row.right[-1]:.1%} right"
    return f"{steps:,.0f} steps, {seconds:.1f} s"


def _machine() -> str:
    """The name of the processor, where the system tells it."""
    if _CPU.exists():
        for line in _CPU.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
