"""A room that trains models together: seconds until the first curve is seen, and until all of them have learned.

python -m benchmarks.board [--phones 40] [--json]
"""

import argparse
import asyncio
import json
import secrets
import time

from benchmarks import harness
from benchmarks.follow import go_to
from benchmarks.follower import Follower, room_of

_VOTING = 15.0  # seconds that people take to vote; meanwhile the server starts the processes that train


async def measure(url: str, count: int) -> dict[str, float]:
    cookie = secrets.token_hex(8)
    code = await room_of(url, cookie)
    host, phones = Follower(url, code, cookie), [Follower(url, code) for _phone in range(count)]
    await host.follow(host=True)
    for phone in phones:
        await phone.ask("join", {})
        await phone.follow()
    await go_to(host, "Untrained models")
    await asyncio.sleep(_VOTING)
    start, first = time.perf_counter(), 0.0
    for _phase in range(3):
        await host.ask("lead", {"go": "next"})
    while not host.state["words"]:
        if not first and any(host.state.get("curves") or []):
            first = time.perf_counter() - start
        await asyncio.sleep(0.05)
    done, curves = time.perf_counter() - start, len(host.state["curves"])
    print(host.state["words"])
    for phone in [host, *phones]:
        await phone.leave()
    return {"phones": count, "models": curves, "first_curve_s": first, "all_done_s": done}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phones", type=int, default=40, help="in the room (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="the last line is the result as JSON")
    args = parser.parse_args()
    print(harness.machine())
    with harness.running() as server:
        found = asyncio.run(measure(server.url, args.phones))
    for name, value in found.items():
        print(f"{name:>16} {value:8.1f}")
    if args.json:
        print(json.dumps({name: round(value, 2) for name, value in found.items()}))


if __name__ == "__main__":
    main()
