"""Pins what holds of two real copies of the app, as on two machines, whose models are at one address: what both want at once
is one model, on both."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmarks import harness
from benchmarks.person import Person
from tests.explorer.training.helpers import HANGS
from transformer_core.training.learned import from_bytes

pytestmark = pytest.mark.slow

_SMALL = "task=copy&d_model=32&d_ff=64"  # learns in seconds, and is not in the box


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[list[harness.Server]]:
    started = []
    for name in ("one", "two"):
        home = tmp_path / name
        home.mkdir()
        address = f"file://{tmp_path}/shared"
        started.append(harness.start(home, EXPLORER_MODELS=address, XDG_CACHE_HOME=str(home)))
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
    (shared,) = (tmp_path / "shared").iterdir()
    model = from_bytes(shared.read_bytes())
    for name in ("one", "two"):
        (kept,) = (tmp_path / name / "transformer-explorer" / "models").glob("*.safetensors")
        same = from_bytes(kept.read_bytes())  # but for the seconds that it took
        assert (
            kept.name == shared.name and np.array_equal(same.curve, model.curve) and same.states.keys() == model.states.keys()
        )
        for step, parameters in model.states.items():
            assert parameters.equal(same.states[step]), step
