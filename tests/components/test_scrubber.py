"""Pins what passes between the scrubber in the browser and the pages that draw what it points at."""

import pytest
from streamlit.testing.v1 import AppTest

from explorer.components import scrubber
from explorer.components.scrubber import Jump, Track


class State:
    """What Streamlit holds of a component."""

    def __init__(self, choice):
        self.choice = choice


def test_what_the_browser_is_given():
    track = Track([0, 10, 40], [(10, 0.5)], [Jump("first", 10), Jump("second", None)], live=True, note="4 s", cancellable=True)
    sent = scrubber.sent(track, position=10, answered=3)
    assert (sent["steps"], sent["curve"], sent["position"], sent["answered"]) == ([0, 10, 40], [[10, 0.5]], 10, 3)
    assert sent["jumps"] == [{"name": "first", "step": 10}, {"name": "second", "step": None}]
    assert (sent["live"], sent["note"], sent["cancellable"]) == (True, "4 s", True)


def test_what_the_browser_says_is_a_numbered_choice_or_nothing():
    def said(**choice):
        return scrubber.told(State(choice))

    assert [said(number=4, step=step) for step in (30, 0, None)] == [(4, 30), (4, 0), (4, None)]
    assert [said(number=4, step=step) for step in ("30", 3.5, True, [3])] == [(4, None)] * 4
    assert [said(number=number, step=30) for number in ("4", None, True)] == [(0, None)] * 3
    assert [scrubber.told(state) for state in (None, State(None), State(30))] == [(0, None)] * 3


@pytest.mark.parametrize(
    ("shares", "steps", "reached"),
    [
        ([0.0, 0.2, 0.6, 0.95], [0, 10, 20, 30], [10, 20, 30]),
        ([0.0, 0.2, 0.6, 0.95], [0, 30, 60], [30, 30, 30]),  # the first step kept by which it was so
        ([0.0, 0.5, 0.1, 0.2], [0, 10, 20, 30], [10, 10, None]),
        ([0.0, 0.2, 0.6, 0.95], [0, 10, 20], [10, 20, None]),
        ([], [0], [None, None, None]),
    ],
)
def test_the_steps_by_which_so_much_was_right(shares, steps, reached):
    jumps = scrubber.reached([(10 * i, share) for i, share in enumerate(shares)], steps)
    assert [jump.step for jump in jumps] == reached
    assert [jump.name for jump in jumps] == ["10% right", "50% right", "90% right"]


def page() -> None:
    import streamlit as st

    from explorer.components import scrubber

    track = scrubber.Track([0, 10, 40])
    at = scrubber.show(track, st.session_state.get("position", 10), key="given", on_move=st.session_state.get("take"))
    st.text(f"{at} {scrubber.show(track, key='own')} {scrubber.chosen('own')}")


def test_it_stands_where_the_page_says_or_else_where_it_was_moved():
    at = AppTest.from_function(page).run()
    assert not at.exception and at.text[0].value == "10 None None"
    at.session_state["position"] = None
    assert at.run().text[0].value == "None None None"
