"""Pins one run in the hands of one caller: its switches, its numbers, how it ends, and the model that can be taken from it."""

import threading
import time
from dataclasses import replace

import numpy as np
import pytest
import torch

from explorer import limits
from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import Status
from explorer.learning.workers import Place, ThreadWorker
from tests.explorer.learning.helpers import CFG, DIVERGES, HANGS, NEVER, RECIPE, TASK, advance, finish, plan, same
from tests.transformer_core.helpers import train_steps
from transformer_core import CopyTask, Recipe, Trainer, Transformer, TransformerConfig, checkpoint
from transformer_core.analysis.accounting import activation_bytes
from transformer_core.errors import InputError
from transformer_core.training import learned, learning
from transformer_core.training.cost import count_by_formula
from transformer_core.training.trainer import PROBE_ROWS, averaged


def trained(plan: TrainingPlan, steps: int) -> Transformer:
    """The model after so many steps, without any of the machinery of runs."""
    model = Transformer(plan.cfg, torch.Generator().manual_seed(plan.recipe.seed))
    for _, _report in zip(range(steps), train_steps(model, plan.task, plan.recipe), strict=False):
        pass
    return model.eval()


def test_a_run_ends_where_it_reaches_its_target():
    cfg = TransformerConfig(src_vocab=3, tgt_vocab=3, d_model=16, n_heads=2, d_ff=16, n_layers=1, dropout=0.0, norm="pre")
    run = TrainingRun(TrainingPlan(cfg, CopyTask(3, 3), Recipe(steps=200, batch_size=8, rate=0.01, device="cpu")), "me")
    history = finish(run)
    assert (run.status, history.status, history.message) == (Status.DONE, Status.DONE, None)
    assert history.exact_match >= 0.99
    assert history.step < 200
    assert history.snapshots[-1].step == history.step
    assert history.evaluations[-1].tolist() == [history.step, history.exact_match]
    assert (history.evaluations[:-1, 1] < 0.99).all()  # it ends with the first evaluation that reaches the target
    assert history.loss[-10:].mean() < history.loss[:10].mean() / 3


def test_at_its_end_it_has_been_evaluated_on_rows_that_did_not_end_it():
    run = TrainingRun(plan(), "me")
    advance(run, 9)
    assert run.history().final is None and run.history().evaluation.rows == 6
    history = finish(run)
    trainer = Trainer(Transformer(CFG, torch.Generator().manual_seed(0)), TASK, RECIPE)
    while trainer.steps_taken < RECIPE.steps:
        trainer.step()
    assert history.final == history.evaluation == trainer.evaluate_finally()
    facts = checkpoint.from_bytes(run.checkpoint()).facts
    assert (facts["exact_match"], facts["rows"]) == (history.final.exact_match, history.final.rows)
    run.rewind(12)
    assert run.history().final == history.final, "it is there already"
    run.rewind(8, pause=True)
    assert run.history().final is None
    run.play()
    assert finish(run).final == history.final


def test_a_run_tells_all_that_the_core_reports():
    run = TrainingRun(plan(), "me")
    history = finish(run)
    model = Transformer(CFG, torch.Generator().manual_seed(0))
    reports = list(train_steps(model, TASK, RECIPE))
    np.testing.assert_array_equal(history.loss, np.float32([report.loss for report in reports]))
    np.testing.assert_array_equal(history.gradient_norm, np.float32([report.gradient_norm for report in reports]))
    np.testing.assert_allclose(history.learning_rate, [report.learning_rate for report in reports], rtol=1e-6)
    evaluations = [(report.step, report.evaluation.exact_match) for report in reports if report.evaluation]
    assert history.evaluations.tolist() == [list(each) for each in evaluations]
    np.testing.assert_array_equal(history.snapshots[-1].decoded, reports[-1].evaluation.decoded.numpy())
    assert history.seconds > 0 and history.tokens_per_second > 0


def test_before_the_first_step():
    history = TrainingRun(plan(), "me").history()
    assert (history.status, history.step, history.exact_match, history.snapshots) == (Status.RUNNING, 0, None, ())
    assert history.evaluations.shape == (0, 2)


def test_a_paused_run_stands_still_and_goes_on_as_if_nothing_had_been():
    run, other = TrainingRun(plan(), "me"), TrainingRun(plan(), "me")
    advance(run, 5)
    run.pause()
    assert run.status is Status.PAUSED and not run.over and not run.wants_work()
    run.advance(float("inf"))
    assert run.history().step == 5
    run.play()
    assert run.status is Status.RUNNING and run.wants_work()
    assert same(finish(run), finish(other))


