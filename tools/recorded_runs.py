"""Trains the models that a room trains, and writes their curves, for rooms that cannot wait for their own.

    python -m tools.recorded_runs [--models 40] [--out explorer/rooms/recorded_runs.json]

They are trained as a room's are, by the scheduler of the app, here in threads. Equal plans give equal curves on equal machines.
"""

import argparse
import json
import time
from datetime import UTC, datetime
from pathlib import Path

import torch

from explorer import resources
from explorer.rooms import board
from explorer.training.plan import TrainingPlan

_LOOK = 0.2  # seconds between two looks


def trained(plans: list[TrainingPlan]) -> list[board.Curve]:
    """Trains a model by each of these plans; returns their curves."""
    runs = board.Board("recording", 0, plans)
    while not runs.is_over:
        runs.look()
        time.sleep(_LOOK)
    found = board.curves(runs.look())
    runs.close()
    return found


def described(plan: TrainingPlan) -> str:
    """Describes all of a plan but its seed."""
    return f"{plan.cfg} {plan.task} {plan.target} {plan.beyond} " + str(plan.recipe).replace(f"seed={plan.recipe.seed},", "")


def machine() -> dict[str, str]:
    """Describes what may change the last digits of a sum."""
    return {"torch": torch.__version__, "instructions": torch.backends.cpu.get_cpu_capability()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=board.MOST, help="default: %(default)s")
    parser.add_argument("--out", type=Path, default=board.RECORDED, help="default: %(default)s")
    args = parser.parse_args()
    torch.set_num_threads(1)
    plans = board.plans(board.MOST)[: args.models]
    began = time.perf_counter()
    curves = trained(plans)
    lines = ",\n".join(json.dumps(curve) for curve in curves)
    head = {"day": f"{datetime.now(UTC):%Y-%m-%d}", **machine(), "plan": described(plans[0])}
    args.out.write_text(json.dumps(head)[:-1] + f', "curves": [\n{lines}\n]}}\n', encoding="utf-8")
    resources.stop()
    print(f"{len(curves)} models in {time.perf_counter() - began:.0f} s; steps needed: {board.steps_needed(curves)}")


if __name__ == "__main__":
    main()
