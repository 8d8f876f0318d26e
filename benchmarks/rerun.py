"""The cost to the server of redrawing a page after an action, page by page.

    python -m benchmarks.rerun [--pages heads,norms] [--actions 10] [--seed 0] [--sidebar] [--json]

A light client opens each page and gives random settings of it random values; then a second one does exactly the same, and is
measured: whatever is kept by then is there. After that it has the page drawn again a few times, with nothing changed.

For each page: processor ms of the server from one action to the next, median and p95 (a fragment may have answered instead of
the page); messages and kB that came with one, medians; and the same for a page on which nothing has changed. Only the
server's own process counts, all its threads: what trains is another one. On a machine that is not Linux times are to 10 ms.
"""

import argparse
import asyncio
import json
import random
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial

import psutil

from benchmarks import harness
from benchmarks.harness import quantile
from benchmarks.person import Person
from explorer.ui.navigation import CONTENTS

_SETTLE = 0.05  # seconds after an answer, in which the server tidies up after it
_SPARE = 3  # a page is looked at so often before anything is measured: its model may still be read


@dataclass
class Costs:
    """The costs of one page's runs: processor ms, messages and bytes of each."""

    processor: list[float] = field(default_factory=list)
    messages: list[float] = field(default_factory=list)
    received: list[float] = field(default_factory=list)

    def numbers(self) -> dict[str, float]:
        """Returns the medians in ms, messages and kB."""
        return {
            "n": len(self.processor),
            "ms": round(quantile(self.processor, 0.5), 1),
            "ms_p95": round(quantile(self.processor, 0.95), 1),
            "mean_ms": round(sum(self.processor) / len(self.processor), 1),
            "messages": quantile(self.messages, 0.5),
            "kB": round(quantile(self.received, 0.5) / 1000, 1),
        }


def processor(pid: int) -> float:
    """Returns the processor seconds of a process, all its threads."""
    try:
        return time.clock_gettime((~pid << 3) | 2)  # the clock of another process, numbered like clock_getcpuclockid
    except OSError:
        return float(sum(psutil.Process(pid).cpu_times()[:2]))


async def measure(who: Person, pid: int, times: int, act: Callable[[], Awaitable[float | None]]) -> Costs:
    """Measures so many actions one after another. On a page without settings, an action is a redraw."""
    costs = Costs()
    for _i in range(times):
        before, messages, received = processor(pid), who.messages, who.received
        if await act() is None:
            await who.look()
        await asyncio.sleep(_SETTLE)
        costs.processor.append(1000 * (processor(pid) - before))
        costs.messages.append(who.messages - messages)
        costs.received.append(who.received - received)
    return costs


async def page_costs(server: harness.Server, name: str, args: argparse.Namespace) -> tuple[Costs, Costs]:
    """Returns the costs of an action, and of a redraw with nothing changed."""
    path, pid = "" if name == "home" else name, server.process.pid
    for _pass in range(2):  # the second repeats the first
        chance = random.Random(f"{args.seed} {name}")
        async with Person(server.host, path) as who:
            for _i in range(_SPARE):
                await who.look()
            actions = await measure(who, pid, args.actions, partial(who.turn, chance, args.sidebar))
            looks = await measure(who, pid, args.actions, who.look)
    return actions, looks


def line(name: str, actions: dict[str, float], looks: dict[str, float]) -> str:
    def told(costs: dict[str, float]) -> str:
        return f"{costs['ms']:7.1f} {costs['ms_p95']:7.1f} {costs['messages']:5.0f} {costs['kB']:7.1f}"

    return f"{name:14} {told(actions)}   {told(looks)}"


async def lesson(args: argparse.Namespace) -> None:
    pages: dict[str, tuple[dict[str, float], dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as models, harness.running(EXPLORER_MODELS=models) as server:
        for name in args.pages:
            actions, looks = await page_costs(server, name, args)
            pages[name] = actions.numbers(), looks.numbers()
            print(line(name, *pages[name]), flush=True)
    medians = tuple(
        {key: quantile([page[i][key] for page in pages.values()], 0.5) for key in ("ms", "ms_p95", "messages", "kB")}
        for i in range(2)
    )
    print(line("median page", *medians), flush=True)
    if args.json:
        said = {name: {"action": action, "look": look} for name, (action, look) in pages.items()}
        print(json.dumps(said | {"median page": dict(zip(("action", "look"), medians, strict=True))}), flush=True)


def main() -> None:
    parser = harness.parser(__doc__)
    parser.add_argument(
        "--pages", type=lambda words: words.split(","), default=[*CONTENTS], help="their names, by commas (default: all)"
    )
    parser.add_argument("--actions", type=int, default=10, help="on each page (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of what is done (default: %(default)s)")
    parser.add_argument("--sidebar", action="store_true", help="also turn the settings that all pages share")
    parser.add_argument("--json", action="store_true", help="a last line of JSON")
    args = parser.parse_args()
    print(f"{harness.machine()}\n{args.actions} actions on a page, seed {args.seed}")
    half = f"{'ms':>7} {'p95':>7} {'msgs':>5} {'kB':>7}"
    print(f"{'':14} {'after an action':29}   {'nothing changed':29}\n{'page':14} {half}   {half}", flush=True)
    asyncio.run(lesson(args))


if __name__ == "__main__":
    main()
