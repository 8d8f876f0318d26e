"""A room full of people, each doing something every two seconds, beside training runs: how long all of them wait.

    python -m benchmarks.room [--people 1,10,30,60,100] [--runs 0,10] [--arrive 20] [--seconds 180] [--workers 1]
        [--slowest 0] [--settled 10] [--json]

People are light clients that speak Streamlit's own protocol, so that a hundred of them cost less than one browser. They
arrive within 20 seconds (`--arrive`), sit on all pages in turn, and give a random setting of their page a random value; with
`--sidebar`, also the settings that all pages share, which ask for models that nobody has learned yet. Each row has a server of
its own; with `--workers 2` or more it is so many copies of the app behind nginx.

For each row, times in ms, p50 and p95: the first visit and the actions, from the message to the end of the script run, and
how many actions; the processor's time in % of one core, of what serves pages, of what trains, and of the people themselves; MB
of all processes of the server (what they share is counted once) when it has prepared itself and before anybody comes, at the
end, and a while after all have left; and errors. With `--slowest 10`, ten settings of which most of the slowest twentieth of
the actions are, and the p50 of each.

Each row's server is new: whoever comes first to the story has the two runs recorded that it plays back, as in a lesson whose
server has just been started. That is what trains in a row without runs.
"""

import argparse
import asyncio
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import asdict, dataclass, field

import psutil
import websockets

from benchmarks import harness
from benchmarks.harness import quantile
from benchmarks.person import LONG_RUN, Person
from explorer.ui.navigation import CONTENTS

_EVERY = 2.0  # seconds between what one person does and the next that he does
_PAGES = ["" if name == "home" else name for name in CONTENTS]


@dataclass
class Row:
    """One row of the table: times in ms, memory in bytes, shares of one core."""

    people: int
    runs: int
    workers: int
    visits: list[float] = field(default_factory=list)
    actions: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    memory: list[int] = field(default_factory=list)
    pages_cpu: float = 0.0
    training_cpu: float = 0.0
    people_cpu: float = 0.0
    largest: int = 0  # bytes of the longest message
    by_setting: list[tuple[str, float]] = field(default_factory=list)  # each action's page and setting, and its ms

    def line(self) -> str:
        def two(values: list[float]) -> str:
            return f"{quantile(values, 0.5):6.0f} {quantile(values, 0.95):6.0f}" if values else f"{'–':>6} {'–':>6}"

        shares = " ".join(f"{100 * share:4.0f}" for share in (self.pages_cpu, self.training_cpu, self.people_cpu))
        memory = " ".join(f"{size / 2**20:5.0f}" for size in self.memory)
        told = f"{self.people:6} {self.runs:4}  {two(self.visits)}  {two(self.actions)} {len(self.actions):6}"
        return f"{told}  {shares}   {memory}   {self.errors.total():4}"

    def slowest(self, count: int) -> list[str]:
        """Returns so many lines about the settings that are most often among the slowest twentieth of the actions."""
        if not count or not self.by_setting:
            return []
        bound = quantile([ms for _name, ms in self.by_setting], 0.95)
        slow = Counter(name for name, ms in self.by_setting if ms >= bound)
        lines = []
        for name, often in slow.most_common(count):
            times = [ms for each, ms in self.by_setting if each == name]
            lines.append(f"       {often:4} of {len(times):4}, p50 {quantile(times, 0.5):6.0f}  {name}")
        return lines

    def numbers(self) -> dict[str, object]:
        """Returns the row for JSON."""
        said = {
            f"{name}_{share}": round(quantile(values, at))
            for name, values in (("visit", self.visits), ("action", self.actions))
            for share, at in (("p50", 0.5), ("p95", 0.95))
            if values
        }
        rest = {name: value for name, value in asdict(self).items() if name not in ("visits", "actions", "by_setting")}
        return rest | said | {"visits": len(self.visits), "actions": len(self.actions)}


HEADER = (
    f"{'people':>6} {'runs':>4}  {'visit':>6} {'p95':>6}  {'action':>6} {'p95':>6} {'n':>6}  "
    f"{'page':>4} {'train':>5} {'us':>3}   {'MB':>5} {'end':>5} {'after':>5}   {'errors':>4}"
)


async def person(
    host: str, page: str, after: float, row: Row, stop: asyncio.Event, chance: random.Random, sidebar: bool
) -> None:
    """Arrives, sits down, and does something every two seconds until the lesson is over."""
    await asyncio.sleep(after)
    try:
        async with Person(host, page) as who:
            row.visits.append(1000 * who.arrived)
            await asyncio.sleep(chance.random() * _EVERY)
            while not stop.is_set():
                taken = await who.turn(chance, sidebar)
                if taken is None:
                    taken = await who.look()  # a page without settings is redrawn
                row.actions.append(1000 * taken)
                row.by_setting.append((f"{page or 'home'}: {who.turned}", 1000 * taken))
                row.largest = max(row.largest, who.largest)
                row.errors.update(f"{page or 'home'}: {words}" for words in who.complaints)
                who.complaints.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), _EVERY)
    except (TimeoutError, OSError, websockets.WebSocketException) as error:
        row.errors[f"{page or 'home'}: {type(error).__name__} {error}"[:120]] += 1


