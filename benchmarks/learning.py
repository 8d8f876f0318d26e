"""Trains every setting on every task: carries the plans of `transformer_core.training.learning_plan` out to their ends.

    python -m benchmarks.learning [--grid widths heads …] [--processes 16] [--out rows.jsonl] [--patient]

One JSON line for each row as it ends, the most telling rows first, and a table in the end. With `--out`, lines are added to a
file, and rows that it holds already are not taken again. Each row runs on one thread of a process; `seconds` are those of the
steps, `cpu` those of everything, evaluations included. The default copy run, alone on the machine, comes first: it says how
fast the machine is. `--patient` lets no row end early because it stands still.
"""

import argparse
import json
import math
import multiprocessing
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from benchmarks import harness
from transformer_core.model.config import TransformerConfig
from transformer_core.training.cost import count_by_formula, forward_flops
from transformer_core.training.learned import to_bytes
from transformer_core.training.learning import Learning
from transformer_core.training.learning_plan import LearningPlan, default_config, plan_for
from transformer_core.training.trainer import TrainingDiverged

SMALL = ("copy", "small-fr", "pronoun-en", "addition-units-first", "sort", "reverse", "small-zh", "pronoun-zh", "addition")
EVERYDAY = "everyday-fr"
_SOME = SMALL[:4]  # the most different ones
CANNOT: tuple[dict[str, Any], ...] = (
    {"position": "none"}, {"score": "concat_linear"}, {"residual": False, "n_layers": 2}, {"causal": False},
    {"cross_attention": False}, {"residual": False, "n_layers": 1},
)  # fmt: skip
_TURN = 9  # consecutive rows of a grid before the next one's turn


@dataclass(frozen=True)
class Row:
    """A model to be trained: a task, changed settings, and changes to the plan's recipe."""

    task: str
    change: dict[str, Any] = field(default_factory=dict)
    recipe: dict[str, Any] = field(default_factory=dict)
    seed: int = 0

    @property
    def id(self) -> str:
        return json.dumps([self.task, self.change, self.recipe, self.seed], sort_keys=True)


def config(task: str, **change: Any) -> TransformerConfig:
    """Returns the app's default configuration for a task, with these changes."""
    return replace(default_config(task), **change)


def plan_of(row: Row, rate_scale: float = 1.0, **override: Any) -> LearningPlan:
    plan = plan_for(row.task, config(row.task, **row.change), row.seed)
    changes = dict(row.recipe) | override
    scale = changes.pop("rate_scale", 1.0) * rate_scale
    recipe = replace(plan.recipe, **changes)
    return replace(plan, recipe=replace(recipe, rate=(recipe.rate or 3e-3) * scale))


# --- The grids, the most telling rows first. --------------------------------------------------------------------------------


def _tasks(*changes: dict[str, Any], tasks: tuple[str, ...] = SMALL) -> list[Row]:
    return [Row(task, change) for change in changes for task in tasks]


def _defaults() -> list[Row]:
    return [Row(task, seed=seed) for seed in (0, 1, 2) for task in SMALL]


def _widths() -> list[Row]:
    rows = _tasks(*({"d_model": d} for d in (128, 16, 256, 32, 8, 24, 48, 96, 192)))
    rows += [Row(task, {"d_model": d}, {"rate_scale": s}) for d in (256, 16) for s in (0.5, 2.0) for task in _SOME]
    rows += [Row(task, {"d_model": 512}, {"rate_scale": s}) for s in (1.0, 0.5) for task in _SOME]
    return rows + [
        Row(task, {"d_model": 8, "n_heads": h}, {"rate_scale": s}) for h, s in ((2, 1.0), (4, 0.5)) for task in _SOME
    ]


def _heads() -> list[Row]:
    return _tasks(*({"n_heads": heads} for heads in (1, 16, 8, 2)))


def _layers() -> list[Row]:
    rows = _tasks({"n_layers": 4}, {"n_layers": 6}) + [
        Row(task, {"n_layers": layers}) for layers in (2, 3, 1) for task in SMALL if config(task).n_layers != layers
    ]
    return rows + [Row(task, {"n_layers": 6}, {"rate_scale": 0.5}) for task in _SOME]


def _norms() -> list[Row]:
    rows = _tasks({"norm": "post"})
    for change in ({"n_layers": 4}, {"n_layers": 4, "d_model": 128}, {"n_layers": 6}, {"n_layers": 6, "d_model": 128},
                   {"n_layers": 4, "d_model": 256}, {"n_layers": 6, "d_model": 256}):  # fmt: skip
        rows += [Row(task, change | {"norm": "post"}) for task in _SOME]
    for scale in (0.5, 0.25):
        for change in ({"n_layers": 4, "d_model": 64}, {"n_layers": 6, "d_model": 64}, {"n_layers": 6, "d_model": 128}):
            rows += [Row(task, change | {"norm": "post"}, {"rate_scale": scale}) for task in _SOME]
    return rows + [Row(task, {"n_layers": 6, "norm": "post"}, {"rate_scale": 0.5, "warmup": 200}) for task in _SOME]


