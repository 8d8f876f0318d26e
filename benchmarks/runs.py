"""Many people press Start at once: seconds until each sees the first steps, and until the run is over.

    python -m benchmarks.runs [--starts 30] [--page sentences] [--settled 10]

On *Training* it trains the model of the page as it opens, on *Your own sentences* one that learns 30 pairs which they have just
put in.
"""

import asyncio
import time
from contextlib import AsyncExitStack

from benchmarks import harness
from benchmarks.harness import quantile
from benchmarks.person import Person

_OPEN = "more=on&details-run=on"  # the buttons of a run, and its numbers


async def one(owner: Person, page: str) -> tuple[float, float]:
    """Has a person start a run; returns the seconds until the first steps, and until the end."""
    start = time.perf_counter()
    if page == "sentences":
        await owner.press("Adjectives that change place")
    await owner.press("Start")
    while owner.metrics.get("step", "0") == "0":
        await asyncio.sleep(0.05)
    first = time.perf_counter() - start
    while owner.buttons.get("Stop"):
        await asyncio.sleep(0.2)
    return first, time.perf_counter() - start


async def starts(host: str, count: int, page: str, settled: float) -> None:
    async with AsyncExitStack() as stack:
        owners = [await stack.enter_async_context(Person(host, page, f"pace=fast&{_OPEN}")) for _owner in range(count)]
        await asyncio.sleep(settled)
        found = await asyncio.gather(*(one(owner, page) for owner in owners))
    first, over = ([pair[i] for pair in found] for i in (0, 1))
    print(f"{count} people; seconds (p50, last) until the first steps, and until the run is over:")
    print(f"{quantile(first, 0.5):.1f} {max(first):.1f}   {quantile(over, 0.5):.1f} {max(over):.1f}")


def main() -> None:
    parser = harness.parser(__doc__)
    parser.add_argument("--starts", type=int, default=30, help="people (default: %(default)s)")
    parser.add_argument("--page", choices=("training", "sentences"), default="training", help="where (default: %(default)s)")
    harness.add_settled(parser)
    args = parser.parse_args()
    print(harness.machine())
    with harness.running() as server:
        asyncio.run(starts(server.host, args.starts, args.page, args.settled))


if __name__ == "__main__":
    main()
