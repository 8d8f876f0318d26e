"""Pins that nothing is cut off on a phone: a label is whole or not there, and what is wider than the window is scrolled to, in
a frame that shows a bar."""

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.window import Window

PARTS = (
    "masks?part=batch_masks",
    "what_matters?part=logit_lens",
    "what_matters?part=swap_and_patch",
    "shapes",
    "shapes?part=against_torch",
)
# Labels in sight that end beyond the box that holds them. The parts of a page stand in a row that fades out and is scrolled.
_CUT_OFF = """() => [...document.querySelectorAll("[data-testid=stMain] :is([role=radio], .shape-map .bar > span > span)")]
  .filter((label) => !label.closest(".st-key-part")).filter((label) => {
    const own = label.getBoundingClientRect(), box = label.parentElement.getBoundingClientRect();
    const inSight = own.width > 0 && own.top < box.bottom - 1;
    return inSight && (own.left < box.left - 1 || own.right > Math.min(box.right, innerWidth) + 1);
  }).map((label) => label.textContent)"""
# Pictures that are wider than their frame, where that cannot be scrolled by hand and by keyboard with a bar that is seen.
_LOST = """() => [...document.querySelectorAll("[data-testid=stMain] .matrices canvas")].filter((canvas) => {
    const frame = canvas.closest(".panels"), [own, room] = [canvas, frame].map((node) => node.getBoundingClientRect().right);
    const bar = parseFloat(getComputedStyle(frame, "::-webkit-scrollbar").height);
    return own > room + 1 && !(frame.tabIndex === 0 && getComputedStyle(frame).overflowX === "auto" && bar >= 6);
  }).map((canvas) => canvas.closest("[class*=st-key-]").className)"""


@pytest.fixture(scope="module")
def phone(open_for_all: OpenWindow) -> Window:
    return open_for_all(None, width=390)


@pytest.mark.parametrize("address", PARTS)
def test_nothing_is_cut_off_on_a_phone(phone: Window, address: str) -> None:
    phone.visit(address)
    assert phone.ask(_CUT_OFF) == []
    assert phone.ask(_LOST) == []
    assert phone.overflow() == 0
