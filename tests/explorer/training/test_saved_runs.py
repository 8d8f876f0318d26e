"""Pins: what was under way when a server ended goes on from its last state, for its owner alone, and for nobody else."""

import errno
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from explorer.training import limits
from explorer.training.run import TrainingRun
from explorer.training.run_history import Status
from explorer.training.saved_runs import SavedRuns
from tests.explorer.training.helpers import DIVERGES, advance, finish, plan
from transformer_core import checkpoint
from transformer_core.training import folder
from transformer_core.training.checkpoint import CheckpointError


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


def test_what_is_over_is_removed_and_what_was_stopped_with_the_server_is_kept(saves):
    done, stopped, going = followed(saves), followed(saves), followed(saves)
    finish(done)
    stopped.stop()
    saves.stop()  # before the scheduler stops all runs
    going.stop()
    assert len(after_a_restart(saves).of("me")) == 1
    assert going.id in files(saves)[0].name and done.status is Status.DONE


def test_a_run_before_its_first_state_and_one_that_failed_leave_nothing_behind_that_breaks(saves):
    assert followed(saves, steps=0).saved is None and files(saves) == []
    failing = TrainingRun(DIVERGES, "me")
    saves.follow(failing)
    finish(failing)
    saves.save()
    assert saves._runs.keys() == {run for run in saves._runs if not run.over}


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


def test_a_full_disk_is_told_once_and_training_goes_on(saves, monkeypatch, caplog):
    def full(_file, _data):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(folder, "write_whole", full)
    run = followed(saves)
    advance(run, 4)
    saves.save()
    saves.save()
    (said,) = (record.getMessage() for record in caplog.records if record.name == "explorer.training.saved_runs")
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
