"""Pins The next word in a browser: a word is pressed, hidden, taken back, and a story goes on to its end; on a phone too."""

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.window import Window

_TEXT = "[...document.querySelectorAll('.next-word .token:not(.blank)')].map((node) => node.textContent).join(' ')"
_SAID = "(document.querySelector('.next-word .said')?.textContent ?? '')"
EMMA = "emma wants to buy a red flower . it costs two euros , but"


def reads(window: Window, text: str) -> None:
    window.wait(f"(text) => {_TEXT} === text", text)


def says(window: Window, words: str) -> None:
    window.wait(f"(words) => {_SAID}.includes(words)", words)


def first_bar(window: Window, column: str) -> str:
    return window.page.locator(f".next-word .{column} li .likely").first.inner_text()


@pytest.mark.parametrize("width", [1280, 390])
def test_press_hide_and_take_back(open_window: OpenWindow, width: int) -> None:
    window = open_window("next_word", width=width)
    reads(window, EMMA)
    assert first_bar(window, "with") == "she"
    window.page.locator(".next-word .token").first.click()
    says(window, "With emma hidden, it says he")
    assert first_bar(window, "without") == "he"
    window.knob_in_address("hidden", "0")
    window.page.locator(".next-word .token").first.click()
    says(window, "It looks most at")
    window.page.locator(".next-word .with li button").first.click()
    reads(window, EMMA + " she")
    window.knob_in_address("src", EMMA + " she")
    window.page.locator(".next-word .undo").click()
    reads(window, EMMA)
    window.fits()


def test_it_goes_on_to_the_end_and_a_reload_keeps_the_story(open_window: OpenWindow) -> None:
    window = open_window("next_word")
    window.page.locator(".next-word .roll").click()
    says(window, "the end of the story")
    story = window.page.evaluate(f"() => {_TEXT}")
    assert story.startswith(EMMA) and len(story.split()) > 15
    window.knob_in_address("src", story)
    window.page.reload()
    window.settle()
    reads(window, story)


def test_chance_draws_among_the_likely_and_the_address_keeps_the_knobs(open_window: OpenWindow) -> None:
    window = open_window("next_word?task=stories-en&src=anna+sees")
    window.page.locator(".next-word summary").click()
    window.page.locator(".next-word .how button").last.click()
    slider = window.page.locator(".next-word .top-k input")
    slider.focus()
    for _ in range(2):
        window.page.keyboard.press("ArrowRight")
    window.knob_in_address("word_top_k", "2")
    window.wait("() => document.querySelectorAll('.next-word .with li').length === 6")
    likely = window.page.locator(".next-word .with li .likely").all_inner_texts()[:2]
    window.page.locator(".next-word .write").click()
    window.wait(f"(words) => words.some((word) => {_TEXT} === `anna sees ${{word}}`)", likely)


def test_a_typed_beginning_is_read_and_an_unknown_word_is_named(open_window: OpenWindow) -> None:
    window = open_window("next_word")
    field = window.page.locator(".next-word .field")
    field.fill("emma sees a dragon")
    field.press("Enter")
    says(window, "“dragon”")
    reads(window, EMMA)
    field.fill("Paul is sick today.")
    field.press("Enter")
    reads(window, "paul is sick today .")
    assert first_bar(window, "with") == "he"


def test_another_page_reads_the_same_text(open_window: OpenWindow) -> None:
    window = open_window("next_word")
    window.page.locator(".next-word .write").click()
    reads(window, EMMA + " she")
    window.knob_in_address("src", EMMA + " she")
    window.page.get_by_role("link", name="where each head looks").click()
    window.wait("() => location.pathname.endsWith('/heads') && window.settled()")
    window.wait("() => document.querySelector('.attention-view')?.textContent.includes('emma')")


def test_where_no_picture_comes_over_the_socket_the_page_computes_it(open_window: OpenWindow) -> None:
    window = open_window(None)
    window.page.route_web_socket("**/live*", lambda socket: socket.close())
    window.visit("next_word")
    window.page.locator(".next-word .token").first.click()
    says(window, "With emma hidden, it says he")
