"""Pins that nothing holds on to a window that is closed: what its visitor had is gone with it. That of the tour of all
parts stands in test_every_page.py."""

import gc
import weakref

import pytest

from explorer import resources
from tests.pages.helpers import go, open_page, session_of, turn

pytestmark = pytest.mark.slow


def collected(thing: "weakref.ref[object]") -> bool:
    for _ in range(3):
        gc.collect()
    return thing() is None


def test_a_window_that_has_measured_and_learned_leaves_nothing_behind():
    at = open_page("what_matters", {"part": "ranking"})
    at.button(key="measure-ranking").click().run()
    turn(at, part="logit_lens")
    at.button(key="measure-lens").click().run()
    go(at, "heads")
    turn(at, seed=77, step=None)  # a model that nobody has learned
    gone = weakref.ref(session_of(at))
    del at
    assert collected(gone), gc.get_referrers(gone())


def test_a_window_with_a_run_leaves_the_run_alone_behind():
    at = open_page("training")
    next(button for button in at.button if button.label == "Start").click().run()
    run = resources.training_scheduler().view_run(session_of(at).run_id, "test")
    assert run is not None
    gone = weakref.ref(session_of(at))
    del at
    assert collected(gone), gc.get_referrers(gone())
    assert resources.training_scheduler().view_run(run.id, "test") is run, "it outlives its window for a while"
