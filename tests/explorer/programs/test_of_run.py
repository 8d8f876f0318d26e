"""Pins that the program of a run's curves takes its steps again, and finds its loss and its share right."""

import ast
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from explorer import resources
from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.model_on_screen.settings import ModelSettings
from explorer.programs.of_run import can_be_written, program_of_run
from explorer.programs.request import CodeRequest
from tests.explorer.learning.helpers import CFG, DIVERGES, NEVER, RECIPE, advance, finish, plan, wait_until
from transformer_core import TASKS, checkpoint
from transformer_core.data.tasks import PairsTask, Task, TextTask

PAIRS = PairsTask((("one two", "un deux"), ("two one", "deux un"), ("one", "un"), ("two", "deux"), ('a "quote"', "un \\")))
TEXT = TextTask(("one two", "two one", 'a "quote"', "un \\", "two two"))
SORT = TASKS["sort"]()


def of_task(task: Task, **changes: Any) -> TrainingPlan:
    cfg = replace(CFG, src_vocab=task.vocab, tgt_vocab=task.vocab)
    return TrainingPlan(cfg, task, replace(RECIPE, **changes), NEVER)


@pytest.mark.slow
def test_it_takes_the_steps_of_a_run_again(run: Callable[..., list[str]], tmp_path: Path) -> None:
    """Runs with another recipe, of own pairs, taken back, diverged, and under way."""
    whole = TrainingRun(of_task(SORT, rate=None, average=0.1, label_smoothing=0.1, schedule="cosine", seed=3), "me")
    pairs, back, lost, begun = (TrainingRun(each, "me") for each in (of_task(PAIRS), plan(), DIVERGES, plan(evaluate_every=5)))
    text = TrainingRun(replace(of_task(TEXT), cfg=replace(of_task(TEXT).cfg, stacks="decoder")), "me")
    for each in (whole, pairs, text, back, lost):
        finish(each)
    back.rewind(8, pause=True)
    advance(begun, 7)
    runs = {"whole": whole, "pairs": pairs, "text": text, "back": back, "lost": lost, "begun": begun}
    programs = {name: program_of_run(each.history()).code for name, each in runs.items()}
    programs["another"] = programs["whole"].replace("seed=3", "seed=4")
    told = dict(zip(programs, run([*programs.values()], tmp_path), strict=True))
    assert told.pop("another").startswith("left: These are not the numbers that were on screen. Another kind of processor")
    counts = {"whole": 12 + 3, "pairs": 12 + 3, "text": 12 + 3, "back": 8 + 2, "lost": 1, "begun": 7 + 1}
    assert told == {name: f"The same {n} numbers as on screen, to 1e-5 of the largest." for name, n in counts.items()}


def test_it_is_short_and_uses_what_it_imports() -> None:
    program = program_of_run(finish(TrainingRun(of_task(PAIRS), "me")), title="Training")
    tree = ast.parse(program.code)
    lines = [each for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom)]
    imported = {alias.asname or alias.name for line in lines for alias in line.names}
    assert imported <= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert len(program.code.splitlines()) < 70 and program.head.startswith("Training: the training loss")
    assert "The model: pairs · d_model 12, heads 3, layers 1 · 12 steps · seed 0." in program.head


def test_a_run_that_went_on_from_a_file_is_not_written() -> None:
    before = TrainingRun(plan(), "me")
    advance(before, 4)
    loaded = checkpoint.from_bytes(before.checkpoint(training=True))
    onward = TrainingRun(replace(plan(), resume_from=loaded), "me")
    advance(onward, 2)
    assert can_be_written(before.plan) and not can_be_written(onward.plan)
    with pytest.raises(ValueError, match="not written as code"):
        program_of_run(onward.history())
    with pytest.raises(ValueError, match="not written as code"):
        program_of_run(TrainingRun(plan(), "me").history())


def test_a_browser_asks_by_the_run_s_id() -> None:
    scheduler = resources.training_scheduler()
    made = scheduler.add_run(TrainingRun(plan(steps=1000), "me"), viewer="window")
    try:
        wait_until(lambda: len(made.history().loss) > 3, "its first steps")
        asked = CodeRequest(asdict(ModelSettings()), "", {}, made.id, "en", "py", "", "Training")
        assert "recipe = Recipe(" in asked.answer()
        with pytest.raises(ValueError, match="no such run"):
            replace(asked, run="0123").answer()
    finally:
        scheduler.remove_run(made)
