"""`parity`: the model checked against torch.nn.Transformer, stage by stage."""

import argparse
import json
from typing import Any

import torch

from transformer_core.analysis.parity import SABOTAGES, Parity, parity, random_case
from transformer_core.commands.options import SEED
from transformer_core.model.config import CHOICES


def add_to(commands: Any) -> None:
    command = commands.add_parser("parity", help="check the model against torch.nn.Transformer, stage by stage")
    command.add_argument("--seed", type=SEED, default=0, help="seed of the sizes, the weights and the rows (default: 0)")
    command.add_argument("--stacks", choices=CHOICES["stacks"], default="both", help="both stacks, or the decoder alone")
    command.add_argument("--sabotage", choices=SABOTAGES, help="break our model first: this must be noticed")
    command.add_argument("--json", action="store_true", help="print JSON instead of text")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """0 where both agree, 1 where they do not."""
    model, batch = random_case(args.seed, args.stacks)
    results = [parity(model, batch, dtype, args.sabotage, args.seed) for dtype in (torch.float32, torch.float64)]
    if args.json:
        print(json.dumps(_facts(results)))
    else:
        cfg = model.cfg
        print(
            f"torch {torch.__version__}; {cfg.norm}-norm, {cfg.n_layers} layers, d_model {cfg.d_model}, {cfg.n_heads} heads, "
            f"d_ff {cfg.d_ff}, source {tuple(batch.src.shape)}, target {tuple(batch.tgt.shape)}"
        )
        for each in results:
            _print(each)
    return 0 if all(each.all_equal for each in results) else 1


def _facts(results: list[Parity]) -> dict[str, Any]:
    """The largest differences of each precision, relative to the largest value, and those of every stage."""
    return {
        "float32": results[0].worst.relative,
        "float64": results[1].worst.relative,
        "equal": all(each.all_equal for each in results),
        "stages": [
            {"name": one.name, "float32": one.relative, "float64": two.relative}
            for one, two in zip(results[0].stages, results[1].stages, strict=True)
        ],
    }


def _print(result: Parity) -> None:
    print(f"\n{str(result.dtype).removeprefix('torch.')}, {result.seconds:.2f} s")
    groups = {"stages": result.stages, "gradients": result.gradients, "after one step of Adam": result.step}
    for title, differences in groups.items():
        wrong = [each for each in differences if not result.is_equal(each)]
        worst = max(differences, key=lambda each: each.relative)
        equal = len(differences) - len(wrong)
        print(f"  {title}: {equal} of {len(differences)} equal; largest {worst.relative:.1e} ({worst.name})")
        for each in wrong:
            print(f"    differs: {each.name}, by {each.largest:.1e} of {each.size:.1e}")
