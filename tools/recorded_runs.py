"""Trains all models that the app plays back, and writes what is kept of them: the two of the story, and those of a room.

    python -m tools.recorded_runs [--models 40] [--pairs 20] [--out explorer/learning/shipped_recordings.npz]

They are trained as a server trains them, by the scheduler of the app, here in threads. Equal plans give equal recordings on
equal machines. To be run anew whenever the data or the plans change; `tests/explorer/rooms/test_experiments.py` says when.
"""

import argparse
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import torch

from explorer import resources
from explorer.learning.ablations import recorded_plans
from explorer.learning.plan import TrainingPlan
from explorer.learning.run_history import RunHistory
from explorer.learning.shipped_recordings import FILE, packed
from explorer.rooms import experiments

NEXT = experiments.MODELS + 1  # the seed of the model that begins after the others have learned
NEXT_LAYERS = {experiments.LETTERS: 0, experiments.REPEAT: 1}  # by task, as the script has them; 0: as the others
_LOOK = 0.2  # seconds between two looks


def trained(plans: Mapping[str, TrainingPlan]) -> Mapping[str, RunHistory]:
    """Trains a model by each of these plans."""
    while not (found := experiments.look(plans, "recording")).is_over:
        time.sleep(_LOOK)
    return found.made


def every(models: int) -> Iterator[tuple[str, RunHistory, bool]]:
    """Yields each recording by its name, and whether its attention is looked at."""
    for name, made in trained(recorded_plans()).items():
        yield name, made, True
    learned: dict[str, RunHistory] = {}
    for task, layers in NEXT_LAYERS.items():
        forty = dict(islice(experiments.forty(task).items(), models))
        learned |= trained(forty | experiments.another(NEXT, task, layers))
    peeked = trained(experiments.peeking())
    after = trained({experiments.COVERED: experiments.covered(peeked[experiments.OPEN])})
    for name, made in [*learned.items(), *peeked.items(), *after.items()]:
        yield name, made, False


def pairs(count: int) -> list[tuple[float, float]]:
    """Trains so many pairs of models, one with the mask and one that may peek; returns the shares of rows they get right."""
    found = []
    for seed in range(1, count + 1):
        plans = {f"{name} {seed}": plan for name, plan in experiments.peeking(seed).items()}
        masked, peeking = trained(plans).values()
        found.append((round(masked.right, 3), round(peeking.right, 3)))
    return found


def machine() -> dict[str, str]:
    """Describes what may change the last digits of a sum."""
    return {"torch": torch.__version__, "instructions": torch.backends.cpu.get_cpu_capability()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=experiments.MODELS, help="default: %(default)s")
    parser.add_argument("--pairs", type=int, default=20, help="default: %(default)s")
    parser.add_argument("--out", type=Path, default=FILE, help="default: %(default)s")
    args = parser.parse_args()
    torch.set_num_threads(1)
    began = time.perf_counter()
    made, compared = [*every(args.models)], pairs(args.pairs)
    repeating = {name: each for name, each, _seen in made if each.plan.task.name == experiments.REPEAT}
    heads = dict(zip(repeating, experiments.head_shares(repeating), strict=True))
    args.out.write_bytes(packed(made, compared, heads, f"{datetime.now(UTC):%Y-%m-%d}", machine()))
    resources.stop()
    print(f"{len(made)} recordings, {args.out.stat().st_size >> 10} kB, in {time.perf_counter() - began:.0f} s")
    for task in NEXT_LAYERS:
        curves = experiments.curves([each for name, each, _seen in made if name.startswith(task)])
        print(f"{task}, steps needed: {experiments.steps_needed(curves, task)}")
    print(f"pairs: {compared}")


if __name__ == "__main__":
    main()
