"""A room that trains models together, from its opening on: seconds until the first curve is seen, and until all have learned.

    python -m benchmarks.board [--phones 40] [--voting 15] [--json]

`--voting`: seconds that people take to vote; the models learn meanwhile.
"""

import asyncio
import secrets
import time

from benchmarks.follow import go_to
from benchmarks.follower import Follower, report, room_of


async def measure(url: str, phones: int, voting: int) -> dict[str, float]:
    cookie, opened = secrets.token_hex(8), time.perf_counter()
    code = await room_of(url, cookie)
    host, people = Follower(url, code, cookie), [Follower(url, code) for _phone in range(phones)]
    await host.follow(host=True)
    for phone in people:
        await phone.ask("join", {})
        await phone.follow()
    await go_to(host, "new models learn")
    await asyncio.sleep(voting)
    shown, first = time.perf_counter(), 0.0
    await host.ask("lead", {"go": "show"})
    while not host.state["words"]:
        if not first and any(host.state.get("curves") or []):
            first = time.perf_counter() - shown
        await asyncio.sleep(0.05)
    done, curves = time.perf_counter() - opened, len(host.state["curves"])
    recorded = not host.state["picture"] or "Recorded" in host.state["words"][0]
    print(*host.state["words"])
    for phone in [host, *people]:
        await phone.leave()
    return {"phones": phones, "models": curves, "first_curve_s": first, "all_done_s": done, "recorded": recorded}


def main() -> None:
    report(__doc__, measure, phones=40, voting=15)


if __name__ == "__main__":
    main()
