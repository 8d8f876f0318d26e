"""Starts copies of the app and nginx, and starts each of these processes again when it ends."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from explorer.root import ROOT
from explorer.serve.configuration import configuration
from explorer.serve.frames import may_frame

_PAUSE = 0.5  # seconds between two looks at the processes
_LOOKS = 240  # looks until a process must answer: with many copies on few cores, each takes long to start
_PATIENCE = 15.0  # seconds for a process to end that was asked to


class CannotServe(Exception):
    """A sentence that says why."""


def serve(nginx: str, copies: int, address: str, port: int, path: str) -> None:
    """Serves until SIGTERM or SIGINT. Raises CannotServe or OSError where a copy or nginx cannot be started."""
    family, host = (socket.AF_INET6, f"[{address}]") if ":" in address else (socket.AF_INET, address)
    socket.create_server((address, port), family=family).close()  # raises where something else listens there
    ends = threading.Event()
    for order in (signal.SIGTERM, signal.SIGINT):
        signal.signal(order, lambda *_: ends.set())
    ports = {f"copy {number}": free for number, free in enumerate(_free_ports(copies), start=1)}
    environment = environment_of(copies)
    running: dict[str, subprocess.Popen[bytes]] = {}
    with tempfile.TemporaryDirectory(prefix="transformer-explorer-") as folder:
        Path(folder).chmod(0o755)  # nginx, started by root, is another user afterwards
        config = Path(folder) / "nginx.conf"
        servers = [f"127.0.0.1:{free}" for free in ports.values()]
        config.write_text(configuration(servers, f"{host}:{port}", path, folder, may_frame()), encoding="utf-8")
        try:
            for name, free in ports.items():
                running[name] = _start(_copy(free, path), environment)
            for name, free in ports.items():
                _wait_for(name, running[name], HTTPConnection("127.0.0.1", free, timeout=5), path, ends)
            running["nginx"] = _start([nginx, "-e", "stderr", "-p", folder, "-c", config, "-g", "daemon off;"], environment)
            _wait_for("nginx", running["nginx"], HTTPConnection(address, port, timeout=5), path, ends)
            visited = f"http://{host.replace('0.0.0.0', 'localhost')}:{port}{path}"
            print(f"Transformer Explorer, {copies} copies: {visited}", flush=True)
            while not ends.wait(_PAUSE):
                _restart_what_ended(running, environment)
        finally:
            _end(running)


def environment_of(copies: int) -> dict[str, str]:
    """Returns the variables of every copy: this process's own, and unless they are among them, a secret that all copies sign
    cookies with, each copy's share of the processes that train, and how many copies there are."""
    share = {
        "STREAMLIT_SERVER_COOKIE_SECRET": secrets.token_hex(32),
        "EXPLORER_WORKERS": str(max(1, (os.cpu_count() or 1) // copies)),
        "EXPLORER_COPIES": str(copies),
    }
    return share | os.environ


def _free_ports(count: int) -> list[int]:
    with ExitStack() as probes:
        return [probes.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1] for _ in range(count)]


def _copy(port: int, path: str) -> list[str]:
    options = ["--server.port", str(port), "--server.baseUrlPath", path, "--server.address", "127.0.0.1"]
    return [sys.executable, "-m", "streamlit", "run", *options, "--server.headless", "true", str(ROOT / "app.py")]


def _start(command: Any, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Starts a process in a session of its own, so that Ctrl-C interrupts only this process, which ends the others in order."""
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, start_new_session=True)


def _wait_for(
    name: str, process: subprocess.Popen[bytes], connection: HTTPConnection, path: str, ends: threading.Event
) -> None:
    """Returns when a process answers, or when the end is asked for."""
    for _ in range(_LOOKS):
        if process.poll() is not None:
            raise CannotServe(f"{name} did not start; what it says stands above")
        with suppress(OSError, HTTPException):
            connection.request("GET", f"{path}/_stcore/health")
            if connection.getresponse().status == 200:
                return
        connection.close()
        if ends.wait(_PAUSE):
            return
    raise CannotServe(f"{name} does not answer")


def _restart_what_ended(running: dict[str, subprocess.Popen[bytes]], environment: dict[str, str]) -> None:
    for name, process in running.items():
        if (code := process.poll()) is not None:
            print(f"{name} has ended (exit code {code}) and is started again", file=sys.stderr, flush=True)
            with suppress(OSError):  # no memory, say: it is tried again
                running[name] = _start(process.args, environment)


def _end(running: dict[str, subprocess.Popen[bytes]]) -> None:
    for process in running.values():
        process.terminate()
    for process in running.values():
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
