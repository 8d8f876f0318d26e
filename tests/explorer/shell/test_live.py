"""Pins who may ask for pictures that follow a knob, how much, and that nothing that they send does harm."""

import asyncio
import json
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from typing import Any

import pytest
from starlette.websockets import WebSocket

from explorer import limits
from explorer.model_on_screen.settings import ModelSettings
from explorer.shell import live

SMALL = replace(ModelSettings(), step=0, d_model=16, n_layers=1, d_ff=32)
LINES = {"picture": "lines", "choices": {"kind": "cross", "layer": 0}}


def question(n: int, **changes: Any) -> str:
    said = {"n": n, "settings": asdict(replace(SMALL, **changes)), "turned": "seed", "want": [LINES]}
    return json.dumps(said | {"language": "en", "after": 0, "length": 5})


def number(frame: bytes) -> int:
    return int.from_bytes(frame[:8], "little")


class Browser:
    """One connection, as the server's ASGI interface has it."""

    def __init__(self, origin: str | None = "http://here:8501", host: str = "here:8501"):
        headers = [(b"host", host.encode()), *([(b"origin", origin.encode())] if origin else [])]
        self.scope = {"type": "websocket", "path": "/live", "query_string": b"", "headers": headers, "subprotocols": []}
        self.to_server: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.to_server.put_nowait({"type": "websocket.connect"})
        self.heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    def say(self, text: str | None = None, data: bytes | None = None) -> None:
        self.to_server.put_nowait({"type": "websocket.receive"} | ({"bytes": data} if text is None else {"text": text}))

    def leave(self) -> None:
        self.to_server.put_nowait({"type": "websocket.disconnect", "code": 1001})

    async def hear(self) -> dict[str, Any]:
        return await asyncio.wait_for(self.heard.get(), 60)

    async def answer(self) -> int:
        return number((await self.hear())["bytes"])


def meet(browser: Browser, act: Callable[[], Awaitable[None]]) -> None:
    """What the browser does, with the server at the other end until it hangs up."""

    async def both() -> None:
        served = asyncio.create_task(live.connect(WebSocket(browser.scope, browser.to_server.get, browser.heard.put)))
        await act()
        await asyncio.wait_for(served, 60)

    asyncio.run(both())
    assert live._open == 0


def refused(browser: Browser, *said: dict[str, Any]) -> int:
    """The code with which a browser is disconnected that says all this at once."""
    codes = []

    async def act() -> None:
        assert (await browser.hear())["type"] == "websocket.accept"
        for each in said:
            browser.say(**each)
        while (heard := await browser.hear())["type"] != "websocket.close":
            pass
        codes.append(heard["code"])

    meet(browser, act)
    return codes[0]


@pytest.mark.parametrize("origin", ["http://elsewhere:8501", "null", "https://here.example", "http://here:8501.evil"])
def test_another_sites_page_is_refused(origin):
    browser = Browser(origin)

    async def act() -> None:
        assert (await browser.hear())["type"] == "websocket.close"  # before it was accepted: the server answers 403

    meet(browser, act)


@pytest.mark.parametrize("origin", ["http://here:8501", "https://here:8501", None])
def test_our_own_page_is_answered_until_it_leaves(origin):
    browser = Browser(origin)

    async def act() -> None:
        assert (await browser.hear())["type"] == "websocket.accept"
        for n in (1, 5):
            browser.say(question(n, seed=n))
            assert await browser.answer() == n
        browser.leave()

    meet(browser, act)


def test_there_is_an_end_to_connections(monkeypatch):
    monkeypatch.setattr(limits, "LIVE_SOCKETS", 0)
    browser = Browser()

    async def act() -> None:
        assert (await browser.hear())["type"] == "websocket.close"

    meet(browser, act)


@pytest.mark.parametrize(
    "said",
    [
        {"data": b"\0" * 64},
        {"text": ""},
        {"text": "{"},
        {"text": "[" * 16_000},
        {"text": "x" * (2**14 + 1)},
        {"text": "null"},
        {"text": question(1).replace("lines", "leaves")},
        {"text": question(1).replace('"seed": 0', '"seed": -1')},
    ],
    ids=lambda said: str(said)[:40],
)
def test_nonsense_ends_the_connection_and_nothing_else(said):
    assert refused(Browser(), said) == 1008
    test_our_own_page_is_answered_until_it_leaves("http://here:8501")


