"""Pins what the server keeps of a room: nothing computed for one step reaches another, and nothing is left when it is over."""

import asyncio
import json
import re
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from starlette.requests import Request

from explorer import i18n
from explorer.rooms import board, outcomes
from explorer.rooms.outcomes import Outcome
from explorer.rooms.room import Room, Rooms, digest
from explorer.shell import room_routes
from explorer.shell.room_routes import RoomRoutes

HOST = digest("host")
SHELL = Path(room_routes.__file__).parent / "room_page"


def house_of(room: Room) -> RoomRoutes:
    house = RoomRoutes(Rooms())
    house.rooms._rooms[room.code] = room
    return house


def request(room: Room, said: object = None, who: str = "host", query: str = "") -> Request:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": json.dumps(said).encode(), "more_body": False}

    headers = [(b"cookie", f"transformer_explorer_browser={who}".encode()), (b"host", b"here")]
    scope = {"type": "http", "method": "POST", "path": f"/room/{room.code}", "query_string": query.encode(), "headers": headers}
    return Request(scope | {"path_params": {"code": room.code}}, receive)


def lead(house: RoomRoutes, room: Room, way: str) -> Any:
    return house.lead(request(room, {"go": way}))


def slow(seconds: float, answer: object, began: list[float]) -> Any:
    """A function that computes for so long, and notes that it has begun."""

    def compute(*_given: object, **_named: object) -> object:
        began.append(time.monotonic())
        time.sleep(seconds)
        return answer

    return compute


async def until(is_so: Any) -> None:
    for _turn in range(500):
        if is_so():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came")


def test_a_picture_that_comes_after_the_host_has_gone_on_is_not_shown(monkeypatch):
    room = Room("ABCDEF", HOST, "en", at=1)
    began: list[float] = []
    monkeypatch.setattr(outcomes, "sentence_picture", slow(0.1, {"of": "the old step"}, began))

    async def go_on_meanwhile() -> None:
        task = asyncio.create_task(house_of(room)._draw(room))
        await until(lambda: began)
        room.go("next")
        await asyncio.wait([task])

    asyncio.run(go_on_meanwhile())
    assert room.at == 2 and room.picture is None


def test_an_outcome_that_comes_after_the_host_has_gone_on_is_not_that_of_the_next_step(monkeypatch):
    room = Room("ABCDEF", HOST, "en", at=2, phase="shown")
    began: list[float] = []
    monkeypatch.setattr(room_routes, "_found", slow(0.1, Outcome("house", "It looks."), began))

    async def go_on_meanwhile() -> None:
        task = asyncio.create_task(house_of(room)._answer(room))
        await until(lambda: began)
        room.go("next")
        await asyncio.wait([task])

    asyncio.run(go_on_meanwhile())
    assert room.outcomes == {}


def test_nothing_is_left_of_a_room_that_is_over(monkeypatch):
    room = Room("ABCDEF", HOST, "en")
    began: list[float] = []
    monkeypatch.setattr(outcomes, "sentence_picture", slow(0.2, {}, began))
    house = house_of(room)

    async def to_the_end() -> list[str]:
        told: list[str] = []

        async def listen(leads: bool) -> None:
            async for data in house._stream(room.code, leads):
                told.append(data)

        listeners = [asyncio.create_task(listen(leads)) for leads in (True, False)]
        await until(lambda: len(told) >= 2)
        assert (await lead(house, room, "next")).status_code == 200
        await until(lambda: began)
        assert house._working and house._told and house._listeners == {room.code: 2}
        assert (await lead(house, room, "end")).status_code == 200
        await asyncio.wait_for(asyncio.gather(*listeners), 5)
        await until(lambda: not house._working)
        return told

    told = asyncio.run(to_the_end())
    assert [data for data in told if "over" in data] == ['data: {"over": true}\n\n'] * 2
    assert not any([house._working, house._told, house._listeners, house._hosts, house._news])


def test_what_has_been_computed_is_forgotten():
    room = Room("ABCDEF", HOST, "en")
    house = house_of(room)

    async def join() -> None:
        house._prepare(room)
        await until(lambda: not house._working)

    asyncio.run(join())


def test_a_stream_that_cannot_be_had_says_why(monkeypatch):
    room = Room("ABCDEF", HOST, "en")
    house = house_of(room)
    monkeypatch.setattr(room_routes, "_LISTENERS", 0)
    full = asyncio.run(house.events(request(room)))
    gone = asyncio.run(house.events(request(Room("GHJKMN", HOST, "en"))))
    assert b'"full": true' in full.body and b'"over": true' in gone.body and b"retry:" in full.body
    assert full.media_type == gone.media_type == "text/event-stream"


