"""Pins what holds of two real copies behind the real nginx: seats, what is shared, what happens when a copy is killed, and that
nothing is left running. Visitors are light clients."""

import asyncio
import http.client
import json
import secrets
import urllib.error
import urllib.request
from collections.abc import Iterator

import psutil
import pytest
import websockets

from benchmarks import harness
from benchmarks.follower import Follower, room_of
from benchmarks.person import Person
from tests.explorer.learning.helpers import HANGS, wait_until
from tests.explorer.serve.copies import SEAT, copies, new_seat, windows_at

pytestmark = pytest.mark.nginx

_TINY = "task=copy&d_model=16&d_ff=32&n_heads=2"  # learns in seconds, and is not in the box


@pytest.fixture(scope="module")
def server(nginx, tmp_path_factory) -> Iterator[harness.Server]:
    folder = tmp_path_factory.mktemp("copies")
    started = harness.start(folder, copies=2, EXPLORER_MODELS=str(folder / "models"))
    try:
        yield started.wait(2 * HANGS)
    finally:
        all_of_them = psutil.Process(started.process.pid).children(recursive=True)
        code = started.stop(60)
    assert code == 0, started.log
    assert len(all_of_them) >= 4 and not [each for each in all_of_them if each.is_running()], "nothing is left running"


async def port_of(server: harness.Server, seat: str) -> int:
    """Which copy a window of this seat comes to."""
    before = {port: windows_at(port) for port in copies(server)}
    async with Person(server.host, "home", cookie=seat):
        (port,) = [port for port in before if windows_at(port) > before[port]]
    wait_until(lambda: windows_at(port) == before[port], "the end of a window")
    return port


@pytest.fixture(scope="module")
def seats(server) -> dict[int, str]:
    """For each copy a seat that leads to it."""
    found: dict[int, str] = {}
    for _ in range(64):
        seat = new_seat(server)
        assert seat is not None
        found.setdefault(asyncio.run(port_of(server, seat)), seat)
        if len(found) == 2:
            return found
    raise AssertionError("all seats are at one copy")


def says_learned(person: Person) -> bool:
    return any('data-testid="shown-model"' in text and 'data-state="learned"' in text for text in person.html.values())


def test_a_browser_keeps_its_seat(server, seats):
    for port, seat in seats.items():
        assert new_seat(server, seat) is None, "who has a seat gets no other"
        assert {asyncio.run(port_of(server, seat)) for _ in range(3)} == {port}
    assert new_seat(server, f"{SEAT}=../../etc") is not None, "what is no seat of ours is none"
    with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=HANGS) as answer:
        assert SEAT not in str(answer.headers), "only pages give seats"


def test_a_model_that_one_copy_has_learned_opens_at_the_other(server, seats):
    async def visit() -> None:
        first, second = seats.values()
        async with Person(server.host, "heads", _TINY, first) as person:
            assert not says_learned(person)
            for _ in range(10 * HANGS):
                await asyncio.sleep(0.5)
                await person.look()
                if says_learned(person):
                    break
            assert says_learned(person) and not person.complaints
        async with Person(server.host, "heads", _TINY, second) as person:
            assert says_learned(person) and not person.complaints

    asyncio.run(visit())


