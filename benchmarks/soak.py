"""A long lesson in which everything happens that happens in a room, and whether the server is the same afterwards.

    python -m benchmarks.soak [--minutes 30] [--people 30] [--runs 10] [--workers 1] [--kill 45] [--after 120] [--json]

People change random settings, reload, go back, leave in the middle of an answer, and others come. Beside them, runs are trained
and watched by browsers that reload now and then. Every `--kill` seconds a process that trains is killed (kill -9), and
with `--workers 2` or more, which are so many copies of the app behind nginx, every fourth time a copy of the app.

It prints, every five minutes and in the end, the memory of all processes, and of those that train alone, and the actions' p50
and p95 since the line before, in ms, and then what broke: tracebacks in the server's log and on pages, HTTP answers other than
200, connections that the server closed (after a copy was killed, for half a minute, both are expected), runs that were lost,
windows that the server still counts after all have left. It ends with 1 where anything broke.
"""

import argparse
import asyncio
import json
import random
import secrets
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field

import psutil
import websockets

from benchmarks import harness
from benchmarks.harness import quantile
from benchmarks.person import LONG_RUN, Person
from benchmarks.room import memory
from explorer.ui.navigation import CONTENTS

_PAGES = ["" if name == "home" else name for name in CONTENTS]
_EVERY = 2.0  # seconds between what one person does and the next that he does
_STAY = (20.0, 120.0)  # seconds that somebody stays
_WATCH = 10.0  # seconds between two looks of a run's owner
_RELOADS = 0.2  # of these looks, the share that are reloads
_EXCUSED = 30.0  # seconds after a copy was killed in which its people are moved
_START = 300.0  # seconds that a copy may take to start, on a machine that is busy with other things
_LINE = 300.0  # seconds between two lines
_BACK = 500  # steps that a run may be behind where it was seen: a worker that dies takes two seconds of training with it
_OFFERS = ("Go on from step", "Begin again")  # what the owner of a run is offered whose copy was killed
_SEAT = "transformer_explorer_seat"
_TOKEN = "transformer_explorer_browser"


@dataclass
class Report:
    """The events of the lesson. `actions`: ms since the last line; `memory`: bytes per line, at the end and after."""

    actions: list[float] = field(default_factory=list)
    every_action: list[float] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    events: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    copy_killed: float = float("-inf")

    def took(self, seconds: float) -> None:
        self.actions.append(1000 * seconds)
        self.every_action.append(1000 * seconds)

    def wrong(self, words: str, excusable: bool = False) -> None:
        """Records a failure. `excusable`: expected while people are moved to another copy."""
        if excusable and self.excuses:
            self.events["moved to another copy"] += 1
        else:
            self.errors[words[:160]] += 1

    def of_page(self, where: str, who: Person) -> None:
        """Records the failures of a page. A refusal with alternatives is not a failure."""
        for words in who.complaints:
            self.wrong(f"{where}: {words}")
        self.events["setting refused"] += who.refusals
        who.complaints.clear()
        who.refusals = 0

    @property
    def excuses(self) -> bool:
        """True while people are being moved to another copy."""
        return time.monotonic() - self.copy_killed < _EXCUSED

    def line(self, minutes: float, size: int, training: int) -> str:
        """Formats a line. `size`: bytes of all processes; `training`: of those that train."""
        self.memory.append(size)
        times = (
            f"{quantile(self.actions, 0.5):6.0f} {quantile(self.actions, 0.95):6.0f}" if self.actions else f"{'–':>6} {'–':>6}"
        )
        count = len(self.actions)
        self.actions.clear()
        return f"{minutes:7.1f} {size / 2**20:6.0f} {training / 2**20:6.0f}  {times} {count:7}  {self.errors.total():6}"


