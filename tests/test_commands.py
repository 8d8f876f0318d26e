"""Pins that every command which the documents name is there, has the options that they show, and runs.

`tests/command_table.py` says how each is started; the benchmarks are in `tests/benchmarks/test_each_runs.py`.
"""

import asyncio
import importlib
import io
import re
import shlex
import socket
import subprocess
import sys
from contextlib import redirect_stdout
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch

import pytest
from streamlit.web.cli import main_run

from benchmarks.harness import Server, complaints
from benchmarks.person import Person
from tests.command_table import COMMANDS, Elsewhere, Serve, Start, lines, name_of
from tests.documented import ALL, PROGRAMS, ROOT, TEXTS, Command, commands, lone_options, options_in
from tests.started import begin, run, tree

APP = [name for name in COMMANDS if re.search("streamlit run|app.py|^transformer-explorer", name)]  # options: Streamlit's
OURS = [*APP, *(name for name in COMMANDS if re.search("python -m (?!venv)", name))]
OTHERS = ["pip install", "pip download", "pytest", "uv pip install", "uvx"]
STARTED = [name for name, how in COMMANDS.items() if isinstance(how, Start) and "benchmarks" not in name]
_CHOICE = re.compile(r"""-[mk] (?:"[^"]+"|'[^']+'|\w+)""")
# In one process: what tests import is loaded once.
_COLLECT = """
import sys, pytest
collect = ["--collect-only", "-qq", "-p", "no:cacheprovider"]
sys.exit("; ".join(choice for choice in sys.argv[1:] if pytest.main([*collect, *choice.split(" ", 1)])) or 0)
"""

folder = pytest.fixture(scope="module")(tree)


# ---------------------------------------------------------------- the documents and the table


def test_the_reader_finds_every_kind():
    text = """
`.venv/bin/pytest -k a` and `x = 1`, `sweep --seeds 3`, `A=b .venv/bin/streamlit run
app.py`.

```sh
all="python -m x --one"
for task in a b; do
  $all two --around $task < in.txt   # --three 3: more
done
export S=$(openssl rand) && C=d npm ci
```
```
npm pack y
```
"""
    assert [(str(command), command.options) for command in commands("README.md", text)] == [
        ("python -m x --one two --around '$task' '<' in.txt", {"--one", "--around", "--three"}),
        ("C=d npm ci", set()),
        ("openssl rand", set()),
        ("npm pack y", set()),
        ("pytest -k a", {"-k"}),
        ("python -m transformer_core sweep --seeds 3", {"--seeds"}),
        ("A=b streamlit run app.py", set()),
    ]


def test_the_table_knows_every_command_and_no_other():
    assert [f"{command.document}: {command}" for command in ALL if name_of(command) is None] == []
    assert COMMANDS.keys() - {name_of(command) for command in ALL} == set()


def test_every_program_of_a_block_is_looked_for_in_sentences_as_well():
    assert {command.program for command in ALL} - {*PROGRAMS} == set()


def test_every_block_is_of_a_kind_that_the_reader_knows():
    kinds = {kind for text in TEXTS.values() for kind in re.findall(r"^```(.+)$", text, re.MULTILINE)}
    assert kinds - {"sh", "python", "toml"} == set()


@pytest.mark.parametrize("name", [name for name, how in COMMANDS.items() if isinstance(how, Elsewhere)])
def test_the_file_that_starts_it_names_it(name: str):
    how = COMMANDS[name]
    assert how.words in (ROOT / how.file).read_text(encoding="utf-8")


# ---------------------------------------------------------------- options


@cache
def known_options(name: str) -> frozenset[str]:
    """The options of a command of ours, by its own help."""
    if name in APP:
        return frozenset(option for parameter in main_run.params for option in parameter.opts)
    module, *words = name.partition(" --")[0].partition("python -m ")[2].split()
    is_package = find_spec(module).submodule_search_locations is not None
    main = importlib.import_module(f"{module}.__main__" if is_package else module).main
    asked = patch.object(sys, "argv", [module, *words, "--help"])
    with asked, redirect_stdout(io.StringIO()) as said, pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    return frozenset(options_in(said.getvalue()))


def shown_options(named: list[Command]) -> set[str]:
    return {option for command in named for option in command.options}


@pytest.mark.parametrize("name", OURS)
def test_the_options_that_are_shown_exist(name: str):
    assert shown_options([command for command in ALL if name_of(command) == name]) - known_options(name) == set()


@pytest.mark.parametrize("document", TEXTS)
def test_an_option_that_stands_alone_belongs_to_a_command_of_the_same_document(document: str):
    named = [command for command in ALL if command.document == document]
    known = {option for name in {*map(name_of, named)} & {*OURS} for option in known_options(name)}
    assert lone_options(TEXTS[document]) - known - shown_options(named) == set()


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_the_options_that_are_shown_of_others_exist(name: str):
    said = subprocess.run(
        [Path(sys.executable).parent / name.split()[0], *name.split()[1:], "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    shown = shown_options([command for command in ALL if str(command).startswith(name)])
    assert shown and shown - set(options_in(said)) == set()


@pytest.mark.cluster
def test_the_options_that_are_shown_of_ray_exist():
    ray = Path(sys.executable).parent / "ray"
    if not ray.exists():
        pytest.skip("Ray is not installed: pip install -r requirements-cluster.txt")
    said = subprocess.run([ray, "start", "--help"], capture_output=True, text=True, check=True, timeout=120).stdout
    shown = shown_options([command for command in ALL if command.program == "ray"])
    assert "--head" in shown and shown - set(options_in(said)) == set()


# ---------------------------------------------------------------- what they do


@pytest.mark.slow
@pytest.mark.parametrize("name", STARTED)
def test_it_runs(folder: Path, name: str):
    for words in lines(name):
        run(folder, words)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, how in COMMANDS.items() if isinstance(how, Serve)])
def test_it_serves(folder: Path, name: str):
    (words,) = lines(name)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = folder / f"{port}.log"
    options = ["--server.port", str(port), "--server.address", "127.0.0.1", "--server.headless", "true"]
    server = Server(f"http://127.0.0.1:{port}", begin(folder, [*words, *options], log), log)
    try:
        server.wait()
        asyncio.run(opens(server.host))
    finally:
        code = server.stop()
    assert complaints(server, code) == ""


async def opens(host: str) -> None:
    async with Person(host, "") as visitor:
        assert visitor.complaints == [] and visitor.drawn["main"] > 0


@pytest.mark.slow
def test_every_choice_of_tests_that_is_shown_finds_some():
    shown = [shlex.join(command.words) + command.remark for command in ALL if command.program == "pytest"]
    choices = {" ".join(shlex.split(choice)) for line in shown for choice in _CHOICE.findall(line)}
    assert len(choices) > 4
    done = subprocess.run([sys.executable, "-c", _COLLECT, *choices], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
