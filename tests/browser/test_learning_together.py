"""Pins what holds while models learn: one may turn to another task, cancel, load the page anew, and be one of many.

No test depends on how fast a model learns, but that an everyday language takes longer than a click.
"""

import random
import re
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchmarks import harness
from tests.browser.conftest import OpenWindow
from tests.browser.learning import LEARNS, SLOW, begin, course, learned, link, recording, serving, under_way
from tests.browser.window import Window

WINDOWS, RUNS = 6, 2
ENDLESS = "training?task=copy&step=0&pace=fast&symbols=50&length=16&batch_size=64&rate=0.00001&steps=20000&goal=100"
STEPS = "(window.plot('training-curves')?._fullData?.[0]._length ?? 0)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("together")


@pytest.fixture(scope="module")
def server(browser: Any, folder: Path) -> Iterator[harness.Server]:
    """It takes the runs of the last test and one model for each of its windows: one more would be refused, and said so."""
    with serving(folder, EXPLORER_MAX_RUNS=str(WINDOWS + RUNS)) as server:
        yield server


@pytest.fixture
def open_window(browser: Any, server: harness.Server, opened: list[Window]) -> Iterator[OpenWindow]:
    """open_window(address): a new window that records what the page says of the model on screen."""
    with recording(browser, server, opened) as open_window:
        yield open_window


def cancel(window: Window) -> None:
    """Twice, as impatient people do."""
    window.page.locator("[data-testid=stSidebar] .scrubber .cancel").dblclick()
    window.shows(state="initial", step=0)


def test_another_task_is_chosen_while_a_model_learns(open_window: OpenWindow) -> None:
    window = open_window(link("heads", SLOW))
    left = under_way(window)
    window.type("task", "copy numbers")
    window.shows(LEARNS, state="learned", task="copy", dModel="48")
    picture = window.ask("() => window.picture()")
    assert (
        open_window(window.page.url).shows(task="copy").ask("() => window.picture()") == picture
    )  # nothing of the old is left
    course(window)
    window.back()
    window.wait("() => window.model().task === 'everyday-fr'")
    under_way(window)
    assert next(step for state, step in course(window) if state == "learning") <= left  # nobody has learned it meanwhile
    cancel(window)


def test_cancelled_it_rests_until_it_is_to_learn(open_window: OpenWindow) -> None:
    window, other = (open_window(link("heads", SLOW)) for _ in range(2))
    step = max(under_way(window), under_way(other))
    cancel(window)
    assert "as initialised" in window.page.get_by_test_id("shown-model").inner_text()
    step = under_way(other, step)  # for whom it goes on
    window.go("attention")
    window.seen("weights")
    window.choice("kind", "decoder").click()
    window.knob_in_address("kind", "decoder")
    course(window)
    under_way(other, step)
    window.shows(state="initial", step=0)
    assert {state for state, _step in course(window)} <= {"initial"}
    cancel(other)
    begin(window)
    under_way(window)
    cancel(window)


def test_loaded_anew_it_goes_on(open_window: OpenWindow) -> None:
    other = open_window(link("heads", SLOW, n_heads="2"))
    window = open_window(link("heads", SLOW))
    under_way(other)
    step = under_way(window)
    window.page.reload()
    under_way(window, step)
    assert all(state == "learning" and then >= step for state, then in course(window))
    for each in (window, other):
        cancel(each)


def test_a_slow_network_turns_no_knobs(open_window: OpenWindow) -> None:
    """The browser has the code of the controls only when the page has been drawn several times."""
    window, held = open_window(None), []
    window.page.route(re.compile("Slider|Selectbox|ButtonGroup"), lambda route: held.append(route))
    window.page.goto(f"{window.base}/{link('heads', SLOW, kind='decoder')}")
    said = window.ask("() => location.search")
    step = under_way(window, under_way(window, under_way(window)))
    assert "d_model" not in window.controls()
    for route in held:
        route.continue_()
    window.wait("() => ['d_model', 'kind'].every((name) => name in window.controls())")
    under_way(window, under_way(window, step))
    assert (window.controls()["d_model"], window.model()["dModel"]) == ("48", "48")
    assert window.ask("() => location.search") == said
    cancel(window)


@contextmanager
def written(folder: Path) -> Iterator[dict[str, set[int]]]:
    """The files that have stood under each name of a folder meanwhile, by their numbers: each is written anew, and then moved
    there."""
    found: dict[str, set[int]] = defaultdict(set)
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.01):
            for file in folder.glob("*.safetensors"):
                found[file.stem].add(file.stat().st_ino)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield found
    finally:
        over.set()
        thread.join()


def test_many_windows_turn_at_random_while_runs_train(
    browser: Any, other_browser: Any, open_window: OpenWindow, folder: Path
) -> None:
    chance, counts = random.Random(0), ("1", "2", "4", "8")
    browsers = (browser, other_browser)
    trainers = {open_window(ENDLESS, browser=each): 0 for each in browsers}
    for window in trainers:
        window.page.locator(".st-key-button-play_circle button").click()
        window.wait(f"() => {STEPS} > 0")
        trainers[window] = window.ask(f"() => {STEPS}")
        window.go("shapes")
    before = {file.stem for file in folder.glob("models/*")}
    with written(folder / "models") as files:
        windows = [open_window(link("heads", d_model="16"), browser=browsers[i % 2]) for i in range(WINDOWS)]
        heads = [counts.index("4")] * WINDOWS
        visited = {*heads}
        for _turn in range(3):
            for i, window in enumerate(windows):
                up = heads[i] == 0 or (heads[i] < len(counts) - 1 and chance.random() < 0.5)
                heads[i] += 1 if up else -1
                visited.add(heads[i])
                window.turn("n_heads", "ArrowRight" if up else "ArrowLeft")
                window.wait("(value) => window.controls().n_heads === value", counts[heads[i]])
        pictures: dict[int, set[str]] = defaultdict(set)
        for i, window in enumerate(windows):
            pictures[heads[i]].add(learned(window, dModel="16", heads=counts[heads[i]]))
            assert {state for state, _step in course(window)} <= {"learning", "learned"}
            assert window.alerts("Error") == []
    assert all(len(equal) == 1 for equal in pictures.values())
    assert len(pictures) <= len(files.keys() - before) <= len(visited)
    assert all(len(numbers) == 1 for numbers in files.values())
    for window, steps in trainers.items():
        window.go("training").wait(f"(steps) => {STEPS} > steps", steps)
        window.page.locator(".st-key-button-stop button").click()
        window.page.locator(".st-key-button-stop button:disabled").wait_for()
