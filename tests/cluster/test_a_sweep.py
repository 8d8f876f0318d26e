"""Pins: a sweep gives the same rows on a Ray cluster, and a task that is lost spoils no other.

It comes before the runs of the app, which hold their cores."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.cluster.conftest import Machines
from tests.cluster.machines import take_time
from tests.transformer_core.commands import pool_work
from transformer_core.__main__ import main
from transformer_core.commands import ray_pool
from transformer_core.training.sweep_rows import read_rows

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("ignore")]  # Ray's own

QUICK = ["sweep", "--d-model", "8,12", "--d-ff", "16", "--steps", "10", "--processes", "1"]


def test_a_sweep_has_the_same_rows_on_a_cluster_and_on_one_of_its_own(tmp_path: Path, machines: Machines, monkeypatch):
    take_time()
    rows = []
    for name, address in {"processes": "", "cluster": machines.address, "its-own": "local"}.items():
        monkeypatch.setenv("EXPLORER_CLUSTER", address)
        file = tmp_path / f"{name}.jsonl"
        assert main([*QUICK, "--out", str(file)]) == 0
        rows.append({replace(row, cpu_seconds=0) for row in read_rows(file.read_bytes())[0]})
    assert rows[0] == rows[1] == rows[2] and len(rows[0]) == 2


def test_a_task_that_is_lost_is_tried_once_more_and_spoils_no_other(tmp_path: Path, machines: Machines):
    jobs = [("dies once", str(tmp_path / "mark")), ("dies", ""), ("is fine", "")]
    found = dict(ray_pool.run(pool_work.work, jobs, machines.address, 1, lambda job, reason: (job[0], f"lost: {reason}")))
    assert (found["dies once"], found["is fine"]) == ("done", "done")
    assert found["dies"].startswith("lost: WorkerCrashedError: ")
