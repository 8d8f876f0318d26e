"""Pins that the app is never one of several processes of one server, and says what to start instead."""

import subprocess
import sys
from pathlib import Path

import pytest
import uvicorn

from explorer.root import ROOT

_APP = """
from explorer.serve import one_process

one_process.check()


async def app(scope, receive, send): ...
"""
_INSTEAD = "python -m explorer.serve --workers 3"


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An app in a module that nobody has imported."""
    (tmp_path / "one_of_several.py").write_text(_APP, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "one_of_several", raising=False)
    return "one_of_several:app"


def test_uvicorn_with_several_processes_is_told_what_to_start_instead(named: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        uvicorn.Config(named, workers=3, log_config=None).load()
    assert ended.value.code == 3
    (words,) = capsys.readouterr().err.splitlines()
    assert "cannot be one of 3 processes" in words and words.endswith(_INSTEAD)


@pytest.mark.parametrize(("workers", "reload"), [(None, False), (1, False), (3, True)])  # reload: one process at a time
def test_one_process_serves(named: str, workers: int | None, reload: bool) -> None:
    config = uvicorn.Config(named, workers=workers, reload=reload, log_config=None)
    config.load()
    assert config.loaded


@pytest.mark.slow
def test_the_app_does_not_start_and_uvicorn_ends() -> None:
    command = [sys.executable, "-m", "uvicorn", "app:app", "--workers", "3", "--port", "0"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert _INSTEAD in done.stderr and "Traceback" not in done.stderr
