"""Writes a run to a file, to download or to resume after a restart of the server, and reads files to resume from."""

import hashlib
import json
from dataclasses import asdict, replace
from typing import Any

import safetensors.torch

from explorer import limits
from explorer.learning.engine import Engine
from explorer.learning.plan import TrainingPlan
from explorer.learning.run_history import RunHistory
from explorer.learning.snapshots import Packed
from transformer_core import Recipe, Transformer, TransformerConfig, checkpoint
from transformer_core.data.tasks import facts_of, task_from_dict, task_to_dict
from transformer_core.training import learned
from transformer_core.training.checkpoint import CheckpointError, Training, read_facts, read_header
from transformer_core.training.learned import Learned
from transformer_core.training.trainer import averaged


def resumable(plan: TrainingPlan, state: Packed | None) -> bytes:
    """A file to resume a run from, at a state or (None) at its beginning. Before its first state, a run from random weights
    follows from its plan alone, so that its file holds nothing else."""
    if state is not None:
        keyframe = state.opened()
        model, training = Transformer(plan.cfg, initialise=False).eval(), keyframe.state
        keyframe.load_weights(model)
    elif plan.resume_from is not None and plan.resume_from.training is not None:
        model, training = plan.resume_from.model, plan.resume_from.training.state
    else:
        return _bytes_of_plan(plan)
    return checkpoint.to_bytes(model, _facts(plan, training.step), Training(plan.task, plan.recipe, training))


def resumed(data: bytes) -> TrainingPlan:
    """The plan that resumes a run from the bytes of such a file. Raises CheckpointError for any other file."""
    metadata = read_header(data).get("__metadata__")
    if isinstance(metadata, dict) and "plan" in metadata:
        return _plan_of(metadata)
    loaded = checkpoint.from_bytes(data)
    target = loaded.facts.get("target")
    if loaded.training is None or not isinstance(target, float):
        raise _no_run()
    return TrainingPlan(loaded.model.cfg, loaded.training.task, loaded.training.recipe, target, resume_from=loaded)


def _facts(plan: TrainingPlan, step: int) -> dict[str, Any]:
    return {"task": plan.task.name, "seed": plan.recipe.seed, "steps": step, "target": plan.target}


def _bytes_of_plan(plan: TrainingPlan) -> bytes:
    """A safetensors file without a tensor, with the plan in its header."""
    fields = {"config": asdict(plan.cfg), "task": task_to_dict(plan.task), "recipe": asdict(plan.recipe)}
    return safetensors.torch.save({}, {"facts": json.dumps(_facts(plan, 0)), "plan": json.dumps(fields)})


def _plan_of(metadata: dict[str, Any]) -> TrainingPlan:
    try:
        facts, fields = read_facts(metadata["facts"]), json.loads(metadata["plan"])
        cfg, task = TransformerConfig.from_dict(fields["config"]), task_from_dict(fields["task"])
        plan = TrainingPlan(cfg, task, Recipe.from_dict(fields["recipe"]), facts["target"])
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise _no_run() from error
    if not isinstance(plan.target, float) or not task.vocab == cfg.src_vocab == cfg.tgt_vocab:
        raise _no_run()
    return plan


def _no_run() -> CheckpointError:
    return CheckpointError("the file holds no run that was cut off; choose another one")


def _right(history: RunHistory) -> dict[str, Any]:
    right = history.evaluation
    return asdict(right) if right is not None else {"exact_match": None}


def _course(plan: TrainingPlan, course: Learned | None, origin: str, step: int, model: Transformer) -> bytes:
    """The file of a run's course up to a step with this model, at as many steps as there is room for; b"" before the first
    evaluation, where not even the end has room, and of a run that began with the weights of another model: step 0 would be
    drawn from the seed."""
    began_elsewhere = plan.resume_from is not None and plan.resume_from.training is None
    if course is None or not len(course.curve) or step == 0 or began_elsewhere:
        return b""
    states = {**course.states, step: learned.parameters_of(model)}
    kept = replace(course, states=states, seconds=0.0).within(limits.COURSE_BYTES)  # steps that are repeated change nothing
    return learned.to_bytes(kept, origin=origin) if kept.nbytes <= limits.COURSE_BYTES else b""


def to_bytes(history: RunHistory, state: Packed | None, training: bool, course: Learned | None, run_id: str) -> bytes:
    """The model in a state of a run, or at its beginning, as a safetensors file, with the `course` of its learning so far;
    `training` makes it resumable. The file tells the run from others with equal numbers, and does not reveal its id."""
    plan = history.plan
    facts = {
        **facts_of(plan.task),
        "seed": plan.recipe.seed,
        "steps": history.step,
        **_right(history),
    }
    keyframe = state.opened() if state is not None else Engine(plan).keyframe()
    model = Transformer(plan.cfg, initialise=False).eval()
    keyframe.load_weights(model)
    as_shown = averaged(model, keyframe.state)
    so_far = _course(plan, course, hashlib.sha256(run_id.encode()).hexdigest()[:16], keyframe.step, as_shown)
    if not training:
        return checkpoint.to_bytes(as_shown, facts, course=so_far)
    return checkpoint.to_bytes(model, facts, Training(plan.task, plan.recipe, keyframe.state), course=so_far)