class Runs:
    """A board that does not train."""

    def __init__(self, viewer: str, at: int, plans: list[Any]):
        self.at, self.plans, self.stopped, self.is_over, self.closed = at, plans, 0, False, False

    def look(self) -> list[Any]:
        return [SimpleNamespace(evaluations=np.array([[10, 0.5], [20 + at, 1.0]])) for at in range(len(self.plans))]

    def close(self) -> None:
        self.closed = True


def at_the_runs(monkeypatch: pytest.MonkeyPatch, vary: str = "", values: tuple[int, ...] = (), language: str = "en") -> Room:
    monkeypatch.setattr(board, "Board", Runs)
    room = Room("ABCDEF", HOST, language)
    room.at = next(at for at, step in enumerate(room.script) if step.answer == "steps")
    room.script = [replace(step, vary=vary, values=values) if step.answer == "steps" else step for step in room.script]
    room.phase = "shown"
    return room


@pytest.mark.parametrize(("language", "said"), [("en", "not trained now: 40 models"), ("zh_CN", "并非现在训练")])
def test_recorded_runs_take_the_place_of_those_that_take_too_long(monkeypatch, language, said):
    room = at_the_runs(monkeypatch, language=language)
    house = house_of(room)

    async def press() -> Runs:
        house._prepare(room)
        await until(lambda: room.curves)
        runs = room.board
        assert isinstance(runs, Runs) and room.led()["recorded"] and not room.outcomes
        assert (await lead(house, room, "recorded")).status_code == 200
        await until(lambda: not house._working)
        assert (await lead(house, room, "recorded")).status_code == 200  # pressed twice
        return runs

    assert asyncio.run(press()).closed and room.board is None
    seen = room.led()
    assert said in seen["words"].splitlines()[0] and board.recorded().day in seen["words"] and "110" in seen["words"]
    assert len(seen["curves"]) == 40 and not seen["recorded"]
    assert said in room_routes._worksheet(room, "")
    room.go("next")
    assert room.step.picture == "runs" and len(room.seen()["curves"]) == 40  # where they are looked at again


def test_each_value_of_a_setting_gets_its_models_and_recorded_ones_are_of_another_plan(monkeypatch):
    room = at_the_runs(monkeypatch, "n_heads", (1, 4))
    house = house_of(room)

    async def train() -> None:
        house._prepare(room)
        await until(lambda: room.curves)
        assert not room.led()["recorded"]
        assert isinstance(room.board, Runs)
        room.board.is_over = True
        await until(lambda: room.outcomes)

    asyncio.run(train())
    seen = room.seen()
    assert seen["vary"] == "n_heads" and list(seen["values"]) == [1, 4] and len(seen["curves"]) == 10
    assert "n_heads 1: median 24 steps, from 20 to 28 (5 models)." in seen["words"] and "do not tell" in seen["words"]


def test_models_that_the_server_has_stopped_are_not_counted_as_slow(monkeypatch):
    room = at_the_runs(monkeypatch)
    house = house_of(room)

    async def train() -> None:
        house._prepare(room)
        await until(lambda: room.curves)
        assert isinstance(room.board, Runs)
        room.board.stopped, room.board.is_over = 3, True
        await until(lambda: room.trouble)

    asyncio.run(train())
    assert "stopped 3 of these 8 models" in room.seen()["words"] and not room.outcomes and room.board is None
    assert room.led()["recorded"]


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_every_refusal_has_a_sentence_and_the_page_uses_every_word(language):
    sources = [Path(room_routes.__file__), Path(room_routes.__file__).parents[1] / "rooms" / "room.py"]
    names = {name for path in sources for name in re.findall(r'RoomError\("([^"]+)"|"error": "([^"]+)"', path.read_text())}
    script = (SHELL / "room.js").read_text(encoding="utf-8")
    with i18n.speaking(language):
        said, refused = room_routes._words(), room_routes._refusals()
    elsewhere = {"too many"}  # it has a page of its own
    assert {one or other for one, other in names} - elsewhere <= refused.keys()
    assert set(re.findall(r"(?<![.\w])words\.(\w+)", script)) == said.keys() - refused.keys() | {"over", "crowded"}
