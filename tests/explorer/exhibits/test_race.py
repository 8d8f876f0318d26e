"""Pins what the page says of the recorded race: a race that is recorded anew and shows something else fails here."""

import pytest

from explorer.exhibits.compare import race, race_findings
from explorer.pictures.race import LENGTHS, TASK_NAMES, arrivals, runs_of
from transformer_core import SHIPPED_MODELS
from transformer_core.analysis.race_results import arrival, by_place, middle, shipped_race
from transformer_core.training.race import ENTRANTS, MOST_STEPS, RaceRow, rows_of

ROWS = shipped_race().rows
SEEDS = [0, 1, 2, 3, 4]
SETTINGS = [(task, length) for task in TASK_NAMES for length in LENGTHS]


def steps(task: str, length: int, model: str) -> list[float]:
    """After which each seed arrived; infinite for one that never did."""
    found = (arrival(row) for row in rows_of(ROWS, task, length, model))
    return [float("inf") if at is None else at for at in found]


def test_every_model_ran_every_race_from_the_same_seeds_to_its_end():
    for task, length in SETTINGS:
        for model in ENTRANTS:
            runs = rows_of(ROWS, task, length, model)
            assert [row.seed for row in runs] == SEEDS
            assert all(row.is_over and len(row.by_place) == length for row in runs)
    assert len(ROWS) == len(SETTINGS) * len(ENTRANTS) * len(SEEDS)
    assert shipped_race().machine and (SHIPPED_MODELS / "race.json").stat().st_size < 100_000


def test_the_lstm_with_attention_is_first_nearly_always_and_the_transformer_in_the_other_races():
    assert race._first().found == "lstm-attention"
    seconds, steps = (
        [race_findings.first_of(runs_of(ROWS, *setting), scale) for setting in SETTINGS] for scale in ("seconds", "steps")
    )
    assert seconds.count("lstm-attention") == 5 and steps.count("lstm-attention") == 4
    assert "lstm" not in seconds + steps


def test_attention_helps_the_lstm_from_every_seed_but_with_the_shortest_rows_to_copy():
    for task, length in SETTINGS:
        helped = max(steps(task, length, "lstm-attention")) < min(steps(task, length, "lstm"))
        assert helped is ((task, length) != ("copy", 5)), (task, length)


def test_the_lstm_learns_backwards_sooner_from_every_seed():
    backwards, in_order = steps("reverse", 10, "lstm"), steps("copy", 10, "lstm")
    assert max(backwards) < min(in_order)
    assert race._which_way().found == "reverse"


def test_of_long_rows_the_lstm_has_none_in_order_and_most_numbers_backwards_the_first_as_well():
    in_order, backwards = (by_place(rows_of(ROWS, task, 20, "lstm")) for task in ("copy", "reverse"))
    assert in_order.min() > 0.1 and in_order.max() < 0.2, "hardly more than guessing among ten, the last one as well"
    assert backwards[-1] > 0.9 and backwards.min() > 0.9, "what it read first is not what it has lost"
    assert min(steps("copy", 20, "lstm")) > MOST_STEPS


def test_the_findings_say_these_numbers():
    soonest, attention, forgets, unseen = race_findings.findings(ROWS)
    assert "Of 6 races, the LSTM with attention is first in 5 by seconds and in 4 by steps" in soonest
    assert "in 5 of 6 races" in attention
    assert "read first is right in 95% of rows, and the worst in 92%" in forgets and "guessing (10%): 11% to 16%" in forgets
    assert "41 steps, each of which waits for the one before; the Transformer 2" in unseen


def test_the_table_has_the_sizes_the_rates_and_the_ways():
    rows = [list(row.values()) for row in race_findings.table()]
    assert rows == [
        ["Transformer", "86,091", "0.003", "1", "1", "2"],
        ["LSTM with attention", "86,575", "0.005", "1", "1", "41"],
        ["LSTM", "86,483", "0.01", "20", "1–39", "41"],
    ]


@pytest.mark.parametrize(
    ("right", "words"),
    [
        ((0, 0.5, 0.95), "50 steps, 2.0 s"),
        ((0, 0.4), "40% after 25 steps"),
        ((0.0,) * (MOST_STEPS // 25 + 1), "not in 1,500 steps"),
    ],
)
def test_a_model_is_there_or_under_way_or_has_given_up(right, words):
    row = RaceRow("copy", 2, "lstm", 0, right, tuple(map(float, range(len(right)))))
    assert arrivals({"lstm": [row]}) == f"LSTM: {words}"


def test_some_seeds_may_arrive_and_others_not():
    never, soon = (0.0,) * (MOST_STEPS // 25 + 1), (0, 0.95)
    rows = [RaceRow("copy", 2, "lstm", seed, right, right) for seed, right in enumerate((never, soon, never))]
    assert middle(rows).seed != 1
    assert arrivals({"lstm": rows}) == "LSTM: 1 of 3 seeds in 1,500 steps"
