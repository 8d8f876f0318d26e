"""Pins what holds while models learn: one may turn to another task, cancel, and load the page anew.

No test depends on how fast a model learns, but that an everyday language takes longer than a click.
"""

import re
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks import harness
from tests.browser.conftest import OpenWindow
from tests.browser.learning import SLOW, begin, course, link, recording, under_way
from tests.browser.window import Window


@pytest.fixture(scope="module")
def server(learning_server: harness.Server) -> harness.Server:
    return learning_server


@pytest.fixture
def open_window(browser: Any, server: harness.Server, opened: list[Window]) -> Iterator[OpenWindow]:
    """open_window(address): a new window that records what the page says of the model on screen."""
    with recording(browser, server, opened) as open_window:
        yield open_window


def cancel(window: Window) -> None:
    """Twice, as impatient people do."""
    window.page.locator("[data-testid=stSidebar] .scrubber .cancel").dblclick()
    window.shows(state="initial", step=0)


def test_another_task_is_chosen_while_a_model_learns(open_window: OpenWindow) -> None:
    window = open_window(link("heads", SLOW))
    under_way(window)
    window.type("task", "copy numbers")
    window.shows(task="copy", dModel="48")
    window.wait("() => window.model().state !== 'initial'")
    window.knob_in_address("task", "copy")  # or there is no step to be taken back yet
    # A page that was on its way comes in after the step back, and what has been learned in the same moment wants one more:
    # neither may undo the step.
    window.ask(
        """() => {
             addEventListener("popstate", () => {
               const { live } = document.querySelector(".live-knobs");
               live.update(live.data, live.redraw);
               live.watching.draw();
             }, { once: true });
             history.back();
           }"""
    )
    window.wait("() => window.model().task === 'everyday-fr'")
    under_way(window)
    cancel(window)


def test_cancelled_it_rests_until_it_is_to_learn(open_window: OpenWindow) -> None:
    window, other = (open_window(link("heads", SLOW, more="on")) for _ in range(2))
    step = max(under_way(window), under_way(other))
    cancel(window)
    assert "as initialised" in window.page.get_by_test_id("shown-model").inner_text()
    step = under_way(other, step)  # for whom it goes on
    window.go("attention")
    window.seen("weights")
    window.choice("kind", "decoder").click()
    window.knob_in_address("kind", "decoder")
    course(window)
    under_way(other, step)
    window.shows(state="initial", step=0)
    assert {state for state, _step in course(window)} <= {"initial"}
    cancel(other)
    begin(window)
    under_way(window)
    cancel(window)


def test_loaded_anew_it_goes_on(open_window: OpenWindow) -> None:
    other = open_window(link("heads", SLOW, n_heads="2"))
    window = open_window(link("heads", SLOW))
    under_way(other)
    step = under_way(window)
    window.page.reload()
    under_way(window, step)
    assert all(state == "learning" and then >= step for state, then in course(window))
    for each in (window, other):
        cancel(each)


# Each time that the page's line is changed without the page being drawn: its step, those of the views, and the weights.
_LIVED = """
window.lived = [];
new MutationObserver(() => window.lived.push({
  step: window.model().step,
  steps: [...window.explorerLive.views.values()].map((view) => view.step),
  weights: [...document.querySelector(".attention-view").view.attention.all],
})).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-step"] });
"""


def test_pictures_follow_a_model_that_is_learning_without_the_page(open_window: OpenWindow, server: harness.Server) -> None:
    """The server is below a path of its own, and so is all that they come from."""
    window = open_window(None)
    window.page.add_init_script(_LIVED)
    window.visit(link("heads", SLOW, seed="4"))
    drawn = "window.lived.filter(({weights}) => weights.length)"
    window.wait(f"() => new Set({drawn}.map(({{step}}) => step)).size >= 3")
    lived = window.ask(f"() => {drawn}")
    assert all({*each["steps"]} == {each["step"]} for each in lived), "the line names the step of all that follows"
    assert len({str(each["weights"]) for each in lived}) == len({each["step"] for each in lived})
    cancel(window)
    window.wait("() => !document.documentElement.hasAttribute('data-learning')")
    assert window.seen("selected-word"), "bars, by Plotly, which comes from below the path, too"
    with urllib.request.urlopen(window.ask("() => document.querySelector('script[src*=plotly]').src")) as answer:
        assert answer.url.startswith(f"{server.url}/") and answer.headers["Content-Type"].startswith("text/javascript")


def test_without_a_connection_the_page_of_a_model_that_is_learning_is_drawn_anew(open_window: OpenWindow) -> None:
    window = open_window(None)
    window.page.route_web_socket("**/live", lambda route: route.close())
    window.page.add_init_script(_LIVED)
    window.visit(link("heads", SLOW, seed="4"))
    under_way(window, under_way(window, under_way(window)))
    assert window.ask("() => window.lived") == []
    cancel(window)


def test_a_slow_network_turns_no_knobs(open_window: OpenWindow) -> None:
    """The browser has the code of the controls only when the page has been drawn several times."""
    window, held = open_window(None), []
    window.page.route(re.compile("Slider|Selectbox|ButtonGroup"), lambda route: held.append(route))
    window.page.goto(f"{window.base}/{link('heads', SLOW, kind='decoder', more='on')}")
    said = window.ask("() => location.search")
    step = under_way(window, under_way(window, under_way(window)))
    assert "d_model" not in window.controls()
    for route in held:
        route.continue_()
    window.wait("() => ['d_model', 'kind'].every((name) => name in window.controls())")
    under_way(window, under_way(window, step))
    assert (window.controls()["d_model"], window.model()["dModel"]) == ("48", "48")
    assert window.ask("() => location.search") == said
    cancel(window)
