"""Pins live training as a person meets it: watching, steering, leaving and coming back, taking the model home."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks import harness
from tests.browser.window import PATIENCE, Window

LONG = (
    "training?symbols=50&length=16&batch_size=64&rate=0.00001&steps=5000"  # it learns nothing, for as long as these tests take
)
A_MINUTE = 60
TO_THE_GOAL = 120_000  # ms that a training may take on a busy machine
STEPS = "(window.plot('training-curves')?._fullData?.[0]._length ?? 0)"


def press(window: Window, icon: str) -> None:
    window.page.locator(f".st-key-button-{icon} button").click()


def can_press(window: Window, icon: str) -> bool:
    return window.page.locator(f".st-key-button-{icon} button").is_enabled()


def steps(window: Window) -> int:
    return window.ask(f"() => {STEPS}")


def after(window: Window, count: int) -> int:
    """Waits for more than so many steps on screen."""
    window.wait(f"(count) => {STEPS} > count", count)
    return steps(window)


def steady(window: Window) -> int:
    """Waits until two looks at a paused run have found nothing new: a step that was under way is still counted."""
    window.ask("""() => new MutationObserver((all) => {
      window.looks += all.filter(({ target }) => target.dataset.testScriptState === "running").length;
    }).observe(document.querySelector("[data-testid=stApp]"), { attributeFilter: ["data-test-script-state"] })""")
    counts = [-1, steps(window)]
    while counts[-1] != counts[-2]:
        window.ask("() => { window.looks = 0; }")
        window.wait("() => window.looks > 2 && window.settled()")
        counts.append(steps(window))
    return counts[-1]


def stop(window: Window) -> None:
    press(window, "stop")
    stopped(window)


def stopped(window: Window) -> Window:
    window.page.locator(".st-key-button-stop button:disabled").wait_for()
    return window.settle()


def agree(window: Window, other: Window) -> None:
    """Returns when two windows show a stopped run alike; a step that was under way may be counted for one of them alone."""
    end = time.monotonic() + PATIENCE / 1000
    while abs(steps(window) - steps(other)) > 1:
        assert time.monotonic() < end, f"one window shows {steps(window)} steps, the other {steps(other)}"
        window.page.wait_for_timeout(50)


def run_id(window: Window) -> str:
    window.knob_in_address("run")
    return window.ask("() => new URLSearchParams(location.search).get('run')")


# The table of answers, as those have it who cannot see it: written a moment after it was drawn.
ANSWERS = """[...[...document.querySelectorAll("[data-testid=stDataFrame]")].at(-1)?.querySelectorAll("tbody tr") ?? []]
  .map((row) => [...row.children].map((cell) => cell.textContent))"""


def first_answer(window: Window, mark: str) -> None:
    """Returns when the first answer is marked so."""
    window.wait(f"(mark) => {ANSWERS}[0]?.at(-1).startsWith(mark)", mark)


@pytest.fixture(scope="module", autouse=True)
def left_behind(browser: Any, server: harness.Server) -> tuple[str, float]:
    """The address of a run whose only window was closed before its end, and when. It waits: the tests need the processor."""
    window = Window(browser, server.url).visit(LONG)
    press(window, "play_circle")
    after(window, 0)
    press(window, "pause")
    window.page.locator(".st-key-button-play_arrow button").wait_for()
    run_id(window)
    address = window.page.url
    window.close()
    return address, time.monotonic()


@pytest.fixture(scope="module")
def trained(browser: Any, server: harness.Server) -> Iterator[Window]:
    """A window in which a model has just learned to copy. `window.lengths` there: the curves' lengths that were on screen."""
    window = Window(browser, server.url).visit("training")
    window.ask("""() => {
      window.lengths = new Set();
      const look = () => {
        const node = window.plot("training-curves");
        if (node?.dataset.drawn) { node.kept ??= window.lengths.size; window.lengths.add(node._fullData[0]._length); }
        requestAnimationFrame(look);
      };
      look();
    }""")
    press(window, "play_circle")
    window.page.locator("[data-testid=stAlertContentSuccess]").wait_for(timeout=TO_THE_GOAL)
    window.settle()
    yield window
    window.close()
    assert window.problems == []


def test_the_goal_is_reached_before_ones_eyes(trained: Window) -> None:
    assert len(trained.ask("() => [...window.lengths]")) >= 3  # the curves grew several times...
    assert trained.ask("() => window.plot('training-curves').kept") == 0  # ...on the node of the first time
    assert trained.ask("() => window.plot('training-curves').calcdata[1].at(-1).y") >= 0.99
    assert len(trained.alerts("Success")) == 1
    assert trained.alerts("Error") == []
    assert not can_press(trained, "pause")
    assert can_press(trained, "replay")
    trained.no_complaint()


