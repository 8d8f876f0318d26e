"""Pins live training as a person meets it: watching, steering, leaving and coming back, taking the model home.

No test depends on how fast a run is: it stands still, and takes one step when it is told to; or it is waited for to its end.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks import harness
from tests.browser import words
from tests.browser.conftest import OpenWindow
from tests.browser.window import Window

# It learns nothing, for as long as these tests take.
LONG = "training?more=on&task=copy&step=0&pace=fast&symbols=50&length=16&batch_size=64&rate=0.00001&steps=5000&goal=100"
# It learns two symbols in some dozens of steps.
EASY = "training?more=on&task=copy&step=0&d_model=16&n_heads=2&d_ff=16&symbols=2&length=3&batch_size=8&steps=200&rate=0.01"
STEPS = "(window.plot('training-curves')?._fullData?.[0]._length ?? 0)"
SCRUBBER = "document.querySelector('[data-testid=stMain] .scrubber')?.view"  # not that of the sidebar
SHOWN = "window.plot('training-curves')._fullLayout.shapes.at(-1).x0"
ANSWERS = """[...[...document.querySelectorAll("[data-testid=stDataFrame]")].at(-1)?.querySelectorAll("tbody tr") ?? []]
  .map((row) => [...row.children].map((cell) => cell.textContent))"""  # as those have it who cannot see the table


def button(window: Window, icon: str) -> Any:
    return window.page.locator(f".st-key-button-{icon} button")


def resumes(window: Window) -> Any:
    """The button with which a paused run goes on."""
    return window.page.locator(".st-key-button-play_arrow button:enabled")


def press(window: Window, icon: str) -> None:
    button(window, icon).click()


def has_steps(window: Window, count: int) -> None:
    window.wait(f"(count) => {STEPS} === count", count)


def step(window: Window, count: int = 1) -> None:
    """So many single steps, each on screen before the next is asked for."""
    for _ in range(count):
        now = window.ask(f"() => {STEPS}")
        press(window, "skip_next")
        has_steps(window, now + 1)


def run_id(window: Window) -> str:
    window.knob_in_address("run")
    return window.ask("() => new URLSearchParams(location.search).get('run')")


def start_standing(window: Window, address: str = LONG) -> Window:
    """A run that is paused at step 0."""
    window.visit(address)
    press(window, "play_circle")
    window.wait(f"() => {SCRUBBER}?.data.steps.length > 1")  # there is a step to go back to
    window.page.locator(".st-key-button-pause button:enabled").click()
    resumes(window).wait_for()
    window.page.locator("[data-testid=stMain] .scrubber input").press("Home")
    window.page.locator(".st-key-button-history button:enabled").click()
    has_steps(window, 0)
    return window.settle()


def stop(window: Window) -> None:
    press(window, "stop")
    window.page.locator(".st-key-button-stop button:disabled").wait_for()


@pytest.fixture(scope="module")
def standing(open_for_all: OpenWindow) -> Iterator[Window]:
    """A window, in the pseudo-locale, on a run that stands still."""
    window = start_standing(open_for_all(None), f"{LONG}&lang=xx")
    yield window
    stop(window)


def test_every_step_is_drawn_on_the_same_picture(standing: Window) -> None:
    before = standing.ask(f"() => {STEPS}")
    standing.ask(
        """() => {
             const node = window.plot("training-curves");
             node.kept = true;
             window.drawn = [];
             node.on("plotly_afterplot", () => {
               const steps = node._fullData[0]._length;
               if (steps !== window.drawn.at(-1)) window.drawn.push(steps);
             });
           }"""
    )
    step(standing, 3)
    assert standing.ask("() => window.drawn") == [before + 1, before + 2, before + 3]
    assert standing.ask("() => window.plot('training-curves').kept")
    assert words.unmarked(standing) == []


def test_a_zoom_stays_while_the_curves_grow_also_on_a_phone(standing: Window) -> None:
    step(standing, 3)
    low, high = standing.ask("() => window.plot('training-curves')._fullLayout.yaxis.range")
    standing.drag("training-curves", (1, low + 0.9 * (high - low)), (2, low + 0.1 * (high - low)))
    zoom = "() => window.plot('training-curves')._fullLayout.xaxis.range"
    standing.wait(f"() => ({zoom})()[0] > 0.5 && ({zoom})()[1] < 2.5")
    zoomed = standing.ask(zoom)
    step(standing)
    assert standing.ask(zoom) == zoomed
    standing.resize(390)
    standing.wait("() => window.plot('training-curves')._fullLayout.width < 390")
    step(standing)
    assert standing.ask(zoom) == zoomed
    assert standing.overflow() == 0
    standing.resize(1440)


def test_a_run_is_found_again_and_watchers_stay_watchers(standing: Window, other_browser: Any, open_window: OpenWindow) -> None:
    run, address = run_id(standing), standing.page.url
    other = open_window(address, browser=other_browser)
    mine = ("skip_next", "stop", "replay")

    def both_see(steps: int) -> None:
        for window in (standing, other):
            has_steps(window, steps)
            assert run_id(window) == run
        assert all(button(standing, icon).is_enabled() for icon in mine)
        assert not any(button(other, icon).is_enabled() for icon in mine)
        assert button(other, "play_circle").is_enabled()  # a run of one's own
        assert other.page.locator(".st-key-button-history").count() == 0

    steps = standing.ask(f"() => {STEPS}")
    both_see(steps)
    step(standing)
    both_see(steps + 1)
    standing.page.reload()  # the owner comes back, by the cookie
    has_steps(standing.settle(), steps + 1)
    other.page.reload()  # the watcher does not become one
    has_steps(other.settle(), steps + 1)
    step(standing)
    both_see(steps + 2)
    standing.go("masks").go("training")
    both_see(steps + 2)


def test_in_slow_motion_there_is_a_picture_of_every_early_step_and_one_can_tire_of_it(window: Window) -> None:
    window.visit(f"{EASY}&pace=slow")
    assert window.seen("training-attention")  # before the start, that of the model on screen
    press(window, "play_circle")
    window.wait(f"() => {SCRUBBER}?.data.steps.join().startsWith('0,1,2,3')")
    window.page.locator(".st-key-slow_motion label").first.click()
    window.page.locator("[data-testid=stAlertContentSuccess]").wait_for()
    assert place(window.settle()) == window.ask(f"() => {SCRUBBER}.data.steps.at(-1)")


def test_what_is_open_stays_open_when_a_run_starts_and_ends(window: Window) -> None:
    window.visit(f"{EASY}&pace=fast")
    files = window.page.locator("details", has_text="Open a model file")
    files.locator("summary").click()
    box = files.element_handle()
    press(window, "play_circle")
    window.page.locator(".st-key-open-heads button").wait_for()
    assert window.settle() and box.evaluate("(box) => box.isConnected && box.open")


@pytest.fixture(scope="module")
def trained(open_for_all: OpenWindow) -> Window:
    """A window in which a model has learned its task."""
    window = open_for_all(f"{EASY}&pace=fast")
    press(window, "play_circle")
    window.page.locator("[data-testid=stAlertContentSuccess]").wait_for()
    return window.settle()


def place(window: Window) -> int:
    """The step that the scrubber stands at and that the pictures show; waits until they agree."""
    window.wait(
        f"""() => {{
             const view = {SCRUBBER};
             return !view.position.waiting && view.data.steps[view.at] === {SHOWN} && window.settled();
           }}"""
    )
    return window.ask(f"() => {SHOWN}")


def test_one_scrubber_moves_every_picture(trained: Window) -> None:
    last = place(trained)
    trained.page.locator(".st-key-details-run summary").click()
    trained.wait(f"() => {ANSWERS}.length > 1")
    for shown, said, right in trained.ask(f"() => {ANSWERS}"):
        assert right.startswith("✓") is (shown == said)
    trained.ask("() => { window.plot('training-attention').kept = true; }")
    pictures = {trained.seen("training-attention")}
    trained.page.locator("[data-testid=stMain] .scrubber input").focus()
    steps = trained.ask(f"() => {SCRUBBER}.data.steps")
    for key, there in (("Home", 0), ("ArrowRight", steps[1]), ("End", last), ("ArrowLeft", steps[-2])):
        trained.changed("training-attention", lambda key=key: trained.page.keyboard.press(key))
        assert place(trained) == there
        pictures.add(trained.seen("training-attention"))
    assert len(pictures) >= 4
    half = trained.page.locator("[data-testid=stMain] .scrubber .jumps button").nth(1)  # the step by which half were right
    half.click()
    trained.wait(f"(step) => {SHOWN} === step", int(half.locator("small").inner_text()))
    reached = place(trained)
    trained.page.locator("[data-testid=stMain] .scrubber .back").click()
    trained.wait(f"(step) => {SHOWN} < step", reached)
    trained.page.locator("[data-testid=stMain] .scrubber .play").click()
    trained.wait(f"(last) => {SHOWN} === last", last)
    assert trained.ask("() => window.plot('training-attention').kept")


def open_on_heads(window: Window, opens: Callable[[], None]) -> str:
    opens()
    window.wait("() => location.pathname === '/heads' && document.querySelector('.attention-view') && window.settled()")
    assert window.ask("() => document.querySelector('[data-testid=stMain]').scrollTop") == 0  # the page is opened at its top
    assert window.page.get_by_test_id("shown-model").get_attribute("data-state") == "learned"
    window.knob_in_address("model")
    window.unfold_details("words_and_lines")
    return window.seen("selected-word")


def test_a_trained_model_on_other_pages_and_in_a_file(trained: Window, open_window: OpenWindow, tmp_path: Path) -> None:
    with trained.page.expect_download() as download:
        trained.page.get_by_role("button", name="Download the model").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    heads = trained.page.get_by_role("button", name="Open on Heads")
    heads.scroll_into_view_if_needed()
    picture = open_on_heads(trained, heads.click)

    other = open_window("training?more=on")
    broken = tmp_path / "broken.safetensors"
    broken.write_bytes((2**40).to_bytes(8, "little") + b"{}")
    for content in (broken, file):
        other.page.locator("details", has_text="Open a model file").evaluate(
            "(box) => { if (!box.open) box.firstChild.click(); }"
        )
        other.page.locator(".st-key-upload input[type=file]").set_input_files(content)
        if content is broken:
            error = other.page.locator("[data-testid=stAlertContentError]")
            error.wait_for()
            assert error.count() == 1 and len(error.inner_text()) < 300
            other.page.get_by_role("button", name=f"Remove {content.name}").click()
            error.wait_for(state="detached")
    assert open_on_heads(other, other.page.locator(".st-key-open-upload button").click) == picture


def test_a_run_that_everybody_has_left_makes_room_and_a_server_leaves_in_the_middle_of_training(
    browser: Any, tmp_path: Path
) -> None:
    """On a server of its own, which nobody has visited, and which takes one run at a time."""
    server = harness.start(tmp_path, EXPLORER_GRACE="0.2", EXPLORER_MAX_RUNS="1").wait()
    windows = [Window(browser, server.url) for _ in range(2)]
    left, window = windows
    try:
        left.visit(LONG)
        press(left, "play_circle")
        left.page.locator(".st-key-button-stop button:enabled").wait_for()

        window.visit(LONG)
        press(window, "play_circle")
        window.page.locator("[data-testid=stAlertContentError]").wait_for()  # there is no room
        window.go("masks")
        assert window.alerts("Error") == []  # what is said of a run is said on its page
        window.go("training")
        press(window, "play_circle")
        window.page.locator("[data-testid=stAlertContentError]").wait_for()
        left.close()
        while button(window, "stop").is_disabled():  # until the server has noticed that nobody watches
            press(window, "play_circle")
            window.wait(
                """() => document.querySelector("[data-testid=stAlertContentError]") && window.settled()
                     || document.querySelector(".st-key-button-stop button")?.disabled === false"""
            )
        window.wait(f"() => {STEPS} > 0")
        window.no_complaint()
        code = server.stop()
    finally:
        for each in windows:
            each.close()
        server.stop()
    assert harness.complaints(server, code) == ""
