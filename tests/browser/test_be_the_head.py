"""Pins Be the head in a browser: every level to its end, by pointer and by keys, on a phone too, and a reload in the middle."""

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.window import Window

_SAID = "(document.querySelector('.be-the-head .said')?.textContent ?? '')"
_TASK = "(document.querySelector('.be-the-head .task')?.textContent ?? '')"
DOG = "be_the_head?src=does+the+dog+eat+the+bread"


def look_at(window: Window, word: int) -> None:
    window.page.locator(".be-the-head .source .word").nth(word).click()


def writes(window: Window, word: str) -> None:
    window.wait("(word) => document.querySelector('.be-the-head .answer .now .text')?.textContent === word", word)


def asks(window: Window, words: str) -> None:
    window.wait(f"(words) => {_TASK}.includes(words)", words)


@pytest.mark.parametrize("width", [1280, 390])
def test_all_levels_to_their_end(open_window: OpenWindow, width: int) -> None:
    window = open_window(DOG, width=width)
    asks(window, "chien (dog)")
    look_at(window, 1)
    window.wait(f"() => {_SAID}.includes('chinois')")
    look_at(window, 1)
    look_at(window, 2)
    window.wait(f"() => {_SAID}.includes('it writes chien') && {_SAID}.includes('goes on by itself')")
    window.page.locator(".be-the-head .ways .next").click()
    asks(window, "would write")
    look_at(window, 3)
    writes(window, "mange")
    window.page.locator(".be-the-head .open-own").click()
    window.wait(f"() => {_SAID}.includes('Its own look')")
    window.knob_in_address("own", "on")
    window.fits()
    window.page.locator(".be-the-head .ways .next").click()
    for number, word in enumerate((0, 3, 1, 2, 3, 1), start=1):
        asks(window, f"Word {number} of 8")
        look_at(window, word)
    asks(window, "Word 7 of 8")
    window.page.locator(".be-the-head .self").click()
    asks(window, "Word 8 of 8")
    look_at(window, 5)
    window.wait(f"() => {_SAID}.includes('7 of 8 words by your looks')")
    window.page.locator(".be-the-head .ways .next").click()
    asks(window, "chien (dog) again")
    look_at(window, 2)
    window.wait(f"() => {_SAID}.includes('it writes chien')")
    assert window.page.locator(".be-the-head .levels .solved").count() == 4
    window.fits()
    window.knob_in_address("level", "4")
    window.page.reload()
    window.settle()
    window.wait("() => document.querySelectorAll('.be-the-head .levels .solved').length === 4")


def test_two_words_share_the_weight_and_a_reload_keeps_it(open_window: OpenWindow) -> None:
    window = open_window("be_the_head?level=2")
    words = window.page.locator(".be-the-head .source .word")
    words.nth(2).focus()
    window.page.keyboard.press("Enter")
    writes(window, "chat")
    words.nth(6).focus()
    window.page.keyboard.press("Enter")
    window.wait(f"() => {_SAID}.includes('cat 50%, bed 50%')")
    writes(window, "chat")
    slider = window.page.locator(".be-the-head .shares input").first
    slider.focus()
    for _ in range(7):
        window.page.keyboard.press("PageDown")
    writes(window, "lit")
    window.knob_in_address("weights")
    window.page.reload()
    window.settle()
    writes(window, "lit")
    assert window.page.locator(".be-the-head .shares input").count() == 2


def test_a_sentence_whose_last_word_the_model_chose_is_finished_after_a_reload(open_window: OpenWindow) -> None:
    window = open_window("be_the_head?level=3&src=i+love+you&asked=3")
    asks(window, "Word 3 of 3")
    window.page.locator(".be-the-head .self").click()
    window.wait(f"() => {_SAID}.includes('The sentence is written')")
    window.settle().page.reload()
    window.settle()
    window.wait(f"() => {_SAID}.includes('The sentence is written')")
    assert window.page.locator(".be-the-head .levels .solved").count() == 1


def test_who_has_said_what_will_happen_may_press_instead_of_having_it_shown(open_window: OpenWindow) -> None:
    window = open_window("be_the_head?ask-press=on")
    question = window.page.locator("[class*=st-key-asked-first]")
    question.get_by_text("“black”", exact=False).first.wait_for()
    question.get_by_role("radio").nth(1).click(force=True)
    window.page.locator("[class*=st-key-because-]").get_by_text("the look decides").click()
    window.settle()
    look_at(window, 1)
    window.page.get_by_text("As you expected").wait_for()
    window.wait("() => /said-press=10_/.test(location.search) && window.settled()")
    window.page.get_by_text("A new case").wait_for()
    window.page.reload()
    window.page.get_by_text("As you expected").wait_for()
    window.fits()


def test_a_level_without_a_goal_in_this_sentence_goes_to_another(open_window: OpenWindow) -> None:
    window = open_window("be_the_head?src=i+love+you")
    asks(window, "aime")
    window.page.locator(".be-the-head .levels button").nth(3).click()
    asks(window, "gare (station) again")
    window.knob_in_address("src", "your station is on his street")
    look_at(window, 0)
    writes(window, "gare")


def test_where_no_picture_comes_over_the_socket_the_page_computes_the_row(open_window: OpenWindow) -> None:
    window = open_window(None)
    window.page.route_web_socket("**/live*", lambda socket: socket.close())
    window.visit("be_the_head?level=2")
    look_at(window, 6)
    writes(window, "lit")
