"""Pins that a run is steered by keys alone: whoever presses a button of it stays where he is."""

from tests.browser.test_training import LONG, SCRUBBER
from tests.browser.window import Window

FOCUSED = """() => document.activeElement.closest("[class*='st-key-button-']")
  ?.className.match(/st-key-button-(\\w+)/)[1] ?? ''"""
BELOW = """(button) => Boolean(document.querySelector(button).compareDocumentPosition(document.activeElement)
  & Node.DOCUMENT_POSITION_FOLLOWING)"""


def is_enabled(window: Window, icon: str) -> None:
    window.page.locator(f".st-key-button-{icon} button:enabled").wait_for()


def tab_to(window: Window, icon: str) -> None:
    window.page.keyboard.press("Tab")
    window.wait(f"(icon) => ({FOCUSED})() === icon", icon)


def test_whoever_steers_a_run_by_keys_stays_where_he_is(window: Window) -> None:
    window.visit(LONG)
    press = window.page.keyboard.press
    window.page.locator(".st-key-button-play_circle button").focus()
    press("Enter")
    is_enabled(window, "stop")
    window.wait(f"() => {SCRUBBER}?.data.steps.length > 1")
    assert window.ask(FOCUSED) == "play_circle"
    tab_to(window, "pause")
    for icon in ("play_arrow", "pause", "play_arrow"):
        press("Enter")  # what was pressed can be pressed no more: the other takes its place
        is_enabled(window, icon)
        window.settle()
        assert window.ask(FOCUSED) == icon
    assert window.ask("() => document.activeElement.matches(':focus-visible')")
    press("Shift+Tab")  # nothing of its kind is before it but Start
    assert window.ask(FOCUSED) == "play_circle"
    press("Tab")
    tab_to(window, "skip_next")
    window.page.locator("[data-testid=stMain] .scrubber input").press("Home")
    for icon in ("fork_right", "history"):  # such a button can be pressed no more: the way goes on behind it
        window.wait(f"() => {SCRUBBER}?.data.steps.length > 1")
        window.page.locator("[data-testid=stMain] .scrubber input").press("Home")
        window.page.locator(f".st-key-button-{icon} button:enabled").focus()
        press("Enter")
        window.page.locator(f".st-key-button-{icon} button:disabled").wait_for()
        press("Tab")
        assert window.ask(BELOW, f".st-key-button-{icon}")
        is_enabled(window, "stop")
    window.page.locator(".st-key-button-stop button").focus()
    press("Enter")
    window.page.locator(".st-key-button-stop button:disabled").wait_for()
    tab_to(window, "replay")
    press("Enter")
    is_enabled(window, "stop")
    window.settle()
    assert window.ask(FOCUSED) == "replay"
    press("Shift+Tab")
    press("Enter")
    window.page.locator(".st-key-button-stop button:disabled").wait_for()
