"""Pins that what a run draws arrives whole and in order, in few batches, whatever fails on the way."""

import asyncio
import threading
from collections.abc import Callable
from unittest.mock import Mock

import pytest
from streamlit.runtime import app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunnerEvent as Event
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

from explorer.streamlit_patches import batched_events

DRAWN = Event.ENQUEUE_FORWARD_MSG


class Session:
    """What of a session the messages need. It notes what is handled, and how often its loop is woken for it."""

    def __init__(self):
        self._event_loop = asyncio.get_running_loop()
        self.handled: list[object] = []
        self.woken = 0

    def tell(self, event: Event, message: object = None) -> None:
        batched_events._gather(None, self, None, event, forward_msg=message)

    def _call_soon_on_event_loop(self, callback):
        self.woken += 1
        self._event_loop.call_soon_threadsafe(callback)

    def _handle_scriptrunner_event_on_event_loop(self, _sender, event, forward_msg=None):
        self.handled.append(event if forward_msg is None else forward_msg)
        if forward_msg == "broken":
            raise ValueError


def told(script: Callable[[Session], None]) -> Session:
    """A session whose run has done what the script does, in a thread of its own; all that happened in it has been handled."""

    async def run() -> Session:
        session = Session()
        await asyncio.to_thread(script, session)
        while vars(session)["waiting_events"]:
            await asyncio.sleep(0.001)
        return session

    return asyncio.run(run())


def test_the_end_of_a_run_brings_all_that_it_has_drawn_in_order(monkeypatch):
    monkeypatch.setattr(batched_events, "_GATHER", 3600)  # nothing is handled because it has waited

    def script(session: Session) -> None:
        session.tell(Event.SCRIPT_STARTED)
        for i in range(50):
            session.tell(DRAWN, i)
        session.tell(Event.SCRIPT_STOPPED_WITH_SUCCESS)

    assert told(script).handled == [Event.SCRIPT_STARTED, *range(50), Event.SCRIPT_STOPPED_WITH_SUCCESS]


def test_what_is_drawn_arrives_before_the_end():
    assert told(lambda session: [session.tell(DRAWN, i) for i in range(5)]).handled == [*range(5)]


def test_elements_that_wait_for_one_another_wake_the_loop_once():
    def script(session: Session) -> None:
        busy = threading.Event()
        session._event_loop.call_soon_threadsafe(busy.wait)
        for i in range(50):
            session.tell(DRAWN, i)
        session.tell(Event.SCRIPT_STOPPED_WITH_SUCCESS)
        busy.set()

    session = told(script)
    assert session.handled == [*range(50), Event.SCRIPT_STOPPED_WITH_SUCCESS]
    assert session.woken == 2


def test_what_fails_keeps_nothing_else_from_arriving():
    def script(session: Session) -> None:
        for message in ("first", "broken", "broken", "last"):
            session.tell(DRAWN, message)
        session.tell(Event.SCRIPT_STOPPED_WITH_SUCCESS)

    assert told(script).handled == ["first", "broken", "broken", "last", Event.SCRIPT_STOPPED_WITH_SUCCESS]


@pytest.mark.parametrize("mended", [True, False])
def test_the_end_of_a_run_counts_where_another_begins_before_the_loop_comes_round_to_it(mended, without, monkeypatch):
    monkeypatch.setattr(app_session, "ScriptRunner", Mock)
    if not mended:
        without(batched_events)
    loop, counts, former = [], [], Mock()
    session = Mock(_scriptrunner=former, _call_soon_on_event_loop=loop.append)
    session._script_event_loop.is_closed.return_value = False
    # Streamlit ignores the events of any runner but the current one.
    handle = lambda sender, _event, *_given, **_named: counts.append(sender is session._scriptrunner)  # noqa: E731
    session._handle_scriptrunner_event_on_event_loop = handle
    AppSession._on_scriptrunner_event(session, former, Event.SCRIPT_STOPPED_WITH_SUCCESS)
    AppSession._create_scriptrunner(session, RerunData())
    for callback in loop:
        callback()
    assert counts == [mended]


def test_what_has_been_drawn_is_handled_before_other_runs_begin(monkeypatch):
    monkeypatch.setattr(batched_events, "_GATHER", 3600)

    async def run() -> list[object]:
        session = Session()
        session._call_soon_on_event_loop = lambda _handle: None  # the loop has not come round to it
        for message in ("one", "broken", "two"):
            session.tell(DRAWN, message)
        session.tell(Event.FRAGMENT_STOPPED_WITH_SUCCESS)
        batched_events._begin_after_the_former(lambda session, first: session.handled.append(first), session, "asked for")
        return session.handled

    assert asyncio.run(run()) == ["one", "broken", "two", Event.FRAGMENT_STOPPED_WITH_SUCCESS, "asked for"]
