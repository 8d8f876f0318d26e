"""Pins what is kept of a run: within its bounds, evenly, as the model was; and that going back gives the same run again."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch

from explorer import limits
from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import Status
from explorer.learning.snapshots import Timeline, snapshot
from tests.explorer.learning.helpers import CFG, DIVERGES, NEVER, TASK, advance, all_of, finish, plan, same
from transformer_core import CopyTask, Recipe, SentenceTask, Trace, Trainer, Transformer, checkpoint, greedy_decode
from transformer_core.analysis.attention_map import AttentionMap


@dataclass(frozen=True)
class Thing:
    step: int
    nbytes: int = 3


def kept_after(steps, every=2, most=100, most_bytes=10**9, first=0):
    line = Timeline(every, most, most_bytes)
    for step in range(first, steps + 1):
        if step in (first, steps) or step % every == 0:
            line.add(step, Thing(step))
            assert 1 <= len(line) <= most and line.nbytes <= most_bytes
    return line, [thing.step for thing in line]


# What stays


def test_all_stays_while_there_is_room():
    assert kept_after(12)[1] == [0, 2, 4, 6, 8, 10, 12]
    assert kept_after(13)[1] == [0, 2, 4, 6, 8, 10, 12, 13], "the last step is no second one, and stays for now"
    assert kept_after(12, first=5)[1] == [5, 6, 8, 10, 12], "the first one as well, whatever its step"


@pytest.mark.parametrize("first", [0, 137])
@pytest.mark.parametrize("bound", [{"most": 9}, {"most_bytes": 9 * 3 + 1}])
@pytest.mark.parametrize("steps", [16, 17, 999])
def test_what_is_too_much_is_thinned_evenly(first, bound, steps):
    line, steps_kept = kept_after(first + steps, first=first, **bound)
    assert (steps_kept[0], steps_kept[-1]) == (first, first + steps)
    gaps = np.diff(steps_kept[1:-1])
    assert len(set(gaps)) == 1 and gaps[0] in [2**n for n in range(1, 12)]
    assert len(steps_kept) >= 9 // 2
    assert line.wants(steps_kept[1]) and line.wants(steps_kept[-2])


def test_of_two_that_do_not_fit_together_the_newer_stays_and_of_one_too_large_nothing():
    assert kept_after(6, most_bytes=5)[1] == [6]
    line = Timeline(2, 10, 2)
    line.add(0, Thing(0))
    assert (len(line), line.nbytes, line.latest(5)) == (0, 0, None)
    line.add(2, Thing(2, nbytes=1))
    assert line.latest(5) == Thing(2, nbytes=1)


def test_the_latest_before_a_step_and_what_is_cut():
    line, _ = kept_after(12)
    assert [line.latest(step) and line.latest(step).step for step in (-1, 0, 1, 7, 8, 12, 99)] == [None, 0, 0, 6, 8, 12, 12]
    line.cut(7)
    assert [thing.step for thing in line] == [0, 2, 4, 6]
    line.cut(-1)
    assert len(line) == 0 and line.latest(99) is None


# What a snapshot holds


@pytest.mark.parametrize("task", [TASK, SentenceTask("small-fr")], ids=lambda task: task.name)
def test_snapshots_are_what_the_model_did_at_those_steps(task):
    cfg = replace(CFG, src_vocab=task.vocab, tgt_vocab=task.vocab)
    a_plan = replace(plan(rate=0.01), cfg=cfg, task=task)
    history = finish(TrainingRun(a_plan, "me"))
    assert [each.step for each in history.snapshots] == [0, 4, 8, 12]
    trainer = Trainer(Transformer(cfg, torch.Generator().manual_seed(0)), task, a_plan.recipe)
    for each in history.snapshots:
        report = None
        while trainer.steps_taken < each.step:
            report = trainer.step()
        reading = trainer.probe()
        for name, weights in reading.weights.items():
            assert each.weights[name].dtype == np.float16
            np.testing.assert_array_equal(each.weights[name], weights.half().numpy())
        assert each.weights.keys() == reading.weights.keys()
        np.testing.assert_array_equal(each.probabilities, reading.probabilities.half().numpy())
        np.testing.assert_array_equal(each.decoded, reading.decoded.numpy())
        assert torch.equal(each.probe.src, trainer.probe_batch.src)
        assert each.gradient_norms == trainer.gradient_norms()
        if report is None:
            assert np.isnan([each.loss, each.learning_rate, each.exact_match]).all()
            assert set(each.gradient_norms.values()) == {0.0}
        else:
            assert (each.loss, each.learning_rate) == (report.loss, report.learning_rate)
            assert each.exact_match == report.evaluation.exact_match
            whole = sum(norm**2 for norm in each.gradient_norms.values()) ** 0.5
            assert whole == pytest.approx(report.gradient_norm, rel=1e-5)
        answers = [[i for i in row if i != task.pad_id] for row in reading.batch.labels.tolist()]
        said = [row[1:] for row in each.decoded.tolist()]
        assert each.right.tolist() == [row[: len(answer)] == answer for row, answer in zip(said, answers, strict=True)]
        arrays = (*each.weights.values(), each.probabilities, each.decoded, each.right)
        assert each.nbytes == sum(array.size * array.itemsize for array in arrays)


@pytest.mark.parametrize("causal", [True, False])
def test_an_attention_of_a_snapshot_is_that_of_its_row_alone(causal):
    """Without padding: the rows of a batch are of different lengths."""
    task = SentenceTask("small-fr")
    cfg = replace(CFG, src_vocab=task.vocab, tgt_vocab=task.vocab, n_layers=2, causal=causal)
    a_plan = replace(plan(evaluate_every=1), cfg=cfg, task=task)
    run = TrainingRun(a_plan, "me")
    run.advance(0)
    kept = run.history().snapshots[-1]
    model = checkpoint.from_bytes(run.checkpoint()).model
    for row in range(len(kept.right)):
        src, tgt = ([i for i in ids[row].tolist() if i != task.pad_id] for ids in (kept.probe.src, kept.probe.tgt))
        trace = Trace()
        with torch.inference_mode(), trace:
            model(torch.tensor([src]), torch.tensor([tgt]))
        alone = {name: trace[name][0].numpy() for name in trace.stages if name.endswith((".weights", ".masked_scores"))}
        tokens = [task.vocabulary.decode(ids) for ids in (src, tgt)]
        for kind, layer in (("encoder", 1), ("decoder", -1), ("cross", 1)):
            expected = AttentionMap.from_stages(alone, kind, 1, *tokens)
            found = kept.attention_map(a_plan, kind, layer, row)
            assert (found.layer, found.query_tokens, found.key_tokens) == (1, expected.query_tokens, expected.key_tokens)
            np.testing.assert_array_equal(found.allowed, expected.allowed)
            np.testing.assert_allclose(found.weights, expected.weights, atol=1e-3)  # they are kept at half precision
    assert (kept.probe.src == task.pad_id).any()


@pytest.mark.slow
def test_thousands_of_steps_keep_a_bounded_number_of_bytes(monkeypatch):
    monkeypatch.setattr(limits, "SNAPSHOTS", 7)
    whole = TrainingRun(plan(steps=120, evaluate_every=1), "me")
    finish(whole)
    monkeypatch.setattr(limits, "KEYFRAME_BYTES", 7 * max(kept.nbytes for kept in whole._keyframes))
    run = TrainingRun(whole.plan, "me")
    history = finish(run)
    assert [each.step for each in history.snapshots] == [0, 32, 64, 96, 120]
    assert [kept.step for kept in run._keyframes] == [1, 32, 64, 96, 112]
    assert run._keyframes.nbytes <= limits.KEYFRAME_BYTES


def test_snapshots_change_nothing(monkeypatch):
    with_them = finish(TrainingRun(plan(), "me"))
    monkeypatch.setattr(limits, "SNAPSHOTS", 0)
    monkeypatch.setattr(limits, "KEYFRAMES", 0)
    without = finish(TrainingRun(plan(), "me"))
    assert len(with_them.snapshots) == 4 and without.snapshots == ()
    assert same(with_them, without)


def test_a_snapshot_before_the_first_step_of_a_model_that_is_gone_on_with():
    trainer = Trainer(Transformer(CFG), TASK, plan().recipe)
    trainer.step()
    state = trainer.state()
    again = Trainer(trainer.model, TASK, plan().recipe)
    again.restore(state)
    assert snapshot(again, None).step == 1


# Going back


@pytest.mark.parametrize(("keyframes", "optimiser"), [(0, "adam"), (1, "sgd"), (3, "adam"), (32, "sgd")])
def test_from_every_step_it_is_the_same_run_again(monkeypatch, keyframes, optimiser):
    monkeypatch.setattr(limits, "KEYFRAMES", keyframes)
    run = TrainingRun(plan(optimiser=optimiser, rate=0.01), "me")
    at_step = [all_of(run)]
    while not run.over:
        run.advance(0)
        at_step.append(all_of(run))
    whole = run.history()
    for step in (12, 7, 0, 8, 1):
        run.rewind(step, pause=True)
        run.advance(float("inf"))
        assert (run.status, run.history().step) == (Status.PAUSED if step < 12 else Status.DONE, step)
        assert all_of(run) == at_step[step]
        for again, before in zip(run.history().snapshots, whole.snapshots, strict=False):
            assert again.step == before.step <= step
            assert all(np.array_equal(again.weights[name], before.weights[name]) for name in before.weights)
        if step < 12:
            run.play()
        assert same(finish(run), whole)
        assert all_of(run) == at_step[12]
        assert [each.step for each in run.history().snapshots] == [0, 4, 8, 12]


def test_going_on_from_a_step_does_not_wait_there():
    run = TrainingRun(plan(), "me")
    whole = finish(run)
    run.rewind(5)
    assert run.status is Status.RUNNING and run.history().step == 4
    run.advance(0)
    assert run.history().step == 5 and run.wants_work()
    assert same(finish(run), whole)
    assert run.status is Status.DONE


def test_a_run_that_was_gone_on_with_goes_back_to_where_it_began():
    first = TrainingRun(plan(), "me")
    advance(first, 6)
    first.pause()
    loaded = checkpoint.from_bytes(all_of(first))
    onward = TrainingRun(TrainingPlan(CFG, TASK, plan().recipe, NEVER, resume_from=loaded), "me")
    whole = finish(onward)
    assert [each.step for each in whole.snapshots] == [6, 8, 12]
    for step in (0, 6, 7):
        onward.rewind(step, pause=True)
        onward.advance(0.0)
        assert onward.history().first_step == 6
        onward.play()
        assert same(finish(onward), whole)


def test_a_stopped_and_a_failed_run_can_be_gone_back_with():
    stopped = TrainingRun(plan(), "me")
    advance(stopped, 6)
    stopped.stop()
    stopped.rewind(3)
    assert same(finish(stopped), finish(TrainingRun(plan(), "me")))
    failed = TrainingRun(DIVERGES, "me")
    message = finish(failed).message
    failed.rewind(0)
    assert failed.history().message is None and not failed.over
    assert str(finish(failed).message) == str(message)


def test_a_switch_turned_on_the_way_back_is_heeded():
    run = TrainingRun(plan(), "me")
    finish(run)
    run.rewind(7, pause=True)
    assert (run.status, run.history().step) == (Status.RUNNING, 4)
    run.advance(0)
    run.pause()
    assert (run.status, run.history().step) == (Status.PAUSED, 5)
    run.play()
    run.advance(float("inf"))
    assert run.status is Status.DONE, "it no longer waits at 7"


def test_the_target_ends_the_run_again_where_it_did():
    run = TrainingRun(
        TrainingPlan(replace(CFG, src_vocab=3, tgt_vocab=3, dropout=0.0), CopyTask(3, 3), Recipe(rate=0.01, device="cpu")), "me"
    )
    whole = finish(run)
    assert whole.exact_match >= 0.99
    run.rewind(whole.step // 2)
    assert same(finish(run), whole)
    last = run.history().snapshots[-1]
    decoded = greedy_decode(checkpoint.from_bytes(run.checkpoint()).model, last.probe.src, 1, 2)
    assert last.step == whole.step
    np.testing.assert_array_equal(last.decoded, decoded)
