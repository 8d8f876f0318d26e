"""A phone in a room, without a browser: it joins, follows the events, and votes; and the frame of what measures many."""

import asyncio
import json
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from benchmarks import harness

_COOKIE = "transformer_explorer_browser"


class Follower:
    """One browser in a room.

    Attributes:
        state: what it was told last; came: when, by the clock of `time.perf_counter`, each version came.
    """

    def __init__(self, url: str, code: str, cookie: str = ""):
        parts = urlsplit(url)
        self._host, self._port, self._path = parts.hostname or "", parts.port or 80, f"{parts.path}/room/{code}"
        self._cookie = cookie or secrets.token_hex(8)
        self.state: dict[str, Any] = {}
        self.came: dict[int, float] = {}
        self._reading: asyncio.Task[None] | None = None

    async def ask(self, what: str, body: dict[str, Any]) -> int:
        """Asks the server; returns the status."""
        data = json.dumps(body).encode()
        reader, writer = await self._request("POST", what, data)
        status = int((await reader.readline()).split()[1])
        writer.close()
        return status

    async def follow(self, host: bool = False) -> None:
        """Begins to read the events; returns when the first has come."""
        reader, writer = await self._request("GET", f"events?kind={'host' if host else 'phone'}", b"")
        while (await reader.readline()).strip():
            pass
        there = asyncio.Event()
        self._reading = asyncio.create_task(self._read(reader, writer, there))
        await asyncio.wait_for(there.wait(), 30)

    async def leave(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)

    async def _request(self, method: str, what: str, data: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection(self._host, self._port, limit=2**22)
        head = (
            f"{method} {self._path}/{what} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\nCookie: {_COOKIE}={self._cookie}\r\n"
            f"Content-Length: {len(data)}\r\nConnection: close\r\n\r\n"
        )
        writer.write(head.encode() + data)
        await writer.drain()
        return reader, writer

    async def _read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, there: asyncio.Event) -> None:
        try:
            while line := await reader.readline():
                if line.startswith(b"data: "):
                    self._take(json.loads(line[6:]))
                    self.came[self.state.get("version", -1)] = time.perf_counter()
                    there.set()
        finally:
            writer.close()

    def _take(self, told: dict[str, Any]) -> None:
        """Takes in what is new, as a page does."""
        if told.get("all") or told.get("over"):
            self.state = told
            return
        more = told.pop("more", None)
        if more is not None:
            curves = [[*curve, *new] for curve, new in zip(self.state["curves"], more, strict=True)]
            self.state = self.state | {"curves": curves}
        self.state = self.state | told


async def room_of(url: str, cookie: str) -> str:
    """Makes a room whose host has this cookie; returns its code."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port or 80)
    path = f"{parts.path}/room/new"
    writer.write(
        f"POST {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nCookie: {_COOKIE}={cookie}\r\nContent-Length: 0\r\n"
        "Connection: close\r\n\r\n".encode()
    )
    answer = (await reader.read()).decode()
    writer.close()
    (place,) = [line for line in answer.splitlines() if line.lower().startswith("location:")]
    return place.split(":", 1)[1].strip().split("/")[0]


def report(doc: str | None, measure: Callable[..., Awaitable[dict[str, float]]], **numbers: int) -> None:
    """Measures on a server of its own, and prints the numbers. `numbers`: options with their defaults, given to `measure`."""
    parser = harness.parser(doc)
    for name, number in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=number, help="default: %(default)s")
    parser.add_argument("--json", action="store_true", help="the last line is the result as JSON")
    args = vars(parser.parse_args())
    as_json = args.pop("json")
    print(harness.machine())
    with harness.running() as server:
        found = asyncio.run(measure(server.url, **args))
    for name, value in found.items():
        print(f"{name:>24} {value:10.1f}")
    if as_json:
        print(json.dumps({name: round(value, 2) for name, value in found.items()}))
