"""Pins how script runs take turns: who goes first, that none is forgotten, and that none holds up the others."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from streamlit.runtime.scriptrunner import RerunException, StopException
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.testing.v1 import AppTest

from explorer.runtime import turns
from explorer.runtime.turns import Kind, Turns
from tests.pages.helpers import app

LONG = 60  # seconds that nothing here ever takes


class Run(threading.Thread):
    """A script run in its own thread, which holds its turn until it is told to end."""

    def __init__(self, turns: Turns, log: list[str], name: str, kind: Kind = Kind.PAGE, session: str | None = None):
        super().__init__(daemon=True)
        self.turns, self.log, self.name, self.kind, self.session = turns, log, name, kind, session or name
        self.began, self.end, self.unwanted = threading.Event(), threading.Event(), threading.Event()
        self.error: BaseException | None = None
        self.fails: BaseException | None = None

    def wanted(self) -> None:
        if self.unwanted.is_set():
            raise StopException()

    def run(self) -> None:
        try:
            with self.turns.turn(self.kind, self.session, self.wanted):
                self.log.append(self.name)
                self.began.set()
                assert self.end.wait(LONG)
                if self.fails is not None:
                    raise self.fails
        except BaseException as error:
            self.error = error

    def finish(self) -> None:
        assert self.began.wait(LONG), f"{self.name} never had its turn"
        self.end.set()
        self.join(LONG)
        assert not self.is_alive()


class Room:
    """Runs that come one after another."""

    def __init__(self, at_once: int = 1, share: float | None = None):
        self.turns, self.log = Turns(at_once, share=share), []

    def begin(self, name: str, kind: Kind = Kind.PAGE, session: str | None = None) -> Run:
        """A run that has its turn."""
        run = Run(self.turns, self.log, name, kind, session)
        run.start()
        assert run.began.wait(LONG)
        return run

    def queue(self, name: str, kind: Kind = Kind.PAGE, session: str | None = None) -> Run:
        """A run that stands in line."""
        before = self.turns.waiting(kind)
        run = Run(self.turns, self.log, name, kind, session)
        run.start()
        while self.turns.waiting(kind) == before:
            assert run.is_alive()
        assert not run.began.is_set()
        return run

    def is_free(self) -> bool:
        """Whether the next one gets its turn, and nobody is left in line."""
        self.begin("last").finish()
        return not any(map(self.turns.waiting, Kind))


def test_one_at_a_time_and_the_first_first():
    room = Room()
    runs = [room.begin("0"), *(room.queue(str(i)) for i in range(1, 5))]
    for i, run in enumerate(runs):
        assert run.began.wait(LONG)
        assert room.log == [str(j) for j in range(i + 1)]
        run.finish()
    assert room.is_free()


def test_as_many_at_once_as_the_limit_says():
    room = Room(at_once=2)
    first, second = room.begin("first"), room.begin("second")
    third = room.queue("third")
    second.finish()
    third.finish()
    fourth = room.begin("fourth")
    first.finish()
    fourth.finish()
    assert room.log == ["first", "second", "third", "fourth"]


def test_fragments_go_before_pages():
    room = Room()
    first = room.begin("first")
    page, other = room.queue("page"), room.queue("other")
    fragments = [room.queue(f"fragment {i}", Kind.FRAGMENT) for i in range(2)]
    for run in (first, *fragments, page, other):
        run.finish()
    assert room.log == ["first", "fragment 0", "fragment 1", "page", "other"]


def test_a_page_does_not_wait_for_fragments_without_end():
    room, n = Room(), turns._FRAGMENTS_IN_A_ROW
    first, page, other = room.begin("first"), room.queue("page"), room.queue("other")
    fragments = [room.queue(f"fragment {i}", Kind.FRAGMENT) for i in range(2 * n + 2)]
    order = [first, *fragments[:n], page, *fragments[n : 2 * n], other, *fragments[2 * n :]]
    for run in order:
        run.finish()
    assert room.log == [run.name for run in order]
    assert room.is_free()


def test_fragments_that_no_page_waits_for_do_not_count():
    room = Room()
    run = room.begin("first")
    for i in range(2 * turns._FRAGMENTS_IN_A_ROW):
        after = room.queue(f"fragment {i}", Kind.FRAGMENT)
        run.finish()
        run = after
    assert run.began.wait(LONG)
    page, fragment = room.queue("page"), room.queue("another", Kind.FRAGMENT)
    for each in (run, fragment, page):
        each.finish()
    assert room.log[-2:] == ["another", "page"]


@pytest.mark.parametrize("error", [StopException(), RerunException(RerunData()), ValueError("a page failed"), SystemExit()])
def test_a_run_that_ends_by_an_error_gives_its_turn_away(error):
    room = Room()
    failing, after = room.begin("failing"), room.queue("after")
    failing.fails = error
    failing.finish()
    assert failing.error is error
    after.finish()
    assert room.is_free()


def test_whoever_is_no_longer_wanted_leaves_the_line_and_nobody_loses_a_place():
    room = Room()
    first, closed, after = room.begin("first"), room.queue("closed"), room.queue("after")
    closed.unwanted.set()
    closed.join(LONG)  # it leaves while the first still has its turn
    assert isinstance(closed.error, StopException)
    assert not closed.began.is_set()
    assert room.turns.waiting(Kind.PAGE) == 1
    first.finish()
    after.finish()
    assert room.log == ["first", "after"]
    assert room.is_free()


def test_whoever_is_called_when_no_longer_wanted_passes_the_turn_on(monkeypatch):
    monkeypatch.setattr(turns, "_LOOK", LONG)  # so that it is not before that it sees that it is unwanted
    room = Room()
    first, closed, after = room.begin("first"), room.queue("closed"), room.queue("after")
    closed.unwanted.set()
    first.finish()
    after.finish()
    closed.join(LONG)
    assert isinstance(closed.error, StopException)
    assert room.log == ["first", "after"]
    assert room.is_free()


def test_a_newer_run_of_a_session_takes_its_place_in_line():
    room = Room()
    first = room.begin("first")
    old, other = room.queue("old", session="mine"), room.queue("other")
    new = room.queue("new", session="mine")
    old.unwanted.set()
    for run in (first, new, other):
        run.finish()
    old.join(LONG)
    assert room.log == ["first", "new", "other"]
    assert room.is_free()


def test_a_run_that_gives_way_to_a_newer_one_of_its_session_keeps_its_place_for_it():
    room = Room()
    first = room.begin("first")
    old, other = room.queue("old", session="mine"), room.queue("other")
    old.unwanted.set()
    old.join(LONG)  # it has left before the new one comes
    new = room.queue("new", session="mine")
    assert room.turns.waiting(Kind.PAGE) == 2
    for run in (first, new, other):
        run.finish()
    assert room.log == ["first", "new", "other"]
    assert room.is_free()


def test_a_run_that_gives_way_when_it_is_called_keeps_the_first_place(monkeypatch):
    monkeypatch.setattr(turns, "_LOOK", LONG)  # so that it is not before that it sees that it is unwanted
    room = Room()
    first, old = room.begin("first"), room.queue("old", session="mine")
    other, third = room.queue("other"), room.queue("third")
    old.unwanted.set()
    first.finish()
    old.join(LONG)
    assert other.began.wait(LONG)
    new = room.queue("new", session="mine")
    for run in (other, new, third):
        run.finish()
    assert room.log == ["first", "other", "new", "third"]
    assert room.is_free()


def test_what_a_run_calls_shares_its_turn():
    room = Room()
    with room.turns.turn(Kind.PAGE, "mine"):
        with room.turns.turn(Kind.FRAGMENT, "mine"), room.turns.turn(Kind.FRAGMENT, "mine"):
            pass
        waiting = room.queue("other")  # the inner ones have not given the turn away
        assert not waiting.began.is_set()
    waiting.finish()
    assert room.is_free()


def test_an_error_in_what_a_run_calls_gives_the_turn_away_once():
    room = Room()
    with pytest.raises(KeyError), room.turns.turn(Kind.PAGE, "mine"), room.turns.turn(Kind.FRAGMENT, "mine"):
        raise KeyError
    first, second = room.begin("first"), room.queue("second")
    assert not second.began.is_set()
    first.finish()
    second.finish()


def test_beside_a_run_whose_share_is_over_the_next_one_begins_and_no_more():
    room = Room(share=0)
    first, second = room.begin("first"), room.begin("second")
    third, fourth = room.queue("third"), room.queue("fourth")
    second.finish()  # the first goes on, and one beside it
    third.finish()
    fifth = room.queue("fifth")
    assert fourth.began.wait(LONG)  # or the fifth, called when the first has finished, may be the first to say so
    first.finish()
    fourth.finish()
    fifth.finish()
    assert room.log == ["first", "second", "third", "fourth", "fifth"] and room.is_free()


def test_a_run_whose_share_is_not_over_is_waited_for():
    room = Room(share=LONG)
    first, second = room.begin("first"), room.queue("second")
    first.finish()
    second.finish()
    assert room.log == ["first", "second"] and room.is_free()


def test_whoever_is_called_beside_a_long_run_when_no_longer_wanted_passes_the_turn_on():
    room = Room(share=0)
    first, second = room.begin("first"), room.begin("second")
    third, fourth = room.queue("third"), room.queue("fourth")
    third.unwanted.set()
    second.finish()
    fourth.finish()
    third.join(LONG)
    assert isinstance(third.error, StopException)
    first.finish()
    assert room.log == ["first", "second", "fourth"] and room.is_free()


@pytest.mark.parametrize("share", [None, 0])
def test_many_that_come_leave_and_fail_at_the_same_time_never_exceed_the_limit(share):
    room, now, most, lock = Turns(2, share=share), 0, 0, threading.Lock()

    def visit(number: int) -> None:
        nonlocal now, most

        def wanted() -> None:
            if number % 3 == 0:
                raise StopException()

        try:
            with room.turn(Kind(number % 2), str(number % 5), wanted):
                with lock:
                    now += 1
                    most = max(most, now)
                with room.turn(Kind.FRAGMENT, str(number % 5)), lock:
                    now -= 1
                if number % 7 == 0:
                    raise ValueError
        except (StopException, ValueError):
            pass

    with ThreadPoolExecutor(80) as threads:
        list(threads.map(visit, range(80), timeout=LONG))
    assert 1 <= most <= (2 if share is None else 3)
    assert not any(map(room.waiting, Kind))


def test_without_a_server_nothing_waits(monkeypatch):
    monkeypatch.setattr(turns, "TURNS", None)
    with turns.turn(Kind.PAGE):
        pass


# In Streamlit itself.


def in_streamlit(script: Callable[[], None]) -> AppTest:
    return AppTest.from_function(script, default_timeout=LONG)


def _page() -> None:
    import streamlit as st

    from explorer.runtime.turns import TURNS, Kind, fragment, turn

    @fragment
    def part() -> None:
        if st.button("again"):
            st.rerun()
        if st.button("fail"):
            raise ValueError("of the part")
        st.text(f"turns left: {TURNS._free}")

    @fragment(run_every=1000.0)
    def clock() -> None:
        part()

    with turn(Kind.PAGE):
        part()
        clock() if st.toggle("clock") else None
        if st.button("stop"):
            st.stop()
        if st.button("break"):
            raise ValueError("of the page")


@pytest.mark.parametrize("press", [None, "again", "stop", "break", "fail"])
def test_a_turn_ends_however_its_run_ends(monkeypatch, press):
    line = Turns(1)
    monkeypatch.setattr(turns, "TURNS", line)
    at = in_streamlit(_page).run()
    assert [element.value for element in at.text] == ["turns left: 0"]
    if press is not None:
        (button,) = (each for each in at.button if each.label == press)
        button.click().run()
        assert bool(at.exception) == (press in ("break", "fail"))
    assert line._free == 1


def test_a_fragment_of_a_page_that_runs_alone_takes_a_turn(monkeypatch):
    line = Turns(1)
    monkeypatch.setattr(turns, "TURNS", line)

    def page() -> None:
        import streamlit as st

        from explorer.runtime.turns import TURNS, fragment

        part = fragment(lambda: st.text(f"turns left: {TURNS._free}"))
        st.text(f"turns left: {TURNS._free}")
        part()

    at = in_streamlit(page).run()
    assert [element.value for element in at.text] == ["turns left: 1", "turns left: 0"]
    assert line._free == 1


def test_the_app_takes_a_turn_for_a_whole_run(monkeypatch):
    line, took = Turns(1), []
    monkeypatch.setattr(turns, "TURNS", line)
    wait = Turns._wait
    monkeypatch.setattr(Turns, "_wait", lambda self, kind, *given: took.append((kind, self._free)) or wait(self, kind, *given))
    at = app()
    assert not at.exception
    assert took == [(Kind.PAGE, 1)]
    assert line._free == 1
