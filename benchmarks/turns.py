"""From the turn of a knob to the picture, and to the model that has learned; and what five hundred settings leave behind.

For each setting that is turned to, in seconds, p50 and p95: until the page says which model it is, and until that model has
learned. Once on a server whose folder of models is empty ("nothing"), there and back again ("memory"), and on a server that is
started afresh beside the same folder ("folder"). For the everyday translators also from the box that comes with the app.

Then `--settings` models of as many settings pass through a store whose memory and folder are limited: bytes, before and after.
"""

import argparse
import os
import platform
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import torch

from benchmarks import harness
from benchmarks.interaction import quantile

_TURNS = [("d_model", "ArrowLeft", 2), ("d_model", "ArrowRight", 3), ("n_heads", "ArrowLeft", 2), ("n_layers", "ArrowRight", 1)]
_BACK = {"ArrowLeft": "ArrowRight", "ArrowRight": "ArrowLeft"}
_LINE = "document.querySelector('[data-testid=shown-model]')"
_NAME = f"(() => {{ const d = {_LINE}?.dataset; return d && [d.dModel, d.heads, d.layers, d.seed].join(); }})()"
_PATIENCE = 180_000  # ms


def turn(page: Any, knob: str, key: str) -> tuple[str, float, float]:
    """Presses a key on a knob; what is on screen then, and the seconds until the page says so and until it has learned."""
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


def round_trip(browser: Any, url: str, task: str, source: str) -> None:
    """Turns there, and then all the way back."""
    page = browser.new_page(viewport={"width": 1440, "height": 1000})
    page.goto(f"{url}/heads?task={task}&part=side_by_side&kind=cross")
    page.wait_for_function(f"{_LINE}?.dataset.state === 'learned'", timeout=_PATIENCE)
    page.wait_for_timeout(1000)
    there = [(knob, key) for knob, key, times in _TURNS for _ in range(times)]
    back = [(knob, _BACK[key]) for knob, key in reversed(there)]
    for name, steps in ((source, there), ("memory", back)):
        found = [turn(page, knob, key) for knob, key in steps]
        for words, _said, learned in found if name != "memory" else []:
            print(f"    {words}, after {learned:.1f} s", flush=True)
        _print(task, name, found)
    page.close()


def from_the_box(browser: Any, url: str, task: str) -> None:
    """Each knob one stop away from the usual setting, and back."""
    page = browser.new_page(viewport={"width": 1440, "height": 1000})
    page.goto(f"{url}/heads?task={task}&part=side_by_side&kind=cross")
    page.wait_for_function(f"{_LINE}?.dataset.state === 'learned'", timeout=_PATIENCE)
    page.wait_for_timeout(1000)
    there, back = [], []
    for knob, key in [(knob, key) for knob in ("d_model", "n_heads", "n_layers") for key in _BACK]:
        there.append(turn(page, knob, key))
        back.append(turn(page, knob, _BACK[key]))
    for name, found in (("box", there), ("memory", back)):
        _print(task, name, found)
    page.close()


def _print(task: str, name: str, found: list[tuple[str, float, float]]) -> None:
    said, learned = ([each[i] for each in found] for i in (1, 2))
    numbers = "  ".join(f"{quantile(part, 0.5):6.2f} {quantile(part, 0.95):6.2f}" for part in (said, learned))
    print(f"{task:12} {name:8} {numbers}  of {len(found)}", flush=True)


def bounded(count: int) -> None:
    """`count` settings through a store of a few megabytes."""
    from explorer.model_store.store import ModelStore
    from explorer.training import limits
    from transformer_core import PRESETS, CopyTask, Recipe
    from transformer_core.training.learning import Learning
    from transformer_core.training.learning_plan import LearningPlan

    limits.MODEL_BYTES, limits.FOLDER_BYTES = 8 * 2**20, 16 * 2**20
    task, process = CopyTask(), psutil.Process()
    with tempfile.TemporaryDirectory() as folder:
        store, sizes = ModelStore(Path(folder)), []
        for number in range(count):
            cfg = replace(PRESETS["tiny"], d_model=8 * (1 + number % 8), n_heads=2)
            learning = Learning(LearningPlan(cfg, task, Recipe(steps=10, seed=number, evaluate_on=10, device="cpu")))
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
    parser.add_argument("--settings", type=int, default=500, help="through the store (default: %(default)s)")
    args = parser.parse_args()
    from playwright.sync_api import sync_playwright

    print(f"torch {torch.__version__}, {platform.machine()}, {os.cpu_count()} cores")
    print(f"{'task':12} {'from':8} {'said p50':>8} {'p95':>4}  {'learned p50':>11} {'p95':>4}")
    with tempfile.TemporaryDirectory() as models, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=harness.chromium(), args=harness.CHROMIUM_FLAGS)
        for source in ("nothing", "folder"):
            with harness.running(EXPLORER_MODELS=models) as server:
                for task in args.box if source == "folder" else []:
                    from_the_box(browser, server.url, task)
                for task in args.task:
                    round_trip(browser, server.url, task, source)
        browser.close()
    bounded(args.settings)


if __name__ == "__main__":
    main()