def _options() -> list[Row]:
    changes: list[dict[str, Any]] = [
        {"dropout": 0.1}, {"score": "additive"}, {"score": "dot"}, {"tie_embeddings": "all"}, {"activation": "gelu"},
        {"final_norm": False}, {"position": "learned"}, {"attention_bias": False}, {"embedding_scale": False},
        {"layer_norm": "unbiased_std"}, {"d_ff": 32}, {"d_ff": 512}, {"tie_embeddings": "output"}, {"dropout": 0.3},
        {"position": "sinusoidal"},
    ]  # fmt: skip
    return [Row(task, change) for change in changes for task in SMALL if config(task, **change) != config(task)]


def _cannot() -> list[Row]:
    return _tasks(*CANNOT)


def _edges() -> list[Row]:
    """Returns wide and deep models, and other seeds."""
    changes: list[dict[str, Any]] = [
        {"d_model": 256}, {"n_layers": 6}, {"n_layers": 6, "norm": "post"}, {"d_model": 512}, {"n_layers": 4, "norm": "post"},
        {"n_layers": 4, "norm": "post", "d_model": 128}, {"n_layers": 6, "norm": "post", "d_model": 256},
    ]  # fmt: skip
    nearly = ("copy", "small-fr")
    return [Row(task, seed=seed) for seed in (1, 2, 3) for task in nearly] + _tasks(*changes, tasks=nearly)


def _everyday() -> list[Row]:
    cosine = {"schedule": "cosine", "average": 0.02, "warmup": 100}
    recipes: list[dict[str, Any]] = [
        cosine | {"steps": steps, "rate": rate, "batch_size": batch}
        for steps, batch in ((1600, 64), (1600, 32), (2400, 32), (800, 64), (1200, 64))
        for rate in (3e-3, 4.5e-3, 2e-3)
    ]
    recipes += [
        cosine | {"steps": 1600, "rate": 6e-3},
        cosine | {"steps": 1600, "rate": 1.5e-3},
        cosine | {"steps": 1600, "rate": 3e-3, "average": 0.0},
        cosine | {"steps": 1600, "rate": 3e-3, "average": 0.005},
        cosine | {"steps": 1600, "rate": 3e-3, "schedule": "noam", "warmup": 200},
        cosine | {"steps": 1600, "rate": 3e-3, "warmup": 200},
        cosine | {"steps": 1600, "rate": 4.5e-3, "warmup": 200, "betas": [0.9, 0.95]},
        cosine | {"steps": 2400, "rate": 3e-3},
        cosine | {"steps": 1000, "rate": 4.5e-3, "batch_size": 96},
    ]
    rows = [Row(EVERYDAY, {}, recipe) for recipe in recipes]
    base = cosine | {"steps": 1600}
    changes = ({"d_model": 64, "d_ff": 128}, {"n_layers": 1}, {"d_model": 128, "d_ff": 256}, {"n_layers": 3}, {"n_heads": 8},
               {"tie_embeddings": "all"})  # fmt: skip
    return rows + [Row(EVERYDAY, change, base) for change in changes]


def _telling() -> list[Row]:
    """Returns a few rows of each other grid, for a machine of few cores."""
    nearly = ("small-fr", "copy")
    rows = [Row(task) for task in SMALL[:4]] + _tasks(*CANNOT[:5], tasks=nearly) + [Row(task) for task in SMALL[4:]]
    rows += _tasks({"d_model": 16}, {"d_model": 256}, {"n_layers": 4}, {"norm": "post"}, tasks=_SOME)
    rows += _tasks(
        {"n_layers": 4, "norm": "post"}, {"n_layers": 6}, {"n_layers": 4, "norm": "post", "d_model": 128}, tasks=nearly
    )
    rows += _tasks({"d_model": 128}, {"n_heads": 16}, {"n_heads": 1}, tasks=_SOME) + _tasks({"d_model": 8}, tasks=nearly)
    return rows + [row for row in _options() if row.task == "small-fr"]


GRIDS = {
    "telling": _telling,
    "defaults": _defaults,
    "cannot": _cannot,
    "widths": _widths,
    "layers": _layers,
    "norms": _norms,
    "heads": _heads,
    "options": _options,
    "edges": _edges,
    "everyday": _everyday,
}


