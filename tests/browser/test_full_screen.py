"""Pins that a picture in full screen is larger than on its page, letters and all, that the page there is alone, and that a
button that is seen leaves either."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.window import Window

_FULL = "document.fullscreenElement"
# Of a picture: how large its letters are, its height, whether it is larger than the screen, and how much of it it fills.
_SIZE = """(selector) => {
  const node = document.querySelector(`[data-testid=stMain] ${selector}`), box = node.getBoundingClientRect();
  const { fontSize } = getComputedStyle(node);
  const letter = node.tagName === "svg" ? box.height : node._fullLayout?.font.size ?? parseFloat(fontSize);
  const drawn = [node, ...node.querySelectorAll("canvas, svg")].filter((each) => each.matches("canvas, svg"));
  const ends = (side) => Math.max(...drawn.map((each) => each.getBoundingClientRect()[side]));
  return {
    letter, height: box.height, over: box.bottom > innerHeight || box.right > innerWidth,
    fills: Math.max(ends("bottom") / innerHeight, ends("right") / innerWidth),
  };
}"""
# A page, its picture, and how many times as large its letters are on the whole of a projector's screen, at least.
PICTURES = {
    "heads": (".attention-view", 1.3),
    "heads?part=side_by_side": (".matrices", 1.3),
    "attention": (".arithmetic", 1.3),
    "training?part=schedule": (".explorer-plot", 1.3),
    "shapes": (".shape-map", 1.3),
    "": (".model-map:not(.thumb, .small)", 1.2),
}
TALL = ("attention", "shapes")  # they go on below the screen


@pytest.fixture(scope="module")
def projector(open_for_all: OpenWindow) -> Window:
    window = open_for_all(None)
    window.resize(1280, 720)
    return window


@contextmanager
def filling(window: Window, selector: str) -> Iterator[None]:
    """A picture fills the screen, and is left by its button."""
    window.page.bring_to_front()  # only the window in front may fill the screen
    box = window.page.locator(f".can-fill-screen:has({selector})").first
    box.hover()
    box.locator(".full-screen").click()
    window.wait(f"(selector) => {_FULL}?.matches(`.can-fill-screen:has(${{selector}})`)", selector)
    window.settle()
    yield
    leave = box.locator(".full-screen")
    assert leave.get_attribute("title") == "Leave full screen"
    assert float(leave.evaluate("(node) => getComputedStyle(node).opacity")) > 0.7, "it is seen without being looked for"
    leave.click()
    window.wait(f"() => {_FULL} === null")


@pytest.mark.parametrize("address", PICTURES)
def test_a_picture_fills_the_screen_and_its_letters_grow(projector: Window, address: str) -> None:
    selector, factor = PICTURES[address]
    projector.visit(address)
    projector.wait(f"(selector) => ({_SIZE})(selector).height > 100", selector)
    before = projector.ask(_SIZE, selector)
    with filling(projector, selector):
        projector.wait(
            f"([selector, least]) => ({_SIZE})(selector).letter >= least", [selector, factor * before["letter"]], 10_000
        )
        full = projector.ask(_SIZE, selector)
        assert full["fills"] >= 0.85, full
        assert address in TALL or not full["over"], full
    projector.wait(f"([selector, letter]) => ({_SIZE})(selector).letter === letter", [selector, before["letter"]])


def test_the_page_in_full_screen_is_the_page_alone(projector: Window) -> None:
    projector.visit("heads")
    projector.page.bring_to_front()
    button = projector.page.locator(".bar-button.full")
    frame = projector.page.locator("[data-testid=stSidebar], [data-testid=stHeader], .st-key-bar [class*=st-key-language]")
    assert frame.filter(visible=True).count() == 3
    button.click()
    projector.wait(f"() => {_FULL} === document.documentElement")
    frame.first.wait_for(state="hidden")
    assert frame.filter(visible=True).count() == 0
    assert projector.page.locator("h1").bounding_box()["y"] < 48
    assert button.get_attribute("aria-label") == "Leave full screen"
    button.click()
    projector.wait(f"() => {_FULL} === null")
    frame.first.wait_for()
    assert button.get_attribute("aria-label") == "Full screen"
