"""Pins: equal requests at the same moment are computed once, errors are told to all and not kept, and memory is bounded."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from explorer.model_on_screen import forward
from explorer.model_on_screen.forward import ModelChoice, Random, forward_pass, model_of
from explorer.model_on_screen.shared_cache import bytes_of, forget_all, kept_by_all, shared_cache
from tests.explorer.learning.helpers import CFG
from transformer_core import Transformer
from transformer_core.errors import InputError

CROWD = 8


def all_at_once(function, *given):
    """What a crowd of threads gets that calls it together."""
    together = threading.Barrier(CROWD)

    def ask():
        together.wait()
        try:
            return function(*given)
        except Exception as error:
            return error

    with ThreadPoolExecutor(CROWD) as threads:
        return [asked.result(60) for asked in [threads.submit(ask) for _ in range(CROWD)]]


def test_a_crowd_that_asks_for_the_same_is_answered_by_one_computation():
    calls = []

    @shared_cache(10**6)
    def double(n):
        calls.append(n)
        time.sleep(0.05)
        return [2 * n]

    found = all_at_once(double, 21)
    assert found == [[42]] * CROWD and len({id(each) for each in found}) == 1
    assert double(21) is found[0] and calls == [21]
    assert double(1) == [2] and calls == [21, 1]


def test_an_error_is_told_to_all_and_not_kept():
    calls = []

    @shared_cache(10**6)
    def refuse(n):
        calls.append(n)
        time.sleep(0.05)
        raise InputError("not {n}", n=n)

    assert [str(error) for error in all_at_once(refuse, 3)] == ["not 3"] * CROWD
    assert calls == [3]
    with pytest.raises(InputError):
        refuse(3)
    assert calls == [3, 3], "the next one tries again"


def test_where_the_one_who_computes_is_ended_another_one_does():
    class Unwanted(BaseException):
        """As a script's, whose page has been left."""

    begun, go_on, calls = threading.Event(), threading.Event(), []

    @shared_cache(10**6)
    def value():
        calls.append(threading.get_ident())
        if len(calls) == 1:
            begun.set()
            assert go_on.wait(60)
            raise Unwanted
        return 5

    def first():
        with pytest.raises(Unwanted):
            value()

    with ThreadPoolExecutor(2) as threads:
        ended = threads.submit(first)
        assert begun.wait(60)
        other = threads.submit(value)
        time.sleep(0.02)
        go_on.set()
        assert other.result(60) == 5
        ended.result(60)
    assert len(set(calls)) == 2


def test_one_may_call_another_and_itself_but_not_for_its_own_result():
    @shared_cache(10**6)
    def factorial(n):
        return n * factorial(n - 1) if n else 1

    @shared_cache(10**6)
    def both(n):
        return factorial(n), factorial(n + 1)

    assert all_at_once(both, 5) == [(120, 720)] * CROWD

    @shared_cache(10**6)
    def circle(n):
        return circle(n)

    with pytest.raises(RuntimeError, match="circle needs its own result"):
        circle(1)


def test_nothing_is_locked_while_it_is_computed():
    """Two that are under way at the same time, each of which the other's caller needs as well."""
    at_work = threading.Barrier(2)

    @shared_cache(10**6)
    def part(name):
        at_work.wait(60)  # until the other one is under way
        return name

    @shared_cache(10**6)
    def whole(names):
        return "".join(map(part, names))

    @shared_cache(10**6)
    def backwards(names):
        return "".join(part(name) for name in reversed(names))

    with ThreadPoolExecutor(2) as threads:
        one, other = threads.submit(whole, "ab"), threads.submit(backwards, "ab")
        assert (one.result(60), other.result(60)) == ("ab", "ba")


def test_the_least_recently_used_goes_and_what_is_too_large_is_not_kept():
    @shared_cache(10_000)
    def zeros(n):
        return np.zeros(n, dtype=np.uint8)

    first, second = zeros(4_000), zeros(4_001)
    assert zeros(4_000) is first and 8_001 <= zeros.nbytes <= 10_000
    zeros(4_002)
    assert zeros(4_000) is first and zeros(4_001) is not second
    large = zeros(20_000)
    assert len(large) == 20_000 and zeros(20_000) is not large and zeros.nbytes <= 10_000
    zeros.clear()
    assert zeros.nbytes == 0 and zeros(4_000) is not first


def test_while_nobody_is_there_what_took_long_is_kept_and_nothing_else():
    calls = []

    @shared_cache(10**6)
    def soon(n):
        calls.append("soon")
        return [n]

    @shared_cache(10**6, lasting=True)
    def late(n):
        calls.append("late")
        return [n]

    soon(1), late(1)
    forget_all()
    assert soon.nbytes == 0 < late.nbytes
    soon(1), late(1)
    assert calls == ["soon", "late", "soon"]


def test_keys_count_as_well():
    @shared_cache(10_000)
    def length(text):
        return len(text)

    for i in range(100):
        length(f"{i:03}" * 300)
    assert 8_000 < length.nbytes <= 10_000, "about ten texts of 900 letters; their lengths alone would all have been kept"
    assert length.get("099" * 300) == 900 and length.get("000" * 300) is None


def test_all_of_them_are_added_up():
    before = kept_by_all()

    @shared_cache(10_000)
    def zeros(n):
        return np.zeros(n, dtype=np.uint8)

    zeros(5_000)
    kept, most = kept_by_all()
    assert (kept - before[0], most - before[1]) == (zeros.nbytes, 10_000) and zeros.nbytes > 5_000


def test_what_is_computed_otherwise_is_kept_as_the_same():
    @shared_cache(10**6, key=lambda n, unit: n)
    def value(n, unit):
        return f"{n} {unit}"

    assert value.get_or_compute(lambda: "seven", 7, "m") == "seven" == value(7, "km")
    assert value(8, unit="m") == "8 m" == value(8, unit="km")


def test_sizes_count_arrays_wherever_they_are():
    model = Transformer(CFG)
    tables = sum(each.nbytes for each in model.buffers())
    assert bytes_of(model) == sum(4 * parameter.numel() for parameter in model.parameters()) + tables > tables > 0
    arrays = [np.zeros((3, 5)), torch.zeros(7, dtype=torch.float16)]
    for thing in (arrays, tuple(arrays), dict(zip("ab", arrays, strict=True)), [(arrays,)]):
        assert 120 + 14 <= bytes_of(thing) < 120 + 14 + 1000
    found = forward_pass(ModelChoice(CFG, Random(0)), (4, 5), (1, 3))
    assert found.bytes < bytes_of(found) < found.bytes + 500 * len(found.values)


def test_a_crowd_with_one_link_runs_its_model_once(monkeypatch):
    passes = []
    trace = forward.Trace
    monkeypatch.setattr(forward, "Trace", lambda: passes.append(1) or time.sleep(0.05) or trace())
    choice = ModelChoice(CFG, Random(12345))
    found = all_at_once(forward_pass, choice, (4, 5, 6), (1, 3))
    assert len({id(each) for each in found}) == 1 and passes == [1]
    assert len({id(each) for each in all_at_once(model_of, choice)}) == 1