def test_headers_and_what_is_closed(server):
    with urllib.request.urlopen(server.url, timeout=HANGS) as answer:
        said = dict(answer.headers)
    policy = dict(each.split(" ", 1) for each in said["Content-Security-Policy"].split("; "))
    assert policy["frame-ancestors"] == policy["default-src"] == policy["form-action"] == "'self'"
    assert policy["connect-src"] == f"'self' ws://{server.host} wss://{server.host} data: blob:"
    assert policy["object-src"] == "'none'" and not [each for each in policy.values() if "*" in each or "http" in each]
    assert said["X-Content-Type-Options"] == "nosniff" and said["Referrer-Policy"] == "same-origin"
    for path in ("_stcore/metrics", "_stcore/%6detrics", "heads/_stcore/metrics", "_stcore/metrics/?families=cache"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{server.url}/{path}", timeout=HANGS)


def test_a_body_that_is_too_long_is_refused_before_it_is_read(server):
    connection = http.client.HTTPConnection(server.host, timeout=HANGS)
    connection.putrequest("PUT", "/_stcore/upload_file/some/file")
    connection.putheader("Content-Length", str(52 * 2**20))
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


def test_pictures_that_follow_a_knob_pass_through(server, seats):
    """Our own WebSocket: what is no question ends it, with a code of ours."""

    async def ask() -> int:
        async with websockets.connect(f"ws://{server.host}/live", origin=server.url) as socket:
            await socket.send(json.dumps("nonsense"))
            with pytest.raises(websockets.ConnectionClosed):
                await asyncio.wait_for(socket.recv(), HANGS)
            return socket.close_code

    assert asyncio.run(ask()) == 1008


def test_when_a_copy_is_killed_its_people_go_to_the_other_and_come_back(server, seats):
    """What they see follows from their address alone."""
    (port, seat), (other, _seat) = seats.items()

    async def visit() -> str:
        async with Person(server.host, "heads", "step=0&d_model=32&part=side_by_side&kind=cross", seat) as person:
            return next(text for text in person.html.values() if 'data-testid="shown-model"' in text)

    async def lose() -> None:
        before = await visit()
        victim, had = copies(server)[port], windows_at(other)
        async with Person(server.host, "heads", cookie=seat) as person:
            victim.kill()
            with pytest.raises((ConnectionError, websockets.ConnectionClosed)):
                await person.look()
        async with Person(server.host, "heads", cookie=seat):
            assert windows_at(other) == had + 1, "meanwhile they are at the other"
        assert await visit() == before

    asyncio.run(lose())
    wait_until(lambda: answers(port), "its start")
    wait_until(lambda: asyncio.run(port_of(server, seat)) == port, "its people's return")
    assert "copy" in server.log and "is started again" in server.log


def test_all_who_are_in_a_room_meet_on_one_copy(server):
    cookie = secrets.token_hex(8)

    async def met(all_of: list[Follower], title: str) -> None:
        while not all(each.state.get("title") == title for each in all_of):
            await asyncio.sleep(0.05)

    async def follow() -> None:
        code = await room_of(server.url, cookie)
        people = [Follower(server.url, code, cookie), *(Follower(server.url, code) for _phone in range(5))]
        for at, each in enumerate(people):
            assert await each.ask("join", {}) == 200
            await each.follow(host=at == 0)
        assert await people[0].ask("lead", {"jump": 2}) == 200
        await asyncio.wait_for(met(people, "It translates"), HANGS)
        assert {each.state["people"] for each in people} == {5}, "the phones that are there"
        for each in people:
            await each.leave()

    asyncio.run(follow())


def test_a_run_whose_copy_is_killed_right_after_its_start_goes_on_at_the_other(server, seats):
    (port, seat), _other = seats.items()
    cookie, recipe = (
        f"{seat}; transformer_explorer_browser=a-token",
        "task=copy&symbols=50&length=32&goal=100&steps=5000",
    )

    async def lose() -> None:
        async with Person(server.host, "training", recipe, cookie) as owner:
            await owner.press("Start")
            copies(server)[port].kill()
            await asyncio.wait([owner._reader])
            query = owner.query
        async with Person(server.host, "training", f"{query}&details-run=on&more=on", cookie) as owner, asyncio.timeout(HANGS):
            (offer,) = [label for label in owner.buttons if label.startswith(("Go on from step", "Begin again"))]
            await owner.press(offer)
            while int(owner.metrics.get("step", "0").replace(",", "")) < 1:
                await owner.look()
            await owner.press("Stop")
            assert not owner.complaints

    asyncio.run(lose())
    wait_until(lambda: answers(port), "its start")


def answers(port: int) -> bool:
    try:
        return windows_at(port) >= 0
    except OSError:
        return False