def rows_of(names: list[str]) -> list[Row]:
    """Returns the rows of these grids, each once: the defaults, then some of each in turn, everyday sentences last."""
    wanted = list(GRIDS) if "all" in names else names
    places = {
        row.id: (row.task == EVERYDAY, -1 if name == "defaults" else i // _TURN, row)
        for name in reversed(wanted)
        for i, row in enumerate(GRIDS[name]())
    }
    return [row for *_, row in sorted(places.values(), key=lambda place: place[:2])]


# --- A row. -----------------------------------------------------------------------------------------------------------------


def learn(row: Row, rate_scale: float, override: dict[str, Any], patient: bool) -> dict[str, Any]:
    """Trains a row, and returns the outcome."""
    torch.set_num_threads(1)
    plan = plan_of(row, rate_scale, **override)
    if patient:
        plan = replace(plan, gives_up=0.0)
    start, clock = time.process_time(), time.perf_counter()
    learning = Learning(plan)
    made = time.process_time() - start
    with suppress(TrainingDiverged):  # the outcome tells
        while learning.outcome is None:
            learning.step()
    cpu, wall = time.process_time() - start, time.perf_counter() - clock
    learned = learning.learned()
    curve = learned.curve
    flops = sum(forward_flops(plan.cfg, plan.recipe.batch_size, *plan.task.longest).values())
    return {
        "task": row.task, "change": row.change, "recipe": row.recipe, "seed": row.seed,
        "outcome": learned.outcome, "steps": learning.steps_taken,
        "to_90": _reached(curve, 0.9), "to_99": _reached(curve, 0.99),
        "right": round(learned.right, 4), "best": round(float(curve[:, 1].max()), 4), "of": learned.rows,
        "seconds": round(learned.seconds, 2), "cpu": round(cpu, 2), "wall": round(wall, 2), "made": round(made, 2),
        "states": len(learned.states), "parameters": count_by_formula(plan.cfg), "flops": flops,
        "bytes": learned.nbytes, "file": len(to_bytes(learned)), "small_file": len(to_bytes(learned, small=True)),
        "rate": plan.recipe.rate, "batch": plan.recipe.batch_size, "warmup": plan.recipe.warmup, "most": plan.recipe.steps,
        "curve": [[int(step), round(share, 4), round(loss, 4) if math.isfinite(loss) else None] for step, share, loss in curve],
    }  # fmt: skip


def _reached(curve: Any, share: float) -> int | None:
    right = curve[curve[:, 1] >= share]
    return int(right[0, 0]) if len(right) else None


def _work(job: tuple[Row, float, dict[str, Any], bool]) -> dict[str, Any]:
    try:
        return learn(*job)
    except Exception as error:  # an impossible row is one line of the table; the others go on
        row = job[0]
        return {
            "task": row.task, "change": row.change, "recipe": row.recipe, "seed": row.seed, "outcome": "error",
            "error": f"{type(error).__name__}: {error}",
        }  # fmt: skip


def carried_out(rows: list[Row], processes: int, *options: Any) -> Iterator[dict[str, Any]]:
    """Yields the outcomes as rows end."""
    jobs = [(row, *options) for row in rows]
    with multiprocessing.get_context("spawn").Pool(processes, maxtasksperchild=8) as pool:
        yield from pool.imap_unordered(_work, jobs, chunksize=1)


def table(results: list[dict[str, Any]]) -> str:
    lines = [
        f"{'task':21}{'changed':50}{'seed':>5}{'outcome':>14}{'steps':>6}{'90 %':>6}{'99 %':>6}{'right':>7}"
        f"{'s':>7}{'cpu':>7}{'kB':>7}"
    ]
    for r in results:
        changed = ", ".join(f"{name} {value}" for name, value in (r["change"] | r["recipe"]).items()) or "—"
        begin = f"{r['task']:21}{changed:50}{r['seed']:5}"
        if r["outcome"] == "error":
            lines.append(f"{begin} {r['error']}")
            continue
        lines.append(
            f"{begin}{r['outcome']:>14}{r['steps']:6}{r['to_90'] or '—':>6}{r['to_99'] or '—':>6}{r['right']:7.1%}"
            f"{r['seconds']:7.1f}{r['cpu']:7.1f}{r['small_file'] / 1000:7.0f}"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--grid", nargs="+", choices=[*GRIDS, "all"], default=["all"])
    parser.add_argument("--task", nargs="+", help="only these tasks")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path, help="a file of JSON lines, continued if it exists")
    parser.add_argument("--patient", action="store_true")
    parser.add_argument("--within", type=float, default=math.inf, help="begin the table after this many seconds at most")
    parser.add_argument("--rate-scale", type=float, default=1.0)
    for name in ("steps", "batch-size", "warmup", "evaluate-every"):
        parser.add_argument(f"--{name}", type=int)
    args = parser.parse_args()
    torch.set_num_threads(1)
    override = {
        name: value
        for name in ("steps", "batch_size", "warmup", "evaluate_every")
        if (value := getattr(args, name)) is not None
    }
    results: list[dict[str, Any]] = []
    if args.out is not None and args.out.exists():
        results = [json.loads(line) for line in args.out.read_text(encoding="utf-8").splitlines()]
    taken = {Row(r["task"], r["change"], r["recipe"], r["seed"]).id for r in results}
    rows = [row for row in rows_of(args.grid) if row.id not in taken and (not args.task or row.task in args.task)]
    start = time.perf_counter()
    alone = learn(Row("copy"), 1.0, {}, False)
    print(f"{harness.machine()}\nthe default copy run alone: {alone['seconds']:.1f} s", flush=True)
    print(f"{len(rows)} rows", flush=True)
    for result in carried_out(rows, args.processes, args.rate_scale, override, args.patient):
        results.append(result)
        if args.out is not None:
            with args.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")
        print(json.dumps({name: value for name, value in result.items() if name != "curve"}), flush=True)
        if time.perf_counter() - start > args.within:
            break
    print(table(results))


if __name__ == "__main__":
    main()
