"""From the turn of a knob to the picture, and to the model that has learned; and what five hundred settings leave behind.

    python -m benchmarks.turns [--task small-fr copy] [--box everyday-fr everyday-zh] [--within 480]

Knobs are turned in Chromium on the page Heads, away from the usual setting and back again. For each setting that is turned to,
in seconds, p50 and p95: until the page says which model it is, and until that model has learned. The models come from the box
that comes with the app; from nothing, where they have to learn; from memory, on the way back; and from the folder of models, on
a server that is started afresh. Lines are printed as they are measured; after `--within` seconds no more knobs are turned.

Then `--settings` models of as many settings pass through a store whose memory and folder are limited: bytes, after a fifth of
them and in the end.
"""

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil

from benchmarks import harness
from benchmarks.interaction import quantile

_TURNS = [("d_model", "ArrowLeft", 2), ("d_model", "ArrowRight", 2), ("n_heads", "ArrowLeft", 2), ("n_layers", "ArrowRight", 1)]
_ONE_AWAY = [(knob, key, 1) for knob in ("d_model", "n_heads", "n_layers") for key in ("ArrowLeft", "ArrowRight")]
_BACK = {"ArrowLeft": "ArrowRight", "ArrowRight": "ArrowLeft"}
_LINE = "document.querySelector('[data-testid=shown-model]')"
_NAME = f"(() => {{ const d = {_LINE}?.dataset; return d && [d.dModel, d.heads, d.layers, d.seed].join(); }})()"
_PATIENCE = 180_000  # ms


def turn(page: Any, knob: str, key: str) -> tuple[str, float, float]:
    """Presses a key on a knob; returns the model on screen, and the seconds until the page names it, and has learned it."""
    before = page.evaluate(_NAME)
    page.locator(f".st-key-{knob} [role=slider], .st-key-{knob} input").first.focus()
    start = page.evaluate("performance.now()")
    page.keyboard.press(key)
    page.wait_for_function(f"before => {_NAME} && {_NAME} !== before", arg=before, timeout=_PATIENCE, polling="raf")
    said = page.evaluate("performance.now()")
    page.wait_for_function(f"!['learning'].includes({_LINE}.dataset.state)", timeout=_PATIENCE, polling="raf")
    learned = page.evaluate("performance.now()")
    facts = page.evaluate(f"({{...{_LINE}.dataset}})")
    words = (
        f"{facts['dModel']} wide, {facts['heads']} heads, {facts['layers']} layers: {facts['state']}, {facts['right']} right"
    )
    return words, (said - start) / 1000, (learned - start) / 1000


def round_trips(
    browser: harness.Browser, url: str, task: str, source: str, turns: list[tuple[str, str, int]], until: float
) -> None:
    """Turns each knob there, stop by stop, and back."""
    page = browser.new_page(viewport={"width": 1440, "height": 1000})
    page.goto(f"{url}/heads?task={task}&part=side_by_side&kind=cross")
    page.wait_for_function(f"{_LINE}?.dataset.state === 'learned'", timeout=_PATIENCE)
    page.wait_for_timeout(1000)
    there: list[tuple[str, float, float]] = []
    back: list[tuple[str, float, float]] = []
    for knob, key, times in turns:
        if time.monotonic() > until:
            print("    there was no time for the other knobs", flush=True)
            break
        for _ in range(times):
            there.append(turn(page, knob, key))
            words, _said, learned = there[-1]
            print(f"    {words}, after {learned:.1f} s", flush=True)
        back += [turn(page, knob, _BACK[key]) for _ in range(times)]
    for name, found in ((source, there), ("memory", back)):
        _print(task, name, found)
    page.close()


def _print(task: str, name: str, found: list[tuple[str, float, float]]) -> None:
    if not found:
        return
    said, learned = ([each[i] for each in found] for i in (1, 2))
    numbers = "  ".join(f"{quantile(part, 0.5):6.2f} {quantile(part, 0.95):6.2f}" for part in (said, learned))
    print(f"{task:12} {name:8} {numbers}  of {len(found)}", flush=True)


def bounded(count: int) -> None:
    """Passes `count` settings through a store of a few megabytes."""
    from explorer import limits
    from explorer.model_store.store import ModelStore
    from transformer_core import PRESETS, CopyTask, Recipe
    from transformer_core.training.learning import Learning
    from transformer_core.training.learning_plan import LearningPlan

    limits.MODEL_BYTES, limits.FOLDER_BYTES = 8 * 2**20, 16 * 2**20
    task, process = CopyTask(), psutil.Process()
    with tempfile.TemporaryDirectory() as folder:
        store, sizes = ModelStore(Path(folder)), []
        for number in range(count):
            cfg = replace(PRESETS["tiny"], d_model=8 * (1 + number % 8), n_heads=2)
            learning = Learning(LearningPlan(cfg, task, Recipe(steps=2, seed=number, evaluate_on=10, device="cpu")))
            while learning.outcome is None:
                learning.step()
            store.put(learning.learned())
            if number in (count // 5, count - 1):
                disk = sum(file.stat().st_size for file in Path(folder).iterdir())
                sizes.append(
                    f"{number + 1} settings: {disk / 2**20:.1f} MB on disk, {process.memory_info().rss / 2**20:.0f} MB RSS"
                )
        print("; ".join(sizes), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", nargs="*", default=["small-fr", "copy"], help="what learns (default: %(default)s)")
    parser.add_argument(
        "--box", nargs="*", default=["everyday-fr", "everyday-zh"], help="what comes with the app (default: %(default)s)"
    )
    parser.add_argument("--within", type=float, default=480, help="seconds in which to turn knobs (default: %(default)s)")
    parser.add_argument("--settings", type=int, default=500, help="through the store (default: %(default)s)")
    args = parser.parse_args()
    print(harness.machine())
    print(f"{'task':12} {'from':8} {'said p50':>8} {'p95':>4}  {'learned p50':>11} {'p95':>4}")
    until = time.monotonic() + args.within
    with tempfile.TemporaryDirectory() as models, harness.Browser() as browser:
        with harness.running(EXPLORER_MODELS=models) as server:
            for task in args.box:
                round_trips(browser, server.url, task, "box", _ONE_AWAY, until)
            for task in args.task:
                round_trips(browser, server.url, task, "nothing", _TURNS, until)
        with harness.running(EXPLORER_MODELS=models) as server:
            for task in args.task:
                round_trips(browser, server.url, task, "folder", _TURNS, until)
    bounded(args.settings)


if __name__ == "__main__":
    main()
