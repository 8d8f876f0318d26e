"""Pins what passes between the scrubber in the browser and the pages that draw what it points at."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from explorer.components import scrubber
from explorer.components.scrubber import Jump, Track
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shown_model import show_model


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
        ([0.0, 0.2, 0.6, 0.95], [0, 10, 20, 30], {"20% right": 10, "60% right": 20, "95% right": 30}),
        (
            [0.0, 0.2, 0.6, 0.95],
            [0, 30, 60],
            {"95% right": 30},
        ),  # the first step kept by which it was so, and what was right there
        ([0.0, 0.5, 0.1, 0.2], [0, 10, 20, 30], {"50% right": 10, "90% right": None}),
        ([0.0, 0.2, 0.6, 0.95], [0, 10, 20], {"20% right": 10, "60% right": 20, "90% right": None}),
        ([0.0, 0.2, 0.6, 0.95], [0, 25, 60], {"60% right": 25, "95% right": 60}),
        ([0.0, 0.2, 0.6, 0.996], [0, 30], {}),  # the only step kept is no way to when it was so
        ([0.0, 0.2, 0.6, 0.996], [0, 10, 20, 30], {"20% right": 10, "60% right": 20, "99.6% right": 30}),
        ([], [0], {"10% right": None, "50% right": None, "90% right": None}),
    ],
)
def test_a_jump_is_named_by_what_is_right_where_it_leads(shares, steps, reached):
    jumps = scrubber.reached([(10 * i, share) for i, share in enumerate(shares)], steps)
    assert [(jump.name, jump.step) for jump in jumps] == list(reached.items())


@pytest.mark.parametrize("changes", [{"n_layers": 3}, {"norm": "post"}, {}], ids=str)
def test_the_models_in_the_box_lead_to_no_step_that_is_not_what_it_is_called(changes):
    course = show_model(replace(ModelSettings(), **changes)).learning
    track = scrubber.track_of(course)
    measured = dict(track.curve)
    shares = [jump for jump in track.jumps if jump.name != "first head that follows the translation"]
    assert [jump.name for jump in shares] == [f"{measured[jump.step]:.0%} right" for jump in shares]
    assert len({jump.step for jump in shares}) == len(shares)
    assert len(track.jumps) - len(shares) == (len(course.steps) > 2)
    assert bool(track.jumps) == (len(course.steps) > 2), "of a model kept at its end alone, there is nowhere to jump to"


def test_a_head_follows_a_translation_only_where_one_is_made():
    names = [scrubber.follows(task) for task in ("everyday-zh", "small-fr", "copy", "pronoun-en")]
    assert names == [f"first head that follows the {what}" for what in ("translation", "translation", "answer", "answer")]


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
