"""From the press of a key on a knob to the repainted picture, in Chromium.

Per page, in milliseconds: p50, p95 and the longest, once for values seen for the first time (the model is built and run) and
once for values that the server has seen before. "first" is the first figure that is repainted, "all" the last one.

Then the lines between 64 and 64 words in 8 heads: what script, style and layout take in the browser, per word pointed at.
"""

import argparse
from typing import Any

from benchmarks import harness

# The page, the knob, and what the address says beforehand.
PAGES = {
    "positions": ("d_model", f"?{harness.RANDOM}"),
    "masks": ("d_model", f"?{harness.RANDOM}"),
    "attention": ("d_model", f"?{harness.RANDOM}"),
    "heads": ("d_model", f"?{harness.RANDOM}&part=side_by_side"),
    "heads, 8 heads": ("d_model", f"?{harness.RANDOM}&part=side_by_side&n_heads=8"),
}

HOVER = f"heads?{harness.RANDOM}&kind=cross&input=lengths&src_len=64&tgt_len=63&n_heads=8"  # the start token is the 64th

# Writes down when the key went down, and when each figure was on the screen: its count of drawings rose, and the next
# frame has been rendered.
WATCH = """
() => {
  window.events = [];
  const note = (what) => window.events.push([performance.now(), what]);
  addEventListener("keydown", () => note("key"), { capture: true });
  new MutationObserver((changes) => requestAnimationFrame(() => setTimeout(() => note("drawn"))))
    .observe(document.body, { subtree: true, attributes: true, attributeFilter: ["data-drawn"] });
}
"""
_QUIET = """
() => window.events.some(([, what]) => what === "drawn") && performance.now() - window.events.at(-1)[0] > 250
"""


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]


def turns(page: Any, knob: str, keys: list[str]) -> list[tuple[float, float]]:
    """Presses one key after the other on the knob, up to its end; milliseconds to the first and last figure, per press."""
    box = page.locator(f".st-key-{knob} input").first
    box.focus()
    times = []
    for key in keys:
        if key == "ArrowRight" and box.evaluate("(knob) => knob.value === knob.max"):
            break
        page.evaluate("window.events = []")
        page.keyboard.press(key)
        page.wait_for_function(_QUIET)
        events = page.evaluate("window.events")
        start = next(time for time, what in events if what == "key")
        ends = [time for time, what in events if what == "drawn"]
        times.append((ends[0] - start, ends[-1] - start))
    return times


def hovering(page: Any, words: int) -> list[float]:
    """Points at one word of the attention view after the other; milliseconds of script, style and layout for each, with the
    sentence that says the strongest links."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    parts = ("ScriptDuration", "RecalcStyleDuration", "LayoutDuration")

    def spent() -> float:
        metrics = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
        return 1000 * sum(metrics[part] for part in parts)

    # Locators would run scripts of their own meanwhile: the places are asked for once.
    places = page.eval_on_selector_all(
        ".attention-view .word",
        "(all) => all.map((word) => word.getBoundingClientRect()).map((box) => [box.x + 9, box.y + 9])",
    )
    times = []
    for i in range(words):
        before = spent()
        page.mouse.move(*places[i * 37 % len(places)])
        page.wait_for_timeout(170)
        times.append(spent() - before)
    return times


def hover(browser: harness.Browser, url: str, words: int) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 2400})
    page.goto(f"{url}/{HOVER}")
    page.wait_for_function("document.querySelector('.attention-view')?.dataset.lines > 0")
    page.locator(".attention-view .weakest input").fill("0")  # no line is hidden, however weak
    page.wait_for_timeout(2500)
    lines = page.get_attribute(".attention-view", "data-lines")
    times = hovering(page, words)
    p50, p95 = quantile(times, 0.5), quantile(times, 0.95)
    print(f"pointing at a word, 64 × 64 × 8, {lines} lines drawn: p50 {p50:.1f} p95 {p95:.1f} max {max(times):.1f}", flush=True)
    page.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=20, help="presses per page and kind (default: %(default)s)")
    parser.add_argument("--page", nargs="*", choices=PAGES, default=list(PAGES), help="only these pages, or none")
    args = parser.parse_args()
    print(harness.machine())
    print(f"{'page':18} {'values':7} {'first p50':>10} {'p95':>6} {'max':>6} {'all p50':>10} {'p95':>6} {'max':>6}")
    with harness.running() as server, harness.Browser() as browser:
        for name in args.page:
            knob, query = PAGES[name]
            page = browser.new_page(viewport={"width": 1440, "height": 1000})
            page.goto(f"{server.url}/{name.split(',')[0]}{query}")
            page.wait_for_function("document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'")
            page.wait_for_function(
                "[...document.querySelectorAll(':is(.explorer-plot, .matrices)')].every((node) => node.dataset.drawn)"
            )
            page.wait_for_timeout(1500)
            page.evaluate(WATCH)
            fresh = turns(page, knob, ["ArrowRight"] * args.turns)
            seen = turns(page, knob, ["ArrowLeft", "ArrowRight"] * (args.turns // 2))
            for kind, times in (("fresh", fresh), ("seen", seen)):
                columns = [
                    f"{quantile(part, 0.5):10.0f} {quantile(part, 0.95):6.0f} {max(part):6.0f}"
                    for part in (list(column) for column in zip(*times, strict=True))
                ]
                print(f"{name:18} {kind:7} {' '.join(columns)}", flush=True)
            page.close()
        hover(browser, server.url, 4 * args.turns)


if __name__ == "__main__":
    main()
