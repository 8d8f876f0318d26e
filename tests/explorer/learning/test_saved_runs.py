"""Pins: what was under way when a server ended goes on from its last state, or where it had none yet from its beginning, for
its owner alone, and for nobody else."""

import errno
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import safetensors.torch
import torch

from explorer import limits
from explorer.learning import saved_runs
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import Status
from explorer.learning.saved_runs import SavedRuns
from explorer.learning.scheduler import Scheduler
from tests.explorer.learning.helpers import DIVERGES, advance, equal, finish, finished, plan
from transformer_core import checkpoint
from transformer_core.training.checkpoint import CheckpointError, read_header


@pytest.fixture
def saves(tmp_path, monkeypatch) -> Iterator[SavedRuns]:
    """Which saves when it is told to. Its threads, and those of its successors, end with the test."""
    monkeypatch.setattr(limits, "RUNS_EVERY", 10**6)
    made: list[SavedRuns] = []
    follow = SavedRuns.follow
    monkeypatch.setattr(SavedRuns, "follow", lambda self, *given: made.append(self) or follow(self, *given))
    yield SavedRuns(tmp_path / "runs")
    for each in made:
        each.stop()


def followed(saves: SavedRuns, steps: int = 5, owner: str = "me", **recipe) -> TrainingRun:
    run = TrainingRun(plan(**recipe), owner)
    saves.follow(run)
    advance(run, steps)
    saves.save()
    return run


def after_a_restart(saves: SavedRuns) -> SavedRuns:
    return SavedRuns(saves._path)


def files(saves: SavedRuns) -> list[Path]:
    return sorted(saves._path.glob("*"))


def test_it_goes_on_from_its_last_state_as_if_nothing_had_happened(saves):
    run = followed(saves)
    (saved,) = after_a_restart(saves).of("me")
    assert (saved.task, saved.step) == ("copy", 4), "its newest state is that of its last evaluation"
    again = TrainingRun(after_a_restart(saves).plan(saved), "me")
    assert (again.plan.target, again.plan.recipe, again.plan.first_step) == (run.plan.target, run.plan.recipe, 4)
    history, whole = finish(again), finish(TrainingRun(run.plan, "me"))
    assert (history.loss == whole.loss[4:]).all() and history.step == whole.step
    finish(run)
    own_model, whole_model = (checkpoint.from_bytes(each.checkpoint()).model for each in (again, run))
    for own, other in zip(own_model.parameters(), whole_model.parameters(), strict=True):
        assert torch.equal(own, other)


def test_it_is_offered_to_its_owner_alone_whose_token_is_nowhere(saves):
    followed(saves, owner="a secret token")
    assert [run.step for run in after_a_restart(saves).of("a secret token")] == [4]
    assert after_a_restart(saves).of("somebody else") == after_a_restart(saves).of("") == []
    assert all("secret" not in file.name and b"secret" not in file.read_bytes() for file in files(saves))


def test_on_the_server_where_it_is_under_way_it_is_not_offered(saves):
    followed(saves)
    assert saves.of("me") == [] and len(files(saves)) == 1


def test_the_newest_is_offered_first_and_can_be_forgotten(saves):
    for i, seed in enumerate((3, 4)):
        followed(saves, seed=seed)
        for file in files(saves)[-1:]:
            os.utime(file, (i, i))
    later = after_a_restart(saves)
    os.utime((oldest := later.of("me")[-1]).file, (0, 0))
    newest, last = later.of("me")
    assert last == oldest
    later.forget(newest)
    later.forget(newest)  # pressed twice
    assert later.of("me") == [oldest]


def test_one_that_has_reached_its_target_is_kept_until_it_is_forgotten(saves):
    run = TrainingRun(plan(target=0.0), "me")
    saves.follow(run)
    finish(run)
    saves.save()
    assert (run.status, run.history().step) == (Status.DONE, 4) and saves.of("me") == []
    (saved,) = after_a_restart(saves).of("me")
    assert saved.step == 4
    again = TrainingRun(after_a_restart(saves).plan(saved), "me")
    assert finish(again).step == 8, "at its next evaluation it has reached it again"
    scheduler = Scheduler(lambda _viewer: True)
    scheduler.remove_run(run)
    saves.save()
    assert files(saves) == []


def test_what_is_over_is_removed_and_what_was_stopped_with_the_server_is_kept(saves):
    done, stopped, going = followed(saves), followed(saves), followed(saves)
    finish(done)
    stopped.stop()
    saves.stop()  # before the scheduler stops all runs
    going.stop()
    assert len(after_a_restart(saves).of("me")) == 1
    assert going.id in files(saves)[0].name and done.status is Status.DONE


@pytest.mark.parametrize("steps", [0, 3])
def test_one_that_had_no_state_yet_begins_again_and_is_the_same(saves, steps):
    run = TrainingRun(plan(seed=7, average=0.1, betas=(0.8, 0.9)), "me")
    saves.follow(run)
    advance(run, steps)
    assert run.saved is None, "nothing has been handed over, and nobody has told it to save"
    (saved,) = after_a_restart(saves).of("me")
    assert (saved.task, saved.step) == ("copy", 0) and saved.file.stat().st_size < 4096
    again = TrainingRun(after_a_restart(saves).plan(saved), "me")
    assert again.plan == run.plan
    finish(again)
    assert equal(again, finished(run.plan))