def memory(process: psutil.Process) -> int:
    """Returns the bytes of a process and its children. Shared memory counts once, if the system tells."""
    total = 0
    for each in (process, *process.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            info = each.memory_full_info()
            total += getattr(info, "pss", info.rss)
    return total


def processor(process: psutil.Process) -> tuple[float, float]:
    """Returns the processor seconds of all processes that serve pages, and of those that train."""
    seconds = [0.0, 0.0]
    for each in (process, *process.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            trains = any("explorer.learning.engines" in word for word in each.cmdline())
            seconds[trains] += sum(each.cpu_times()[:2])
    return seconds[0], seconds[1]


async def lesson(server: harness.Server, row: Row, args: argparse.Namespace) -> None:
    """Runs so many people, beside so many runs, on one server."""
    process, stop = psutil.Process(server.process.pid), asyncio.Event()
    await asyncio.sleep(args.settled)
    async with AsyncExitStack() as stack:
        people = (Person(server.host, "training", f"{LONG_RUN}&seed={i}") for i in range(row.runs))
        owners = [await stack.enter_async_context(each) for each in people]
        for owner in owners:
            await owner.press("Start")
        row.memory.append(memory(process))
        chance = random.Random(args.seed)
        room: list[asyncio.Future[None]] = [
            asyncio.ensure_future(
                person(
                    server.host,
                    _PAGES[i % len(_PAGES)],
                    i * args.arrive / row.people,
                    row,
                    stop,
                    random.Random(chance.random()),
                    args.sidebar,
                )
            )
            for i in range(row.people)
        ]
        await asyncio.sleep(args.arrive)
        row.actions.clear()  # drops the actions during the arrival
        row.by_setting.clear()
        start, before, own = time.perf_counter(), processor(process), time.process_time()
        await asyncio.sleep(args.seconds)
        passed = time.perf_counter() - start
        after = processor(process)
        row.pages_cpu, row.training_cpu = ((after[i] - before[i]) / passed for i in (0, 1))
        row.people_cpu = (time.process_time() - own) / passed
        row.memory.append(memory(process))
        stop.set()
        await asyncio.gather(*room)
        for owner in owners:
            row.errors.update(f"run: {words}" for words in owner.complaints)
            owner.complaints.clear()
            try:
                await owner.press("Stop")
            except (TimeoutError, OSError, websockets.WebSocketException) as error:
                row.errors[f"Stop: {type(error).__name__} {error}"[:120]] += 1
    await asyncio.sleep(args.after)
    row.memory.append(memory(process))


def numbers(kind: Callable[[str], int]) -> Callable[[str], list[int]]:
    return lambda words: [kind(word) for word in words.split(",")]


def main() -> int:
    parser = harness.parser(__doc__)
    parser.add_argument("--people", type=numbers(int), default=[1, 10, 30, 60, 100], help="(default: 1,10,30,60,100)")
    parser.add_argument("--runs", type=numbers(int), default=[0, 10], help="training beside them (default: 0,10)")
    parser.add_argument("--arrive", type=float, default=20, help="seconds in which all come (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=180, help="of a lesson, once all are there (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=1, help="copies of the app (default: %(default)s, without nginx)")
    parser.add_argument("--after", type=float, default=60, help="seconds to the last look at memory (default: %(default)s)")
    parser.add_argument("--slowest", type=int, default=0, help="settings that are named (default: %(default)s)")
    parser.add_argument("--sidebar", action="store_true", help="also turn the settings that all pages share")
    parser.add_argument("--seed", type=int, default=0, help="of what people do (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="a line of JSON after each row")
    harness.add_settled(parser)
    args = parser.parse_args()
    print(f"{harness.machine()}\n{args.workers} workers, {args.seconds:.0f} s a row")
    print(HEADER, flush=True)
    failed = False
    for runs in args.runs:
        for people in args.people:
            row = Row(people, runs, args.workers)
            copies = args.workers if args.workers > 1 else 0
            with tempfile.TemporaryDirectory() as models, harness.running(copies, EXPLORER_MODELS=models) as server:
                asyncio.run(lesson(server, row, args))
            print(row.line(), flush=True)
            for words in row.slowest(args.slowest):
                print(words, flush=True)
            for words, count in row.errors.most_common(5):
                print(f"       {count} × {words}", flush=True)
            if args.json:
                print(json.dumps(row.numbers()), flush=True)
            failed = failed or row.errors.total() > 0
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
