"""Pins the film of one step in a browser: by buttons, by keys and by itself; the address and a reload keep the station."""

import pytest

from tests.browser.conftest import OpenWindow

_SAID = "(document.querySelector('.one-step .says')?.textContent ?? '')"


@pytest.mark.parametrize("width", [1280, 390])
def test_six_stations(open_window: OpenWindow, width: int) -> None:
    window = open_window("one_step", width=width)

    def says(words: str) -> None:
        window.wait(f"(words) => {_SAID}.includes(words)", words)

    says("This answer is right:")
    window.page.locator(".one-step .next").click()
    says("The least likely right one: “est-ce”, 13.4%")
    for words in ("The mean is the loss: 0.81", "“encoder, embedding + position”, 2.41"):
        window.page.keyboard.press("ArrowRight")
        says(words)
    assert window.page.locator(".one-step .share").count() == 15
    assert "decoder, norm of cross-attention 0.087" in window.page.locator(".one-step svg.model-map").get_attribute(
        "aria-label"
    )
    window.knob_in_address("station", "3")
    window.page.reload()
    window.settle()
    says("The longest: “encoder, embedding + position”, 2.41")
    window.page.locator(".one-step .play").click()
    says("“est-ce” 13.4% → 54.1%")
    assert window.page.locator(".one-step .share").count() == 0
    window.fits()
    assert window.barriers() == []
    window.no_complaint()