def test_a_flood_ends_the_connection():
    assert refused(Browser(), *({"text": question(n)} for n in range(1000))) == 1008


def test_of_what_comes_meanwhile_only_the_last_is_answered(monkeypatch):
    """And never more than one at a time."""
    goes_on, at_once, most = threading.Event(), [0], [0]
    answered = live.Question.answer

    def slowly(asked: live.Question) -> bytes:
        at_once[0] += 1
        most[0] = max(most[0], at_once[0])
        if asked.n == 1:
            assert goes_on.wait(60)
        at_once[0] -= 1
        return answered(asked)

    monkeypatch.setattr(live.Question, "answer", slowly)
    browser = Browser()

    async def act() -> None:
        await browser.hear()
        for n in range(1, 9):
            browser.say(question(n, seed=n))
        while not browser.to_server.empty():
            await asyncio.sleep(0)
        for _ in range(9):  # until the last has been read
            await asyncio.sleep(0)
        goes_on.set()
        assert [await browser.answer() for _ in range(2)] == [1, 8]
        browser.leave()

    meet(browser, act)
    assert most == [1]


def test_who_fails_us_is_disconnected_and_the_log_says_why(monkeypatch, caplog):
    def fails(_asked: live.Question) -> bytes:
        raise RuntimeError("broken")

    monkeypatch.setattr(live.Question, "answer", fails)
    assert refused(Browser(), {"text": question(1)}) == 1011
    assert "broken" in caplog.text


def test_who_says_nothing_for_long_is_disconnected(monkeypatch):
    monkeypatch.setattr(live, "_IDLE", 0.01)
    assert refused(Browser()) == 1001


def test_what_is_likely_is_prepared_within_a_budget(monkeypatch):
    prepared: list[int] = []
    done = threading.Event()

    def prepare(settings: ModelSettings) -> None:
        prepared.append(settings.n_layers)
        if len(prepared) == 5:
            done.set()

    monkeypatch.setattr(live, "prepare", prepare)

    def after(budget: tuple[float, float]) -> list[int]:
        prepared.clear()
        monkeypatch.setattr(live, "_PREPARING", budget)
        browser = Browser()

        async def act() -> None:
            await browser.hear()
            browser.say(question(1).replace('"turned": "seed"', '"turned": "n_layers"'))
            await browser.answer()
            if budget[0] > 0:
                await asyncio.get_running_loop().run_in_executor(None, done.wait, 60)
            browser.say(question(2).replace('"turned": "seed"', '"turned": "n_heads"'))
            await browser.answer()
            browser.leave()

        meet(browser, act)
        return prepared

    assert after((100.0, 0.0))[:5] == [2, 3, 4, 5, 6]
    assert after((-1.0, 0.0)) == []


def test_what_has_been_prepared_is_not_prepared_again(monkeypatch):
    prepared: list[int] = []

    def prepare(settings) -> None:
        time.sleep(0.05)  # so that it is still under way when the next question is answered
        prepared.append(settings.n_layers)

    monkeypatch.setattr(live, "prepare", prepare)
    monkeypatch.setattr(live, "_PREPARING", (100.0, 0.0))
    browser = Browser()

    async def act() -> None:
        await browser.hear()
        end, n = time.monotonic() + 60, 0
        while len(set(prepared)) < 5:
            assert time.monotonic() < end
            n += 1
            browser.say(question(n).replace('"turned": "seed"', '"turned": "n_layers"'))
            await browser.answer()
            await asyncio.sleep(0.02)
        browser.leave()

    meet(browser, act)
    assert sorted(prepared) == [2, 3, 4, 5, 6]


def test_an_allowance_is_used_up_and_comes_back(monkeypatch):
    now = [10.0]
    monkeypatch.setattr(live.time, "monotonic", lambda: now[0])
    allowance = live.Allowance(2, 0.5)
    for _ in range(2):
        allowance.use(1)
        assert not allowance.is_used_up
    allowance.use(1)
    assert allowance.is_used_up
    now[0] += 2
    assert not allowance.is_used_up
    now[0] += 1000
    allowance.use(2)
    assert not allowance.is_used_up
    allowance.use(0.5)
    assert allowance.is_used_up
