"""Pins Two languages, one map in a browser: one map is turned onto the other, by a press, by hand and back; words are chosen by
pointer and keys; a link restores both; on a phone too."""

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.window import Window

PAGE = "positions?part=two_maps"
_SAID = "(document.querySelector('.word-map .said')?.textContent ?? '')"
# How far the pairs of the judged half are from each other, in px.
_APART = """(() => {
  const { points } = document.querySelector('.word-map').wordMap;
  const n = points.length / 2;
  const pairs = [...Array(n).keys()].filter((at) => at % 2).map((at) => [points[at], points[n + at]]);
  return pairs.reduce((sum, [[x, y], [u, v]]) => sum + Math.hypot(x - u, y - v), 0) / pairs.length;
})()"""


def says(window: Window, words: str) -> None:
    window.wait(f"(words) => {_SAID}.includes(words)", words)


def shown(window: Window) -> None:
    window.wait("() => document.querySelector('.word-map')?.wordMap?.points?.length === 338")


@pytest.mark.parametrize("width", [1280, 390])
def test_pairs_land_and_part_again(open_window: OpenWindow, width: int) -> None:
    window = open_window(PAGE, width=width)
    shown(window)
    says(window, "As they are")
    before = window.ask(f"() => {_APART}")
    window.page.locator(".word-map .turn").click()
    says(window, "Turned, 82 of 84 words")
    assert window.ask(f"() => {_APART}") < before / 3
    lines = window.ask("() => ['met', 'missed'].map((name) => document.querySelector(`.word-map .${name}`).getAttribute('d'))")
    assert [line.count("M") for line in lines] == [82, 2]
    window.knob_in_address("map_turned", "on")
    window.fits()
    window.page.locator(".word-map .turn").click()
    says(window, "As they are")
    assert window.ask(f"() => {_APART}") == pytest.approx(before, rel=0.01)


def test_a_word_is_chosen_and_a_link_restores_it_with_the_turn(open_window: OpenWindow) -> None:
    window = open_window(PAGE)
    shown(window)
    window.page.locator(".word-map .pick").select_option(label="three")
    says(window, "Nearest to three: two, four, five.")
    window.knob_in_address("map_word", "three")
    window.page.locator(".word-map .by-hand").focus()
    window.page.keyboard.press("End")
    says(window, "Turned, the nearest of the other language is trois: its translation.")
    window.knob_in_address("map_turned", "on")
    window.page.reload()
    window.settle()
    says(window, "Turned, the nearest of the other language is trois: its translation.")
    window.page.locator(".word-map .stage").focus()
    window.page.keyboard.press("ArrowRight")
    says(window, "Nearest to four")
    window.page.keyboard.press("Escape")
    says(window, "Turned, 82 of 84 words")


def test_a_dot_is_pressed_and_one_kind_is_shown_alone(open_window: OpenWindow) -> None:
    window = open_window(PAGE)
    shown(window)
    box = window.page.locator(".word-map .stage").bounding_box()
    x, y = window.ask("() => document.querySelector('.word-map').wordMap.points[2]")
    window.page.mouse.click(box["x"] + x, box["y"] + y)
    says(window, "Nearest to boy")
    window.page.locator(".word-map .kinds button", has_text="numbers").click()
    window.page.locator(".word-map .stage").focus()
    window.page.keyboard.press("Escape")
    assert window.page.locator(".word-map .spot:not(.dim)").count() == 4  # dots and diamonds, filled and hollow


def test_with_reduced_motion_it_is_turned_at_once(open_window: OpenWindow) -> None:
    window = open_window(PAGE)
    shown(window)
    window.page.emulate_media(reduced_motion="reduce")
    window.page.locator(".word-map .turn").click()
    assert window.ask("() => document.querySelector('.word-map .by-hand').value") == "1000"


def test_otherwise_it_is_seen_to_turn(open_window: OpenWindow) -> None:
    window = open_window(PAGE)
    shown(window)
    window.page.emulate_media(reduced_motion="no-preference")
    window.page.locator(".word-map .turn").click()
    window.wait("() => { const at = Number(document.querySelector('.word-map .by-hand').value); return at > 0 && at < 1000; }")
    says(window, "Turned, 82 of 84 words")


def test_the_maps_follow_the_step_on_screen(open_window: OpenWindow) -> None:
    window = open_window(f"{PAGE}&map_turned=on&step=191")
    shown(window)
    says(window, "Turned, 0 of 84 words")
    window.page.locator(".scrubber .next").first.click()
    says(window, "Turned, 80 of 84 words")