def test_the_answers_are_marked_rightly(trained: Window) -> None:
    trained.wait(f"() => {ANSWERS}.length > 1 && {ANSWERS}.filter((row) => !row.at(-1).startsWith('✓')).length <= 1")
    for shown, said, right in trained.ask(f"() => {ANSWERS}"):
        assert len(shown.split()) == 10
        assert right.startswith("✓") is (shown == said)


def place(window: Window) -> int:
    """The step that the scrubber stands at and that the pictures show; waits until they agree."""
    window.wait(
        """() => {
             const view = document.querySelector(".scrubber").view;
             const shown = window.plot("training-curves")._fullLayout.shapes.at(-1).x0;
             return !view.waiting && view.data.steps[view.at] === shown && window.settled();
           }"""
    )
    return window.ask("() => window.plot('training-curves')._fullLayout.shapes.at(-1).x0")


def test_one_scrubber_moves_every_picture(trained: Window) -> None:
    last = place(trained)
    trained.ask("() => { window.plot('training-attention').kept = true; }")
    pictures = {trained.seen("training-attention")}
    trained.page.locator(".scrubber input").focus()
    for key, step in (("Home", 0), ("ArrowRight", 10), ("End", last), ("ArrowLeft", last - 10)):
        trained.changed("training-attention", lambda key=key: trained.page.keyboard.press(key))
        assert place(trained) == step
        pictures.add(trained.seen("training-attention"))
    assert len(pictures) == 4
    trained.page.locator(".scrubber .jumps button").first.click()
    first = place(trained)
    assert trained.page.locator(".scrubber .jumps button").first.inner_text() == f"first time right: step {first}"
    first_answer(trained, "✓")
    trained.page.locator(".scrubber .back").click()
    assert place(trained) == first - 10
    first_answer(trained, "✗")
    trained.page.locator(".scrubber .play").click()
    trained.wait("(last) => document.querySelector('.scrubber output').textContent.startsWith(`step ${last} of`)", last)
    assert place(trained) == last
    assert trained.ask("() => window.plot('training-attention').kept")
    trained.no_complaint()


def test_back_to_a_step_and_the_same_run_again(trained: Window) -> None:
    losses = "() => window.plot('training-curves').calcdata[0].map((point) => point.y)"
    before = trained.ask(losses)
    trained.page.locator(".scrubber input").focus()
    for _ in range(3):
        trained.page.keyboard.press("ArrowLeft")
    step = place(trained)
    press(trained, "history")
    trained.page.locator(".st-key-button-play_arrow button:enabled").wait_for()
    trained.wait(f"(step) => {STEPS} === step", step)
    press(trained, "play_arrow")
    trained.page.locator("[data-testid=stAlertContentSuccess]").wait_for(timeout=TO_THE_GOAL)
    assert place(trained) == len(before)
    assert trained.ask(losses) == before
    trained.no_complaint()


def test_a_trained_model_on_other_pages_and_in_other_windows(trained: Window, open_window: Callable[..., Window]) -> None:
    address = trained.page.url
    trained.page.get_by_role("button", name="Open on Heads").click()
    trained.wait("() => location.pathname === '/heads' && window.plot('held-word')?.dataset.drawn")
    assert len(trained.alerts("Success")) == 1  # trained weights, and which
    trained.knob_in_address("model")
    picture = trained.seen("held-word")
    other = open_window(trained.page.url)
    assert other.seen("held-word") == picture
    assert len(other.alerts("Success")) == 1
    # Turning a size makes a new model with random weights, and says so.
    other.changed("held-word", lambda: other.turn("d_model"))
    assert other.alerts("Success") == []
    assert len(other.alerts("Info")) == 1
    trained.visit(address)


def test_download_and_upload_again(trained: Window, open_window: Callable[..., Window], tmp_path: Path) -> None:
    with trained.page.expect_download() as download:
        trained.page.locator("[data-testid=stDownloadButton] button").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert file.suffix == ".safetensors"

    window = open_window("training")
    window.page.locator("details").last.scroll_into_view_if_needed()
    upload(window, file)
    window.page.locator(".st-key-open-upload button").click()
    window.wait("() => location.pathname === '/heads' && window.plot('held-word')?.dataset.drawn")
    trained.page.get_by_role("button", name="Open on Heads").click()
    trained.wait("() => location.pathname === '/heads' && window.plot('held-word')?.dataset.drawn")
    trained.knob_in_address("model")
    window.knob_in_address("model")
    assert window.settle().seen("held-word") == trained.settle().seen("held-word")
    window.no_complaint()


def upload(window: Window, file: Path) -> None:
    window.unfold("upload")
    window.page.locator(".st-key-upload input[type=file]").set_input_files(file)