def test_one_step_is_one_step_and_then_a_pause():
    """Also of a run under way."""
    run = TrainingRun(plan(), "me")
    advance(run, 2)
    run.step_once()
    assert run.status is Status.PAUSED and run.wants_work()
    run.advance(float("inf"))
    assert (run.status, run.history().step, run.wants_work()) == (Status.PAUSED, 3, False)
    run.step_once()
    run.step_once()
    run.advance(float("inf"))
    assert (run.status, run.history().step) == (Status.PAUSED, 5)


@pytest.mark.parametrize("switches", [(TrainingRun.play, TrainingRun.pause), (TrainingRun.stop,)], ids=["play", "stop"])
def test_play_and_stop_forget_single_steps_that_were_asked_for(switches):
    run = TrainingRun(plan(), "me")
    run.step_once()
    for switch in switches:
        switch(run)
    run.advance(float("inf"))
    assert run.history().step == 0


def test_single_steps_beyond_the_last_one_end_the_run_and_are_no_error():
    run = TrainingRun(plan(steps=3), "me")
    for _ in range(5):
        run.step_once()
    run.advance(float("inf"))
    history = run.history()
    assert (history.status, history.step, history.message) == (Status.DONE, 3, None)
    assert not run.wants_work()


def test_stop_is_at_once_and_for_good():
    run = TrainingRun(plan(), "me")
    advance(run, 2)
    run.stop()
    assert run.status is Status.STOPPED and run.over and not run.wants_work()
    for switch in (run.play, run.pause, run.step_once, run.stop):
        switch()
        assert run.status is Status.STOPPED and not run.wants_work()
    run.advance(float("inf"))
    assert run.history().step == 2


def test_a_run_that_is_done_cannot_be_moved():
    run = TrainingRun(plan(), "me")
    finish(run)
    for switch in (run.play, run.pause, run.step_once, run.stop):
        switch()
        assert run.status is Status.DONE and not run.wants_work()


def test_a_history_is_a_picture_of_one_moment():
    run = TrainingRun(plan(), "me")
    advance(run, 3)
    history = run.history()
    kept = history.loss.copy()
    finish(run)
    assert history.step == 3
    np.testing.assert_array_equal(history.loss, kept)


def test_a_diverging_run_fails_and_names_the_step():
    history = finish(TrainingRun(DIVERGES, "me"))
    assert history.status is Status.FAILED
    assert f"step {history.step + 1}:" in str(history.message)
    assert "Lower the learning rate" in str(history.message)
    assert np.isfinite(history.loss).all()


@pytest.mark.parametrize("rate", [1e-300, 1e30, 1e300])
def test_the_largest_and_the_smallest_rate_can_be_told(rate):
    history = finish(TrainingRun(plan(rate=rate), "me"))
    assert history.learning_rate.max() == pytest.approx(rate * min(1, history.step / RECIPE.warmup))


def test_an_error_inside_a_run_is_told_and_logged(monkeypatch, caplog):
    class Broken(Trainer):
        def take(self):
            if self.steps_taken == 2:
                raise RuntimeError("no memory left")
            return super().take()

    monkeypatch.setattr(learning, "Trainer", Broken)
    history = finish(TrainingRun(plan(), "me"))
    assert (history.status, history.step) == (Status.FAILED, 2)
    assert str(history.message).endswith("no memory left")
    assert "no memory left" in caplog.text


def gated(monkeypatch, after_step):
    """Training that calls `after_step` when a step has changed the weights but is not reported yet."""

    class Gated(Trainer):
        def take(self):
            report = super().take()
            after_step()
            return report

    monkeypatch.setattr(learning, "Trainer", Gated)


@pytest.mark.parametrize("end", ["a report", "an error", "the target"])
def test_a_run_stopped_during_a_step_stays_stopped_however_that_step_ends(monkeypatch, end):
    run = TrainingRun(plan(target=0.0 if end == "the target" else NEVER, evaluate_every=1), "me")

    def meanwhile():
        run.stop()
        if end == "an error":
            raise RuntimeError("too late")

    gated(monkeypatch, meanwhile)
    run.advance(float("inf"))
    assert (run.status, run.history().message) == (Status.STOPPED, None)
    assert run.history().step <= 1


