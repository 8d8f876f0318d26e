"""The program of a run's curves: it trains the same model again, and compares its loss and its share right with the run's."""

import numpy as np

from explorer.learning.plan import TrainingPlan
from explorer.learning.run_history import RunHistory
from explorer.programs.model_lines import SIZES, settings_lines
from explorer.programs.names import imports_of
from explorer.programs.program import CHECK, Cell, Program, check_of, head_of
from explorer.programs.template import listed, written
from transformer_core.data.tasks import PairsTask, Task, TextTask, task_to_dict
from transformer_core.training.learning_plan import seconds_of_a_step

_SAYS = "the training loss after each step of a run, and the share of held-out sequences answered right"
_DRAWING = """\
figure = make_subplots(rows=2, shared_xaxes=True, subplot_titles=["right answers", "loss (nats per token)"])
figure.add_scatter(x=tested, y=right, row=1, col=1, name="right answers")
figure.add_scatter(x=list(range(1, len(loss) + 1)), y=loss, row=2, col=1, name="loss")
figure.add_hline(y=$target, line_dash="dot", row=1, col=1)
figure.update_xaxes(title="step", row=2, col=1)
figure.show()"""


def can_be_written(plan: TrainingPlan) -> bool:
    """Returns whether a program can repeat a run: one that went on from a file began with what only that holds."""
    return plan.resume_from is None and plan.rows is None


def program_of_run(run: RunHistory, address: str = "", title: str = "") -> Program:
    """Writes the program that takes the steps of a run so far.

    Raises:
        ValueError: for a run without steps, or one that no program can repeat.
    """
    if not can_be_written(run.plan) or not len(run.loss):
        raise ValueError("this run is not written as code")
    plan, tested, right = run.plan, run.evaluations[:, 0].astype(int), run.evaluations[:, 1]
    parts = {
        "The run": "\n".join(
            [
                *_task(plan.task),
                *settings_lines("cfg", plan.cfg, SIZES),
                *settings_lines("recipe", plan.recipe, ("steps", "batch_size", "rate", "warmup", "seed")),
            ]
        ),
        "The numbers": "\n".join(_training(run, tested)),
        "The drawing": _DRAWING.replace("$target", written(plan.target)),
        CHECK: check_of([run.loss, right], is_trained=True),
    }
    cells = [Cell(heading, code) for heading, code in parts.items()]
    imports = "\n".join(imports_of("\n".join(parts.values())))
    cfg = plan.cfg
    model = (
        f"The model: {plan.task.name} · d_model {cfg.d_model}, heads {cfg.n_heads}, layers {cfg.n_layers} · "
        f"{run.step:,} steps · seed {plan.recipe.seed}."
    )
    return Program(head_of(_SAYS, model, False, address, title), (Cell("What is needed", imports), *cells))


def _task(task: Task) -> list[str]:
    if isinstance(task, PairsTask):
        return [f"pairs = {listed(task.pairs)}", f"task = PairsTask(tuple(pairs), {written(task.split)})"]
    if isinstance(task, TextTask):
        return [f"lines = {listed(task.lines)}", f"task = TextTask(tuple(lines), {written(task.split)})"]
    sizes = {name: value for name, value in task_to_dict(task).items() if name != "name"}
    return [f"task = TASKS[{written(task.name)}]({', '.join(f'{name}={value!r}' for name, value in sizes.items())})"]


def _training(run: RunHistory, tested: np.ndarray) -> list[str]:
    every = run.plan.recipe.evaluate_every
    usual = [step for step in range(1, run.step + 1) if step % every == 0]
    steps = f"list(range({every}, {run.step + 1}, {every}))" if tested.tolist() == usual else listed(tested.tolist())
    seconds = run.step * seconds_of_a_step(run.plan)
    return [
        "torch.set_num_threads(1)  # with more, sums are rounded otherwise, and another model is learned",
        "trainer = Trainer(Transformer(cfg, torch.Generator().manual_seed(recipe.seed)), task, recipe)",
        f"tested = {steps}  # after these steps the held-out sequences are answered",
        "loss, right = [], []",
        f"for step in range(1, {run.step + 1}):  # about {max(seconds, 1):.0f} seconds",
        "    loss.append(trainer.take().loss)",
        "    if step in tested:",
        "        right.append(trainer.share_right())",
        "values = [loss, right]",
    ]
