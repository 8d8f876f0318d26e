"""Makes the pictures of README.md from the app itself, in a Chromium: an animation of Start, and a piece of three pages.

    python -m tools.readme_pictures [--only start heads attention training] [--out docs/pictures]

It needs what the browser tests need (`requirements-dev.txt`, Chromium), and takes some minutes.
"""

import argparse
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

from benchmarks import harness

OUT = Path(__file__).parents[1] / "docs" / "pictures"
FRAME = 60  # ms of the page's clock from one frame of the animation to the next
LAST = 4000  # ms for which its last one stands
WIDE = {"width": 960, "height": 730}
NARROW = {"width": 440, "height": 1400}  # a phone's layout can be read in a third of a README's width
PIECE = {"width": 440, "height": 480}  # of it
PATIENCE = 600_000  # ms that anything may take
SETTLED = 3000  # ms after which a page stands still

# A browser without a screen draws no pointer.
_POINTER = """
addEventListener("DOMContentLoaded", () => {
  const pointer = document.createElement("div");
  pointer.innerHTML = `<svg width="26" height="30" viewBox="0 0 13 15"><path d="M1 1v11l3-2.6 1.9 4.4 2-.9-1.9-4.2h4z"
    fill="#111" stroke="#fff"/></svg>`;
  pointer.style.cssText = "position: fixed; z-index: 1000000; pointer-events: none; left: -40px; top: 0";
  document.documentElement.append(pointer);
  addEventListener("mousemove", ({ clientX, clientY }) => {
    pointer.style.left = `${clientX - 2}px`;
    pointer.style.top = `${clientY - 2}px`;
  }, true);
});
"""

# Scripts have a clock that can be stopped; transitions of CSS do not follow it, and are set to its time.
_SET_TRANSITIONS = """
(now) => {
  window.begun ??= new Map();
  for (const each of document.getAnimations()) {
    if (!begun.has(each)) begun.set(each, now);
    each.pause();
    const time = now - begun.get(each);
    if (time >= each.effect.getComputedTiming().endTime) each.finish();
    else each.currentTime = time;
  }
}
"""


class Film:
    """The frames of a page whose clock stands still between them: how fast this machine is makes no difference."""

    def __init__(self, page: Any):
        self.page, self.frames, self.now = page, list[Image.Image](), 0
        self.pointer = (-40.0, 0.0)

    def step(self) -> None:
        self.page.clock.run_for(FRAME)
        self.now += FRAME
        self.page.evaluate(_SET_TRANSITIONS, self.now)

    def take(self, ms: int, pointer_to: tuple[float, float] | None = None) -> None:
        """Adds so many milliseconds, in which the pointer may move, slower at both ends of its way."""
        start, count = self.pointer, ms // FRAME
        for n in range(1, count + 1):
            if pointer_to:
                share = (n / count) ** 2 * (3 - 2 * n / count)
                x, y = (a + (b - a) * share for a, b in zip(start, pointer_to, strict=True))
                self.page.mouse.move(x, y)
                self.pointer = (x, y)
            self.step()
            self.frames.append(_picture(self.page.screenshot()))

    def take_until(self, selector: str) -> None:
        for _ in range(PATIENCE // FRAME):
            if self.page.locator(selector).count():
                return
            self.take(FRAME)
        raise TimeoutError(selector)

    def save(self, file: Path, top: float, bottom: float) -> None:
        box = (0, int(top), WIDE["width"], int(bottom))
        first, *others = [frame.crop(box) for frame in self.frames]
        times = [FRAME] * len(others) + [LAST]
        first.save(file, save_all=True, append_images=others, duration=times, loop=0, quality=75, method=4, minimize_size=True)


def start(browser: harness.Browser, url: str, file: Path) -> None:
    """Writes the animation of Start as it translates a sentence, and as a line is cut."""
    page = browser.new_page(viewport=WIDE, locale="en-GB", reduced_motion="no-preference")
    page.set_default_timeout(PATIENCE)
    page.add_init_script(_POINTER)
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    page.goto(url)
    film = Film(page)
    while not page.locator(".start .source .word").count():
        film.step()
    film.take_until(".start .pill.cut")
    pill = page.locator(".start .pill.cut").bounding_box()
    there = (pill["x"] + 0.75 * pill["width"], pill["y"] + 0.6 * pill["height"])
    away = (0.62 * WIDE["width"], 0.43 * WIDE["height"])
    film.pointer = away
    film.take(900)
    film.take(900, there)
    film.take(400)
    page.mouse.down()
    page.mouse.up()
    film.take(400)
    film.take(700, away)
    film.take_until(".start .said b")
    film.take(300)
    telling = page.locator(".start .telling").bounding_box()
    film.save(file, page.locator("h1").bounding_box()["y"] - 6, telling["y"] + telling["height"] + 6)


def heads(browser: harness.Browser, url: str, file: Path) -> None:
    page = _narrow(browser, f"{url}/heads")
    page.locator(".attention-view .word").first.wait_for()
    _save_piece(page, ".attention-view .stage", file)


def attention(browser: harness.Browser, url: str, file: Path) -> None:
    page = _narrow(browser, f"{url}/attention")
    page.locator(".arithmetic canvas").first.wait_for()
    _save_piece(page, ".arithmetic", file)


def training(browser: harness.Browser, url: str, file: Path) -> None:
    """Writes what a run has learned at its end."""
    page = _narrow(browser, f"{url}/training")
    begin = page.locator(".st-key-button-play_circle button")
    begin.wait_for()
    page.locator("label", has_text="slow motion").first.click()
    page.wait_for_timeout(SETTLED)
    begin.click()
    page.locator("[data-testid=stAlertContentSuccess]").wait_for()
    _save_piece(page, "[data-testid=stMain] .scrubber", file, above=-1)


def _narrow(browser: harness.Browser, url: str) -> Any:
    page = browser.new_page(viewport=NARROW, device_scale_factor=2, locale="en-GB", reduced_motion="reduce")
    page.set_default_timeout(PATIENCE)
    page.goto(url)
    return page


def _save_piece(page: Any, first: str, file: Path, above: float = 6) -> None:
    """Writes what begins so many pixels above an element, once the page has settled."""
    page.wait_for_timeout(SETTLED)
    top = page.locator(first).first.bounding_box()["y"] - above
    _picture(page.screenshot(clip=PIECE | {"x": 0, "y": top})).save(file, quality=85, method=6)


def _picture(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


PICTURES: dict[str, Callable[[harness.Browser, str, Path], None]] = {
    "start": start,
    "heads": heads,
    "attention": attention,
    "training": training,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="tools.readme_pictures", description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=PICTURES, default=[*PICTURES], help="of the pictures; all unless told")
    parser.add_argument("--out", type=Path, default=OUT, help="the folder for them")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with harness.running(EXPLORER_WORKER_NICE="0") as server, harness.Browser() as browser:
        for name in arguments.only:
            file = arguments.out / f"{name}.webp"
            PICTURES[name](browser, server.url, file)
            print(f"{file}: {file.stat().st_size / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main()