def test_a_run_paused_during_a_step_stays_paused(monkeypatch):
    run = TrainingRun(plan(), "me")
    gated(monkeypatch, run.pause)
    run.advance(float("inf"))
    assert (run.status, run.history().step) == (Status.PAUSED, 1)


def test_the_checkpoint_of_a_paused_run_is_its_model():
    run = TrainingRun(plan(), "me")
    advance(run, 5)
    run.pause()
    loaded = checkpoint.from_bytes(run.checkpoint())
    expected = trained(run.plan, 5).state_dict()
    assert loaded.model.cfg == CFG and not loaded.model.training
    assert loaded.model.state_dict().keys() == expected.keys()
    assert all(torch.equal(value, expected[name]) for name, value in loaded.model.state_dict().items())
    exact = run.history().exact_match
    assert loaded.facts == {"task": "copy", "length": 4, "seed": 0, "steps": 5, "exact_match": exact, "rows": 6}
    assert exact is not None


def test_where_an_average_is_kept_it_is_what_is_shown_and_taken_home():
    run = TrainingRun(plan(average=0.1), "me")
    finish(run)
    alone, resumable = (checkpoint.from_bytes(run.checkpoint(training)) for training in (False, True))
    last = run.history().snapshots[-1]
    with torch.no_grad():
        said = alone.model(last.probe.src, last.probe.tgt).softmax(-1)
    assert (said.half().numpy() == last.probabilities).all()
    expected = averaged(resumable.model, resumable.training.state).state_dict()
    assert all(torch.equal(value, expected[name]) for name, value in alone.model.state_dict().items())
    assert not torch.equal(resumable.model.output.bias, alone.model.output.bias)


def test_taking_a_checkpoint_changes_nothing():
    run, other = TrainingRun(plan(), "me"), TrainingRun(plan(), "me")
    advance(run, 5)
    assert run.checkpoint() == run.checkpoint()
    assert same(finish(run), finish(other))


def test_the_checkpoint_before_the_first_step_holds_the_first_weights():
    loaded = checkpoint.from_bytes(TrainingRun(plan(seed=6), "me").checkpoint())
    expected = Transformer(CFG, torch.Generator().manual_seed(6)).state_dict()
    assert all(torch.equal(value, expected[name]) for name, value in loaded.model.state_dict().items())
    assert loaded.facts["steps"] == 0 and loaded.facts["exact_match"] is None


class Unreachable(ThreadWorker):
    """A worker whose engines take steps, and can then not be reached."""

    def engine(self, plan, state):
        engine = super().engine(plan, state)
        advance = engine.advance

        def fails(order):
            if order.most == 0:
                raise OSError("no way there")
            return replace(advance(order), state=None)

        engine.advance = fails
        return engine


def test_a_run_whose_last_state_cannot_be_had_says_so_and_is_at_the_one_that_is_here(caplog):
    run, place = TrainingRun(plan(), "me"), Place(Unreachable)
    for _ in range(6):
        run.advance(0, place)
    run.pause()
    run.advance(0, place)  # the thread that trains goes on
    history = run.history()
    assert (run.status, history.step) == (Status.FAILED, 4)
    assert str(history.message) == "The run ended with an error: no way there" and "no way there" in caplog.text
    assert checkpoint.from_bytes(run.checkpoint()).facts["steps"] == 4


class Asked:
    """A lock that says when somebody has asked for it."""

    def __init__(self, lock, asked):
        self.lock, self.asked = lock, asked

    def __enter__(self):
        self.asked.set()
        self.lock.acquire()

    def __exit__(self, *_):
        self.lock.release()


def test_a_checkpoint_waits_for_the_step_under_way_and_counts_it(monkeypatch):
    run = TrainingRun(plan(), "me")
    stepped, go_on, taken = threading.Event(), threading.Event(), []

    def wait():
        stepped.set()
        assert go_on.wait(HANGS)

    gated(monkeypatch, wait)
    worker = threading.Thread(target=run.advance, args=(0,))
    worker.start()
    assert stepped.wait(HANGS)
    run.pause()
    asked = threading.Event()
    run._model_lock = Asked(run._model_lock, asked)
    taker = threading.Thread(target=lambda: taken.append(run.checkpoint()))
    taker.start()
    assert asked.wait(HANGS)
    assert not taken  # half a step is never written down
    go_on.set()
    worker.join()
    taker.join()
    loaded = checkpoint.from_bytes(taken[0])
    expected = trained(run.plan, 1).state_dict()
    assert all(torch.equal(value, expected[name]) for name, value in loaded.model.state_dict().items())
    assert loaded.facts["steps"] == 1


