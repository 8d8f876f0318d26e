"""Pins: every combination gets its row, what is in the file is not trained again, and one that fails spoils no other."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.transformer_core.commands import pool_work
from tests.transformer_core.sweeps import row_of
from transformer_core.__main__ import main
from transformer_core.analysis.sweep import combinations
from transformer_core.commands import process_pool, sweep, sweep_table
from transformer_core.training.folder import ModelFolder
from transformer_core.training.learning import Learning
from transformer_core.training.sweep_rows import failed, plan_of, read_rows, to_line

ROOT = Path(__file__).parents[3]
QUICK = ["sweep", "--d-ff", "16", "--steps", "10"]


@pytest.fixture
def in_this_process(monkeypatch):
    """Trains for real, one after another; returns the rows that were asked for."""
    asked = []

    def run(work, jobs, count, lost):
        for job in jobs:
            asked.append(job)
            yield work(job)

    monkeypatch.setattr(process_pool, "run", run)
    return asked


def rows_of(file):
    return list(read_rows(file.read_bytes())[0])


def ran(file, *options, code=0):
    assert main([*QUICK, "--out", str(file), *options]) == code


def test_a_decoder_alone_is_swept_as_any_other(tmp_path, in_this_process, capsys):
    file = tmp_path / "sweep.jsonl"
    ran(file, "--task", "repeat", "--d-model", "8", "--layers", "1,2", "--tie-embeddings", "output,all")
    assert 'left out: tie_embeddings "all" needs a source embedding' in capsys.readouterr().out
    rows = rows_of(file)
    assert [(row.cfg.n_layers, row.cfg.stacks, row.cfg.tie_embeddings, row.outcome) for row in rows] == [
        (1, "decoder", "output", "cut-off"),
        (2, "decoder", "output", "cut-off"),
    ]
    assert [plan_of(row).cfg for row in rows] == [row.cfg for row in rows]


def test_every_combination_that_can_be_built_from_every_seed(tmp_path, in_this_process, capsys):
    file = tmp_path / "sweep.jsonl"
    ran(file, "--d-model", "8,12,8", "--heads", "1,3", "--seeds", "2", "--norm", "post")
    rows = rows_of(file)
    assert [(row.seed, row.cfg.d_model, row.cfg.n_heads) for row in rows] == [
        (0, 8, 1),
        (0, 12, 1),
        (0, 12, 3),
        (1, 8, 1),
        (1, 12, 1),
        (1, 12, 3),
    ]
    assert {(row.task, row.cfg.norm, row.cfg.d_ff, row.most_steps, row.steps) for row in rows} == {("copy", "post", 16, 10, 10)}
    assert all(row.rows == 200 and row.outcome == "cut-off" and row.cpu_seconds > 0 for row in rows)
    out = capsys.readouterr().out
    assert out.count("left out: d_model 8 cannot be split over 3 heads") == 1
    assert "6 to train, 0 there already" in out and "6/6" in out
    head, *lines = out[out.index("d_model  heads") :].splitlines()[:4]
    assert len(lines) == 3 and len({len(line) for line in (head, *lines)}) == 1, "aligned"
    assert "0 of 2" in lines[0] and "No combination reached 99 %" in out


def test_what_is_there_is_skipped_and_what_failed_is_tried_again(tmp_path, in_this_process, capsys):
    file = tmp_path / "sweep.jsonl"
    ran(file, "--d-model", "8,12")
    before = file.read_bytes()
    ran(file, "--d-model", "8,12")
    assert file.read_bytes() == before and len(in_this_process) == 2
    assert "0 to train, 2 there already" in capsys.readouterr().out
    first, second = rows_of(file)
    file.write_bytes(to_line(first) + to_line(failed(second, "killed")))
    ran(file, "--d-model", "8,12,16")
    assert [row.cfg.d_model for row in in_this_process[2:]] == [12, 16]
    assert rows_of(file)[0] == first and {row.outcome for row in rows_of(file)} == {"cut-off"}
    assert len(rows_of(file)) == 3 and file.read_bytes().count(b"\n") == 4


def test_another_plan_is_another_row(tmp_path, in_this_process):
    file = tmp_path / "sweep.jsonl"
    ran(file)
    ran(file, "--steps", "20")
    assert [row.steps for row in rows_of(file)] == [10, 20]


def test_a_last_line_that_was_cut_off_is_trained_again(tmp_path, in_this_process):
    file = tmp_path / "sweep.jsonl"
    ran(file, "--seeds", "2")
    whole = rows_of(file)
    file.write_bytes(file.read_bytes()[:-40])
    ran(file, "--seeds", "2")
    assert [row.seed for row in in_this_process] == [0, 1, 1]
    times = {"cpu_seconds": None}
    assert [vars(row) | times for row in rows_of(file)] == [vars(row) | times for row in whole], "to the last number"


def test_a_file_of_something_else_is_left_as_it_is(tmp_path, in_this_process, capsys):
    for name, content in {"notes.txt": b"my notes\n", "one.json": b'{"task": "copy"}\n'}.items():
        (tmp_path / name).write_bytes(content)
        ran(tmp_path / name, code=2)
        assert (tmp_path / name).read_bytes() == content
        (line,) = capsys.readouterr().err.splitlines()
        assert "Line 1" in line
    ran(tmp_path, code=2)
    assert not in_this_process


def test_models_are_kept_where_they_learn_as_the_app_does(tmp_path, in_this_process, monkeypatch):
    monkeypatch.setattr("transformer_core.training.sweep_rows.plan_for", lambda *given: short(*given))
    folder, file = ModelFolder(tmp_path / "models"), tmp_path / "sweep.jsonl"
    options = ["--d-model", "8", "--folder", str(folder.path), "--out", str(file)]
    assert main(["sweep", *options]) == 0
    (row,) = rows_of(file)
    kept = folder.get(plan_of(row).key)
    assert kept.cfg == row.cfg and kept.last == row.steps == 30 and round(kept.right * 200) == row.right
    changed = next(folder.path.iterdir()).stat().st_mtime_ns
    file.unlink()
    assert main(["sweep", *options]) == 0
    assert next(folder.path.iterdir()).stat().st_mtime_ns == changed, "a model that is there stays"
    ran(tmp_path / "other.jsonl", "--folder", str(tmp_path / "none"))
    assert not (tmp_path / "none").exists()


def short(task, cfg, seed):
    from transformer_core.training.learning_plan import limit_steps, plan_for

    return limit_steps(plan_for(task, cfg, seed), 30)


def test_one_that_fails_says_so_in_its_row_and_the_others_go_on(tmp_path, in_this_process, monkeypatch, capsys):
    step = Learning.step

    def falls(learning):
        if learning.plan.cfg.d_model == 8:
            raise MemoryError("no\nroom")
        return step(learning)

    monkeypatch.setattr(Learning, "step", falls)
    file = tmp_path / "sweep.jsonl"
    ran(file, "--d-model", "8,12", code=1)
    first, second = rows_of(file)
    assert (first.outcome, first.error, second.outcome) == ("failed", "MemoryError: no room", "cut-off")
    assert "0 of 0 (1 not trained)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--heads", "5,7"], "none of these combinations"),
        (["--seeds", "0"], "whole number"),
        (["--norm", "pre,mid"], "pre"),
        (["--d-model", "8,,9"], "whole number"),
        (["--dropout", "nan"], "from 0 to 1"),
        (["--seed", "1", "--seeds", "2"], "seed"),
        (["--d-model", ",".join(map(str, range(8, 500))), "--d-ff", "8,9,10,11,12"], "2,000"),
        (["--task", "fly"], "task"),
    ],
)
def test_nonsense_is_refused_in_one_line_before_anything_is_written(tmp_path, options, words, capsys):
    file = tmp_path / "sweep.jsonl"
    try:
        code = main(["sweep", "--out", str(file), *options])
    except SystemExit as stop:
        code = stop.code
    (line,) = capsys.readouterr().err.splitlines()
    assert code == 2 and words in line and not file.exists()


def test_the_table_has_the_soonest_first_and_says_what_that_is_worth():
    steps_of = {8: (100, 140, None), 16: (120, 130, 180), 32: (300, 310, 320), 64: (None, None, None)}
    rows = [row_of(step, seed, d_model=width) for width, steps in steps_of.items() for seed, step in enumerate(steps)]
    head, *lines, _empty, last = sweep_table.table(combinations([*rows, failed(row_of(1, 7, d_model=64), "x")])).splitlines()
    assert head.split() == ["d_model", "parameters", "reached", "99", "%", "median", "step", "range", "right", "CPU", "s"]
    assert [line.split()[0] for line in lines] == ["16", "8", "32", "64"]
    assert lines[0].endswith("3 of 3          130  120–180  597 of 600    3.8")
    assert "2 of 3" in lines[1] and " 100–  428 of 600" in lines[1]
    assert "0 of 3 (1 not trained)" in lines[3]
    assert last == "Soonest: d_model 16. Its range overlaps with that of 1 other, which may be as soon: d_model 8."
    apart = combinations([row for row in rows if row.cfg.d_model in (16, 32)])
    assert sweep_table.soonest(apart) == (
        "Soonest: d_model 16. Each of its seeds was sooner than any of the others'; by chance alone, two equally fast ones lie "
        "apart like this in 1 of 10 cases."
    )
    alone = combinations([*rows[:3], *rows[9:]])
    assert sweep_table.soonest(alone) == "Soonest: d_model 8. 2 of its 3 seeds got there, and none of the others'."
    assert "One seed is no measure of chance" in sweep_table.soonest(combinations(rows[3:7:3]))
    assert sweep_table.soonest(combinations(rows[9:])) == "No combination reached 99 % with more than half of its seeds."


# --- In processes. ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_job_whose_process_dies_is_tried_once_more_and_no_other_is_lost(tmp_path):
    jobs = [("dies once", str(tmp_path / "mark")), ("dies", ""), ("dies while it answers", ""), ("is fine", "")]
    found = list(process_pool.run(pool_work.work, jobs, 1, lambda job, reason: (job[0], reason)))
    assert sorted(found) == [
        ("dies", "its process ended twice, the last time with code 9"),
        ("dies once", "done"),
        ("dies while it answers", "its process ended twice, the last time with code 9"),
        ("is fine", "done"),
    ]


@pytest.fixture
def running(tmp_path):
    """A sweep of 400 models, of which two are finished, in a group of processes of its own; they write `sweep.jsonl`."""
    file = tmp_path / "sweep.jsonl"
    command = [sys.executable, "-m", "transformer_core", *QUICK, "--seeds", "400", "--processes", "1", "--out", str(file)]
    running = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=_hears_ctrl_c
    )
    try:
        until = time.monotonic() + 600
        while not (file.exists() and file.read_bytes().count(b"\n") >= 2) and time.monotonic() < until:
            time.sleep(0.05)
        yield running
    finally:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.communicate()


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_finished_and_leaves_no_process(tmp_path, running):
    file = tmp_path / "sweep.jsonl"
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to all of them
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130 and err.decode().splitlines() == ["stopped"]
    rows = rows_of(file)
    assert 2 <= len(rows) < 400 and all(json.loads(line) for line in file.read_bytes().splitlines())
    assert f"of {len(rows)} " in out.decode().replace(",", ""), "the table of what there is"
    until = time.monotonic() + 30
    while (left := in_group(running.pid)) and time.monotonic() < until:  # what counts processes ends a little later itself
        time.sleep(0.1)
    assert not left


@pytest.mark.slow
def test_a_file_that_another_sweep_is_writing_is_refused_until_that_has_ended_however(tmp_path, running, capsys):
    file = tmp_path / "sweep.jsonl"
    ran(file, "--seeds", "1", code=2)
    (line,) = capsys.readouterr().err.splitlines()
    assert "Another sweep is writing sweep.jsonl" in line and "--out" in line
    assert running.poll() is None, "it goes on"
    ran(tmp_path / "another.jsonl", "--seeds", "1", "--processes", "1")
    running.kill()
    running.wait()
    rows = len(rows_of(file))
    ran(file, "--seeds", str(rows))
    assert f"0 to train, {rows} there already" in capsys.readouterr().out and len(rows_of(file)) == rows


def _hears_ctrl_c():
    """Not what a shell leaves to those that it runs in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def in_group(group):
    """The processes of a group that have not ended."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def test_without_ray_one_sentence_says_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setenv("EXPLORER_CLUSTER", "auto")
    ran(tmp_path / "sweep.jsonl", code=2)
    (line,) = capsys.readouterr().err.splitlines()
    assert "Ray is not installed: pip install -r requirements-cluster.txt" in line


def test_the_lost_row_says_why():
    trained = sweep._lost(row_of(None), "its process ended")
    assert (trained.row.outcome, trained.row.error, trained.model) == ("failed", "its process ended", None)
