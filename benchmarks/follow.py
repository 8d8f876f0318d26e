"""A room of phones that follow: how long an event takes to all of them, how long as many votes take, and what is lost.

    python -m benchmarks.follow [--phones 100] [--events 30] [--joining 30] [--json]

Then the same events while the room's models learn (see benchmarks/board.py). `--joining`: seconds that people take to join; the
models begin to learn meanwhile.
"""

import asyncio
import secrets
import time

from benchmarks.follower import Follower, report, room_of
from benchmarks.harness import quantile

_PATIENCE = 10.0  # seconds after which an event counts as lost


async def go_back_and_forth(host: Follower, phones: list[Follower], count: int) -> tuple[list[float], int]:
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
    await asyncio.gather(*(phone.ask("vote", {"step": phone.state["at"], "phase": "ask", "choice": 0}) for phone in phones))
    while time.perf_counter() - start < _PATIENCE and host.state["votes"]["cast"] < len(phones):
        await asyncio.sleep(0.005)
    return time.perf_counter() - start, len(phones) - host.state["votes"]["cast"]


async def go_to(host: Follower, is_there: str) -> None:
    """Has the host jump to the question with these words, and waits there."""
    for at in range(host.state["of"]):
        version = host.state["version"]
        await host.ask("lead", {"jump": at})
        while host.state["version"] == version:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        if host.state["kind"] == "vote" and is_there in host.state["question"]:
            return
    raise LookupError(is_there)


async def measure(url: str, phones: int, events: int, joining: int) -> dict[str, float]:
    cookie = secrets.token_hex(8)
    code = await room_of(url, cookie)
    host, people = Follower(url, code, cookie), [Follower(url, code) for _phone in range(phones)]
    await host.follow(host=True)
    for phone in people:
        await phone.ask("join", {})
        await phone.follow()
    await asyncio.sleep(joining)
    taken, lost = await go_back_and_forth(host, people, events)
    await go_to(host, "Which word")
    counted, uncounted = await votes(host, people)
    await go_to(host, "new models learn")
    await host.ask("lead", {"go": "show"})
    while not host.state.get("curves"):
        await asyncio.sleep(0.1)
    busy, lost_then = await go_back_and_forth(host, people, events)
    for phone in [host, *people]:
        await phone.leave()
    return {
        "phones": phones,
        "event_p50_ms": quantile(taken, 0.5),
        "event_p95_ms": quantile(taken, 0.95),
        "votes_s": counted,
        "lost": lost + uncounted + lost_then,
        "event_p95_ms_with_runs": quantile(busy, 0.95),
    }


def main() -> None:
    report(__doc__, measure, phones=100, events=30, joining=30)


if __name__ == "__main__":
    main()
