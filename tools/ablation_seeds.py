"""Trains the pairs of *Break it* with several seeds, and prints how each pair ended.

    python -m tools.ablation_seeds warmup smoothing [--seeds 5]

On another machine, or with other threads, a run ends at another step: see the rules of training in CONTRIBUTING.md.
"""

import argparse

import torch

from explorer.learning.ablations import ABLATIONS, TARGET, plans
from explorer.learning.plan import TrainingPlan
from transformer_core.training.evaluation import Evaluation
from transformer_core.training.learning import Learning


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", choices=ABLATIONS, metavar="NAME", help=", ".join(ABLATIONS))
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    torch.set_num_threads(1)
    for name in given.names:
        reached = [0, 0]
        for seed in range(given.seeds):
            ends = [_train(plan) for plan in plans(name, seed)]
            reached = [count + (end.exact_match >= TARGET) for count, (_step, end) in zip(reached, ends, strict=True)]
            told = (f"{step:4d} steps, {end.exact_match:.1%} right, sure {_sureness(end):.1%}" for step, end in ends)
            print(f"{name}, seed {seed}: {' | '.join(told)}", flush=True)
        print(f"{name}: {reached[0]} of {given.seeds} baselines reached {TARGET:.0%}, {reached[1]} of {given.seeds} ablated")


def _train(plan: TrainingPlan) -> tuple[int, Evaluation]:
    """Returns the step at which a run ends, and its last evaluation."""
    learning = Learning(plan, [], probes=True)
    for _step in range(plan.recipe.steps):
        report = learning.trainer.step()
        evaluation = report.evaluation
        if evaluation is not None and (evaluation.exact_match >= TARGET or report.step == plan.recipe.steps):
            return report.step, evaluation
    raise AssertionError("a run is evaluated at its last step")


def _sureness(end: Evaluation) -> float:
    """Returns the probability of the right token, on average."""
    labels = end.batch.labels.unsqueeze(-1)  # (row, tgt, 1)
    return float(end.probabilities.gather(-1, labels).mean())


if __name__ == "__main__":
    main()
