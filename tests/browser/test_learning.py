"""Pins that every setting shows a model that has learned, and that its learning is a dimension of every picture.

No test depends on how fast a model learns: each waits for what the page says of the model on screen. All share one folder of
models: a setting is learned once, and is there at once from then on.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks import harness
from tests.browser.conftest import OpenWindow
from tests.browser.learning import LEARNS, begin, course, is_again, learned, link, picture, recording
from tests.browser.window import Window


@pytest.fixture(scope="module")
def server(learning_server: harness.Server) -> harness.Server:
    return learning_server


@pytest.fixture
def open_window(browser: Any, server: harness.Server, opened: list[Window]) -> Iterator[OpenWindow]:
    """open_window(address): a new window that records what the page says of the model on screen."""
    with recording(browser, server, opened) as open_window:
        yield open_window


@pytest.fixture
def window(open_window: OpenWindow) -> Window:
    return open_window(link("heads"))


# Each knob on some page, each page with some knob. What one of them has learned is there for the next.
def test_turned_by_a_link_and_back_by_the_browser(window: Window) -> None:
    before = learned(window)
    window.turn("d_model")
    wide = learned(window, dModel="48")
    assert wide != before
    window.back()
    learned(window)
    is_again(window, before)
    window.forward()
    learned(window, dModel="48")
    is_again(window, wide)
    window.visit(link("heads", n_heads="2"))
    assert learned(window, heads="2") not in (before, wide)
    window.visit(link("heads"))
    is_again(window, before)
    assert {state for state, _step in course(window)} <= {"learning", "learned"}


def test_the_neighbours_of_the_translator_are_there_at_once(open_window: OpenWindow, learned_here: Path) -> None:
    """They come with the app: nothing is learned for them."""
    before = {*learned_here.iterdir()}
    usual = {"task": "everyday-fr", "dModel": "88", "heads": "4", "layers": "2"}
    window = open_window("positions")

    def shows(**facts: str) -> None:
        window.shows(state="learned", step=26_000, steps=26_000, **usual | facts)

    shows()
    back = {"ArrowLeft": "ArrowRight", "ArrowRight": "ArrowLeft"}
    for name, press, turned in (
        ("d_model", "ArrowLeft", {"dModel": "64"}),
        ("n_heads", "ArrowLeft", {"heads": "2"}),
        ("n_heads", "ArrowRight", {"heads": "8"}),
        ("n_layers", "ArrowLeft", {"layers": "1"}),
        ("n_layers", "ArrowRight", {"layers": "3"}),
    ):
        window.turn(name, press)
        shows(**turned)
        window.turn(name, back[press])
        shows()
    window.choice("norm", "post").click()
    window.knob_in_address("norm", "post")
    shows()
    window.visit("positions?task=everyday-fr&d_model=32")
    shows(dModel="32")
    assert {state for state, _step in course(window)} == {"learned"}
    assert {*learned_here.iterdir()} == before


def test_what_cannot_learn_says_why_and_leads_to_the_part_that_explains_it(open_window: OpenWindow) -> None:
    window = open_window(link("heads", d_model="16", n_heads="2", cross_attention="off"))
    window.shows(LEARNS, state="cannot-learn", task="copy", dModel="16")
    assert {state for state, _step in course(window)} == {"learning", "cannot-learn"}
    model = window.model()
    assert int(model["step"]) == int(model["steps"]) > 0 and float(model["right"]) < 0.9  # how far it got
    (reason,) = window.page.locator(".st-key-why-not [data-testid=stMarkdownContainer] p").all_inner_texts()[:1]
    assert "Without cross-attention" in reason and reason.count(". ") == 0 and reason.endswith(".")
    window.page.locator(".st-key-see-why button").click()
    window.wait("() => window.where() === 'layers' && window.settled()")
    window.knob_in_address("part", "keys_and_values")
    assert window.model() == model and "no cross-attention" in " ".join(window.alerts())
    assert window.alerts("Error") == []


def test_a_link_to_step_0_waits_until_it_is_to_learn(open_window: OpenWindow) -> None:
    window = open_window(link("heads", seed="3", step="0"))
    window.shows(state="initial", step=0, steps=0, seed="3")
    for turn in (lambda: window.turn("d_model"), lambda: window.turn("d_model", "ArrowLeft")):
        window.changed("selected-word", turn)
    window.shows(dModel="32")
    assert {state for state, _step in course(window)} == {"initial"}
    begin(window)
    learned(window, seed="3")
    assert {state for state, _step in course(window)} >= {"learning", "learned"}
    assert "step=" not in window.page.url


def test_the_slider_moves_all_pictures_and_the_address_holds_it(window: Window, open_window: OpenWindow) -> None:
    end = learned(window)
    last = int(window.model()["steps"])
    bars = {last: window.seen("selected-word")}
    pictures = {last: end}
    for press in ("Home", "ArrowRight"):
        bars_now = window.changed("selected-word", lambda press=press: window.turn("learned-for", press))
        window.wait("(last) => Number(window.model().step) < last && window.settled()", last)
        step = int(window.model()["step"])
        assert bars_now not in bars.values() and step not in pictures
        bars[step] = bars_now
        pictures[step] = picture(window)
    assert 0 in pictures and len(set(pictures.values())) == 3
    middle = max(set(pictures) - {last})
    window.knob_in_address("step", str(middle))
    for press, step in (("ArrowLeft", 0), ("End", last), ("Home", 0), ("ArrowRight", middle)):
        window.turn("learned-for", press)
        window.shows(state="learned", step=step)
        is_again(window, pictures[step])
    other = open_window(window.page.url).shows(state="learned", step=middle)
    is_again(other, pictures[middle])
    window.go("attention").shows(step=middle)
    early = window.seen("weights")
    assert window.changed("weights", lambda: window.turn("learned-for", "End")) != early
    window.shows(step=last)
    window.wait("() => !new URLSearchParams(location.search).has('step')")
