"""Pins that what one looks at stays where it is: the picture when something is cut, the settings when the answer is longer."""

from typing import Any

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.test_cutting import choose, until
from tests.browser.window import Window

LONG = "my mother sees the red cat and the small dogs in the big house"
PICTURE = ".attention-view .stage"
SETTINGS = tuple(f"[class*='st-key-{name}']" for name in ("d_model", "sequence_length", "learned-for"))
_TOPS = "(names) => names.map((each) => Math.round(document.querySelector(each).getBoundingClientRect().top))"


def tops(window: Window, *names: str) -> Any:
    """Where some things begin, in px, with the page scrolled to its top."""
    window.ask("() => document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
    return window.ask(_TOPS, names)


@pytest.mark.parametrize("width", [1280, 390])
def test_cuts_move_no_picture(open_window: OpenWindow, width: int) -> None:
    window = open_window("heads?src=the+red+cat+sees+a+big+house", width=width)
    before = tops(window, PICTURE)
    choose(window, "cut")
    window.page.locator(".attention-view .heads button").nth(1).click()
    until(window, "cross.1.1")
    assert tops(window, PICTURE) == before
    window.page.locator(".attention-view [data-side=key] .word").nth(2).click()
    until(window, "cross.1.1,src:2")
    assert tops(window, PICTURE) == before
    buttons = window.page.locator("[class*=st-key-uncut-] button:visible")
    assert buttons.count() == 3
    for i in range(3):  # each can be reached, however little room there is
        buttons.nth(i).click(trial=True)
    window.page.locator(".st-key-uncut-all button:visible").click()
    until(window, None)
    assert tops(window, PICTURE) == before


def test_a_longer_answer_moves_no_setting(open_window: OpenWindow) -> None:
    window = open_window("heads?src=a+cat", width=1280)
    before = tops(window, *SETTINGS)
    for source in (LONG, "the cat xylophone", "I am five"):
        address = window.ask("() => location.search")
        window.type("src", source)
        window.wait("(before) => location.search !== before && window.settled()", address)
        assert tops(window, *SETTINGS) == before, source
