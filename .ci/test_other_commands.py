"""Pins that the other commands a newcomer meets first run in the environment that the README's run command has made."""

import re
import urllib.request
from dataclasses import replace
from pathlib import Path

import places
import pytest

from explorer.model_on_screen.settings import ModelSettings
from tests.explorer.programs import programs

PYTHON = ".venv/bin/python"
CORE = {  # what each prints, and with which arguments
    "translate": (["--model", "everyday-fr", "I don't like milk"], lambda said: "je n'aime pas le lait" in said),
    # A first success on 200 rows is often a lucky one, and which step it comes at depends on the processor.
    "train": (["--task", "copy", "--until", "0.99"], lambda said: float(re.search(r"exact match ([\d.]+)%", said)[1]) >= 95),
    "evaluate": (["--model", "everyday-fr", "--count", "20"], lambda said: "source never seen" in said),
    "parity": ([], lambda said: "float64" in said),
    "sweep": (["--d-model", "16", "--heads", "1", "--steps", "20", "--out", "new.jsonl"], lambda _: True),
}


@pytest.fixture
def installed(readme: places.Place) -> places.Place:
    assert (readme.folder / ".venv").exists(), "run test_fresh_machine.py first"
    return readme


@pytest.mark.parametrize("command", CORE)
def test_the_core_runs_without_the_app(installed: places.Place, command: str) -> None:
    arguments, is_said = CORE[command]
    said = installed.run(PYTHON, "-m", "transformer_core", command, *arguments)
    assert is_said(said), said
    if command == "sweep":
        assert (installed.folder / "new.jsonl").read_text(encoding="utf-8").count("\n") == 1


@pytest.mark.parametrize("command", ["app.py", "-m explorer", "-m explorer.serve --workers 2"])
def test_the_app_starts_by_another_command(installed: places.Place, base: Path, command: str) -> None:
    """`python app.py` among them, and two copies behind nginx."""
    port = ["--port", "8502"] if "serve" in command else ["--server.port", "8502"]
    opens(replace(installed, command=[PYTHON, *command.split(), *port]), base)


def test_the_app_starts_by_uv(uv: places.Place, base: Path) -> None:
    opens(uv, base)
    assert uv.hosts_asked() == ""


def test_a_picture_taken_home_as_code_runs_where_the_wheel_is(wheel: places.Place) -> None:
    program = programs.written(ModelSettings(), ["heads"])["heads"].as_python()
    (wheel.folder / "heads.py").write_text(program.replace(", auto_open=True", ""), encoding="utf-8")
    python = Path(wheel.command[0]).with_name("python")
    assert "\nThe same 216 numbers as on screen" in wheel.run(str(python), "heads.py")


def test_a_type_checker_finds_the_types_where_the_wheel_is(wheel: places.Place) -> None:
    marked = "print([(files(name) / 'py.typed').is_file() for name in ('everyday', 'transformer_core')])"
    python = Path(wheel.command[0]).with_name("python")
    assert wheel.run(str(python), "-c", f"from importlib.resources import files; {marked}") == "[True, True]\n"


def opens(place: places.Place, base: Path) -> None:
    with places.started(place, base / "other.log") as server:
        assert server.url.endswith(":8502")
        with urllib.request.urlopen(f"{server.url}/heads", timeout=30) as answer:
            assert b"<title>" in answer.read()


def test_nobody_outside_was_asked(installed: places.Place) -> None:
    assert installed.hosts_asked() == ""
