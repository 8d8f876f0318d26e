"""Pins Find the fault in a browser: a game is played to its end, by hand and by keys, on a phone too, and a reload keeps it."""

import pytest

from explorer.exhibits.hunt.game import Puzzle
from tests.browser.conftest import OpenWindow
from tests.browser.window import Window

POSITIONS, WORDS = (Puzzle(number, 5).code for number in (2, 3))
_POINTS = "document.querySelector('.hunt .points b')?.textContent ?? ''"
_STORY = "(document.querySelector('.hunt .story:not([hidden]) h2')?.textContent ?? '')"


def press(window: Window, suspect: str) -> None:
    window.page.locator(f".hunt .box [data-id={suspect}]").click()
    window.page.locator(".hunt .accuse").click()


def points(window: Window, left: int) -> None:
    window.wait(f"(left) => {_POINTS}.startsWith(`${{left}} `)", left)


def test_looks_are_paid_for_a_wrong_accusation_is_answered_and_the_fault_is_found(window: Window) -> None:
    window.visit(f"hunt?puzzle={POSITIONS}")
    points(window, 12)
    window.page.locator(".hunt [data-id=encoder]").click()
    window.page.locator(".hunt .panel.shows-heads .matrix").nth(15).wait_for()
    points(window, 10)
    press(window, "norm-encoder")
    points(window, 7)
    window.wait("() => document.querySelector('.hunt .verdict')?.textContent.includes('1.0 times as long')")
    window.knob_in_address("accused", "norm-encoder")
    window.page.reload()
    window.settle()
    points(window, 7)
    assert window.page.locator(".hunt .panel.shows-heads").count() == 1
    window.fits()
    press(window, "positions-encoder")
    window.wait(f"() => {_STORY}.startsWith('Found, with 7 of 12')")
    window.page.locator(".hunt .way").click()
    window.wait("() => location.pathname.endsWith('/positions')")
    window.knob_in_address("part", "no_positions")


def test_by_keys_alone(window: Window) -> None:
    window.visit(f"hunt?puzzle={WORDS}")
    keys = window.page.keyboard
    window.page.locator(".hunt [data-id=ask]").focus()
    keys.press("Enter")
    window.wait("() => document.activeElement?.matches('.hunt .field')")
    keys.type("the dog sleeps")
    keys.press("Enter")
    window.wait("() => document.querySelectorAll('.hunt table.answers')[1]?.textContent.includes('mon chien dort')")
    window.page.locator(".hunt [data-id=shares]").focus()
    keys.press("Enter")
    window.wait("() => document.activeElement?.matches('.hunt .panel.shows-shares')")
    points(window, 10)
    window.page.locator(".hunt [data-id=words-encoder]").focus()
    keys.press("Space")
    window.page.locator(".hunt .accuse:not(:disabled)").focus()
    keys.press("Enter")
    window.wait(f"() => {_STORY}.startsWith('Found, with 10 of 12')")


def test_another_puzzle_begins_anew_and_one_that_is_posed_as_well(window: Window) -> None:
    window.visit(f"hunt?puzzle={POSITIONS}&looks=shares&accused=positions-encoder")
    window.wait(f"() => {_STORY} !== ''")
    window.page.locator(".hunt .another").click()
    window.wait(f"() => {_STORY} === ''")
    points(window, 12)
    window.settle()
    assert f"puzzle={POSITIONS}" not in window.page.url and "looks" not in window.page.url
    window.page.locator(".st-key-pose summary").click()
    window.page.get_by_text("Two English words are exchanged").last.click()
    window.wait("() => document.querySelector('.hunt .task b.broken')?.textContent === '142'")
    assert "words" not in window.settle().page.url


def test_a_step_back_gives_no_look_back_and_the_page_can_be_left(window: Window) -> None:
    window.visit("predict")
    window.go("hunt")
    points(window, 12)
    for look, left in (("shares", 11), ("encoder", 9)):
        window.page.locator(f".hunt [data-id={look}]").click()
        points(window, left)
    window.wait("() => location.search.includes('shares.encoder') && window.settled()")
    for _step in range(2):
        window.back()
        window.wait("() => location.search.includes('shares.encoder') && window.settled()")
        points(window, 9)
    window.page.go_forward()
    window.wait("() => location.search.includes('shares.encoder') && window.settled()")
    points(window, 9)
    for _step in range(2):
        window.back()
    window.wait("() => location.pathname.endsWith('/predict') && window.settled()")


def test_a_suspect_says_what_it_does_and_a_look_that_is_too_dear_says_so(open_window: OpenWindow) -> None:
    window = open_window(f"hunt?puzzle={POSITIONS}&looks=lengths.encoder.cross", width=390)
    points(window, 4)
    first = window.page.locator(".hunt .looks [data-id=first]")
    assert first.is_disabled() and "too dear" in first.inner_text()
    assert "leave a point" in window.page.locator(".hunt .dear").inner_text()
    window.page.locator(".hunt .box [data-id=residual-encoder]").click()
    window.wait("() => document.querySelector('.hunt .does').textContent.startsWith('residual: It adds')")
    window.fits()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_whatever_has_been_looked_at_can_be_read(open_window: OpenWindow, scheme: str) -> None:
    every = "shares.writing.encoder.cross.decoder.lengths.first.ask"
    for puzzle, width in ((POSITIONS, 1440), (WORDS, 390)):
        state = f"accused=norm-encoder.positions-encoder.words-encoder&after={every}&tried=the+dog+sees+my+cat"
        window = open_window(f"hunt?puzzle={puzzle}&{state}", width=width, scheme=scheme)
        window.wait("() => document.querySelectorAll('.hunt .panel').length === 7")
        assert window.barriers() == []
        window.fits()


def test_on_a_phone_what_a_look_shows_and_the_story_come_into_sight(open_window: OpenWindow) -> None:
    window = open_window(f"hunt?puzzle={POSITIONS}", width=390)
    window.page.locator(".hunt [data-id=lengths]").click()
    in_sight = "(name) => { const y = document.querySelector(name)?.getBoundingClientRect().top; return y > 40 && y < 200; }"
    window.wait(in_sight, ".hunt .shows-lengths h2")
    press(window, "positions-encoder")
    window.wait(in_sight.replace("200", "400"), ".hunt .story:not([hidden]) h2")


@pytest.mark.parametrize(
    "address", ["hunt?lang=xx", f"hunt?puzzle={POSITIONS}&looks=encoder.lengths.shares&accused=norm-encoder"]
)
def test_it_fits_a_phone(open_window: OpenWindow, address: str) -> None:
    window = open_window(address, width=390)
    window.wait("() => document.querySelector('.hunt .answers')")
    window.fits()
    press(window, "layer-encoder")
    window.wait("() => /layer-encoder/.test(location.search)")
    window.fits()
