"""Pins the part A race of Compare: first a guess, then the recorded race; and a race of one's own, which can be stopped."""

import re

import pytest

from explorer import resources
from explorer.learning.race import RacePlan
from explorer.learning.run import TrainingRun
from tests.explorer.learning.helpers import wait_until
from tests.pages.helpers import component, figure, figures, fine, open_page, session_of, shown
from tests.pages.test_live_pictures import asked, drawn, same_numbers
from transformer_core.training import race
from transformer_core.training.race import ENTRANTS

PART = {"part": "race"}
RECORDED = 15  # lines: three models from five seeds
SHOWN = PART | {"race_shown": "on"}


def races() -> list[TrainingRun]:
    return [run for run in resources.training_scheduler().runs() if isinstance(run.plan, RacePlan)]


def button(at, key):
    return next((each for each in at.button if each.key == key), None)


def test_the_answer_is_not_there_before_the_guess():
    at = open_page("compare", PART)
    assert fine(at)
    assert "By the clock, who first has 90% of new rows right?" in shown(at)
    assert "LSTM with attention**, which may also look back" in shown(at)
    assert "steps," not in shown(at) and not figures(at), "no curve, and no number"
    radio = next(each for each in at.radio if each.key.startswith("expect-first-race"))
    assert len(radio.options) == 3 and next(each for each in at.button if each.key.startswith("see-first-race")).disabled


def test_a_guess_is_answered_by_the_race_and_a_new_case_by_what_it_says():
    at = open_page("compare", PART)
    radio = next(each for each in at.radio if each.key.startswith("expect-first-race"))
    radio.set_value(0).run()
    next(each for each in at.button if each.key.startswith("see-first-race")).click().run()
    assert fine(at)
    assert "You expected: Transformer. What happened: LSTM with attention." in shown(at)
    assert len(figure(at, "race-curves").data) == RECORDED and "Does the Transformer learn soonest?" not in shown(at)
    next(each for each in at.radio if each.key.startswith("expect-new-race")).set_value(1).run()
    next(each for each in at.button if each.key.startswith("see-new-race")).click().run()
    assert fine(at) and "As you expected. Backwards, 90% are right after" in shown(at)
    assert "Does the Transformer learn soonest?" in shown(at)


def test_who_wants_no_guess_is_shown_all():
    at = open_page("compare", PART)
    button(at, "show-race").click().run()
    assert fine(at) and not at.radio
    drawn = figure(at, "race-curves")
    assert [trace["name"] for trace in drawn.data[-3:]] == ["Transformer", "LSTM with attention", "LSTM"]
    assert "LSTM with attention: 100 steps" in drawn.alt
    assert "Does the Transformer learn soonest?" in shown(at)


@pytest.mark.parametrize(("scale", "title"), [("steps", "step"), ("seconds", "seconds of one processor core")])
def test_task_length_and_scale_are_in_the_address(scale, title):
    at = open_page("compare", SHOWN | {"race_task": "reverse", "race_length": "20", "race_scale": scale})
    assert fine(at)
    drawn = figure(at, "race-curves")
    assert drawn.layout["xaxis"]["title"]["text"].startswith(title)
    assert button(at, "run-race").disabled, "too long to wait for"


def test_the_recorded_race_is_asked_for_by_its_name_and_one_s_own_is_not(monkeypatch):
    monkeypatch.setattr(race, "MOST_STEPS", 0)  # all give up before the first step
    at = open_page("compare", SHOWN | {"race_task": "reverse", "race_length": "5", "race_scale": "seconds"})
    pictures = drawn(at)
    assert {key.split("-", 2)[2] for key in pictures} == {"race-curves", "race-places"}
    for data in pictures.values():
        (found,) = asked(session_of(at).on_screen, "choices", data["live"])["pictures"]
        same_numbers(found, data)
    assert not component(at, "live-knobs")["hasModel"], "no knob of the sidebar changes them"
    button(at, "run-race").click().run()
    assert fine(at) and component(at, "race-curves")["live"] is None
    resources.training_scheduler().remove_run(*races())


def test_the_details_have_the_sizes_and_the_command():
    at = open_page("compare", SHOWN | {"details-race": "on"})
    assert fine(at)
    assert len(at.dataframe[0].value) == len(ENTRANTS)
    assert at.code[0].value == "python -m transformer_core race"
    assert "comparable within one race alone" in shown(at)


def test_nonsense_in_the_address_changes_nothing():
    at = open_page("compare", PART | {"race_length": "7", "race_task": "sort", "said-race": "9990000", "race_shown": "perhaps"})
    assert fine(at) and "By the clock" in shown(at)


def test_a_race_of_ones_own_runs_stops_and_makes_room(monkeypatch):
    monkeypatch.setattr(race, "MOST_STEPS", 10**9)
    monkeypatch.setattr(race, "TARGET", 2.0)  # it goes on until it is stopped
    at = open_page("compare", SHOWN | {"race_length": "5"})
    button(at, "run-race").click().run()
    assert fine(at) and "A race of your own, with seed" in shown(at)
    (run,) = races()
    wait_until(lambda: len(run.race()) == len(ENTRANTS) and run.race()[0].step > 0, "the first judgement")
    at.run()
    drawn = figure(at, "race-curves")
    assert len(drawn.data) == len(ENTRANTS) and re.search(r"after [\d,]+ steps", drawn.alt)
    button(at, "stop-race").click().run()
    assert fine(at) and run.over and "It was stopped." in shown(at)
    button(at, "run-race").click().run()
    assert len(races()) == 1 and races()[0] is not run, "in its place"
    button(at, "stop-race").click().run()
    button(at, "end-race").click().run()
    assert fine(at) and not races() and len(figure(at, "race-curves").data) == RECORDED


def test_a_race_of_another_length_leaves_the_recorded_one_on_screen(monkeypatch):
    monkeypatch.setattr(race, "MOST_STEPS", 0)  # all give up before the first step
    at = open_page("compare", SHOWN | {"race_length": "5"})
    button(at, "run-race").click().run()
    assert fine(at) and len(figure(at, "race-curves").data) == len(ENTRANTS)
    at.segmented_control(key="race_length").set_value(10).run()
    assert fine(at) and len(figure(at, "race-curves").data) == RECORDED
    (run,) = races()
    resources.training_scheduler().remove_run(run)
