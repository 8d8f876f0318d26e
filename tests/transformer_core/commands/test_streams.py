"""Pins that what commands read and print arrives, whatever encoding the machine's settings ask for."""

import json
import os
import pty
import subprocess
import sys

import pytest

from tests.documented import ROOT

_SETTINGS = {"cp1252": {"PYTHONIOENCODING": "cp1252"}, "ASCII": {"LC_ALL": "C", "PYTHONUTF8": "0"}}


def run(settings: str, *words: str, **more) -> bytes:
    """What a Python that is asked for this encoding prints."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    environment |= _SETTINGS[settings]
    out = {"stdout": subprocess.PIPE} | more
    return subprocess.run([sys.executable, *words], cwd=ROOT, env=environment, check=True, **out).stdout


@pytest.mark.slow
@pytest.mark.parametrize("settings", _SETTINGS)
def test_every_sign_comes_out_of_a_pipe_and_goes_into_one(settings):
    asked = "I don’t like the cat"
    told = run(settings, "-m", "transformer_core", "translate", "--model", "everyday-zh", "--json", input=asked.encode())
    found = json.loads(told.decode("utf-8"))
    assert found["source"] == asked and "猫" in found["answer"]


@pytest.mark.slow
@pytest.mark.parametrize("package", ["benchmarks", "tools"])
def test_so_it_does_with_benchmarks_and_tools(package):
    assert run("cp1252", "-c", f"import {package}; print('√ 猫')").decode("utf-8").strip() == "√ 猫"


@pytest.mark.slow
def test_a_terminal_gets_the_signs_that_it_has():
    ours, its = pty.openpty()
    run("cp1252", "-c", "from transformer_core.commands.streams import use_utf8; use_utf8(); print('né 猫')", stdout=its)
    assert os.read(ours, 100).decode("cp1252").strip() == "né ?"
    for end in (ours, its):
        os.close(end)
