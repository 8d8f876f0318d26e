"""`prepare`: models learned beforehand, so that nobody in the room has to wait for them."""

import argparse
import multiprocessing
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import torch

from transformer_core.commands.options import SEED, SIZES, STEPS, check_parameters, several, whole
from transformer_core.data.tasks import TASKS
from transformer_core.errors import InputError
from transformer_core.model.config import TransformerConfig
from transformer_core.training.folder import open_folder
from transformer_core.training.learning import Learning, last_step, spread_steps
from transformer_core.training.learning_plan import (
    LearningPlan,
    default_config,
    has_thorough_plan,
    limit_steps,
    plan_for,
    thorough_plan,
)
from transformer_core.training.trainer import TrainingDiverged

_NUMBERS = ("d_model", "n_heads", "n_layers", "d_ff")


@dataclass(frozen=True)
class Job:
    """One model to be learned.

    Attributes:
        thorough: whether it learns as those that come with the package, rather than as in the app.
        steps: the most that it may take; None for what the plan says.
        keep: the steps at which it is kept, besides the last; None for all that the app keeps.
        small: whether it is kept in a byte for each number.
        folder: where it is kept; None for the app's own folder.
    """

    task: str
    cfg: TransformerConfig
    seed: int
    thorough: bool
    steps: int | None
    keep: tuple[int, ...] | None
    small: bool
    device: str
    folder: str | None

    @property
    def plan(self) -> LearningPlan:
        if self.thorough:
            plan = thorough_plan(self.task, self.cfg, self.seed, self.device)
        else:
            plan = plan_for(self.task, self.cfg, self.seed)
        return plan if self.steps is None else limit_steps(plan, self.steps)

    @property
    def name(self) -> str:
        usual = default_config(self.task)
        turned = [
            f"{name} {getattr(self.cfg, name)}"
            for name in (*_NUMBERS, "norm")
            if getattr(self.cfg, name) != getattr(usual, name)
        ]
        return ", ".join([self.task, *turned, *([f"seed {self.seed}"] if self.seed else [])])


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "prepare",
        help="learn models beforehand: the usual one of a task, and those one setting away; what is there already is skipped",
    )
    names = sorted(TASKS)
    command.add_argument("--around", required=True, choices=names, metavar="TASK", help="one of " + ", ".join(names))
    for name in _NUMBERS:
        option = "--" + name.replace("_", "-")
        command.add_argument(
            option, type=several(SIZES[name]), default=(), metavar="N,N,…", help=f"values of {name}, each by itself"
        )
    command.add_argument("--norm", type=lambda text: text.split(","), default=(), metavar="NORM,…", help="post, pre, or both")
    command.add_argument("--seed", type=several(SEED), default=(), metavar="N,N,…", help="other seeds than 0")
    command.add_argument(
        "--thorough",
        action="store_true",
        help="learn as the sentences of the package did (default: as the app does)",
    )
    command.add_argument("--steps", type=STEPS, help="stop after so many steps, for a trial: the app does not show such models")
    keep = command.add_mutually_exclusive_group()
    keep.add_argument("--keep", type=whole(1, 1000), metavar="N", help="keep it at N of the steps (default: as the app does)")
    keep.add_argument("--keep-at", type=several(STEPS), metavar="N,N,…", help="keep it at these steps and the last")
    command.add_argument("--small", action="store_true", help="keep a byte for each number in place of two")
    command.add_argument("--only", choices=("usual", "turned"), help="only the usual model, or only those one setting away")
    command.add_argument("--device", default="cpu", choices=("cpu", "cuda", "mps"), help="for --thorough; default: %(default)s")
    command.add_argument(
        "--processes", type=whole(1, 256), default=1, metavar="N", help="learn so many at once (default: %(default)s)"
    )
    command.add_argument("--folder", help="default: the app's own, EXPLORER_MODELS or a cache of yours")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Has the models learn. The exit code is 1 if one could not be learned."""
    folder = open_folder(args.folder)
    folder.check()
    jobs = [job for job in jobs_of(args) if job.plan.key not in folder]
    for job in jobs:
        check_parameters(job.cfg)
    skipped = sum(1 for _ in jobs_of(args)) - len(jobs)
    print(f"{len(jobs)} to learn, {skipped} there already, in {folder.path}", flush=True)
    start, failed = time.monotonic(), 0
    with ProcessPoolExecutor(args.processes, multiprocessing.get_context("spawn")) as pool:
        running = {pool.submit(learn, job): job for job in jobs}
        for done, future in enumerate(as_completed(running), start=1):
            name = running[future].name
            try:
                words = future.result()
            except InputError as error:
                words, failed = f"not learned: {error}", failed + 1
            print(f"{done}/{len(jobs)}  {time.monotonic() - start:5.0f} s  {name}: {words}", flush=True)
    return 1 if failed else 0


def jobs_of(args: argparse.Namespace) -> Iterator[Job]:
    """The usual model, and each that differs from it in one setting. Raises InputError for sizes that cannot be."""
    if args.thorough and not has_thorough_plan(args.around):
        raise InputError("models of {task} are learned as in the app; leave out --thorough", task=args.around)
    usual = Job(
        args.around, default_config(args.around), 0, args.thorough, args.steps, None, args.small, args.device, args.folder
    )
    if args.keep_at:
        usual = replace(usual, keep=tuple(args.keep_at))
    elif args.keep:
        usual = replace(usual, keep=tuple(spread_steps(usual.plan.recipe.steps, args.keep)))
    if args.only != "turned":
        yield usual
    if args.only == "usual":
        return
    for name in (*_NUMBERS, "norm"):
        values: Sequence[Any] = getattr(args, name)
        for value in values:
            if value != getattr(usual.cfg, name):
                yield replace(usual, cfg=replace(usual.cfg, **{name: value}))
    for seed in args.seed:
        if seed != usual.seed:
            yield replace(usual, seed=seed)


def learn(job: Job) -> str:
    """Learns a model and keeps it; returns what came of it, in words. Runs in a process of its own."""
    torch.set_num_threads(1)
    plan = job.plan
    learning, shown = Learning(plan, job.keep), time.monotonic()
    while learning.outcome is None:
        with suppress(TrainingDiverged):  # the outcome says so
            learning.step()
        if time.monotonic() - shown > 30:
            shown = time.monotonic()
            right = f"{learning.curve[-1, 1]:.1%}" if len(learning.curve) else "–"
            print(
                f"  {job.name}: step {learning.steps_taken:,} of {last_step(plan, learning.curve):,}, {right} right",
                file=sys.stderr,
                flush=True,
            )
    model = learning.learned()
    open_folder(job.folder).put(model, small=job.small)
    return (
        f"{model.outcome}, {model.right:.1%} of {model.rows} right after {model.last:,} steps, {model.seconds:.0f} s of compute"
    )