def resumed(run: TrainingRun, **recipe) -> TrainingPlan:
    """The plan that goes on with what can be downloaded of a run."""
    loaded = checkpoint.from_bytes(run.checkpoint(training=True))
    return TrainingPlan(
        loaded.model.cfg, loaded.training.task, replace(loaded.training.recipe, **recipe), NEVER, resume_from=loaded
    )


@pytest.mark.parametrize(("k", "optimiser"), [(1, "adam"), (4, "sgd"), (7, "adam")])
def test_a_run_gone_on_with_from_its_file_is_the_run_that_never_stopped(k, optimiser):
    whole, stopped = TrainingRun(plan(optimiser=optimiser), "me"), TrainingRun(plan(optimiser=optimiser), "me")
    history = finish(whole)
    advance(stopped, k)
    stopped.pause()
    plan_on = resumed(stopped)
    for _ in range(2):  # and once more: to go on changes nothing in what it goes on from
        onward = TrainingRun(plan_on, "me")
        assert (onward.history().step, onward.history().first_step) == (k, k)
        rest = finish(onward)
        assert rest.steps.tolist() == list(range(k + 1, 13))
        for name in ("loss", "gradient_norm", "learning_rate"):
            np.testing.assert_array_equal(getattr(rest, name), getattr(history, name)[k:])
        assert rest.evaluations.tolist() == [each for each in history.evaluations.tolist() if each[0] > k]
        assert without_course(onward) == without_course(whole)


def without_course(run: TrainingRun) -> bytes:
    """Returns the download of a run without its course: one that goes on keeps that of its own steps."""
    loaded = checkpoint.from_bytes(run.checkpoint(training=True))
    return checkpoint.to_bytes(loaded.model, loaded.facts, loaded.training)


def test_a_file_holds_the_course_of_its_learning_at_the_kept_steps(monkeypatch):
    run = TrainingRun(plan(steps=40), "me")
    finish(run)
    whole = run.learned()
    assert len(whole.states) > 1 and whole.final is not None
    for training in (True, False):
        data = run.checkpoint(training=training)
        found, loaded = learned.from_bytes(data), checkpoint.from_bytes(data)
        assert found.steps == whole.steps and np.array_equal(found.curve, whole.curve) and found.final == whole.final
        assert all(found.states[step].equal(whole.states[step]) for step in whole.states)
        end = learned.parameters_of(loaded.model)
        assert end.equal(found.states[found.last]) if not training else (loaded.training is not None)

    again = TrainingRun(plan(steps=40), "me")
    finish(again)
    assert checkpoint.from_bytes(again.checkpoint()).course != loaded.course, "each is deleted by itself"
    assert run.id.encode() not in data, "whoever has the file cannot watch the run"
    size = whole.nbytes // len(whole.states)
    monkeypatch.setattr(limits, "COURSE_BYTES", 2 * size)
    fewer = learned.from_bytes(run.checkpoint())
    assert len(fewer.states) <= 2 and fewer.last == whole.last and set(fewer.steps) < set(whole.steps)
    monkeypatch.setattr(limits, "COURSE_BYTES", size - 1)
    assert not checkpoint.from_bytes(run.checkpoint()).course


def test_a_run_that_began_with_the_weights_of_another_model_has_no_course_in_its_file():
    other = checkpoint.from_bytes(TrainingRun(plan(seed=3), "me").checkpoint())
    run = TrainingRun(replace(plan(0.5), resume_from=replace(other, training=None)), "me")
    finish(run)
    assert run.learned() is not None and not checkpoint.from_bytes(run.checkpoint()).course


def test_a_run_that_has_taken_all_its_steps_goes_on_with_more_of_them():
    run = TrainingRun(plan(), "me")
    finish(run)
    with pytest.raises(InputError, match="already taken all its 12 steps"):
        TrainingRun(resumed(run), "me")
    longer = finish(TrainingRun(plan(steps=15), "me"))
    np.testing.assert_array_equal(finish(TrainingRun(resumed(run, steps=15), "me")).loss, longer.loss[12:])


def test_a_diverged_run_can_be_gone_on_with_from_its_last_good_step():
    run = TrainingRun(plan(rate=1e18), "me")
    history = finish(run)
    plan_on = resumed(run)  # from a file, which is refused with weights that are no numbers
    assert plan_on.first_step == history.step
    again = finish(TrainingRun(plan_on, "me"))
    assert (again.status, again.step, str(again.message)) == (Status.FAILED, history.step, str(history.message))


