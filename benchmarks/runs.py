"""The effect of live training on everybody else on the server, and its fairness among runs.

With so many runs under way, each owned by a window that watches it: how long a knob takes on another window's page, beside what
it takes when nothing trains (the row above, measured just before); the steps that the slowest of these equal runs made, beside
those of the fastest; all steps per second; and how long the buttons Pause and Stop take to act.
"""

import argparse
import asyncio
import itertools
import time
from contextlib import AsyncExitStack

from benchmarks import harness
from benchmarks.interaction import quantile
from benchmarks.person import Person

# A run that goes on until it is stopped.
_ENDLESS = "task=copy+numbers&symbols=50&length=32&goal=100&steps=5000"
_WIDTHS = (48, 64, 96, 128)  # of the models that the visitor looks at


async def turns(visitor: Person, seconds: float) -> list[float]:
    """Measures turns of a knob in milliseconds: one every fifth of a second."""
    end, times = time.perf_counter() + seconds, []
    for width in itertools.cycle(_WIDTHS):
        if time.perf_counter() > end:
            return times
        times.append(1e3 * await visitor.move("d_model", width))
        await asyncio.sleep(0.2)
    raise AssertionError


def steps(owner: Person) -> int:
    return int(owner.metrics["step"].replace(",", ""))


async def row(host: str, visitor: Person, count: int, seconds: float, idle: list[float]) -> str:
    """Measures one row of the table: `count` runs under way."""
    async with AsyncExitStack() as stack:
        owners = [await stack.enter_async_context(Person(host, "training", f"{_ENDLESS}&seed={i}")) for i in range(count)]
        for owner in owners:
            await owner.press("Start")
            await owner.unfold("Details")
        while not all(steps(owner) for owner in owners):
            await asyncio.sleep(0.1)
        for owner in owners:
            await owner.look()
        before, start = [steps(owner) for owner in owners], time.perf_counter()
        busy = await turns(visitor, seconds)
        pause = [await owner.press("Pause") for owner in owners]  # in the same order as before: each had the same time
        taken = [steps(owner) - least for owner, least in zip(owners, before, strict=True)]
        passed = time.perf_counter() - start
        for owner in owners:
            await owner.press("Resume")
        stop = [await owner.press("Stop") for owner in owners]
    ratio = quantile(busy, 0.95) / quantile(idle, 0.95)
    return (
        f"{count:5} {quantile(busy, 0.5):8.0f} {quantile(busy, 0.95):6.0f} {ratio:8.2f} {min(taken) / max(taken):14.2f} "
        f"{sum(taken) / passed:8.0f} {quantile(pause, 0.5):9.2f} {max(pause):6.2f} {quantile(stop, 0.5):8.2f} {max(stop):6.2f}"
    )


async def starts(host: str, count: int, page: str) -> None:
    """Has so many people press Start at once on a page, and prints how long they wait: for the model of the page as it opens,
    or on “Your own sentences” for one that learns 30 pairs which they have just put in."""

    async def one(owner: Person) -> tuple[float, float]:
        start = time.perf_counter()
        if page == "sentences":
            await owner.press("Adjectives that change place")
        await owner.press("Start")
        await owner.unfold("Details")
        while not steps(owner):
            await asyncio.sleep(0.05)
        first = time.perf_counter() - start
        while owner.buttons.get("Stop"):
            await asyncio.sleep(0.2)
        return first, time.perf_counter() - start

    async with AsyncExitStack() as stack:
        owners = [await stack.enter_async_context(Person(host, page, "pace=fast")) for _owner in range(count)]
        await asyncio.sleep(harness.SETTLED)
        found = await asyncio.gather(*map(one, owners))
    first, over = ([pair[i] for pair in found] for i in (0, 1))
    print(f"{count} people press Start at once; seconds (p50, last) until they see the first steps, and until the run is over:")
    print(f"{quantile(first, 0.5):.1f} {max(first):.1f}   {quantile(over, 0.5):.1f} {max(over):.1f}")


async def measure(host: str, counts: list[int], seconds: float) -> None:
    async with Person(host, "heads") as visitor:
        await asyncio.sleep(harness.SETTLED)
        for width in _WIDTHS:
            await visitor.move("d_model", width)  # builds the models in advance: only the server's speed is measured
        for count in counts:
            idle = await turns(visitor, seconds)
            print(f"{0:5} {quantile(idle, 0.5):8.0f} {quantile(idle, 0.95):6.0f} {1:8.2f}", flush=True)
            print(await row(host, visitor, count, seconds, idle), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, nargs="+", default=[1, 4, 10, 30], help="how many at once (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=20.0, help="that each row is watched (default: %(default)s)")
    parser.add_argument("--starts", type=int, default=0, help="people who press Start at once instead (default: %(default)s)")
    parser.add_argument("--page", choices=("training", "sentences"), default="training", help="where (default: %(default)s)")
    args = parser.parse_args()
    print(harness.machine())
    if args.starts:
        with harness.running() as server:
            asyncio.run(starts(server.host, args.starts, args.page))
        return
    print(f"{'':5} {'a knob elsewhere, ms':>24} {'slowest run':>14} {'all runs':>8} {'Pause acts, s':>16} {'Stop acts, s':>15}")
    columns = (
        f"{'p50':>8} {'p95':>6} {'p95/idle':>8} {'/ fastest':>14} {'steps/s':>8} {'p50':>9} {'max':>6} {'p50':>8} {'max':>6}"
    )
    print(f"{'runs':>5} {columns}")
    with harness.running() as server:
        asyncio.run(measure(server.host, args.runs, args.seconds))


if __name__ == "__main__":
    main()
