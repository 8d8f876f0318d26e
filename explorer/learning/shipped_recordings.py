"""Recordings that come with the app, made by `python -m tools.recorded_runs`: nobody waits for them, and a test says they are
today's.

One file holds them all. Of a recording it keeps the numbers of every step and, of each snapshot, what is shown of it: the
answers to the probe, and the attention on its first row where somebody looks at that.
"""

import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from explorer.learning.plan import TrainingPlan
from explorer.learning.run_history import RunHistory, Status
from explorer.learning.snapshots import Snapshot
from transformer_core.data.batch import Batch
from transformer_core.training.evaluation import FinalEvaluation

FILE = Path(__file__).with_name("shipped_recordings.npz")


@dataclass(frozen=True)
class LayerShares:
    """The largest share of the heads of each layer of a model that repeats, as `analysis.repeat_heads` measures them."""

    after: list[float]
    before: list[float]


@dataclass(frozen=True)
class Shipped:
    """What the file holds.

    Attributes:
        day: such as 2026-11-27, when they were made; machine: what may change the last digits of a sum.
        plans: by name, the description of the plan; pairs: by seed, the shares of new rows that two models get right: one that
            learned with the causal mask, and one that learned without; heads: by name, those of a model that repeats.
    """

    day: str
    machine: dict[str, str]
    plans: dict[str, str]
    pairs: list[tuple[float, float]]
    heads: dict[str, LayerShares]


def described(plan: TrainingPlan) -> str:
    """Describes all that determines a run from random weights; of one that goes on, all but the weights that it begins with."""
    return f"{plan.cfg} {plan.task} {plan.target} {plan.beyond} {plan.recipe}"


def shipped(name: str, plan: TrainingPlan) -> RunHistory | None:
    """Returns the recording with this name that comes with the app; None if there is none, or if it is of another plan."""
    if contents().plans.get(name) != described(plan):
        return None
    held = _held(name)
    loss, right = held["loss"], held["final"]
    empty = np.full(len(loss), np.nan)
    return RunHistory(
        plan=plan, status=Status.DONE, message=None, first_step=0, loss=loss, learning_rate=empty, gradient_norm=empty,
        step_seconds=np.full(len(loss), held["seconds"] / len(loss)), tokens_per_second=0.0, evaluations=held["evaluations"],
        snapshots=_snapshots(name), final=FinalEvaluation(float(right[0]), int(right[1])), day=contents().day,
    )  # fmt: skip


@cache
def contents() -> Shipped:
    header = json.loads(str(_arrays()["header"]))
    pairs = [(one, other) for one, other in header["pairs"]]
    heads = {name: LayerShares(**shares) for name, shares in header["heads"].items()}
    return Shipped(header["day"], header["machine"], header["plans"], pairs, heads)


@cache
def _arrays() -> dict[str, np.ndarray]:
    with np.load(FILE, allow_pickle=False) as opened:
        return {name: opened[name] for name in opened.files}


def _held(name: str) -> dict[str, np.ndarray]:
    return {key.split("|", 1)[1]: array for key, array in _arrays().items() if key.startswith(f"{name}|")}


@cache
def _snapshots(name: str) -> tuple[Snapshot, ...]:
    held = _held(name)
    weights = [key for key in held if key.startswith("weights ")]
    src, tgt, labels = (torch.from_numpy(held[part].astype(np.int64)) for part in ("src", "tgt", "labels"))
    probe = Batch(src, tgt, labels, judged=torch.from_numpy(held["judged"]) if "judged" in held else None)
    return tuple(
        Snapshot(
            step=int(step),
            loss=float(held["losses"][at]),
            learning_rate=np.nan,
            exact_match=float(held["shares"][at]),
            gradient_norms={},
            probe=probe,
            weights={key.split(" ", 1)[1]: held[key][at] for key in weights},
            probabilities=np.empty(0, np.float16),
            decoded=held["decoded"][at].astype(np.int32),
            right=held["right"][at],
        )
        for at, step in enumerate(held["steps"])
    )


def packed(
    recordings: Iterable[tuple[str, RunHistory, bool]],
    pairs: list[tuple[float, float]],
    heads: Mapping[str, LayerShares],
    day: str,
    machine: dict[str, str],
) -> bytes:
    """Returns the content of the file. `recordings`: name, recording, and whether somebody looks at its attention."""
    plans: dict[str, str] = {}
    arrays: dict[str, np.ndarray] = {}
    for name, made, with_weights in recordings:
        plans[name] = described(made.plan)
        arrays |= {f"{name}|{part}": array for part, array in _parts(made, with_weights).items()}
    shares = {name: asdict(each) for name, each in heads.items()}
    header = json.dumps({"day": day, "machine": machine, "plans": plans, "pairs": pairs, "heads": shares})
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, header=np.array(header), **arrays)
    return file.getvalue()


def _parts(history: RunHistory, with_weights: bool) -> dict[str, np.ndarray]:
    shown, final = history.snapshots, history.final
    assert final is not None
    probe = shown[0].probe
    parts: dict[str, Any] = {
        "loss": history.loss,
        "evaluations": history.evaluations,
        "final": np.array([final.exact_match, final.rows]),
        "seconds": np.array(history.seconds),
        "steps": np.array([each.step for each in shown]),
        "losses": np.array([each.loss for each in shown]),
        "shares": np.array([each.exact_match for each in shown]),
        "decoded": np.stack([each.decoded for each in shown]).astype(np.uint8),
        "right": np.stack([each.right for each in shown]),
        "src": probe.src.numpy().astype(np.uint8),
        "tgt": probe.tgt.numpy().astype(np.uint8),
        "labels": probe.labels.numpy().astype(np.uint8),
    }
    if probe.judged is not None:
        parts["judged"] = probe.judged.numpy()
    for stage in shown[0].weights if with_weights else ():
        parts[f"weights {stage}"] = np.stack([each.weights[stage][:1] for each in shown])
    return parts
