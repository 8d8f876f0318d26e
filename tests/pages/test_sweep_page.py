"""Pins the part Sweep of Compare: which combination of the app's table was soonest, and its models, which can be opened."""

import pytest

from explorer import resources
from explorer.exhibits.compare import sweep
from explorer.model_on_screen.sweeps import shipped_sweep, sweep_model
from tests.pages.helpers import figure, fine, model_line, open_page, session_of, shown
from tests.transformer_core.sweeps import row_of
from transformer_core.training.learning import Learning
from transformer_core.training.sweep_rows import plan_of, read_rows, to_line


def test_the_soonest_combination_its_dots_and_its_numbers():
    at = open_page("compare", {"part": "sweep", "details-sweep": "on"})
    assert fine(at)
    assert "comes with the app" in shown(at) and "differ in the peak learning rate" in shown(at)
    assert "python -m transformer_core sweep --d-model 16,32,64" in at.code[0].value
    said = at.success[0].value
    assert "**d_model 32, heads 1** reached 99% right soonest: after 120 steps, the median of 3 seeds." in said
    assert "The ranges of 3 others overlap with its own" in said
    drawn = figure(at, "sweep-dots")
    assert len(drawn.data[0]["text"]) == 27 and drawn.alt.startswith(
        "d_model 32, heads 1: 110, 120, 130; d_model 32, heads 2: "
    )
    rows = at.dataframe[0].value
    assert list(rows["d_model"])[:3] == [32, 32, 64] and list(rows["median"])[:3] == [120, 130, 130]
    assert set(rows["reached 99%"]) == {"3 of 3"} and list(rows["range"])[:2] == ["110–130", "130"]
    seeds = at.dataframe[1].value
    assert list(seeds["seed"]) == [0, 1, 2] and sorted(seeds["steps to 99%"]) == [110, 120, 130]


@pytest.mark.parametrize(
    ("others", "words"),
    [
        ((150, 200), "lie apart like this in 1 of 3 cases"),
        ((130, 200), "The range of 1 other overlaps"),
    ],
)
def test_it_says_whether_chance_may_have_decided(monkeypatch, others, words):
    rows = [row_of(step, seed, d_model=16) for seed, step in enumerate((100, 140))]
    rows += [row_of(step, seed, d_model=32) for seed, step in enumerate(others)]
    monkeypatch.setattr(sweep, "shipped_sweep", lambda: tuple(rows))
    at = open_page("compare", {"part": "sweep"})
    assert fine(at) and words in at.success[0].value


def test_a_row_opens_as_a_model_at_once_where_it_is_there():
    at = open_page("compare", {"part": "sweep", "details-sweep": "on"})
    assert "It learns again when it is opened" in shown(at)
    row = next(row for row in shipped_sweep() if (row.cfg.d_model, row.cfg.n_heads, row.seed) == (32, 1, 0))
    learning = Learning(plan_of(row))
    for _ in range(20):
        learning.step()
    resources.model_store().put(learning.learned())
    at.run()
    assert "It learns again" not in shown(at) and "another plan" not in shown(at)
    at.button(key="open-sweep").click().run()
    assert fine(at)
    line = model_line(at)
    assert (line["task"], line["d-model"], line["heads"], line["seed"], line["steps"]) == ("copy", "32", "1", "0", "20")
    assert session_of(at).settings.d_model == 32


def test_the_table_of_the_app_is_what_it_says():
    """All of the words beside it rest on this: no seed fell short, and the app learns these models by the same plans."""
    rows = shipped_sweep()
    assert len(rows) == 27 and read_rows(b"".join(map(to_line, rows)))[0] == rows
    assert {(row.cfg.d_model, row.cfg.n_heads, row.seed) for row in rows} == {
        (width, heads, seed) for width in (16, 32, 64) for heads in (1, 2, 4) for seed in range(3)
    }
    assert {row.outcome for row in rows} == {"learned"}
    for row in rows:
        plan = sweep_model(row).settings.plan()
        assert (plan.cfg, plan.key) == (row.cfg, row.plan) == (row.cfg, plan_of(row).key)
