"""Pins what is counted of a server's load, by a clock that the test sets."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from explorer.runtime import memory
from explorer.runtime.metrics import MINUTE, Metrics, Spread
from explorer.runtime.turns import Kind, Turns


class Clock:
    def __init__(self, now: float = 1000.0):
        self.now = now

    def __call__(self) -> float:
        return self.now


def test_nothing_has_happened_yet():
    clock = Clock()
    metrics = Metrics(clock=clock)
    assert (metrics.last_minute().actions, metrics.last_minute().per_second, metrics.last_minute().busy) == (0, 0.0, 0.0)
    clock.now += 10
    now = metrics.last_minute()
    assert now.waited is None and now.took is None and now.answered is None and now.seconds == 10 and now.per_second == 0


def test_waiting_computing_and_both_together():
    clock = Clock(0.0)
    metrics = Metrics(clock=clock)
    for i in range(20):  # waited 0, 1 … 19 tenths, took 20, 19 … 1 tenths: 2 s together, each
        metrics.count_run(i - i / 10, i, i + (20 - i) / 10, True)
    metrics.count_run(0, 25, 29, False)
    clock.now = 40.0
    now = metrics.last_minute()
    assert (now.actions, now.redrawn, now.seconds, now.per_second) == (20, 1, 40, 0.5)
    assert now.waited == Spread(pytest.approx(0.9), pytest.approx(1.8))
    assert now.took == Spread(pytest.approx(1.0), pytest.approx(1.9))
    assert now.answered == Spread(pytest.approx(2.0), pytest.approx(2.0))
    assert now.busy == pytest.approx((21 + 4) / 40)
    metrics = Metrics(at_once=2, clock=clock)
    clock.now = 50.0
    metrics.count_run(40, 42, 47, True)
    assert metrics.last_minute().busy == pytest.approx(5 / 20), "half of what two could do in ten seconds"


def test_the_minute_before_is_forgotten():
    clock = Clock(0.0)
    metrics = Metrics(clock=clock)
    metrics.count_run(0, 1, 2, True)
    metrics.count_run(1, 50, 62, True)
    clock.now = 61.9
    assert metrics.last_minute().actions == 2
    clock.now = 110.0
    now = metrics.last_minute()
    assert now.actions == 1 and now.seconds == MINUTE
    assert now.busy == pytest.approx(12 / 60), "only what lies within the minute: from 50 s on"
    clock.now = 115.0
    assert metrics.last_minute().busy == pytest.approx(7 / 60)
    metrics.count_run(200, 200, 200, True)
    assert len(metrics._runs) == 1, "what is older is not kept"
    clock.now = 1e9
    assert metrics.last_minute().actions == 0


def test_windows_that_are_gone_are_forgotten():
    metrics, there = Metrics(), {"a", "b", "c"}
    for window, page in (("a", "heads"), ("b", "heads"), ("c", "home")):
        metrics.note_page(window, page, there.__contains__)
    assert metrics.pages(there.__contains__) == {"heads": 2, "home": 1}
    metrics.note_page("a", "masks", there.__contains__)
    there.discard("b")
    assert metrics.pages(there.__contains__) == {"masks": 1, "home": 1}
    for i in range(10_000):  # windows that come and go, while nobody looks at the page for the host
        there.add(f"{i}")
        metrics.note_page(f"{i}", "home", there.__contains__)
        there.discard(f"{i}")
    assert len(metrics._pages) < 150


def test_many_threads_count():
    metrics, start = Metrics(), threading.Barrier(8)

    def some(name):
        start.wait(60)
        for i in range(500):
            metrics.count_run(i, i, i, True)
            metrics.note_page(f"{name}-{i % 3}", "home", lambda _window: True)
            metrics.last_minute()
        return True

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(some, range(8)))
    assert metrics.pages(lambda _window: True).total() == 24


def test_a_turn_is_counted_once_with_its_waiting_and_not_one_that_was_given_up():
    runs = []
    turns = Turns(1, lambda *run: runs.append(run))

    class Unwanted(Exception):
        pass

    def unwanted():
        raise Unwanted

    with turns.turn(Kind.PAGE, "first"):
        with turns.turn(Kind.FRAGMENT, "first", by_somebody=False):
            pass  # a part of the page, drawn with it
        with ThreadPoolExecutor(1) as thread:
            waits = thread.submit(lambda: turns.turn(Kind.PAGE, "second", unwanted).__enter__())
            with pytest.raises(Unwanted):
                waits.result(60)
        assert runs == []
    with pytest.raises(ValueError, match="page"), turns.turn(Kind.FRAGMENT, "third", by_somebody=False):
        raise ValueError("page")
    assert [somebody for *_times, somebody in runs] == [True, False]
    assert all(asked <= began <= ended for asked, began, ended, _somebody in runs)


def test_memory_is_what_the_system_says(tmp_path):
    assert memory.used(tmp_path) is None and memory.free_and_total(tmp_path, tmp_path) is None
    (tmp_path / "self").mkdir()
    (tmp_path / "self" / "statm").write_text("500 300 20 1 0 90 0\n")
    (tmp_path / "meminfo").write_text("MemTotal:       2000 kB\nMemAvailable:    500 kB\nHugePages_Total:  0\n")
    assert memory.used(tmp_path) in (300 * 4096, 300 * 16384, 300 * 65536)
    assert memory.free_and_total(tmp_path, tmp_path) == (500 * 1024, 2000 * 1024)
    group = tmp_path / "group"
    group.mkdir()
    for name, text in {"max": "900000\n", "current": "800000\n", "stat": "anon 1\ninactive_file 150000\n"}.items():
        (group / f"memory.{name}").write_text(text)
    assert memory.free_and_total(tmp_path, group) == (250_000, 900_000), "a container may have less than the machine has left"
    (group / "memory.max").write_text("max\n")
    assert memory.free_and_total(tmp_path, group) == (500 * 1024, 2000 * 1024)
