"""Pins which limits can be set from the environment, that a slip is told at once, and that the documents name them all."""

import importlib
import re
from pathlib import Path

import pytest

from explorer import limits

ROOT = Path(__file__).parents[2]
NAMES = re.findall(r'= _limit\("(\w+)"', Path(limits.__file__).read_text(encoding="utf-8"))


@pytest.fixture
def read(monkeypatch):
    """Reads the limits anew; afterwards they are what they were."""
    before = dict(vars(limits))

    def anew(**said: str):
        for name, words in said.items():
            monkeypatch.setenv(f"EXPLORER_{name}", words)
        return importlib.reload(limits)

    yield anew
    vars(limits).update(before)


@pytest.mark.parametrize("name", NAMES)
def test_the_environment_sets_a_limit(read, name):
    assert getattr(read(**{name: "7"}), name) == 7


def test_training_may_do_without_processes(read):
    assert read(WORKER_PROCESSES="0").WORKER_PROCESSES == 0
    with pytest.raises(ValueError, match="EXPLORER_WORKER_PROCESSES must be a whole number above 0 or 0, not '-1'"):
        read(WORKER_PROCESSES="-1")


def test_a_limit_is_a_number_above_0(read):
    for words in ("0", "-3", "many", "1.5"):
        with pytest.raises(ValueError, match=f"EXPLORER_MAX_ACTIVE must be a whole number above 0, not '{words}'"):
            read(MAX_ACTIVE=words)
    assert read(MAX_ACTIVE=" ").MAX_ACTIVE == 32 * limits.WORKERS
    with pytest.raises(ValueError, match="EXPLORER_GRACE must be a number above 0, not 'inf'"):
        read(GRACE="inf")


def texts(*folders: str, endings: tuple[str, ...] = (".py",)) -> str:
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in endings and path.is_file()]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths if path != Path(__file__))


def test_the_documents_name_every_variable_and_nothing_sets_one_that_is_not_read():
    read = {*NAMES, *re.findall(r'environ(?:\.get\(|\[)"EXPLORER_(\w+)"', texts("explorer", "transformer_core"))}
    table = re.findall(r"^\| `EXPLORER_(\w+)` \|", (ROOT / "docs" / "operations.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(table) == sorted(read)
    folders = ("explorer", "transformer_core", "docs", "deploy", "benchmarks", "tests", ".ci")
    everywhere = texts(*folders, endings=(".py", ".md", ".yaml", ".conf", ""))
    assert set(re.findall(r"EXPLORER_([A-Z_]*[A-Z])", everywhere)) <= read
