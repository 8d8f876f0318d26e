"""The page for the host says in one sentence whether people are served, and what that rests on, by made-up times."""

import pytest

from explorer import limits, resources
from explorer.exhibits.host import load as page
from explorer.runtime import memory, turns
from explorer.runtime.metrics import Metrics
from tests.pages.helpers import fine, go, shown, visit


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def metrics(monkeypatch):
    """A minute that the test makes up. The pages that the test itself opens are not counted."""
    made = Metrics(clock=Clock())
    made._clock.now = 160.0
    monkeypatch.setattr(page, "METRICS", made)
    monkeypatch.setattr(memory, "free_and_total", lambda: (4 * 10**9, 16 * 10**9))
    monkeypatch.setattr(memory, "used", lambda: 812_000_000)
    return made


def actions(metrics, count, waited, took):
    for i in range(count):
        metrics.count_run(120 + i / 100, 120 + i / 100 + waited, 120 + i / 100 + waited + took, True)


def test_it_is_reached_by_its_address_and_not_named_by_the_menu(metrics):
    at = visit({}, "home")
    assert "For the host" not in shown(at)
    go(at, "host")
    assert fine(at) and at.title[0].value == "For the host"
    assert [each.value for each in at.info] == ["No page was drawn in the last minute."]


def test_all_is_well(metrics):
    actions(metrics, 30, 0.05, 0.2)
    metrics.count_run(130, 130, 131, False)
    for window, name in (("a", "heads"), ("b", "heads"), ("c", "home")):
        metrics.note_page(window, name, lambda _window: True)
    at = visit({}, "host")
    assert fine(at) and [each.value for each in at.success] == ["All is well: 19 of 20 actions were answered within 0.25 s."]
    assert {each.label: each.value for each in at.metric} == {
        "open windows": "3",
        "actions per second": "0.5",
        "time spent on pages": "12%",
    }
    said = shown(at)
    assert "Windows on each page: Heads: 2, Start: 1." in said
    assert "Waiting for a turn: 0.05 s (median); 19 of 20 within 0.05 s." in said
    assert "These are the 30 actions of the last minute" in said and "are not among them: 1." in said
    assert "This process takes 812 MB" in said and "Free here: 4.0 GB of 16.0 GB." in said
    assert not at.warning and not at.error


@pytest.mark.parametrize(
    ("waited", "took", "words"),
    [(3.04, 0.5, "get their turn within 3.0 s"), (0.5, 12.3, "19 of 20 actions are computed within 12 s")],
)
def test_it_says_what_to_do_where_people_wait(metrics, waited, took, words):
    actions(metrics, 30, waited, took)
    at = visit({}, "host")
    (warning,) = (each.value for each in at.warning)
    assert words in warning and not at.success
    assert ("python -m explorer.serve" in warning) == (waited > took)


def test_of_few_actions_the_slowest_is_told(metrics):
    actions(metrics, 3, 0.0, 0.125)
    at = visit({}, "host")
    assert [each.value for each in at.success] == ["All is well: the slowest action was answered within 0.12 s."]
    assert "Computing: 0.12 s (median); the slowest 0.12 s." in shown(at) and "19 of 20" not in shown(at)


@pytest.mark.parametrize(
    ("waited", "took", "words"),
    [(3.04, 0.5, "the slowest action got its turn after 3.0 s. Ask"), (0.5, 12.3, "the slowest action took 12 s")],
)
def test_of_few_that_wait_long_the_slowest_is_told(metrics, waited, took, words):
    actions(metrics, 3, waited, took)
    at = visit({}, "host")
    assert words in at.warning[0].value and "19 of 20" not in shown(at)


def test_memory_that_runs_out_is_told_first(metrics, monkeypatch):
    monkeypatch.setattr(memory, "free_and_total", lambda: (3 * 10**8, 8 * 10**9))
    actions(metrics, 30, 0.05, 0.2)
    at = visit({}, "host")
    assert not at.success and not at.warning
    assert "Memory is running out: 300 MB of 8.0 GB are free." in at.error[0].value


def test_where_the_system_says_nothing_of_memory_the_page_does_not_either(metrics, monkeypatch):
    monkeypatch.setattr(memory, "free_and_total", lambda: None)
    monkeypatch.setattr(memory, "used", lambda: None)
    at = visit({}, "host")
    assert fine(at) and "Free here" not in shown(at) and "This process takes" not in shown(at)


def test_copies_behind_nginx_count_for_themselves(metrics, monkeypatch):
    assert "copies of the app" not in shown(visit({}, "host"))
    monkeypatch.setattr(limits, "COPIES", 3)
    assert "This is one of 3 copies of the app" in shown(visit({}, "host"))


def test_the_pages_of_open_windows_are_known(monkeypatch):
    monkeypatch.setattr(turns.METRICS, "_pages", {})
    at = visit({}, "heads")
    assert list(turns.METRICS.pages(resources.is_open)) == ["heads"]
    go(at, "host")
    assert list(turns.METRICS.pages(resources.is_open)) == ["host"]
