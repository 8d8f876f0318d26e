"""The cost of watching a model learn, in processor seconds: of the server, of Chromium, and of the learning itself.

    python -m benchmarks.watching [--task copy] [--pages heads "heads?part=side_by_side" ...] [--seeds 3]

Each page is opened with a seed that nobody has learned yet, and looked at until the model on it has learned. "steps seen"
counts the steps that the page's line has named, "reruns" how often Streamlit has drawn the page anew.
"""

import argparse
import tempfile
import time

import psutil

from benchmarks import harness

_LINE = "document.querySelector('[data-testid=shown-model]')"
_SETTLED = "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
_PATIENCE = 180_000  # ms
_WATCH = """
window.steps = new Set();
window.reruns = 0;
let before;
new MutationObserver(() => {
  const step = document.querySelector("[data-testid=shown-model]")?.dataset.step;
  const state = document.querySelector("[data-testid=stApp]")?.dataset.testScriptState;
  if (step !== undefined) window.steps.add(step);
  if (state === "running" && before !== state) window.reruns += 1;
  before = state;
}).observe(document, { subtree: true, childList: true, attributes: true,
                       attributeFilter: ["data-step", "data-test-script-state"] });
"""


def cpu_seconds(processes: list[psutil.Process]) -> float:
    """Returns the processor seconds of these; 0 for a process that has ended meanwhile."""
    found = 0.0
    for process in processes:
        try:
            found += sum(process.cpu_times()[:2])
        except psutil.NoSuchProcess:
            continue
    return found


def measured(browser: harness.Browser, server: harness.Server, address: str) -> str:
    """Measures one page until its model has learned; returns a line of the table."""
    server_process = psutil.Process(server.process.pid)

    def now() -> tuple[float, ...]:
        chromium = [each for each in psutil.Process().children(recursive=True) if "chrom" in each.name()]
        learning = server_process.children(recursive=True)
        return tuple(map(cpu_seconds, ([server_process], chromium, learning)))

    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.add_init_script(_WATCH)
    before, start = now(), time.perf_counter()
    page.goto(f"{server.url}/{address}")
    page.wait_for_function(f"{_LINE}?.dataset.state === 'learned' && {_SETTLED}", timeout=_PATIENCE)
    wall, after = time.perf_counter() - start, now()
    steps, reruns, last = page.evaluate(f"[window.steps.size, window.reruns, {_LINE}.dataset.step]")
    page.close()
    spent = " ".join(f"{b - a:9.1f}" for a, b in zip(before, after, strict=True))
    return f"{wall:7.1f} {steps:10} {reruns:7} {spent}   {last} steps: {address}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default="copy", help="(default: %(default)s)")
    parser.add_argument("--pages", nargs="*", default=["heads", "heads?part=side_by_side"], help="(default: %(default)s)")
    parser.add_argument("--seeds", type=int, default=2, help="models for each page (default: %(default)s)")
    args = parser.parse_args()
    print(harness.machine())
    print("seconds steps seen  reruns    server  Chromium  learning")
    with (
        tempfile.TemporaryDirectory() as models,
        harness.Browser() as browser,
        harness.running(EXPLORER_MODELS=models) as server,
    ):
        warm = browser.new_page()  # loads torch, the worker process and Chromium's cache, which are not measured
        warm.goto(f"{server.url}/heads?task={args.task}&seed=99&step=0")
        warm.wait_for_function(f"{_LINE}?.dataset.state === 'initial' && {_SETTLED}", timeout=_PATIENCE)
        warm.close()
        seed = 0
        for page in args.pages:
            for _ in range(args.seeds):
                seed += 1
                joined = "&" if "?" in page else "?"
                print(measured(browser, server, f"{page}{joined}task={args.task}&seed={100 + seed}"), flush=True)


if __name__ == "__main__":
    main()
