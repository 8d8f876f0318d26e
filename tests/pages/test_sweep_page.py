"""Pins the part Sweep of Compare: which combination was soonest by the file that is open, which stays open, and its models."""

from dataclasses import replace

import numpy as np
import pytest

from explorer import resources
from explorer.inference.settings import of_task
from tests.pages.helpers import complaints, figure, figures, fine, go, model_line, open_page, session_of, shown, turn
from tests.transformer_core.sweeps import row_of
from transformer_core.analysis.sweep import combinations
from transformer_core.training.learning import Learning
from transformer_core.training.learning_plan import plan_for
from transformer_core.training.sweep_rows import failed, read_rows, to_line

WIDE = [row_of(step, seed, d_model=32) for seed, step in enumerate((150, 170))]
NARROW = [row_of(step, seed, d_model=16) for seed, step in enumerate((100, None, 120))]


def opened(*rows, data: bytes | None = None):
    """The part with a file of these rows."""
    return upload(open_page("compare", {"part": "sweep"}), *rows, data=data)


def upload(at, *rows, data: bytes | None = None, name="mine.jsonl"):
    content = b"".join(map(to_line, rows)) if data is None else data
    at.file_uploader(key="sweep-upload").set_value((name, content, "application/jsonl")).run()
    assert not at.exception, at.exception[0].message
    return at


def table(at, i=0):
    return at.dataframe[i].value


def words(at) -> str:
    """All that the part says, its dataframes left out."""
    return shown(at)


def test_before_a_file_is_opened_the_one_of_the_app_is_shown_with_the_command():
    at = open_page("compare", {"part": "sweep"})
    assert fine(at)
    assert "comes with the app" in words(at)
    assert "python -m transformer_core sweep --d-model 16,32,64" in at.code[0].value
    assert len(table(at)) == 9 and set(table(at)["reached 99%"]) == {"3 of 3"}
    assert len(figure(at, "sweep-dots").data[0]["text"]) == 27
    assert "d_model 32, heads 1" in at.success[0].value and "By chance alone" in at.success[0].value


def test_the_soonest_combination_its_dots_and_its_numbers():
    at = opened(*NARROW, *WIDE)
    assert fine(at)
    said = at.success[0].value
    assert "**d_model 16** reached 99% right soonest: after 120 steps, the median of 3 seeds." in said
    assert "The range of 1 other overlaps" in said
    assert "mine.jsonl" in words(at) and "5 models" in words(at)
    there, missed, _median = figure(at, "sweep-dots").data
    assert (there["text"], missed["text"]) == (["seed 0", "seed 2", "seed 0", "seed 1"], ["seed 1"])
    drawn = figure(at, "sweep-dots")
    assert "d_model 16: 100, 120, 900" in drawn.alt and "d_model 32: 150, 170" in drawn.alt
    rows = table(at)
    assert list(rows["d_model"]) == [16, 32] and list(rows["median"]) == [120, 160]
    assert list(rows["reached 99%"]) == ["2 of 3", "2 of 2"] and list(rows["range"]) == ["100–", "150–170"]
    assert list(rows["right"]) == ["428 of 600", "398 of 400"] and list(rows["seconds"]) == [5.0, 2.5]
    assert "differ in the peak learning rate" in words(at)
    seeds = table(at, 1)
    assert list(seeds["seed"]) == [0, 1, 2] and seeds["outcome"][1] == "all its steps taken before that"
    np.testing.assert_array_equal(seeds["steps to 99%"], [100, np.nan, 120])
    assert "peak learning rate" not in words(opened(row_of(90, d_ff=16), row_of(90, d_ff=32)))
    apart = opened(*NARROW[:1], row_of(110, 1, d_model=16), *WIDE)
    assert "Each of its seeds got there sooner than any seed of the others." in apart.success[0].value
    assert "lie apart like this in 1 of 3 cases" in apart.success[0].value, "2 of the 6 orders of two seeds and two"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([row_of(100)], "There is no other combination"),
        ([row_of(100), row_of(200, d_model=16)], "how much of the difference is chance cannot be told"),
        ([row_of(None), row_of(None, d_model=16)], "No combination has reached 99% right"),
        ([failed(row_of(1), "<b>killed</b>")], "None of these models was trained to its end"),
        ([row_of(100), failed(row_of(1, 1), "killed")], "1 model was not trained to its end"),
        ([row_of(40, most_steps=60), row_of(40, most_steps=80)], "at most 60 steps"),
        ([row_of(40, d_ff=30000)], "The app cannot show this model"),
    ],
)
def test_every_table_makes_sense(rows, expected):
    at = opened(*rows)
    assert fine(at)
    assert expected in words(at)
    assert len(table(at)) == len(combinations(rows))
    assert len(figures(at)) == any(row.outcome != "failed" for row in rows)