class Lesson:
    """The events on one server."""

    def __init__(self, server: harness.Server, args: argparse.Namespace) -> None:
        self.server, self.args, self.report = server, args, Report()
        self.process, self.over = psutil.Process(server.process.pid), asyncio.Event()
        self.chance = random.Random(args.seed)

    async def wait(self, seconds: float) -> bool:
        """Waits; returns whether the lesson still goes on."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.over.wait(), seconds)
        return not self.over.is_set()

    async def run(self) -> None:
        self.say(0.0)
        began = time.monotonic()
        tasks = [self.seat(i) for i in range(self.args.people)] + [self.owner(i) for i in range(self.args.runs)]
        under_way = [asyncio.ensure_future(task) for task in (*tasks, self.killer(), self.visits())]
        end = began + 60 * self.args.minutes
        while (now := time.monotonic()) < end:
            await asyncio.sleep(min(_LINE, end - now))
            self.say((time.monotonic() - began) / 60)
        self.over.set()
        for done in await asyncio.gather(*under_way, return_exceptions=True):
            if isinstance(done, BaseException):
                self.report.wrong(f"the soak itself: {type(done).__name__} {done}")
        await asyncio.sleep(self.args.after)
        self.say(self.args.minutes + self.args.after / 60)
        await self.nobody_is_left()
        log = self.server.log
        for words in ("Traceback", "Uncaught", "terminate called"):
            if count := log.count(words):
                self.report.errors[f"{words} in the server's log"] += count

    def say(self, minutes: float) -> None:
        training = sum(memory(each) for each in self.children("explorer.learning.engines"))
        print(self.report.line(minutes, memory(self.process), training), flush=True)

    # What people do.

    async def seat(self, number: int) -> None:
        """Seats one person after another on a chair of the room."""
        await self.wait(self.chance.random() * min(20.0, 30 * self.args.minutes))
        while not self.over.is_set():
            await self.visitor(random.Random(self.chance.random()), self.chance.choice(_PAGES))
            await self.wait(1.0)

    async def visitor(self, chance: random.Random, page: str) -> None:
        cookie, query, until = f"{_SEAT}={secrets.token_hex(16)}", "", time.monotonic() + chance.uniform(*_STAY)
        where = page or "home"
        while not self.over.is_set() and time.monotonic() < until:
            try:
                async with Person(self.server.host, page, query, cookie) as who:
                    self.report.took(who.arrived)
                    again = await self.sits(who, chance, where, until)
                    query = who.query
                    if not again:
                        return
            except (TimeoutError, OSError, websockets.WebSocketException) as error:
                self.report.wrong(f"{where}: {type(error).__name__} {error}", excusable=True)
                await self.wait(1.0)

    async def sits(self, who: Person, chance: random.Random, where: str, until: float) -> bool:
        """Acts until the person leaves; returns True for a reload."""
        while time.monotonic() < until and await self.wait(_EVERY * chance.uniform(0.5, 1.5)):
            what = chance.random()
            if what < 0.03:
                self.report.events["reloaded"] += 1
                return True
            if what < 0.06:
                self.report.events["left in the middle"] += 1
                with suppress(TimeoutError):
                    await asyncio.wait_for(who.turn(chance), 0.02)
                return False
            took = await who.back() if what < 0.12 else await who.turn(chance, self.args.sidebar)
            self.report.events["went back" if what < 0.12 and took is not None else "did something"] += 1
            self.report.took(await who.look() if took is None else took)
            self.report.of_page(where, who)
        return False

    async def owner(self, number: int) -> None:
        """Starts a run, watches it, and reloads now and then. A finished run is replaced by a new one."""
        cookie, query, chance = (
            f"{_SEAT}={secrets.token_hex(16)}; {_TOKEN}=soak-{number}",
            f"{LONG_RUN}&seed={number}",
            self.chance,
        )
        started, step = False, 0
        while not self.over.is_set():
            try:
                async with Person(self.server.host, "training", query, cookie) as who:
                    while True:
                        started, step = await self.watch(who, started, step)
                        query = who.query
                        if not await self.wait(_WATCH) or chance.random() < _RELOADS:
                            break
                        await who.look()
                    if self.over.is_set() and who.buttons.get("Stop"):
                        await who.press("Stop")
                    self.report.of_page("a run", who)
            except (TimeoutError, OSError, websockets.WebSocketException) as error:
                self.report.wrong(f"a run: {type(error).__name__} {error}", excusable=True)
                await self.wait(1.0)

    async def watch(self, who: Person, started: bool, step: int) -> tuple[bool, int]:
        """Watches an owner's run, or starts one if there is none; returns whether it was begun, and its step."""
        goes_on = next((label for label in who.buttons if label.startswith(_OFFERS)), None)
        if goes_on is not None:  # its copy was killed
            self.report.events["run went on after its copy was killed"] += 1
            await who.press(goes_on)
            await who.look()
        elif "Start" in who.buttons and started and self.report.excuses:
            self.report.events["moved to another copy"] += 1
            return started, step  # its own copy comes back
        elif "Start" in who.buttons:
            if started:
                self.report.wrong(f"a run was lost after step {step:,}")
            who.metrics.clear()
            await who.press("Start")
            self.report.events["run started"] += 1
            return True, 0
        now = int(who.metrics.get("step", "0").replace(",", ""))
        if now < step - _BACK and goes_on is None:
            self.report.wrong(f"a run went from step {step:,} back to {now:,}")
        if not who.buttons.get("Stop"):
            self.report.events["run finished"] += 1
            who.metrics.clear()
            await who.press("New run")
            return True, 0
        return True, now

    # What happens to them.

    async def killer(self) -> None:
        count = 0
        while await self.wait(self.args.kill):
            count += 1
            if self.args.workers > 1 and count % 4 == 0:
                victims, what = self.children("streamlit"), "copy killed"
            else:
                victims, what = self.children("explorer.learning.engines"), "worker killed"
            if not victims:
                continue
            if what == "copy killed":
                self.report.copy_killed = time.monotonic()
            with suppress(psutil.NoSuchProcess):
                self.chance.choice(victims).kill()
                self.report.events[what] += 1

    def children(self, word: str) -> list[psutil.Process]:
        found = []
        for each in self.process.children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                if any(word in said for said in each.cmdline()):
                    found.append(each)
        return found

    async def visits(self) -> None:
        """Sends a browser's plain requests."""
        while await self.wait(5.0):
            for path in ("/", "/heads", "/_stcore/health"):
                try:
                    status = await asyncio.to_thread(_status, f"{self.server.url}{path}")
                    if status != 200:
                        self.report.wrong(f"HTTP {status} for {path}", excusable=True)
                except OSError as error:
                    self.report.wrong(f"HTTP {type(error).__name__} for {path}", excusable=True)

    async def nobody_is_left(self) -> None:
        """Waits until the page for the host counts one window: that which asks."""
        async with Person(self.server.host, "host") as host:
            if self.args.workers == 1 and host.metrics.get("open windows") != "1":
                self.report.wrong(f"open windows after all have left, but for one: {host.metrics.get('open windows')}")


