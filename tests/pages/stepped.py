"""Training runs of the page tests: no worker takes them on, so that each stands at just the step that a test wants."""

import pytest
from streamlit.testing.v1 import AppTest

from explorer import limits, resources
from explorer.learning.run import TrainingRun
from explorer.session import runs
from tests.explorer.learning.helpers import advance
from tests.pages.helpers import session_of

# Learns to copy two symbols within a few dozen steps.
EASY = {
    "task": "copy",
    "d_model": 16,
    "n_heads": 2,
    "d_ff": 16,
    "symbols": 2,
    "length": 3,
    "batch_size": 8,
    "steps": 50,
    "rate": 0.01,
    "details-run": True,
}


@pytest.fixture
def by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs move only when a test advances them."""
    monkeypatch.setattr(limits, "WORKERS", 0)


@pytest.fixture
def another_browser(monkeypatch: pytest.MonkeyPatch):
    """Called, all pages that are drawn from then on are drawn in another browser; called again, in the first one."""
    names = ["this browser", "another browser"]

    def change() -> None:
        names.reverse()
        monkeypatch.setattr(runs, "browser_token", lambda: names[0])

    return change


def press(at: AppTest, key: str) -> AppTest:
    """A button of the page, by its key."""
    button = at.button(key=key)
    assert not button.disabled, key
    return button.click().run()


def start(at: AppTest, steps: int = 0) -> AppTest:
    """Begins a run, and shows it after so many steps."""
    press(at, "button-play_circle")
    return step(at, steps)


def step(at: AppTest, steps: int) -> AppTest:
    advance(run_of(at), steps)
    return at.run()


def run_of(at: AppTest) -> TrainingRun:
    """The run on screen."""
    run = resources.training_scheduler().view_run(session_of(at).run_id or "", "a test")
    assert run is not None
    return run


def open_buttons(at: AppTest) -> set[str]:
    """The buttons of a run that can be pressed, by their icons."""
    return {each.key.removeprefix("button-") for each in at.button if each.key.startswith("button-") and not each.disabled}


def asleep(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """All windows have been gone for so long, as where a laptop sleeps."""
    monkeypatch.setattr(resources, "is_open", lambda _window: False)
    scheduler = resources.training_scheduler()
    monkeypatch.setattr(scheduler, "_is_open", resources.is_open)
    for run in scheduler.runs():
        run.last_seen -= seconds
    scheduler._look()
