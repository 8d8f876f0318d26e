"""Models in a race: alike in all but what they are, and judged as they write."""

import pytest
import torch

from transformer_core.analysis.race_results import arrival, by_place, course, middle, path_lengths, waiting_steps
from transformer_core.errors import InputError
from transformer_core.training import race
from transformer_core.training.race import (
    ENTRANTS,
    EVERY,
    Race,
    Racer,
    RaceRow,
    parameters_of,
    race_task,
    read_race,
    rows_of,
    rows_predicted_right,
    to_bytes,
    written_by,
)

EVERY_ENTRANT = pytest.mark.parametrize("entrant", ENTRANTS)


@pytest.fixture(scope="module")
def half_trained() -> dict[str, Racer]:
    """Models that have some rows right and some wrong."""
    steps = {"transformer": 50, "lstm-attention": 50, "lstm": 125}
    racers = {entrant: Racer(entrant, "reverse", 4, seed=0) for entrant in ENTRANTS}
    for entrant, racer in racers.items():
        for _ in range(steps[entrant]):
            racer.step()
    return racers


def test_all_have_as_many_parameters():
    counts = [parameters_of(entrant, 11) for entrant in ENTRANTS]
    assert counts == [86_091, 86_575, 86_483]
    assert max(counts) / min(counts) < 1.01


def test_all_learn_from_the_same_rows_and_are_asked_the_same():
    racers = [Racer(entrant, "copy", 5, seed=3) for entrant in ENTRANTS]
    first = [racer.task.batch(8, racer._data).src for racer in racers]
    assert torch.equal(first[0], first[1]) and torch.equal(first[0], first[2])
    assert all(torch.equal(racer._test.src, racers[0]._test.src) for racer in racers)
    assert len({tuple(row) for row in racers[0]._test.src.tolist()}) == race.ROWS


@EVERY_ENTRANT
def test_whole_rows_are_judged_as_if_they_were_written(entrant, half_trained):
    racer = half_trained[entrant]
    written = written_by(racer.model, racer._test, racer.task.start_id)
    right = rows_predicted_right(racer.model, racer._test, racer.task.pad_id)
    assert torch.equal((written == racer._test.labels).all(dim=1), right)
    assert 0 < right.float().mean() < 1, "a model that knows nothing, or all, tells nothing"
    assert racer.row.right[-1] == right.float().mean()


@EVERY_ENTRANT
def test_it_is_judged_before_the_first_step_and_every_few(entrant, half_trained):
    row = half_trained[entrant].row
    assert len(row.right) == len(row.seconds) == half_trained[entrant].steps_taken // EVERY + 1
    assert row.seconds[0] == 0 and list(row.seconds) == sorted(row.seconds)
    assert row.step == half_trained[entrant].steps_taken


def test_a_run_is_the_same_again(half_trained):
    again = Racer("lstm-attention", "reverse", 4, seed=0)
    for _ in range(50):
        again.step()
    assert again.row.right == half_trained["lstm-attention"].row.right


def test_it_ends_where_it_arrives_and_tells_what_is_right_by_place():
    racer = Racer("lstm-attention", "reverse", 3, seed=0)
    while not racer.row.is_over:
        assert racer.row.by_place == ()
        racer.step()
    assert racer.row.has_arrived and len(racer.row.by_place) == 3 and min(racer.row.by_place) >= 0.9


def test_a_file_holds_all_of_a_race(half_trained):
    rows = tuple(racer.row for racer in half_trained.values())
    recorded = Race("2026-11-29", "a processor", "2.0", rows)
    assert read_race(to_bytes(recorded)) == recorded
    assert to_bytes(recorded).count(b"\n") == len(rows) + 2, "a line for each row"


def test_another_task_is_refused():
    with pytest.raises(InputError, match="copy, reverse"):
        race_task("sort", 5)


# --- What is read off. ---


def row(seed: int, *right: float, seconds: float = 1.0) -> RaceRow:
    return RaceRow("copy", 2, "lstm", seed, right, tuple(seconds * n for n in range(len(right))), (right[-1], 0.5))


def test_who_arrives_and_who_is_in_the_middle():
    rows = [row(0, 0, 0.5, 0.95), row(1, 0, 0.95, seconds=5), row(2, 0, 0.5, 0.6)]
    assert [arrival(each) for each in rows] == [50, 25, None]
    assert [arrival(each, "seconds") for each in rows] == [2, 5, None]
    assert middle(rows).seed == 0 and middle(rows, "seconds").seed == 1
    assert middle([row(0, 0, 0.2), row(1, 0, 0.6), row(2, 0, 0.4)]).seed == 2, "of those that never arrive, the best are first"
    at, right = course(rows[0])
    assert at.tolist() == [0, 25, 50] and right.tolist() == [0, 0.5, 0.95]
    assert course(rows[1], "seconds")[0].tolist() == [0, 5]
    assert by_place(rows).round(3).tolist() == [0.833, 0.5]
    assert [each.seed for each in rows_of(rows[::-1], "copy", 2, "lstm")] == [0, 1, 2]


def test_a_copied_word_has_as_far_to_go_as_the_row_is_long_and_a_reversed_one_has_not():
    assert path_lengths("lstm", "copy", 5).tolist() == [5] * 5
    assert path_lengths("lstm", "reverse", 5).tolist() == [1, 3, 5, 7, 9]
    assert path_lengths("transformer", "reverse", 5).tolist() == path_lengths("lstm-attention", "copy", 5).tolist() == [1] * 5


def test_a_transformer_waits_for_its_layers_alone():
    assert [waiting_steps(entrant, 20) for entrant in ENTRANTS] == [2, 41, 41]
