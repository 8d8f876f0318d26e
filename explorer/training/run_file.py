"""A run as a file to take home."""

from explorer.training import wire
from explorer.training.engine import Engine
from explorer.training.plan import TrainingPlan
from explorer.training.run_history import RunHistory
from explorer.training.snapshots import State
from transformer_core import CopyTask, Transformer, checkpoint
from transformer_core.training.checkpoint import CheckpointError, Training
from transformer_core.training.trainer import averaged


def resumable(plan: TrainingPlan, state: State) -> bytes:
    """The model in a state of a run, with what it takes to go on from there after the server has been started anew."""
    keyframe = wire.opened(state)
    model = Transformer(plan.cfg, initialise=False).eval()
    keyframe.load_weights(model)
    facts = {"task": plan.task.name, "seed": plan.recipe.seed, "steps": keyframe.step, "target": plan.target}
    return checkpoint.to_bytes(model, facts, Training(plan.task, plan.recipe, keyframe.state))


def resumed(data: bytes) -> TrainingPlan:
    """The plan that goes on from such a file. Raises CheckpointError for anything else."""
    loaded = checkpoint.from_bytes(data)
    target = loaded.facts.get("target")
    if loaded.training is None or not isinstance(target, float):
        raise CheckpointError("the file holds no run that was cut off; choose another one")
    return TrainingPlan(loaded.model.cfg, loaded.training.task, loaded.training.recipe, target, resume_from=loaded)


def to_bytes(plan: TrainingPlan, history: RunHistory, state: State | None, training: bool) -> bytes:
    """The model in a state of a run, or at its beginning, as a safetensors file; `training` makes it resumable."""
    facts = {
        "task": plan.task.name,
        **({"length": plan.task.length} if isinstance(plan.task, CopyTask) else {}),
        "seed": plan.recipe.seed,
        "steps": history.step,
        "exact_match": history.exact_match,
    }
    keyframe = wire.opened(state) if state is not None else Engine(plan).keyframe()
    model = Transformer(plan.cfg, initialise=False).eval()
    keyframe.load_weights(model)
    if not training:
        return checkpoint.to_bytes(averaged(model, keyframe.state), facts)
    return checkpoint.to_bytes(model, facts, Training(plan.task, plan.recipe, keyframe.state))
