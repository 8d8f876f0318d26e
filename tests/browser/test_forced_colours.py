"""Pins that states and scales can be told apart where the visitor's system forces its colours, which takes backgrounds away."""

import io
from typing import Any

import pytest
from PIL import Image

from tests.browser.conftest import OpenWindow
from tests.browser.window import Window


@pytest.fixture
def window(open_window: OpenWindow) -> Window:
    window = open_window(None)
    window.page.emulate_media(forced_colors="active")
    return window


def colour(box: Any, across: float, down: float = 0.5) -> tuple[int, ...]:
    """The colour on screen at a place of a box, given in shares of its sides."""
    picture = Image.open(io.BytesIO(box.screenshot())).convert("RGB")
    return picture.getpixel((round(across * (picture.width - 1)), round(down * (picture.height - 1))))


CHOICES = {
    "part": ".st-key-part [role=radio][aria-checked={}]",
    "kind": ".st-key-kind [role=radio][aria-checked={}]",
    "layer": "[class*=st-key-layer] [role=radio][aria-checked={}]",
    "norm": ".st-key-norm [role=radio][aria-checked={}]",
    "head": ".attention-view .heads button[aria-pressed={}]",
    "look or cut": ".attention-view .modes [aria-pressed={}]",
    "word": ".attention-view [data-side=query] .word[aria-pressed={}]",
}


def test_what_is_chosen_is_seen(window: Window) -> None:
    window.visit("heads?more=on")
    window.page.locator(".attention-view .heads button").nth(1).click()
    window.page.locator(".attention-view [data-side=query] .word").nth(2).click()
    window.settle()
    window.page.mouse.move(0, 0)
    for name, selector in CHOICES.items():
        chosen, other = (colour(window.page.locator(selector.format(state)).first, 0.5, 0.15) for state in ("true", "false"))
        assert chosen != other, name


def test_rails_and_scales_are_seen(window: Window) -> None:
    window.visit("masks")
    canvas = colour(window.page.locator("h1"), 1.0)
    scale = window.page.locator(".matrices .legend .bar").first
    assert len({canvas, colour(scale, 0.5), colour(scale, 0.95)}) == 3
    for rail in (".st-key-d_model .stSlider [data-orientation] > div:empty", ".scrubber .rail"):
        assert colour(window.page.locator(rail).first, 0.05) != canvas, rail
