"""Pins: a row is read as it was written, a line that was cut off is left out, and what is no row is told in one sentence."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.transformer_core.sweeps import USUAL, row_of
from transformer_core import CopyTask
from transformer_core.errors import InputError
from transformer_core.training import sweep_rows
from transformer_core.training.learned import Learned
from transformer_core.training.learning_plan import limit_steps, plan_for
from transformer_core.training.sweep_rows import failed, plan_of, planned, read_rows, to_line

ROWS = [
    row_of(120, 3, d_model=12, n_heads=3),
    row_of(None, 0, norm="post", dropout=0.1),
    failed(planned("everyday-fr", replace(USUAL, d_model=8), 1, 40), "its process ended"),
]
DATA = b"".join(map(to_line, ROWS))


def line(**changes) -> bytes:
    """The first row's line with other values, by their names in the file."""
    return json.dumps(json.loads(to_line(ROWS[0])) | changes).encode() + b"\n"


def settings(**changes):
    return json.loads(to_line(ROWS[0]))["settings"] | changes


def refusal(data: bytes) -> str:
    with pytest.raises(InputError) as caught:
        read_rows(data)
    return str(caught.value)


def test_what_is_written_is_read():
    assert read_rows(DATA) == (tuple(ROWS), len(DATA))
    assert DATA.count(b"\n") == 3 and len(DATA) < 2500
    assert read_rows(b"") == ((), 0)


def test_a_line_cut_off_anywhere_is_left_out():
    whole = len(to_line(ROWS[0])) + len(to_line(ROWS[1]))
    for end in range(whole + 1, len(DATA) - 1, 7):
        assert read_rows(DATA[:end]) == (tuple(ROWS[:2]), whole), end
    assert read_rows(DATA[:-1]) == (tuple(ROWS), len(DATA) - 1), "whole without its end of line"
    assert read_rows(DATA[:300]) == ((), 0)


def test_of_a_row_that_is_there_twice_the_later_one_counts():
    again = replace(ROWS[2], outcome="diverged", error="", steps=4, rows=200)
    assert read_rows(DATA + to_line(again))[0] == (ROWS[0], ROWS[1], again)


def test_a_plan_is_told_by_its_key():
    usual = plan_for("copy", USUAL, 0)
    assert usual.key == planned("copy", USUAL, 0).plan != planned("copy", USUAL, 0, 40).plan == limit_steps(usual, 40).key
    assert plan_of(planned("copy", USUAL, 0, 40)) == limit_steps(usual, 40)
    assert limit_steps(usual, 40).recipe.steps == 40 and limit_steps(usual, 40).recipe.warmup == 10


@pytest.mark.parametrize(
    ("shares", "outcome", "expected"),
    [
        ((0.5, 0.9, 0.985, 0.99), "learned", ("learned", 20, 40)),
        ((0.2, 0.95, 0.3, 0.97), "learned", ("cut-off", 20, None)),
        ((0.1, 0.1, 0.1, 0.1), "cannot-learn", ("cannot-learn", None, None)),
        ((1.0, 0, 0, 0), "diverged", ("diverged", 10, 10)),
    ],
)
def test_a_row_says_what_a_curve_shows(shares, outcome, expected):
    curve = np.array([[10 * (i + 1), share, 1.0] for i, share in enumerate(shares)])
    plan = plan_for("copy", USUAL, 5)
    model = Learned(USUAL, CopyTask(), plan.recipe, outcome, curve, 200, {40: torch.zeros(1)}, 9.0)
    row = sweep_rows.row_of(planned("copy", USUAL, 5), model, 1.23456)
    assert (row.outcome, row.to_90, row.to_99) == expected
    assert (row.steps, row.right, row.rows, row.cpu_seconds) == (40, round(200 * shares[-1]), 200, 1.235)
    assert read_rows(to_line(row))[0] == (row,)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x89PNG\r\n\x1a\n\x00", "Line 1 of the file is no row of a sweep: it is not JSON."),
        (b"PK", "no rows of a sweep"),
        (b"[]\n", "does not have the names"),
        (b"{}\n", "does not have the names"),
        (b"[" * 100_000 + b"\n", "it is not JSON"),
        (line() + b'{"task": 1}\n' + line(), "Line 2"),
        (line(extra=1), "does not have the names"),
        (line(settings=None), "does not have the names"),
        (line(settings={}), "incomplete settings"),
        (line(settings=settings(colour=1)), "unknown setting"),
        (line(settings=settings(n_heads=5)), "cannot be split"),
        (b"\xff\xfe" + line(), "it is not JSON"),
    ],
)
def test_what_is_no_row_is_told_in_one_sentence(data, words):
    said = refusal(data)
    assert words in said and len(said) < 400 and "\n" not in said
