"""A room of phones that follow: how long an event takes to all of them, how long as many votes take, and what is lost.

    python -m benchmarks.follow [--phones 100] [--events 30] [--json]

Then the same events while the room's models learn (see benchmarks/board.py).
"""

import argparse
import asyncio
import json
import secrets
import time

from benchmarks import harness
from benchmarks.follower import Follower, room_of
from benchmarks.interaction import quantile

_PATIENCE = 10.0  # seconds after which an event counts as lost


async def events(host: Follower, phones: list[Follower], count: int) -> tuple[list[float], int]:
    """Has the host go on and back; returns the milliseconds that each event took to each phone, and how many never came."""
    times, lost = [], 0
    for turn in range(count):
        before = max(phone.state["version"] for phone in phones)
        at = phones[0].state["at"], phones[0].state["phase"]
        start = time.perf_counter()
        assert await host.ask("lead", {"go": "back" if turn % 2 else "next"}) == 200
        while time.perf_counter() - start < _PATIENCE:
            if all((each.state["at"], each.state["phase"]) != at for each in phones):
                break
            await asyncio.sleep(0.005)
        for phone in phones:
            came = [when for version, when in phone.came.items() if version > before and when > start]
            if came and (phone.state["at"], phone.state["phase"]) != at:
                times.append(1000 * (min(came) - start))
            else:
                lost += 1
        await asyncio.sleep(0.3)
    return times, lost


async def votes(host: Follower, phones: list[Follower]) -> tuple[float, int]:
    """Has all phones vote at once; returns the seconds until all votes are counted, and how many are not."""
    start = time.perf_counter()
    await asyncio.gather(*(phone.ask("vote", {"step": phone.state["at"], "choice": 0}) for phone in phones))
    while time.perf_counter() - start < _PATIENCE and host.state["voted"] < len(phones):
        await asyncio.sleep(0.005)
    return time.perf_counter() - start, len(phones) - host.state["voted"]


async def go_to(host: Follower, is_there: str) -> None:
    """Has the host go on to the question that is answered so, and waits there."""
    while not (host.state["kind"] == "vote" and is_there in host.state["question"]):
        version = host.state["version"]
        await host.ask("lead", {"go": "next"})
        while host.state["version"] == version:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)


async def measure(url: str, count: int, turns: int) -> dict[str, float]:
    cookie = secrets.token_hex(8)
    code = await room_of(url, cookie)
    host, phones = Follower(url, code, cookie), [Follower(url, code) for _phone in range(count)]
    await host.follow(host=True)
    for phone in phones:
        await phone.ask("join", {})
        await phone.follow()
    taken, lost = await events(host, phones, turns)
    await go_to(host, "Which word")
    counted, uncounted = await votes(host, phones)
    await go_to(host, "Untrained models")
    for _phase in range(3):
        await host.ask("lead", {"go": "next"})
        await asyncio.sleep(0.3)
    while not host.state.get("curves"):
        await asyncio.sleep(0.1)
    busy, lost_then = await events(host, phones, turns)
    for phone in [host, *phones]:
        await phone.leave()
    return {
        "phones": count, "event_p50_ms": quantile(taken, 0.5), "event_p95_ms": quantile(taken, 0.95), "votes_s": counted,
        "lost": lost + uncounted + lost_then, "event_p95_ms_with_runs": quantile(busy, 0.95),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phones", type=int, default=100, help="that follow (default: %(default)s)")
    parser.add_argument("--events", type=int, default=30, help="of each kind (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="the last line is the result as JSON")
    args = parser.parse_args()
    print(harness.machine())
    with harness.running() as server:
        found = asyncio.run(measure(server.url, args.phones, args.events))
    for name, value in found.items():
        print(f"{name:>24} {value:10.1f}")
    if args.json:
        print(json.dumps({name: round(value, 2) for name, value in found.items()}))


if __name__ == "__main__":
    main()
