"""From the click that cuts a word to the answer before and after, in Chromium; and how long the ranking takes.

    python -m benchmarks.cutting [--cuts 21]

On the page Heads every source word is cut and brought back, again and again: milliseconds from the press of the mouse until the
page names the cut with both answers, and from the key that undoes it until the line is gone; p50, p95 and the longest, for cuts
that the server sees for the first time, and for those that it knows. Then seconds from the opening of the ranking of heads and
parts until all of them are measured.
"""

import argparse
import time
from typing import Any

from benchmarks import harness
from benchmarks.interaction import quantile

_HEADS = "heads?kind=cross&src=the+red+cat+sees+a+big+house"
_RANKING = "what_matters?part=ranking&details-ranking=on"
# Records presses, and each change of the line of cuts.
_WATCH = """() => {
  window.events = [];
  const press = () => { window.pressed = performance.now(); };
  for (const what of ["pointerdown", "keydown"]) addEventListener(what, press, { capture: true });
  const said = () => document.querySelector(".cut-answer.cuts")?.innerText ?? "";
  let before = said();
  new MutationObserver(() => {
    const now = said();
    if (now === before) return;
    before = now;
    requestAnimationFrame(() => setTimeout(() => window.events.push([performance.now() - window.pressed, now])));
  }).observe(document.body, { subtree: true, childList: true, characterData: true, attributeFilter: ["class"] });
}"""

_DONE = """(there) => window.events.some(([, said]) => Boolean(said) === there)
  && document.querySelector("[data-testid=stApp]").dataset.testScriptState === "notRunning" """
_RANKED = "() => document.querySelector('[data-testid=stDataFrame]') && !document.querySelector('.st-key-cancel-ranking')"


def cut_and_undo(page: Any, place: int) -> tuple[float, float]:
    """Returns the milliseconds until a source word is cut, and until it is back."""
    times = []
    for press, there in ((lambda: _word(page, place).click(), True), (lambda: page.keyboard.press("Backspace"), False)):
        page.evaluate("window.events = []")
        press()
        page.wait_for_function(_DONE, arg=there)
        times.append(next(ms for ms, said in page.evaluate("window.events") if bool(said) == there))
    return times[0], times[1]


def _word(page: Any, place: int) -> Any:
    return page.locator(".attention-view [data-side=key] .word").nth(place)


def _line(what: str, times: list[float]) -> None:
    print(f"{what:20} {len(times):4}   {quantile(times, 0.5):7.0f} {quantile(times, 0.95):7.0f} {max(times):7.0f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuts", type=int, default=21, help="words that are cut and brought back (default: %(default)s)")
    args = parser.parse_args()
    print(harness.machine())
    with harness.running() as server, harness.Browser() as browser:
        page = browser.new_page(viewport={"width": 1440, "height": 1000})
        page.goto(f"{server.url}/{_HEADS}")
        page.wait_for_function("() => document.querySelector('.attention-view')?.view?.attention")
        page.wait_for_timeout(2000)
        page.locator(".attention-view .modes").get_by_role("button", name="cut", exact=True).click()
        page.evaluate(_WATCH)
        words = page.locator(".attention-view [data-side=key] .word").count()
        first, again, back = [], [], []
        for i in range(args.cuts):
            made, undone = cut_and_undo(page, i % words)
            (first if i < words else again).append(made)
            back.append(undone)
        print(f"{'milliseconds':20} {'n':>4}   {'p50':>7} {'p95':>7} {'max':>7}")
        _line("cut, never seen", first)
        if again:
            _line("cut, seen before", again)
        _line("undone", back)

        begun = time.monotonic()
        page.goto(f"{server.url}/{_RANKING}")  # the page measures by itself
        page.wait_for_function(_RANKED, timeout=300_000)
        print(f"ranking of the usual translator: {time.monotonic() - begun:.1f} s", flush=True)


if __name__ == "__main__":
    main()
