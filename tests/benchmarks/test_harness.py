"""Pins that a benchmark leaves no server behind, however it is ended."""

import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from benchmarks.harness import ROOT

_BENCHMARK = """
import sys, time
from pathlib import Path
from benchmarks import harness

with harness.running(script=Path(sys.argv[1])) as server:
    print(server.process.pid, flush=True)
    time.sleep(600)
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_benchmark_that_is_ended_ends_its_server(tmp_path: Path, how: signal.Signals) -> None:
    (tmp_path / "page.py").write_text("import streamlit\n", encoding="utf-8")
    command = [sys.executable, "-c", _BENCHMARK, str(tmp_path / "page.py")]
    with subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as benchmark:
        assert benchmark.stdout is not None
        server = psutil.Process(int(benchmark.stdout.readline()))
        assert "streamlit" in server.cmdline()
        for _ in range(2):  # as `timeout` does
            benchmark.send_signal(how)
        _out, err = benchmark.communicate(timeout=60)
        assert benchmark.returncode == -signal.SIGINT and err.strip().endswith("KeyboardInterrupt")
    assert not server.is_running()
