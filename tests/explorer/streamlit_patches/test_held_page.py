"""Pins: what somebody presses counts once, however long it waits and whatever is asked for with it or after it. Visitors are
light clients of a real server, whose page is held up until all has been asked."""

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.runtime.scriptrunner import RerunException
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.runtime.state import SafeSessionState, SessionState

from benchmarks import harness
from benchmarks.person import Person
from explorer.streamlit_patches import nested_fragments, pressed_first, pressed_once

LONG = 300  # seconds that nothing here ever takes


class Visitor(Person):
    """One who does not wait for an answer before the next thing."""

    async def ask(self, press: str | None = None) -> None:
        """Presses a button; or has the whole page run. Returns when the server has taken note of it."""
        if press is None:
            await self._ask()
        else:
            await self._press(press)
        await self._heard()

    async def ask_twice(self, press: str) -> None:
        """Presses a button at the moment when its fragment is due: a browser sends both, each with the press."""
        await self._press(press, by_itself=True)
        await self._press(press)
        await self._heard()

    async def _press(self, press: str, by_itself: bool = False) -> None:
        name, fragment = self._widgets[press]
        await self._ask(WidgetState(id=name, trigger_value=True), fragment, by_itself)

    async def _heard(self) -> None:
        before, question = self.messages, BackMsg()
        question.file_urls_request.request_id = "heard"  # the server answers in the order in which it is asked
        await self._socket.send(question.SerializeToString())
        await until(lambda: self.messages > before)


async def until(there: Callable[[], bool]) -> None:
    end = time.monotonic() + LONG
    while not there():
        assert time.monotonic() < end
        await asyncio.sleep(0.01)


class Page:
    """The server of the page, and the files that hold it up and tell what happens to it."""

    def __init__(self, server: harness.Server, folder: Path):
        self.server, self._shut, self._notes = server, folder / "shut", folder / "notes"

    def shut(self) -> None:
        self._shut.touch()
        self._notes.write_text("")

    def open(self) -> None:
        self._shut.unlink(missing_ok=True)

    def noted(self, words: str) -> int:
        return self._notes.read_text(encoding="utf-8").splitlines().count(words)


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("held")
    script = Path(__file__).with_name("held_page.py")
    # However slow this machine is, nobody begins beside a run that is held up.
    given = {"HELD_PAGE": str(folder), "PYTHONPATH": str(harness.ROOT), "EXPLORER_SCRIPT_SHARE": str(10 * LONG)}
    server = harness.start(folder, script=script, **given)
    page = Page(server, folder)
    try:
        server.wait(LONG)
        yield page
    finally:
        page.open()
        server.stop(60)


def test_a_button_that_was_pressed_while_its_page_is_drawn_counts_also_where_all_is_asked_for_next(page):
    async def visit() -> None:
        async with Visitor(page.server.host, "") as who:
            page.shut()
            await who.ask("inner again")
            await until(lambda: page.noted("inner runs") == 1)  # it has its turn
            await who.ask("press")
            await who.ask()
            page.open()
            await until(lambda: page.noted("asked") == 1 and page.noted("inner runs") >= 2)
            await who.look()
            assert page.noted("pressed") == 1

    asyncio.run(visit())


def test_a_button_that_is_pressed_when_its_part_is_due_counts_once(page):
    async def visit() -> None:
        async with Visitor(page.server.host, "") as who:
            page.shut()
            page.open()
            await who.ask_twice("press")
            await until(lambda: page.noted("pressed") > 0)
            await who.press("inner again")
            assert page.noted("pressed") == 1

    asyncio.run(visit())


def test_a_button_of_a_part_counts_while_the_page_that_it_is_on_waits_to_be_drawn_anew(page):
    async def visit() -> None:
        async with Visitor(page.server.host, "") as other, Visitor(page.server.host, "") as who:
            page.shut()
            await other.ask("inner again")
            await until(lambda: page.noted("inner runs") == 1)  # the other has the turn
            await who.ask("outer again")
            await who.ask()
            await until(lambda: page.noted("asked") == 1)  # all of the page waits now, and its part has not been drawn
            await who.ask("press")
            page.open()
            await until(lambda: page.noted("inner runs") >= 2)
            await who.look()
            assert page.noted("pressed") == 1

    asyncio.run(visit())


def test_a_long_message_comes_whole_where_a_run_that_ended_meanwhile_made_the_browser_forget_it(page):
    async def visit() -> None:
        async with Visitor(page.server.host, "") as who:
            await who.press("tell")
            for _run in range(who.remembers - 1):
                await who.press("inner again")
            page.shut()
            await who.ask("inner again")
            await until(lambda: page.noted("inner runs") == 1)
            await who.ask("tell")  # it still has it now
            page.open()
            await until(lambda: page.noted("inner runs") == 2)
            await who.look()

    asyncio.run(visit())


def test_windows_that_are_open_are_counted(page):
    async def visit() -> None:
        async with Visitor(page.server.host, ""), Visitor(page.server.host, "") as who:
            page.shut()
            page.open()
            await who.press("count")
            assert page.noted("windows 2") == 1

    asyncio.run(visit())


@pytest.mark.parametrize("mended", [True, False])
@pytest.mark.parametrize("error", [None, ValueError, RerunException(RerunData())])
def test_a_fragment_that_gives_way_keeps_the_parts_that_it_has_not_drawn(error, mended, without):
    if not mended:
        without(nested_fragments)
    storage = MemoryFragmentStorage()
    storage.register("page", lambda: None)
    storage.register("part", lambda: None, parent_fragment_id="page")
    try:
        try:
            if error:
                raise error
        finally:  # as Streamlit does
            storage.clear_stale_descendants("page", frozenset())
    except (ValueError, RerunException):
        pass
    assert storage.contains("part") == (mended and isinstance(error, RerunException))


@pytest.mark.parametrize("mended", [True, False])
def test_a_run_takes_what_was_pressed_before_it_gives_way(mended, without):
    def give_way() -> None:
        raise RerunException(RerunData())

    state = SessionState()
    mine = SafeSessionState(state, give_way)
    pressed = WidgetStates(widgets=[WidgetState(id="button", trigger_value=True)])
    if mended:
        mine.on_script_will_rerun(pressed)
    else:
        without(pressed_first)
        with pytest.raises(RerunException):
            mine.on_script_will_rerun(pressed)
    assert [each.id for each in state.get_widget_states()] == (["button"] if mended else [])


@pytest.mark.parametrize("mended", [True, False])
@pytest.mark.parametrize("by_itself", [True, False])
def test_what_is_asked_for_at_intervals_presses_nothing(by_itself, mended, without):
    if not mended:
        without(pressed_once)
    widgets = [WidgetState(id="knob", int_value=3), WidgetState(id="button", trigger_value=True)]
    session = Mock(_scriptrunner=None)
    AppSession.request_rerun(session, ClientState(widget_states=WidgetStates(widgets=widgets), is_auto_rerun=by_itself))
    (asked,) = session._create_scriptrunner.call_args.args
    assert [each.id for each in asked.widget_states.widgets] == (["knob"] if by_itself and mended else ["knob", "button"])
