"""Pins that every limit can be set from the environment, and that a slip in it is told at once."""

import importlib

import pytest

from explorer import limits

NAMES = [name for name, value in vars(limits).items() if name.isupper() and not isinstance(value, str)]


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
