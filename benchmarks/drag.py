"""A knob dragged back and forth in Chromium: pictures a second, and the time from the last movement to its picture.

    python -m benchmarks.drag [--drags 10] [--pictures head] [--people 1 5] [--offered 20] [--seconds 2]
        [--runs 0] [--settled 10] [--json]

The width of a model, with one of these pictures on screen, or with several by turns. "head": one head of the usual model on the
page Attention, whose weights come with the app at some of the knob's stops; at the others the nearest is drawn. "every-head":
all heads of that model on the page Heads. "144-heads": those of 6 layers of 8 heads before their first step, with 40 words on
either side. Once for a server that has just been started ("fresh"), then with all stops seen ("warmed"). Other people
are light clients, which ask for the same pictures of other sentences; the fewest pictures a second that one of them had stand
in the last column. "offered" is how many values a second the knob passes: there cannot be more pictures. CPU is that of the
server's own process for each picture that it answered, to whomever. With `--runs`, so many models learn beside.
"""

import argparse
import asyncio
import json
import math
import multiprocessing
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from multiprocessing.synchronize import Event
from typing import Any
from urllib.parse import urlencode

import psutil
import websockets

from benchmarks import harness
from benchmarks.harness import quantile
from benchmarks.person import LONG_RUN, Person
from explorer.model_on_screen.settings import ModelSettings

_STOPS = (1, 8)  # of the knob, from 16 to 128
_SENTENCES = ("the red cat sees the dog", "i am tired", "she has a new house", "we like the big garden")

# True if the picture of the knob's value has been painted, and no other is under way.
_THERE = """
() => {
  const { asked, wanted } = document.querySelector(".live-knobs").live.asking;
  return !asked && !wanted && window.painted.length && window.painted.at(-1) > window.moved.at(-1);
}
"""
# Records when the knob's value changes, and when another picture has been painted: then this part of a view is another one.
_WATCH = """
([name, part]) => {
  const input = document.querySelector(".st-key-d_model input"), view = document.querySelector(`.${name}`)[name];
  window.moved = [];
  window.painted = [];
  new MutationObserver(() => {
    const value = input.getAttribute("aria-valuetext");
    if (value !== window.said) window.moved.push(performance.now());
    window.said = value;
  }).observe(input, { attributes: true, attributeFilter: ["aria-valuetext"] });
  let before = view[part];
  const look = () => {
    if (view[part] !== before) {
      before = view[part];
      setTimeout(() => window.painted.push(performance.now()));
    }
    requestAnimationFrame(look);
  };
  look();
}
"""


@dataclass(frozen=True)
class Picture:
    """A picture that is dragged: its page, what `_WATCH` reads of its view, and what other people ask for."""

    address: str
    view: tuple[str, str]
    wish: Mapping[str, Any]
    settings: Mapping[str, Any] = field(default_factory=dict)


_ALL = {"picture": "every-head", "choices": {"kind": "cross", "patterns_padding": 0, "scale": "1"}}
_MANY = {"n_layers": 6, "n_heads": 8, "step": 0, "input": "lengths", "src_len": 40, "tgt_len": 40}
PICTURES = {
    "head": Picture(
        "attention",
        ("arithmetic", "stage"),
        {"picture": "head", "choices": {"kind": "cross", "layer": 0, "head": 0, "scale": "1"}},
    ),
    "every-head": Picture("heads?part=every_head", ("matrices", "grids"), _ALL),
    "144-heads": Picture(f"heads?part=every_head&{urlencode(_MANY)}", ("matrices", "grids"), _ALL, _MANY),
}


@dataclass
class Drags:
    """Measurements of some drags: seconds, ms and bytes."""

    offered: list[float] = field(default_factory=list)
    pictures: list[float] = field(default_factory=list)
    final: list[float] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    others: list[float] = field(default_factory=list)
    fewest: float = math.inf
    cpu: float = 0.0
    browser_cpu: float = 0.0

    def line(self) -> str:
        count = len(self.answers) + len(self.others)
        told = [
            f"{quantile(self.offered, 0.5):8.1f} {quantile(self.pictures, 0.5):9.1f}",
            f"{quantile(self.final, 0.5):9.0f} {quantile(self.final, 0.95):5.0f} {max(self.final):5.0f}",
            f"{sum(self.answers) / max(1, len(self.answers)) / 1000:6.1f} {1000 * self.cpu / max(1, count):7.1f}",
            f"{1000 * self.browser_cpu / max(1, len(self.answers)):10.1f}",
        ]
        if self.others:
            told.append(
                f"   {1000 * quantile(self.others, 0.5):5.1f} {1000 * quantile(self.others, 0.95):5.1f} {self.fewest:7.1f}"
            )
        return " ".join(told)