def test_a_broken_file_is_refused_in_one_sentence(open_window: Callable[..., Window], tmp_path: Path) -> None:
    window = open_window("training")
    error = window.page.locator("[data-testid=stAlertContentError]")
    for i, content in enumerate((b"not a model", b"\xff" * 4096, (2**40).to_bytes(8, "little") + b"{}", b"")):
        file = tmp_path / f"broken-{i}.safetensors"
        file.write_bytes(content)
        upload(window, file)
        error.wait_for()
        assert error.count() == 1 and len(error.inner_text()) < 300
        window.settle().page.get_by_role("button", name=f"Remove {file.name}").click()
        error.wait_for(state="detached")
    window.no_complaint()


def test_pause_one_step_go_on_stop_and_reset(open_window: Callable[..., Window]) -> None:
    window = open_window(LONG)
    press(window, "play_circle")
    after(window, 3)
    first = run_id(window)

    press(window, "pause")
    window.page.locator(".st-key-button-play_arrow button").wait_for()
    paused = steady(window)
    press(window, "skip_next")
    assert after(window, paused) == paused + 1
    press(window, "skip_next")
    assert after(window, paused + 1) == paused + 2

    press(window, "play_arrow")
    window.page.locator(".st-key-button-pause button:enabled").wait_for()
    after(window, paused + 5)

    stop(window)
    assert not can_press(window, "pause")
    assert not can_press(window, "skip_next")
    losses = "(n) => window.plot('training-curves').calcdata[0].slice(0, n).map((point) => point.y)"
    before = window.ask(losses, 5)

    window.ask("() => { delete window.plot('training-curves').dataset.drawn; }")  # what is drawn from now on is the new run's
    press(window, "replay")
    window.wait("(first) => new URLSearchParams(location.search).get('run') !== first", first)
    window.wait(f"() => window.plot('training-curves')?.dataset.drawn > 1 && {STEPS} >= 5")
    assert window.ask(losses, 5) == before  # the same run, number for number
    press(window, "stop")
    window.no_complaint()


def test_a_run_is_found_again_and_others_may_watch(open_window: Callable[..., Window]) -> None:
    window = open_window(LONG)
    press(window, "play_circle")
    before = after(window, 3)
    run = run_id(window)

    link = window.page.locator("[data-testid=stSidebarNavLink]")
    window.page.locator("[data-testid=stSidebarNavLink][href$='/masks']").click()  # another page...
    window.wait("() => window.plot('mask-0')?.dataset.drawn")
    link.filter(has_text="Training").click()  # ...and back
    before = after(window, before)
    assert run_id(window) == run
    assert can_press(window, "pause")

    window.page.reload()
    before = after(window, before)
    assert run_id(window) == run
    window.page.locator(".st-key-button-pause button:enabled").wait_for()  # still its owner's

    other = open_window(None, another=True)
    other.page.goto(window.page.url)
    seen = after(other, before)
    after(other, seen)
    assert run_id(other) == run
    assert not any(can_press(other, icon) for icon in ("pause", "skip_next", "stop", "replay"))
    assert can_press(other, "play_circle")  # a run of one's own
    assert other.page.get_by_role("button", name="Open on Heads").count() == 0

    stop(window)
    stopped(other)
    agree(window, other)
    window.no_complaint()
    other.no_complaint()


def test_a_zoom_stays_while_the_curves_grow_also_on_a_phone(open_window: Callable[..., Window]) -> None:
    window = open_window(LONG)
    press(window, "play_circle")
    after(window, 30)
    window.ask("() => { window.plot('training-curves').kept = true; }")
    window.page.mouse.move(*window.point("training-curves", 5, 2))
    window.page.mouse.down()
    window.page.mouse.move(*window.point("training-curves", 20, 0.5), steps=3)
    window.page.mouse.up()
    zoom = "() => window.plot('training-curves')._fullLayout.xaxis.range"
    window.wait(f"() => ({zoom})()[0] > 1 && ({zoom})()[1] < 25")
    zoomed = window.ask(zoom)
    after(window, steps(window) + 5)
    assert window.ask(zoom) == zoomed
    window.page.set_viewport_size({"width": 390, "height": 900})
    window.wait("() => window.plot('training-curves')._fullLayout.width < 390")
    after(window, steps(window))
    assert window.ask(zoom) == zoomed
    assert window.ask("() => window.plot('training-curves').kept")
    stop(window)
    assert window.overflow() == 0
    window.no_complaint()


def test_a_run_that_everybody_has_left_ends_within_a_minute(
    left_behind: tuple[str, float], open_window: Callable[..., Window]
) -> None:
    address, left = left_behind
    time.sleep(max(0.0, left + A_MINUTE - time.monotonic()))  # to look earlier would be to come back
    window = open_window(address)
    assert len(window.alerts("Warning")) == 1
    assert can_press(window, "play_circle")
    assert not can_press(window, "pause")
    window.no_complaint()
