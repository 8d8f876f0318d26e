"""Starting a command of the documents as they write it, in a copy of the sources, so that what it writes stays there."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.documented import ROOT

_NOT_COPIED = shutil.ignore_patterns(".git", ".venv", "node_modules", "*_cache")
_LINES = "tests/everyday/typed_unseen.txt"  # of sentences, which the documents have translated


def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, in which a list of sentences holds its first alone."""
    folder = shutil.copytree(ROOT, tmp_path_factory.mktemp("tree") / "explorer", ignore=_NOT_COPIED)
    sentences = folder / _LINES
    sentences.write_text(sentences.read_text(encoding="utf-8").splitlines()[0], encoding="utf-8")
    return folder


def run(folder: Path, words: Sequence[str]) -> None:
    """Runs a command there, which must not fail."""
    done = subprocess.run(
        ["bash", "-c", _line(words)],
        cwd=folder,
        env=_environment(folder),
        stdin=subprocess.DEVNULL,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=300,
    )
    assert done.returncode == 0, f"{shlex.join(words)} ended with {done.returncode}:\n{done.stdout[-8000:]}"


def begin(folder: Path, words: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
    """Starts a server there, whose process is the one that is returned."""
    with log.open("wb") as file:
        return subprocess.Popen(
            ["bash", "-c", f"exec env {_line(words)}"],
            cwd=folder,
            env=_environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _line(words: Sequence[str]) -> str:
    return " ".join(word if word in ("<", ">") else shlex.quote(word) for word in words)


def _environment(folder: Path) -> dict[str, str]:
    """With the programs of this environment, and a home folder of its own."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"PATH": path, "HOME": str(folder)}
