"""A cluster on this machine: `pip install -r requirements-cluster.txt`, and `pytest tests/cluster`."""

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import pytest

ENVIRONMENT = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # or Ray looks for another address than the loopback's
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": "that-only-the-machines-of-this-test-know",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_agent_register_timeout_ms": "120000",  # of a machine that is busy with other tests
    "RAY_gcs_rpc_server_reconnect_timeout_s": "5",  # after which a process takes the cluster for lost; else a minute
    "EXPLORER_CLUSTER_EVERY": "0.5",
}


class Machines:
    """Number 0 has the cluster's directory, and no core for others; number 1 is there from the beginning."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.cluster.machines"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.address = self._answer()

    def add(self) -> int:
        """One more, with one core."""
        return int(self._ask("add"))

    def kill(self, machine: int) -> None:
        """kill -9, all of it at once."""
        self._ask(str(machine))

    def kill_all(self) -> None:
        self._process.communicate()

    def _ask(self, words: str) -> str:
        self._process.stdin.write(f"{words}\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> str:
        answer = self._process.stdout.readline().strip()
        assert answer, "the machines have not started: what Ray says stands above"
        return answer


@pytest.fixture(scope="session")
def machines() -> Iterator[Machines]:
    if importlib.util.find_spec("ray") is None:
        pytest.skip("Ray is not installed: pip install -r requirements-cluster.txt")
    folder = tempfile.mkdtemp(prefix="ray-")  # a short path: there are sockets in it
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (ENVIRONMENT | {"RAY_TMPDIR": folder, "TMPDIR": folder}).items():
            patch.setenv(name, value)
        patch.delenv("RAY_ADDRESS", raising=False)
        made = Machines()
        try:
            made.add()
            yield made
        finally:
            made.kill_all()
    shutil.rmtree(folder)
