"""Pins that what one looks at stays where it is: the picture when something is cut, the settings when the answer is longer, and
a knob while it is turned, whatever comes and goes above it.
"""

from typing import Any

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.test_cutting import choose, until
from tests.browser.test_live import drag, grip
from tests.browser.window import Window

LONG = "my mother sees the red cat and the small dogs in the big house"
PICTURE = ".attention-view .stage"
SETTINGS = tuple(f"[class*='st-key-{name}']" for name in ("d_model", "sequence_length", "learned-for"))
STAYS = 2  # px by which a knob may move
FACTS = {"d_model": "dModel", "n_heads": "heads", "n_layers": "layers"}  # of the model on screen, by the knob that changes it
# Notes, at every frame from now on, how high the knob stands.
_WATCH = """(name) => {
  const seen = (window.heights = new Set());
  const look = () => {
    if (window.heights !== seen) return;
    seen.add(document.querySelector(`.st-key-${name}`)?.getBoundingClientRect().top ?? null);
    requestAnimationFrame(look);
  };
  look();
}"""
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


def stays(window: Window, moved: str) -> None:
    """Asserts that the knob has been on screen since it was watched, at one height."""
    heights = window.ask("() => [...window.heights]")
    assert None not in heights and max(heights) - min(heights) <= STAYS, (moved, heights)


@pytest.mark.parametrize(("page", "height"), [("heads", 720), ("attention", 900), ("shapes", 720)])
def test_a_knob_turned_by_keys_stays_under_the_hand(open_window: OpenWindow, page: str, height: int) -> None:
    window = open_window(None, width=1440 if height == 900 else 1280)
    window.resize(window.width, height)
    window.visit(page)
    for name, fact in FACTS.items():
        window.ask(_WATCH, name)
        states = set()
        for key in ("ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowRight"):  # learned beforehand, and still to be learned
            window.turn(name, key)
            window.shows(**{fact: window.knob(name).get_attribute("aria-valuetext")})
            states.add((window.model()["state"], window.ask("() => document.querySelectorAll('.jumps button').length")))
        stays(window, name)
        assert len(states) > 1, "what stands above the knob has changed"


@pytest.mark.parametrize("height", [900, 720])
def test_a_dragged_knob_stays_under_the_hand(open_window: OpenWindow, height: int) -> None:
    window = open_window(None, width=1440 if height == 900 else 1280)
    window.resize(window.width, height)
    window.visit("heads")
    for name, values in {"d_model": ["96", "128", "64"], "n_heads": ["2", "8"]}.items():
        grip(window, name)
        window.ask(_WATCH, name)
        drag(window, name, values)
        window.page.mouse.up()
        window.shows(**{FACTS[name]: values[-1]})
        stays(window, name)
