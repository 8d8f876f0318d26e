"""Pins that the app starts where nobody has been: an archive of the commit, a new environment, an empty home folder.

The README's run command runs there, word for word, and a real Chromium, driven from the tests' environment, opens every page.
"""

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from benchmarks import harness
from explorer.ui.navigation import CONTENTS
from tests.browser.window import Window

RUN_COMMAND = re.compile(r"^python3 -m venv .* && \.venv/bin/streamlit run app\.py$", re.MULTILINE)
LOCAL_URL = re.compile(r"Local URL: http://localhost:(\d+)")  # what Streamlit tells whoever has started it
INSTALLED = "Successfully installed"  # pip's last line: the app's own log follows
INSTALL_SECONDS = 900.0
OF_THIS_MACHINE = ("STREAMLIT_", "EXPLORER_", "PYTHON", "VIRTUAL_ENV", "XDG_")  # variables that a newcomer does not have


@dataclass(frozen=True)
class Machine:
    """A folder that holds the commit, and the variables of whoever works there."""

    folder: Path
    environment: dict[str, str]

    def core(self, *arguments: str) -> str:
        """Runs `python -m transformer_core` with these arguments and returns its output; fails if the command does."""
        command = [".venv/bin/python", "-m", "transformer_core", *arguments]
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    folder, home = tmp_path_factory.mktemp("explorer"), tmp_path_factory.mktemp("home")
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=harness.ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(OF_THIS_MACHINE)}
    # As on a laptop: there is a screen, and Streamlit opens a browser by itself. Here it is one that does nothing.
    return Machine(folder, environment | {"HOME": str(home), "DISPLAY": ":0", "BROWSER": "true"})


@pytest.fixture(scope="module")
def server(machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[harness.Server]:
    """The app, started by the README's command and ended by Ctrl-C; it must not have complained of anything by then."""
    found = RUN_COMMAND.search((machine.folder / "README.md").read_text(encoding="utf-8"))
    assert found, "the README has no run command"
    log_file = tmp_path_factory.mktemp("log") / "log"
    with log_file.open("wb") as log:
        process = subprocess.Popen(
            ["bash", "-c", found[0]], cwd=machine.folder, env=machine.environment, stdin=subprocess.DEVNULL, stdout=log,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    try:
        yield harness.Server(f"http://127.0.0.1:{_port(process, log_file)}", process, log_file).wait()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        process.wait(30)
    _, installed, log_text = log_file.read_text(encoding="utf-8").partition(INSTALLED)
    assert installed, "pip did not say that it was done: where the app's log begins is unknown"
    assert not re.search("Traceback|Uncaught|Exception|Error|Warning", log_text), log_text


def _port(process: subprocess.Popen[bytes], log_file: Path) -> str:
    """Waits until Streamlit names its address."""
    deadline = time.monotonic() + INSTALL_SECONDS
    while not (found := LOCAL_URL.search(log_file.read_text(encoding="utf-8"))):
        if process.poll() is not None or time.monotonic() > deadline:
            pytest.fail(f"the app did not start:\n{log_file.read_text(encoding='utf-8')}", pytrace=False)
        time.sleep(0.2)
    return found[1]


@pytest.fixture(scope="module")
def window(server: harness.Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Window]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"), executable_path=harness.chromium(), args=harness.CHROMIUM_FLAGS, locale="en-GB"
        )
        yield Window(browser, server.url)
        browser.close()


@pytest.mark.parametrize("name", CONTENTS)
def test_every_page_opens_without_an_error(window: Window, name: str) -> None:
    window.visit("" if name == "home" else name)
    assert window.page.title() == CONTENTS[name].title
    assert window.alerts("Error") == []
    window.no_complaint()


@pytest.mark.usefixtures("server")
def test_a_sentence_is_translated(machine: Machine) -> None:
    assert "je n'aime pas le lait" in machine.core("translate", "--model", "translate-fr", "I don't like milk")


@pytest.mark.usefixtures("server")
def test_the_copy_task_is_learned(machine: Machine) -> None:
    found = re.search(r"exact match ([\d.]+)%", machine.core("train", "--task", "copy", "--until", "0.99"))
    assert found and float(found[1]) >= 99
