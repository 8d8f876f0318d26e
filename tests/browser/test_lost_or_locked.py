"""Pins that nobody gets lost or locked in: maps keep the model, and what cannot be shown can be mended."""

import json

import pytest

from tests.browser.window import SMALL, Window


def in_address(window: Window, name: str) -> str | None:
    return window.ask("(name) => new URLSearchParams(location.search).get(name)", name)


@pytest.mark.parametrize("task", [None, "pronoun-en"])
def test_a_click_on_a_map_keeps_the_learned_model(window: Window, task: str | None) -> None:
    window.visit("" if task is None else f"?task={task}").shows(task=task or "everyday-fr", state="learned")
    model = window.model()
    assert float(model["right"]) > 0.9
    for box, page in ((".model-map .box.embedding", "positions"), (".model-map.small .box.attention", "attention")):
        if ".small" in box:
            window.open_map()
        window.page.locator(box).first.click()
        window.wait("(page) => location.pathname === '/' + page && window.settled()", page)
        assert in_address(window, "task") == task
        assert window.model() == model


def test_six_heads_do_not_fit(window: Window) -> None:
    """By a link: the settings stay, the sentence has both numbers, and a button mends it."""
    for page in ("heads", "", "attention"):
        window.visit(f"{page}?{SMALL}&n_heads=6")
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
        window.says(page).shows(state="initial", step=0)


def test_widths_and_heads_that_do_not_fit_cannot_be_turned_to(window: Window) -> None:
    """From end to end, each stop of the two sliders is a model that can be shown, whatever the other one says."""
    window.visit(f"heads?{SMALL}")
    for name, fact, other in (("n_heads", "heads", "dModel"), ("d_model", "dModel", "heads")):
        held, seen = window.model()[other], set()
        window.turn(name, "Home")
        while True:
            window.wait("([name, fact]) => window.controls()[name] === window.model()[fact] && window.settled()", [name, fact])
            model = window.model()
            assert int(model["dModel"]) % int(model["heads"]) == 0 and model[other] == held and window.alerts("Error") == []
            assert model[fact] not in seen
            seen.add(model[fact])
            if window.knob(name).evaluate("(knob) => knob.value === knob.max"):
                break
            window.turn(name)
            window.wait("([fact, before]) => window.model()[fact] !== before", [fact, model[fact]])
        assert len(seen) > 3


def test_a_link_to_a_model_that_is_gone_keeps_its_address_and_says_so(window: Window) -> None:
    window.visit("heads?model=0123456789abcdef&step=0")
    assert len(window.alerts("Error")) == 1
    assert in_address(window, "model") == "0123456789abcdef"
    window.go("masks")
    assert len(window.alerts("Error")) == 1
    assert in_address(window, "model") == "0123456789abcdef"
    window.page.locator(".st-key-nearest-model button").click()
    window.says("masks").shows(task="everyday-fr", state="learned")
    assert window.alerts("Error") == []
    assert in_address(window, "model") is None


def test_keys_and_values_of_one_layer_can_be_seen_and_compared(window: Window) -> None:
    window.visit(f"layers?part=keys_and_values&{SMALL}")
    assert window.plots() == ["memory", "k-v", "q"]
    one = window.seen("k-v")
    window.changed("k-v", lambda: window.page.locator(".st-key-three-layers button").click())
    window.says("layers", n_layers=3)
    assert len(json.loads(window.seen("k-v"))["names"]) == 3 * len(json.loads(one)["names"])