@pytest.mark.parametrize(
    ("limit", "size"),
    [
        ("MAX_PARAMETERS", count_by_formula(CFG)),
        ("MAX_STEP_TOKENS", 5 * (4 + 3)),
        ("MAX_STEPS", 12),
        ("MAX_TEST_ROWS", 6),
        ("MAX_LENGTH", 4),
    ],
)
def test_a_limit_may_be_reached_but_not_passed_and_both_numbers_are_told(monkeypatch, limit, size):
    monkeypatch.setattr(limits, limit, size)
    plan().check()
    monkeypatch.setattr(limits, limit, size - 1)
    with pytest.raises(InputError, match=f"{size:,} .*the limit is {size - 1:,}"):
        TrainingRun(plan(), "me")


# What a small file may say of itself: 32 layers of 64 heads, and rows as long as they may be.
DEEP = TransformerConfig(src_vocab=7, tgt_vocab=7, d_model=64, n_heads=64, d_ff=16, n_layers=32)


def test_the_memory_of_evaluations_counts():
    few, many = (replace(RECIPE, batch_size=1, evaluate_on=rows) for rows in (1, 1000))
    row = activation_bytes(replace(CFG, n_layers=1), 1, 128, 127)
    assert TrainingPlan(CFG, CopyTask(7, 128), many).bytes - TrainingPlan(CFG, CopyTask(7, 128), few).bytes > 990 * row
    assert TrainingPlan(replace(CFG, n_layers=20), TASK, replace(RECIPE, batch_size=1)).bytes >= activation_bytes(
        replace(CFG, n_layers=20), PROBE_ROWS, 4, 3
    )


@pytest.mark.parametrize(
    "changes", [{}, {"n_layers": 6}, {"n_heads": 12, "d_ff": 512}, {"score": "additive"}, {"norm": "post"}]
)
@pytest.mark.parametrize(("batch", "length"), [(64, 6), (4, 128)])
def test_what_surely_fits_takes_no_more_memory_than_it_may(monkeypatch, changes, batch, length):
    asked = TrainingPlan(replace(CFG, **changes), CopyTask(7, length), replace(RECIPE, batch_size=batch, evaluate_on=1))
    monkeypatch.setattr(limits, "TRAINING_BYTES", asked.bytes - 1)
    assert not asked._surely_fits
    with pytest.raises(InputError, match="MB of memory"):
        asked.check()
    monkeypatch.setattr(limits, "TRAINING_BYTES", 100 * asked.bytes)
    assert asked._surely_fits == ("score" not in changes)  # which is then not counted on the "meta" device


@pytest.mark.parametrize(
    ("cfg", "task", "recipe", "says"),
    [
        (DEEP, CopyTask(7, 128), replace(RECIPE, batch_size=1, evaluate_on=1), "MB of memory"),  # the probe's alone
        (CFG, CopyTask(7, 1000), replace(RECIPE, evaluate_on=10, evaluate_every=1), "1,000 tokens"),
        (
            replace(CFG, d_model=360, n_layers=4, d_ff=512),
            CopyTask(7, 128),
            replace(RECIPE, batch_size=4, evaluate_on=1000, evaluate_every=1),
            "seconds; the limit is 20",
        ),
    ],
    ids=["probe", "length", "evaluations"],
)
def test_a_recipe_that_is_expensive_in_its_evaluations_is_refused(cfg, task, recipe, says):
    """It may come from a file of a few MB."""
    with pytest.raises(InputError, match=says):
        TrainingPlan(cfg, task, recipe).check()


def test_the_time_of_evaluations_counts(monkeypatch):
    monkeypatch.setattr(limits, "MAX_MINUTES", 0.2 / 60)
    evaluate = Trainer.evaluate
    monkeypatch.setattr(Trainer, "evaluate", lambda trainer: time.sleep(0.15) or evaluate(trainer))
    run = TrainingRun(plan(evaluate_every=1, steps=50), "me")
    history = finish(run)
    assert run.status is Status.STOPPED and 1 <= history.step <= 3 and history.seconds < 0.1


def test_a_device_that_is_not_there(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InputError, match="no cuda device"):
        TrainingRun(plan(device="cuda"), "me")


def test_ids_are_long_and_never_the_same():
    ids = {TrainingRun(plan(), "me").id for _ in range(50)}
    assert len(ids) == 50
    assert min(map(len, ids)) >= 12
