"""A server of the app on a free port, and a Chromium that opens it, for benchmarks and browser tests."""

import argparse
import os
import platform
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

ROOT = Path(__file__).parents[1]
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str | None:
    """Returns the path of the browser: the environment variable CHROMIUM, or else the system's own; None if there is none."""
    named = os.environ.get("CHROMIUM")
    if named:
        return shutil.which(named)
    return shutil.which("/usr/bin/chromium") or shutil.which("chromium")


@dataclass
class Server:
    """`streamlit run app.py`, or several copies behind nginx, with the project's own configuration and nobody else's."""

    url: str
    process: subprocess.Popen[bytes]
    log_file: Path

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc

    @property
    def log(self) -> str:
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    def healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def wait(self, seconds: float = 60) -> "Server":
        """Returns once the server answers."""
        deadline = time.monotonic() + seconds
        while not self.healthy():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server did not start (exit code {self.process.poll()}):\n{self.log}")
            time.sleep(0.05)
        return self

    def stop(self, seconds: float = 20, how: int = signal.SIGTERM) -> int:
        """Asks the server to stop and returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise RuntimeError(f"the server was asked to stop and did not:\n{self.log}") from None


def start(folder: Path, path: str = "", copies: int = 0, script: Path = ROOT / "app.py", **environment: str) -> Server:
    """Starts a server with its log and home in `folder`; wait() for it before use, stop() it after.

    Args:
        path: the app's path on the server, such as "/explorer".
        copies: of the app, behind nginx; 0: one process, without nginx.
        script: run by the one process; another script than the app's serves as a yardstick.
        environment: more variables for it, such as a limit: EXPLORER_GRACE="0.2".
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    # Neither variables nor the home folder of the caller may change the measured configuration.
    env = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
    env |= {"HOME": str(folder), "PYTHONUNBUFFERED": "1", "EXPLORER_PREPARE_NEIGHBOURS": "0"} | environment
    options = {
        "server.headless": "true",
        "server.address": "127.0.0.1",
        "server.port": str(port),
        "server.baseUrlPath": path,
    }
    flags = [word for name, value in options.items() for word in (f"--{name}", value)]
    command = ["streamlit", "run", *flags, str(script)]
    if copies:
        command = ["explorer.serve", "--workers", str(copies), "--address", "127.0.0.1", "--port", str(port), "--path", path]
    log_file = folder / f"server-{port}.log"
    with log_file.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=ROOT,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # a Ctrl-C at the terminal reaches the caller, who then stops the server
        )
    return Server(f"http://127.0.0.1:{port}{path}", process, log_file)


def complaints(server: Server, code: int) -> str:
    """Returns the errors of a server that has ended, "" if it left cleanly: no crash on the way out, no error in its log.

    After SIGTERM, uvicorn cleans up and ends by the same signal; after SIGINT (Ctrl-C), Streamlit ends with 1.
    """
    left_cleanly = code in (0, 1, -signal.SIGTERM)
    words = ("terminate called", "Traceback", "Uncaught", "Exception", "Error", "Warning")
    if left_cleanly and not any(word in server.log for word in words):
        return ""
    return f"exit code {code}\n{server.log}"


@contextmanager
def running(
    copies: int = 0, seconds: float = 60, script: Path = ROOT / "app.py", killed: bool = False, **environment: str
) -> Iterator[Server]:
    """Runs a server for a `with` block; `seconds` are for each copy to start, the rest is as for `start`. It ends with the
    block, also where Ctrl-C, SIGTERM (as of `timeout`) or a closed terminal ends that.

    Raises:
        Complained: at the end of the block, if the server has logged an error; not if parts of it were `killed`.
    """
    with _ended_in_order(), tempfile.TemporaryDirectory() as folder:
        server = start(Path(folder), copies=copies, script=script, **environment)
        try:
            yield server.wait(seconds * max(1, copies))
        finally:
            code = server.stop()
        if not killed and (words := complaints(server, code)):
            raise Complained(words)


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Has every signal that asks this process to end do as Ctrl-C does, and the next ones wait for that."""
    if threading.current_thread() is not threading.main_thread():  # which alone may say what a signal does
        yield
        return
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}

    def end(_number: int, _frame: object) -> None:
        for each in before:
            signal.signal(each, signal.SIG_IGN)  # `timeout` sends two
        raise KeyboardInterrupt

    for each in before:
        signal.signal(each, end)
    try:
        yield
    finally:
        for each, usual in before.items():
            signal.signal(each, usual)


class Complained(Exception):
    """The app failed while it was measured: the measurements are void."""


class Browser:
    """Runs a Chromium for a `with` block.

    Raises:
        Complained: at the end of the block, if a page has logged an error, or an exception ended a script.
    """

    def __init__(self) -> None:
        self._problems: list[str] = []

    def __enter__(self) -> "Browser":
        from playwright.sync_api import sync_playwright

        self._playwright = sync_playwright().start()
        self._chromium = self._playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_FLAGS)
        return self

    def new_page(self, **options: Any) -> Any:
        """Opens a page with a browser context of its own."""
        page = self._chromium.new_page(**options)
        page.on("pageerror", lambda error: self._problems.append(f"exception: {error}"))
        page.on("console", lambda message: self._problems.extend(errors_of(message)))
        return page

    def __exit__(self, kind: object, _error: object, _traceback: object) -> None:
        self._chromium.close()
        self._playwright.stop()
        if kind is None and self._problems:
            raise Complained("\n".join(self._problems))


def errors_of(message: Any) -> list[str]:
    """Returns the error in a line of a browser's console, if any. Streamlit looks for its own base path, and finds 404."""
    probe = re.search(r"/\w+/_stcore/", message.location.get("url", "")) and "404" in message.text
    return [] if message.type != "error" or probe else [f"console: {message.text}"]


def parser(doc: str | None) -> argparse.ArgumentParser:
    """The parser of a benchmark's options, whose help begins with its docstring as it is."""
    return argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)


def add_settled(parser: argparse.ArgumentParser) -> None:
    """Adds the option of those benchmarks that let a new server finish what it prepares before they measure."""
    parser.add_argument("--settled", type=float, default=10, help="seconds that a new server has first (default: %(default)s)")


def quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[round(share * (len(ordered) - 1))]


def machine() -> str:
    """Describes the machine for the first line of a benchmark: versions, cores, load, and the speed of the day, in seconds that
    Python takes to add three million numbers (docs/performance.md).
    """
    start = time.perf_counter()
    exec("for i in range(3_000_000): total += i", {"total": 0})  # global names, as in a script: a function's are faster
    pace = time.perf_counter() - start
    versions = ", ".join(f"{name} {version(name)}" for name in ("streamlit", "plotly", "torch"))
    return f"{versions}, {platform.machine()}, {os.cpu_count()} cores, load {psutil.getloadavg()[0]:.1f}, pace {pace:.2f} s"