class Screen:
    """A page with a picture; `answers`: the bytes of what it has been sent while dragging."""

    def __init__(self, browser: harness.Browser, server: harness.Server, picture: Picture):
        self.picture = picture
        self.answers: list[int] = []
        self.page = page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(180_000)
        page.on("websocket", self._note)
        page.goto(f"{server.url}/{picture.address}")
        name, _part = picture.view
        page.wait_for_function(f"document.querySelector('.{name}')?.{name}?.data")
        page.wait_for_function("document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'")
        page.wait_for_timeout(2000)
        page.evaluate(_WATCH, list(picture.view))

    def _note(self, socket: Any) -> None:
        if socket.url.endswith("/live"):
            socket.on("framereceived", lambda frame: self.answers.append(len(frame)))


def drag(page: Any, into: Drags, offered: float, seconds: float) -> None:
    """Drags once, by so many values a second for so many seconds, and back, so that the page stays as it is."""
    box = page.locator(".st-key-d_model [data-testid=stSliderThumbValue]").locator("xpath=..").bounding_box()
    track = page.evaluate(
        """() => {
             const input = document.querySelector(".st-key-d_model input");
             const place = [...document.querySelectorAll(".st-key-d_model *")].find((node) => node.style.left.endsWith("%"));
             const {left, width} = place.offsetParent.getBoundingClientRect();
             return {left, width, stops: Number(input.max), now: Number(input.value)};
           }"""
    )
    y = box["y"] + box["height"] / 2

    def at(stop: int) -> float:
        return track["left"] + track["width"] * stop / track["stops"]

    page.evaluate("() => { window.moved = []; window.painted = []; }")
    page.mouse.move(at(track["now"]), y)
    page.mouse.down()
    stop, way, due = track["now"], 1, time.perf_counter()
    count = round(seconds * offered)
    while count > 0 or stop == track["now"]:  # the page's own picture may be there already, and is not painted again then
        count -= 1
        way = -1 if stop >= _STOPS[1] else 1 if stop <= _STOPS[0] else way
        stop += way
        page.mouse.move(at(stop), y)
        due += 1 / offered
        time.sleep(max(0.0, due - time.perf_counter()))
    page.wait_for_function(_THERE)
    moved, painted = page.evaluate("() => [window.moved, window.painted]")
    into.final.append(painted[-1] - moved[-1])
    passed = max(moved[-1] - moved[0], 1) / 1000
    into.offered.append((len(moved) - 1) / passed)
    into.pictures.append(sum(moved[0] < each <= moved[-1] for each in painted) / passed)
    page.mouse.move(at(track["now"]), y)
    page.wait_for_function("() => !document.documentElement.hasAttribute('data-ahead')")
    page.mouse.up()


def others(host: str, picture: Picture, count: int, offered: float, stop: Event, told: Any) -> None:
    """Simulates people without a browser: each asks, waits for the answer, and asks again at the pace of a hand."""

    async def one(place: int, times: list[float]) -> float:
        settings = replace(ModelSettings(src=_SENTENCES[place % len(_SENTENCES)]), **picture.settings)
        async with websockets.connect(f"ws://{host}/live", max_size=None) as socket:
            n, began = 0, time.perf_counter()
            while not stop.is_set():
                n += 1
                width = (16, 32, 64, 88, 128)[n % 5]
                question = {
                    "n": n,
                    "settings": asdict(replace(settings, d_model=width)),
                    "turned": "d_model",
                    "want": [picture.wish],
                    "length": 5,
                    "language": "en",
                    "after": 0,
                }
                start = time.perf_counter()
                await socket.send(json.dumps(question))
                await socket.recv()
                times.append(time.perf_counter() - start)
                await asyncio.sleep(max(0.0, 1 / offered - times[-1]))
            return n / (time.perf_counter() - began)

    async def all_of_them() -> tuple[list[float], float]:
        times: list[float] = []
        return times, min(await asyncio.gather(*(one(place, times) for place in range(count))))

    told.put(asyncio.run(all_of_them()))


