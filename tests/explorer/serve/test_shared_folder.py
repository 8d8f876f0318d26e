"""Pins what holds of two real copies of the app with one folder of models: what both want at once is one model, on both."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import harness
from benchmarks.person import Person
from tests.explorer.learning.helpers import HANGS
from transformer_core.training.learned import from_bytes

pytestmark = pytest.mark.slow

_SMALL = "task=copy&d_model=32&d_ff=64"  # learns in seconds, and is not in the box


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[list[harness.Server]]:
    started = []
    for name in ("one", "two"):
        home = tmp_path / name
        home.mkdir()
        started.append(harness.start(home, EXPLORER_MODELS=str(tmp_path / "shared"), XDG_CACHE_HOME=str(home)))
    try:
        yield [server.wait(HANGS) for server in started]
    finally:
        codes = [server.stop(60) for server in started]
    assert not [words for server, code in zip(started, codes, strict=True) if (words := harness.complaints(server, code))]
    assert not any("cannot be" in server.log for server in started)


def state(person: Person) -> str:
    """What the page says of the model on screen, as its marks."""
    return next(text for text in person.html.values() if 'data-testid="shown-model"' in text)


def test_what_both_want_at_once_is_one_model_on_both(servers, tmp_path):
    async def visit() -> None:
        first, second = servers
        async with Person(first.host, "heads", _SMALL) as ann, Person(second.host, "heads", _SMALL) as ben:
            waiting = {ann, ben}
            for _ in range(10 * HANGS):
                await asyncio.sleep(0.1)
                for person in list(waiting):
                    await person.look()
                    if 'data-state="learned"' in state(person):
                        waiting.remove(person)
                if not waiting:
                    break
            assert not waiting and not ann.complaints and not ben.complaints
            assert state(ann) == state(ben)

    asyncio.run(visit())
    (shared,) = (tmp_path / "shared").glob("*.safetensors")
    assert from_bytes(shared.read_bytes()).cfg.d_model == 32
