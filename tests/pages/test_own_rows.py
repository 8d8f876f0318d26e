"""Pins: a model that learned rows of other symbols or of another length is asked such rows, and every n is that of rows that
differ."""

import math

import pytest
import torch

from explorer import resources
from explorer.learning.learned_model import of_file
from explorer.model_on_screen import held_out, rollouts
from explorer.model_on_screen.cut_costs import damages
from explorer.model_on_screen.forward import mean_rows, model_of
from tests.pages.helpers import figure, fine, measured, session_of, shown, visit
from transformer_core import CopyTask, ReverseTask, Transformer, TransformerConfig, checkpoint
from transformer_core.analysis.cutting import HeadCut
from transformer_core.data.tasks import facts_of
from transformer_core.training.evaluation import exact_match


def opened(task: CopyTask, **sizes) -> str:
    """The id of a model in a file that says what it learned."""
    given = {"d_model": 12, "n_heads": 2, "d_ff": 14, "n_layers": 1} | sizes
    cfg = TransformerConfig(src_vocab=task.vocab, tgt_vocab=task.vocab, **given)
    model = Transformer(cfg, torch.Generator().manual_seed(3))
    return resources.model_store().add(checkpoint.to_bytes(model, facts_of(task))).id


@pytest.mark.parametrize(("task", "count"), [(CopyTask(11, 4), 197), (ReverseTask(5, 4), 12), (CopyTask(3, 2), 2)])
def test_what_matters_asks_rows_such_as_it_learned_and_says_how_many(task, count):
    model_id = opened(task)
    at = visit({"model": model_id, "part": "ranking"}, "what_matters")
    model = session_of(at).shown()
    assert model.taught == task and len(model.src) == task.length
    rows = held_out.rows_of(task).src
    assert len(rows) == len(set(map(tuple, rows.tolist()))) == count and rows.size(1) == task.length
    assert fine(measured(at, "ranking"))
    assert f"the model is asked {count} held-out sequences" in shown(at) and "never seen" not in shown(at)
    assert ("Too few sequences to hold any out" in shown(at)) == (count == 2)
    heads = [HeadCut("cross", 0, head) for head in range(2)]
    found = damages(model.choice, task, heads, "mean", 0.0)
    assert [each.n for each in found] == [count, count]
    assert figure(at, "damage-heads").cells[0][-1] == pytest.approx([each.loss for each in found], rel=1e-4, abs=1e-6)
    (right,) = held_out.shares_right([model.choice], task, math.inf)
    assert right == exact_match(model_of(model.choice), task, held_out.rows_of(task))
    assert len(mean_rows(task, model.cfg).src) == count and rollouts.count_of(task) == min(100, count)


def test_a_model_on_screen_reads_a_row_as_long_as_those_it_learned():
    at = visit({"model": opened(CopyTask(11, 4))}, "heads")
    assert fine(at) and session_of(at).settings.numbers == "1 4 7 10"
    assert "trained at 4" in at.select_slider(key="sequence_length").label
    at = visit({"model": opened(CopyTask(3, 2))}, "heads")
    assert fine(at) and session_of(at).settings.numbers == "1 2"
    at = visit({"model": opened(CopyTask(11, 4)), "numbers": "1 5 3 8 2"}, "heads")
    assert fine(at) and session_of(at).settings.numbers == "1 5 3 8 2", "a link says what it says"


@pytest.mark.parametrize("task", [CopyTask(11, 4), CopyTask(3, 2)])
def test_how_it_carries_to_longer_rows_is_measured_from_the_length_that_it_learned(task):
    at = visit({"model": opened(task), "part": "no_positions"}, "positions")
    assert fine(at) and f"All rows of its training had {task.length} numbers" in shown(at)
    lengths = list(map(int, figure(at, "longer").layout["xaxis"]["ticktext"]))
    assert lengths == list(range(max(2, task.length - 1), task.length + 5))


def test_a_file_says_what_was_learned_and_is_not_believed_what_cannot_be():
    task = ReverseTask(6, 3)
    cfg = TransformerConfig(src_vocab=6, tgt_vocab=6, d_model=12, n_heads=2, d_ff=14, n_layers=1, max_len=9)
    model = Transformer(cfg, torch.Generator().manual_seed(3))

    def taught(**facts):
        return of_file(checkpoint.to_bytes(model, facts)).model.taught

    assert taught(**facts_of(task)) == task
    assert taught(task="reverse") is None, "of what length, it does not say"
    for length in ("3", 1, 10, None, [3]):
        assert taught(task="reverse", length=length) is None
    assert taught(task="everyday-fr") is None and taught() is None and taught(task=["copy"]) is None
