"""Pins how a process is kept running: started again when it ends, later and later where it keeps ending, until it is ended."""

import signal
import sys
import time

import pytest

from explorer.serve import kept
from explorer.serve.kept import Kept
from tests.explorer.training.helpers import wait_until

WAITS = "import time; print('there', flush=True); time.sleep(600)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); open('ready', 'w').close(); {WAITS}"


@pytest.fixture
def keep(tmp_path):
    made = []

    def one(code: str) -> Kept:
        made.append(Kept("it", [sys.executable, "-c", code], {}, tmp_path))
        return made[-1]

    yield one
    for each in made:
        each.end(patience=0)


def test_one_that_runs_is_left_alone(keep):
    it = keep(WAITS)
    it.start()
    assert it.runs and it.look() is None and it.starts == 1


def test_one_that_is_killed_is_started_again_at_once(keep):
    it = keep(WAITS)
    it.start()
    first = it.pid
    it._process.send_signal(signal.SIGKILL)
    it._process.wait()
    assert it.look() == "it has ended (exit code -9) and is started again now"
    assert it.look() is None
    assert it.runs and it.pid != first and it.starts == 2


def test_one_that_keeps_ending_waits_longer_and_longer(keep, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(kept.time, "monotonic", lambda: now[0])
    it, pauses = keep("raise SystemExit(3)"), []
    it.start()
    for _ in range(7):
        it._process.wait()
        assert "exit code 3" in it.look()
        began = now[0]
        starts = it.starts
        while it.starts == starts:
            it.look()
            now[0] += 0.5
        pauses.append(now[0] - began - 0.5)
    assert pauses == [0, 1, 3, 7, 15, 30, 30]


def test_one_that_had_run_long_is_started_again_at_once(keep, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(kept.time, "monotonic", lambda: now[0])
    it = keep("raise SystemExit(3)")
    it.start()
    for _ in range(4):
        it._process.wait()
        now[0] += 31
        assert "now" in it.look()
        it.look()


def test_one_that_cannot_be_started_again_is_tried_later(keep, tmp_path, monkeypatch):
    it = keep("raise SystemExit(0)")
    it.start()
    it._process.wait()
    it.look()
    it._command = [str(tmp_path / "nothing")]
    assert "cannot be started" in it.look()
    assert it.look() is None and not it.runs and it.starts == 1


def test_one_that_does_not_listen_is_ended_by_force(keep, tmp_path):
    it = keep(STUBBORN)
    it.start()
    wait_until((tmp_path / "ready").exists, "its start")
    it.ask_to_end()
    start = time.monotonic()
    it.end(patience=0.2)
    assert not it.runs and it._process.returncode == -signal.SIGKILL and time.monotonic() - start < 10