def test_one_that_went_on_and_had_no_new_state_yet_goes_on_from_the_same(saves):
    run = followed(saves)
    later = after_a_restart(saves)
    (saved,) = later.of("me")
    again = TrainingRun(later.plan(saved), "me")
    later.follow(again, saved)
    assert [again.id in file.name for file in files(saves)] == [True], "its own file, and not the former one"
    assert later.of("me") == []
    (saved,) = after_a_restart(saves).of("me")
    assert saved.step == 4
    history = finish(TrainingRun(after_a_restart(saves).plan(saved), "me"))
    assert (history.loss == finish(TrainingRun(run.plan, "me")).loss[4:]).all()


def test_one_that_has_gone_back_to_its_beginning_is_saved_so(saves):
    run = followed(saves)
    run.rewind(2)
    saves.save()
    (saved,) = after_a_restart(saves).of("me")
    assert saved.step == 0


def test_one_that_was_over_and_has_gone_back_is_followed_again(saves):
    run = followed(saves)
    finish(run)
    saves.save()
    assert files(saves) == []
    run.rewind(9)
    saves.follow(run)
    (saved,) = after_a_restart(saves).of("me")
    assert saved.step == 8
    assert saves.of("me") == []


def test_one_that_failed_leaves_nothing_behind(saves):
    """It would fail again. Where no server was started anew, none may be said to have been."""
    failing = TrainingRun(DIVERGES, "me")
    saves.follow(failing)
    assert len(files(saves)) == 1
    assert finish(failing).status is Status.FAILED
    saves.save()
    assert files(saves) == [] and not saves._runs and not saves._written


def test_one_that_cannot_be_saved_does_not_keep_the_others_from_it(saves, monkeypatch, caplog):
    runs = [followed(saves, steps=0, seed=seed) for seed in range(5)]
    put = SavedRuns._put
    monkeypatch.setattr(SavedRuns, "_put", lambda self, run, state: put(self, run, state) if run is not runs[2] else 1 // 0)
    for run in runs:
        advance(run, 4)
    saves.save()
    assert sorted(run.step for run in after_a_restart(saves).of("me")) == [0, 4, 4, 4, 4]
    assert runs[2].id in caplog.text and "ZeroDivisionError" in caplog.text


def test_files_stay_within_a_bound_and_large_runs_are_not_saved(saves, monkeypatch):
    followed(saves)
    size = files(saves)[0].stat().st_size
    monkeypatch.setattr(limits, "RUNS_BYTES", int(2.5 * size))
    for seed in (1, 2, 3):
        followed(saves, seed=seed)
    assert len(files(saves)) == 2
    monkeypatch.setattr(limits, "RUN_FILE_BYTES", 100)
    large = followed(saves, seed=9)
    assert large not in saves._runs


BEGUN = {
    "config": {"d_model": "wide"},
    "task": {"name": "no task"},
    "task, vocabulary": {"name": "copy", "vocab": 9, "length": 4},
    "recipe": {"steps": -1},
}


@pytest.mark.parametrize(("what", "value"), [*BEGUN.items(), ("plan", 3), ("target", "high")])
def test_a_damaged_plan_is_refused(saves, what, value):
    saves.follow(TrainingRun(plan(), "me"))
    (saved,) = after_a_restart(saves).of("me")
    metadata = read_header(saved.file.read_bytes())["__metadata__"]
    if what == "target":
        metadata["facts"] = json.dumps(json.loads(metadata["facts"]) | {"target": value})
    else:
        said = json.loads(metadata["plan"]) | {what.split(",")[0]: value}
        metadata["plan"] = json.dumps(value if what == "plan" else said)
    saved.file.write_bytes(safetensors.torch.save({}, metadata))
    with pytest.raises(CheckpointError, match="no run that was cut off"):
        saves.plan(saved)


def test_a_full_disk_is_told_once_and_training_goes_on(saves, monkeypatch, caplog):
    def full(_file, _data):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(saved_runs, "write_whole", full)
    run = followed(saves)
    advance(run, 4)
    saves.save()
    saves.save()
    (said,) = (record.getMessage() for record in caplog.records if record.name == "explorer.learning.saved_runs")
    assert "No space left" in said and finish(run).status is Status.DONE


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xff" * 100, None], ids=["empty", "text", "ff", "another model"])
def test_a_damaged_file_is_offered_to_nobody(saves, content):
    run = followed(saves)
    (file,) = files(saves)
    (saved,) = after_a_restart(saves).of("me")
    file.write_bytes(run.checkpoint() if content is None else content)
    assert content is None or after_a_restart(saves).of("me") == []
    with pytest.raises(CheckpointError):
        saves.plan(saved)
    with pytest.raises(OSError, match="nowhere"):
        saves.plan(replace(saved, file=file.with_name("nowhere")))