def _status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=120) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def main() -> int:
    parser = harness.parser(__doc__)
    parser.add_argument("--minutes", type=float, default=30, help="(default: %(default)s)")
    parser.add_argument("--people", type=int, default=30, help="(default: %(default)s)")
    parser.add_argument("--runs", type=int, default=10, help="that are trained beside them (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=1, help="copies of the app (default: %(default)s, without nginx)")
    parser.add_argument("--kill", type=float, default=45, help="seconds from one kill to the next (default: %(default)s)")
    parser.add_argument("--after", type=float, default=120, help="seconds to the last look at memory (default: %(default)s)")
    parser.add_argument("--sidebar", action="store_true", help="also turn the settings that all pages share")
    parser.add_argument("--seed", type=int, default=0, help="of what happens (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="a last line of JSON")
    args = parser.parse_args()
    print(harness.machine())
    print(f"{args.people} people, {args.runs} runs, {args.workers} workers, {args.minutes:g} minutes")
    print(f"{'minutes':>7} {'MB':>6} {'train':>6}  {'action':>6} {'p95':>6} {'n':>7}  {'errors':>6}", flush=True)
    with tempfile.TemporaryDirectory() as models:
        limits = {"EXPLORER_MODELS": models, "EXPLORER_MAX_RUNS": str(max(200, 2 * args.runs))}
        with harness.running(args.workers if args.workers > 1 else 0, _START, killed=True, **limits) as server:
            lesson = Lesson(server, args)
            asyncio.run(lesson.run())
            if lesson.report.errors:
                print(f"\nthe end of the server's log:\n{server.log[-4000:]}")
    report = lesson.report
    print("; ".join(f"{what}: {count}" for what, count in sorted(report.events.items())))
    for words, count in report.errors.most_common():
        print(f"  {count} × {words}")
    if args.json:
        times = {
            f"action_p{100 * at:.0f}": round(quantile(report.every_action, at)) for at in (0.5, 0.95) if report.every_action
        }
        print(json.dumps(times | {"memory": report.memory, "events": report.events, "errors": report.errors}))
    return 1 if report.errors else 0


if __name__ == "__main__":
    raise SystemExit(main())
