"""Pins: what is measured a little at a time is measured once, also for those who ask together, and kept within a bound."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from explorer.model_on_screen import incremental
from explorer.model_on_screen.incremental import measure, measure_batches, measure_joined


@pytest.fixture(autouse=True)
def nothing_known():
    incremental._finding.clear()
    yield
    incremental._finding.clear()


def test_what_is_known_takes_no_time_and_nothing_is_begun_when_that_is_over():
    calls = []

    def compute(key):
        calls.append(key)
        return 2 * key[1]

    assert measure(60, [("a", 1), ("a", 2)], compute) == [2, 4]
    assert measure(0, [("a", 1), ("a", 3), ("a", 2)], compute) == [2, None, 4]
    assert calls == [("a", 1), ("a", 2)]


def test_those_who_ask_together_wait_for_one_measurement():
    calls, begun, go_on = [], threading.Event(), threading.Event()

    def compute(key):
        calls.append(key)
        begun.set()
        assert go_on.wait(60)
        return 5

    with ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(measure, 60, [("together",)], compute) for _ in range(4)]
        assert begun.wait(60)
        go_on.set()
        assert [each.result(60) for each in asked] == [[5]] * 4
    assert calls == [("together",)]


def test_an_error_is_not_kept():
    def fail(key):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        measure(60, ["error"], fail)
    assert measure(60, ["error"], lambda key: 3) == [3]


def test_findings_are_bounded_in_bytes_with_their_keys():
    most = incremental._finding.most_bytes
    measure(60, range(4), lambda key: np.zeros(most // 3, dtype=np.uint8))
    assert most // 3 <= incremental._finding.nbytes <= most
    known = [found is not None for found in measure(0, range(4), len)]
    assert known == [False, False, True, True], "the first ones made room for the last"
    before = incremental._finding.nbytes
    measure(60, [(0, "x" * 10_000)], lambda key: 1)
    assert incremental._finding.nbytes <= most and incremental._finding.nbytes != before


def test_what_is_made_of_parts_is_joined_once_all_are_there_and_kept():
    calls, joined = [], []

    def parts(key, left):
        assert 0 < left <= 60
        return measure(left, [(key, i) for i in range(3)], lambda each: calls.append(each) or 10 + each[1])

    def join(key, found):
        joined.append(key)
        return sum(found)

    assert measure_joined(0, ["a"], parts, join) == [None]
    assert measure_joined(60, ["a", "b"], parts, join) == [33, 33]
    assert measure_joined(0, ["b", "c", "a"], parts, join) == [33, None, 33]
    assert measure_joined(60, ["c"], lambda _key, _left: [1, None], join) == [None], "a part is missing"
    assert len(calls) == 6 and joined == ["a", "b"]


def test_lots_of_rows_are_measured_one_at_a_time_and_once():
    lots, seen = [torch.tensor([3, 0]), torch.tensor([2])], []

    def compute(key, places):
        seen.append((key, places.tolist()))
        return places.tolist()

    def join(_key, found):
        return [place for each in found for place in each]

    assert measure_batches(60, [("a", 1)], lots, compute, join) == [[3, 0, 2]]
    assert measure_batches(60, [("a", 1)], lots, compute, join) == [[3, 0, 2]]
    assert seen == [(("a", 1), [3, 0]), (("a", 1), [2])]
