"""Pins what the training page is before anything was started: what Start would do, how long it would take, and that nothing
else learns meanwhile."""

from dataclasses import replace

import pytest

from explorer import limits, resources
from explorer.exhibits.shared import how_long
from explorer.learning.scheduler import Scheduler
from explorer.learning.slowness import Slowness
from explorer.model_on_screen.settings import FIRST_TASK, of_task
from explorer.session import rerun
from tests.explorer.learning.helpers import plan
from tests.explorer.session.helpers import back_to
from tests.pages.helpers import fine, go, session_of, shown, turn, visit
from tests.pages.stepped import by_hand, run_of, start

__all__ = ["by_hand"]
pytestmark = pytest.mark.usefixtures("by_hand")
PLAN = plan()


def learned_for(at) -> list[str]:
    return [each.proto.id for each in at.get("bidi_component") if each.proto.id.endswith("-learned-for")]


def test_a_first_run_copies_letters_and_the_model_of_the_other_pages_stays():
    link = {"src": "you like my car", "n_heads": "8", "cut": "d1.x0", "part": "words_and_lines"}
    at = visit(link, "heads")
    before = session_of(at).settings
    assert before.task == FIRST_TASK
    go(at, "training")
    assert fine(at) and session_of(at).settings.task == "letters" == at.selectbox(key="task").value
    assert session_of(at).settings.d_model == of_task("letters").d_model and session_of(at).settings.n_heads == 8
    start(at)
    assert run_of(at).plan.task.name == "letters" and "task" not in at.query_params
    for page in ("compare", "heads"):
        assert session_of(go(at, page)).settings == before
    assert session_of(go(at, "training")).settings.task == "letters"


def test_what_was_set_on_training_is_still_set_when_one_comes_back():
    at = visit({}, "training")
    turn(at, n_heads=8)
    assert session_of(go(at, "compare")).settings == of_task(FIRST_TASK)
    assert session_of(go(at, "training")).settings.n_heads == 8 and at.query_params["n_heads"] == "8"
    assert session_of(visit({"n_heads": "8"}, "training")).settings == session_of(at).settings


@pytest.mark.parametrize("task", [FIRST_TASK, "reverse", "copy", "letters"])
def test_a_task_that_was_chosen_is_the_task_of_all_pages(task):
    at = visit({}, "training")
    turn(at, task="sort")
    turn(at, task=task)
    assert at.query_params["task"] == task
    link = dict(at.query_params)
    assert session_of(go(at, "heads")).settings.task == task
    assert session_of(go(at, "training")).settings.task == task
    again = visit(link, "training")
    assert session_of(again).settings == session_of(at).settings
    assert session_of(go(again, "masks")).settings.task == task


def test_a_chinese_browser_is_led_to_a_chinese_translator_and_trains_on_letters_first_too(monkeypatch):
    monkeypatch.setattr(rerun, "first_task", lambda language: "everyday-zh")
    at = visit({"task": "everyday-zh"}, "heads")  # where it is led
    assert session_of(go(at, "training")).settings.task == "letters" and "task" not in at.query_params
    assert session_of(go(at, "heads")).settings.task == "everyday-zh" == at.query_params["task"]
    at = visit({}, "training", folded=True)
    assert session_of(at).settings.task == "letters" and not at.query_params
    assert session_of(go(at, "heads")).settings.task == "everyday-zh" == at.query_params["task"]
    turn(go(at, "training"), task="everyday-zh")
    assert session_of(visit(dict(at.query_params), "training")).settings.task == "everyday-zh"


def test_the_width_of_another_task_in_a_link_is_the_width_of_the_run():
    width = of_task(FIRST_TASK).d_model
    at = visit({"d_model": str(width)}, "training")
    assert session_of(at).settings.task == "letters" and session_of(at).settings.d_model == width
    assert at.query_params["d_model"] == str(width)


@pytest.mark.parametrize("page", ["training", "sentences", "story", "compare", "break_it", "host"])
def test_a_page_without_the_model_of_the_sidebar_has_it_neither_learn_nor_played(page):
    at = visit({"task": "copy", "n_heads": "8"}, "heads")
    assert resources.learning().watched == 1 and learned_for(at)
    go(at, page)
    assert fine(at) and resources.learning().watched == 0 and not learned_for(at)
    turn(at, n_heads=16)
    assert fine(at) and resources.learning().watched == 0
    go(at, "heads")
    assert resources.learning().watched == 1 and learned_for(at)


# How long it takes


@pytest.mark.parametrize(
    ("link", "ms", "said"),
    [
        (
            {"pace": "fast"},
            10,
            "This takes between 1 second and 5 seconds on this server",
        ),  # 85 to 340 steps: the app's model took 170
        ({"pace": "slow"}, 10, "This takes between 10 seconds and 16 seconds"),
        (
            {"task": "everyday-fr", "pace": "fast"},
            60,
            "This takes between 60 seconds and 2 minutes on this server",
        ),  # all 1,500: the app's took 16,000
        ({"n_heads": "8", "pace": "fast"}, 10, "All steps take about 22 seconds"),
        ({"task": "sort", "steps": "3000", "pace": "fast"}, 100, "All steps take about 8 minutes"),
    ],
)
def test_a_page_says_how_long_a_run_takes_before_it_starts(link, ms, said, monkeypatch):
    monkeypatch.setattr(how_long, "step_seconds", lambda plan: ms / 1000)
    at = visit(link, "training")
    assert fine(at) and said in shown(at) and f"about {ms} ms" in shown(at)
    assert ("slow motion, which" in shown(at)) is (link["pace"] == "slow")
    assert said not in shown(start(at, 1))


def test_a_crowd_is_told_before_a_run_starts(monkeypatch):
    assert "it may take longer" not in shown(visit({}, "training"))
    monkeypatch.setattr(limits, "WORKERS", 2)
    monkeypatch.setattr(Scheduler, "crowd", 3)
    assert "3 other models learn on this server now" in shown(visit({}, "training"))


def test_a_busy_computer_is_told_before_a_run_starts_and_while_it_trains(monkeypatch):
    monkeypatch.setattr(how_long, "step_seconds", lambda plan: 0.01)
    monkeypatch.setattr(Slowness, "now", lambda _slowness: 10.2)
    at = visit({"pace": "fast"}, "training")
    busy = "This computer is busy: training takes about 10 times as long as usual."
    assert "This takes between 1 second and 52 seconds on this server" in shown(at) and busy in shown(at)
    start(at, 1)
    assert busy in shown(at)
    monkeypatch.setattr(Slowness, "now", lambda _slowness: 2.9)
    assert "This computer is busy" not in shown(at.run())


def test_a_step_back_on_training_brings_back_what_was_set_there_before():
    at = visit({"n_heads": "8"}, "training")
    before = session_of(at).settings
    turn(at, n_layers=2)
    assert at.query_params["n_layers"] == "2"
    back_to(at, {"n_heads": "8"})
    assert session_of(at).settings == before and "n_layers" not in at.query_params
    assert session_of(go(at, "heads")).settings == replace(of_task(FIRST_TASK), n_heads=8)
