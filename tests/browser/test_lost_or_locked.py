"""Pins that nobody gets lost or locked in: maps keep the model, and what cannot be shown can be mended."""

import pytest

from tests.browser.window import Window


def model_in_address(window: Window) -> str | None:
    return window.ask("() => new URLSearchParams(location.search).get('model')")


@pytest.mark.parametrize("model", [None, "pronoun-en"])
def test_a_click_on_a_map_keeps_the_trained_model(window: Window, model: str | None) -> None:
    window.visit("" if model is None else f"?model={model}")
    assert len(window.alerts("Success")) == 1
    window.page.locator(".model-map .box.embedding").first.click()
    window.wait("() => location.pathname === '/positions' && window.settled()")
    assert model_in_address(window) == model
    assert len(window.alerts("Success")) == 1
    window.page.locator(".model-map.small .box.attention").first.click()
    window.wait("() => location.pathname === '/attention' && window.settled()")
    assert model_in_address(window) == model
    assert len(window.alerts("Success")) == 1


def test_six_heads_do_not_fit(window: Window) -> None:
    """By a link, and by the keyboard: the settings stay, the sentence has both numbers, and a button mends it."""
    for page, by_keyboard in (("heads", False), ("", True), ("attention", False)):
        window.visit(f"{page}?model=random" + ("" if by_keyboard else "&n_heads=6"))
        if by_keyboard:
            window.turn("n_heads")
            window.page.locator("[data-testid=stAlertContentError]").wait_for()  # 5 heads
            window.turn("n_heads")
        window.says(page, n_heads=6, d_model=64)
        window.page.locator("[data-testid=stMain] [data-testid=stAlertContentError]").wait_for()
        (sentence,) = window.alerts("Error")
        assert "6" in sentence and "64" in sentence
        assert window.page.locator("h1").count() == 1
        window.knob_in_address("n_heads", "6")
        ways = window.page.locator("[class*=st-key-nearest-]").get_by_role("button")
        assert ways.count() >= 2
        ways.first.click()
        window.page.locator("[data-testid=stAlertContentError]").wait_for(state="detached")
        window.says(page)
        assert len(window.alerts("Info")) == 1  # a model with random weights is shown


def test_a_link_to_a_model_that_is_gone_keeps_its_address_and_says_so(window: Window) -> None:
    window.visit("heads?model=0123456789abcdef")
    assert len(window.alerts("Error")) == 1
    assert model_in_address(window) == "0123456789abcdef"
    window.go("masks")
    assert len(window.alerts("Error")) == 1
    assert model_in_address(window) == "0123456789abcdef"
    window.page.locator(".st-key-nearest-model button").click()
    window.page.locator("[data-testid=stAlertContentSuccess]").wait_for()
    window.says("masks")
    assert window.alerts("Error") == []


def test_keys_and_values_of_one_layer_can_be_seen_and_compared(window: Window) -> None:
    window.visit("layers?part=keys_and_values&model=random")
    assert window.plots() == ["memory", "k-v", "q"]
    one = window.seen("k-v")
    window.changed("k-v", lambda: window.page.locator(".st-key-three-layers button").click())
    window.says("layers", n_layers=3)
    assert window.seen("k-v").count('"heatmap"') == 3 * one.count('"heatmap"')
