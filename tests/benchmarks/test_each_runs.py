"""Pins that every benchmark is named by the documents, and runs to its end with small arguments (`tests/command_table.py`)."""

from pathlib import Path

import pytest

from benchmarks import harness
from explorer.serve import configuration
from tests.command_table import COMMANDS, Start, lines
from tests.documented import ROOT
from tests.started import run, tree

STARTED = [name for name, how in COMMANDS.items() if "benchmarks" in name and isinstance(how, Start)]
SOURCES = {f"python -m benchmarks.{path.stem}": path.read_text(encoding="utf-8") for path in (ROOT / "benchmarks").glob("*.py")}
NEEDED = {
    "browser": (harness.chromium, "no Chromium: install Debian's chromium, or name one in the environment variable CHROMIUM"),
    "nginx": (configuration.nginx, "no nginx: install Debian's package nginx"),
}

folder = pytest.fixture(scope="module")(tree)


def needs(name: str) -> list[str]:
    """Programs that not everybody has, by the marker of tests that need them."""
    several_copies = any("--workers 2" in " ".join(words) for words in lines(name))
    return [*["browser"] * ("harness.Browser" in SOURCES[name]), *["nginx"] * several_copies]


def test_the_documents_name_every_benchmark():
    assert {*STARTED} == {name for name, source in SOURCES.items() if "\ndef main(" in source}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[getattr(pytest.mark, program) for program in needs(name)]) for name in STARTED]
)
def test_it_runs(folder: Path, name: str):
    for program, why in map(NEEDED.get, needs(name)):
        if program() is None:
            pytest.skip(why)
    for words in lines(name):
        run(folder, words)