def test_tasks_are_not_mixed():
    at = opened(*WIDE, row_of(60, task="reverse"), row_of(None, task="small-fr"))
    assert fine(at)
    assert at.selectbox(key="sweep_task").value == "reverse" and list(table(at)["median"]) == [60]
    at.selectbox(key="sweep_task").set_value("copy").run()
    assert fine(at) and list(table(at)["median"]) == [160]
    at.selectbox(key="sweep_task").set_value("small-fr").run()
    assert fine(at) and "No combination has reached" in words(at)


def test_a_table_stays_while_one_looks_at_other_pages_and_until_it_is_closed():
    at = opened(*NARROW, *WIDE)
    go(at, "home")
    go(at, "compare")
    turn(at, part="sweep")
    assert fine(at) and "mine.jsonl" in words(at) and list(table(at)["median"]) == [120, 160]
    at.button(key="close-sweep").click().run()
    assert fine(at) and "comes with the app" in words(at)
    closed = opened(*WIDE)
    closed.button(key="close-sweep").click().run()
    assert "comes with the app" in words(closed), "though its file is still in the box"
    assert list(table(upload(closed, *NARROW))["median"]) == [120]


def test_a_link_opens_the_table_also_after_a_restart():
    at = opened(*NARROW, *WIDE)
    link = dict(at.query_params)
    resources._made.pop("model_store")  # what a new server has
    again = open_page("compare", link)
    assert fine(again) and "mine.jsonl" in words(again) and list(table(again)["median"]) == [120, 160]
    again.button(key="close-sweep").click().run()
    assert "sweep" not in again.query_params and "comes with the app" in words(again)
    gone = open_page("compare", {"part": "sweep", "sweep": "0123456789abcdef"})
    assert "not kept here any more" in words(gone) and len(table(gone)) == 9
    for nonsense in ("../../etc/passwd", "%00", "x" * 5000):
        assert len(table(open_page("compare", {"part": "sweep", "sweep": nonsense}))) == 9


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "no finished row yet"), (b"\x00\xff" * 50, "holds no rows of a sweep"), (b"<html>\n</html>\n", "Line 1"),
        (b'{"task": "copy"}\n', "Line 1"), (to_line(WIDE[0])[:50], "no finished row yet"), (b" " * 5_000_000, "bytes"),
    ],
)  # fmt: skip
def test_nonsense_is_told_in_one_sentence_and_takes_nothing_away(data, expected):
    at = upload(opened(*WIDE), data=data)
    (said,) = complaints(at)
    assert expected in said and list(table(at)["median"]) == [160]
    assert complaints(at.run()) == [said], "as long as it is there"
    assert fine(upload(at, *NARROW)) and list(table(at)["median"]) == [120]


def test_half_a_line_at_the_end_is_left_out():
    at = opened(data=to_line(WIDE[0]) + to_line(WIDE[1])[:90])
    assert fine(at) and "not fully written" in at.info[0].value and list(table(at)["median"]) == [150]


def test_a_row_opens_as_a_model_at_once_where_it_is_there():
    cfg = replace(of_task("copy").config(11), d_model=8, n_heads=2, d_ff=16)
    plan = plan_for("copy", cfg, 3)
    learning = Learning(plan)
    for _ in range(20):
        learning.step()
    rows = [row_of(90, 3, d_model=8, n_heads=2, d_ff=16), row_of(80, 1, d_model=16, n_heads=2, d_ff=16)]
    at = opened(*rows)
    assert "It learns again when it is opened" in words(at)
    resources.model_store().put(learning.learned())
    at.selectbox(key="sweep_model").set_value("1").run()
    assert "It learns again" not in words(at) and "another plan" not in words(at)
    at.button(key="open-sweep").click().run()
    assert fine(at)
    line = model_line(at)
    assert (line["task"], line["d-model"], line["heads"], line["seed"], line["steps"]) == ("copy", "8", "2", "3", "20")
    assert session_of(at).settings.d_ff == 16
    assert session_of(at).sweep_open.rows == tuple(rows)


def test_it_says_when_a_model_learns_by_another_plan_than_its_row():
    assert "which is not the one of this row" in words(opened(row_of(40, d_model=24, most_steps=60)))
    assert "which is not the one of this row" not in words(opened(row_of(40, d_model=24)))


def test_many_combinations_are_drawn_up_to_a_bound():
    rows = [row_of(100 + width, d_ff=width) for width in range(8, 48)]
    at = opened(*rows)
    assert fine(at) and "Drawn are the first 24 of 40 combinations." in words(at)
    assert len(table(at)) == 40 and len(figure(at, "sweep-dots").data[0]["text"]) == 24


def test_the_table_of_the_app_is_what_it_says():
    from explorer.inference.sweeps import shipped_sweep

    rows = shipped_sweep().rows
    assert len(rows) == 27 and read_rows(b"".join(map(to_line, rows)))[0] == rows
    assert {(row.cfg.d_model, row.cfg.n_heads, row.seed) for row in rows} == {
        (width, heads, seed) for width in (16, 32, 64) for heads in (1, 2, 4) for seed in range(3)
    }
    assert {row.outcome for row in rows} == {"learned"}
