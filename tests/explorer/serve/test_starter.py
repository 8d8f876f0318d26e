"""Pins that processes are started again when they end, and that none outlives the command."""

import os
import signal
import sys
from http.client import HTTPConnection
from threading import Event

import pytest

from explorer.serve import starter
from tests.explorer.learning.helpers import wait_until

WAITS = "import time; time.sleep(600)"


def started(code: str):
    return starter._start([sys.executable, "-c", code], dict(os.environ))


def test_one_that_is_killed_is_started_again_and_another_left_alone(capfd):
    running = {"one": started(WAITS), "other": started(WAITS)}
    try:
        before = dict(running)
        running["one"].kill()
        running["one"].wait()
        starter._restart_what_ended(running, dict(os.environ))
        assert running["one"].pid != before["one"].pid and running["one"].poll() is None
        assert running["other"] is before["other"]
        assert capfd.readouterr().err == "one has ended (exit code -9) and is started again\n"
    finally:
        starter._end(running)
    assert [process.returncode for process in running.values()] == [-signal.SIGTERM] * 2


def test_one_that_ignores_the_order_to_end_is_killed(monkeypatch, tmp_path):
    monkeypatch.setattr(starter, "_PATIENCE", 0.1)
    ready = tmp_path / "ready"
    running = {
        "it": started(f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); open({str(ready)!r}, 'w'); {WAITS}")
    }
    wait_until(ready.exists, "its start")
    starter._end(running)
    assert running["it"].returncode == -signal.SIGKILL


def test_one_that_does_not_start_is_said_so():
    process = started("raise SystemExit(3)")
    process.wait()
    with pytest.raises(starter.CannotServe, match="copy 1 did not start"):
        starter._wait_for("copy 1", process, HTTPConnection("127.0.0.1", 9), "", Event())