def measure(screen: Screen, server: harness.Server, people: int, args: argparse.Namespace, into: Drags) -> None:
    """Measures one drag while so many others ask as well."""
    told: Any = multiprocessing.Queue()
    stop, asking = multiprocessing.Event(), (server.host, screen.picture, people - 1, args.offered)
    beside = multiprocessing.Process(target=others, args=(*asking, stop, told)) if people > 1 else None
    screen.page.bring_to_front()
    if beside is not None:
        beside.start()
        screen.page.wait_for_timeout(2000)
    processes = [psutil.Process(server.process.pid)], browsers()
    screen.answers.clear()
    before = [sum(map(seconds_of, each)) for each in processes]
    drag(screen.page, into, args.offered, args.seconds)
    cpu, browser_cpu = (sum(map(seconds_of, each)) - start for each, start in zip(processes, before, strict=True))
    into.cpu += cpu
    into.browser_cpu += browser_cpu
    into.answers += screen.answers
    if beside is not None:
        stop.set()
        times, fewest = told.get()
        into.others += times
        into.fewest = min(into.fewest, fewest)
        beside.join()


def browsers() -> list[psutil.Process]:
    """Returns the processes of the browser that this one has started."""
    return [each for each in psutil.Process().children(recursive=True) if "chrom" in each.name()]


def seconds_of(process: psutil.Process) -> float:
    """Returns the processor time of a process, 0 for one that has ended."""
    try:
        return float(sum(process.cpu_times()[:2]))
    except psutil.NoSuchProcess:
        return 0.0


@contextmanager
def training(host: str, runs: int, settled: float) -> Iterator[None]:
    """Has so many models learn, each for another person, who watches; begins when all of them have begun."""
    begun, stop = multiprocessing.Event(), multiprocessing.Event()
    beside = multiprocessing.Process(target=train, args=(host, runs, settled, begun, stop)) if runs else None
    if beside is not None:
        beside.start()
        while not begun.wait(1):
            if not beside.is_alive():
                raise harness.Complained("the models that were to learn beside did not begin")
    try:
        yield
    finally:
        if beside is not None:
            stop.set()
            beside.join()


def train(host: str, runs: int, settled: float, begun: Event, stop: Event) -> None:
    async def watch() -> None:
        async with AsyncExitStack() as stack:
            await asyncio.sleep(settled)
            people = (Person(host, "training", f"{LONG_RUN}&seed={i}") for i in range(runs))
            owners = [await stack.enter_async_context(person) for person in people]
            for owner in owners:
                await owner.press("Start")
            while any(owner.metrics.get("step", "0") == "0" for owner in owners):
                await asyncio.sleep(0.1)
            begun.set()
            while not stop.is_set():
                await asyncio.sleep(0.1)
            for owner in owners:
                await owner.press("Stop")

    asyncio.run(watch())


def main() -> None:
    parser = harness.parser(__doc__)
    parser.add_argument("--drags", type=int, default=10, help="of every kind, but one of a fresh server (default: %(default)s)")
    parser.add_argument("--pictures", nargs="*", default=["head"], choices=PICTURES, help="by turns (default: head)")
    parser.add_argument("--people", type=int, nargs="*", default=[1, 5], help="who drag at once (default: %(default)s)")
    parser.add_argument("--offered", type=float, default=20, help="values a second (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=2, help="of one drag (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=0, help="models that learn beside (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="the last line is the first of all results, warmed")
    harness.add_settled(parser)
    args = parser.parse_args()
    print(harness.machine())
    print(
        "people picture    values  offered pictures/s  final ms: p50   p95   max    kB CPU ms browser ms"
        "   others ms: p50 p95  fewest/s"
    )
    results = []
    with tempfile.TemporaryDirectory() as models, harness.Browser() as browser:
        for people in args.people:
            with harness.running(EXPLORER_MODELS=models) as server, training(server.host, args.runs, args.settled):
                screens = {name: Screen(browser, server, PICTURES[name]) for name in args.pictures}
                for values, drags in (("fresh", 1), ("warmed", args.drags)):
                    found = {name: Drags() for name in screens}
                    for _ in range(drags):
                        for name, screen in screens.items():
                            measure(screen, server, people, args, found[name])
                    for name, each in found.items():
                        results.append((people, values, each))
                        print(f"{people:6} {name:10} {values:6} {each.line()}", flush=True)
                for screen in screens.values():
                    screen.page.close()
    if args.json:
        first = next(found for people, values, found in results if people == args.people[0] and values == "warmed")
        numbers = {"pictures_per_second": quantile(first.pictures, 0.5), "final_p95_ms": quantile(first.final, 0.95)}
        print(json.dumps({name: round(value, 1) for name, value in numbers.items()}))


if __name__ == "__main__":
    main()
