"""Pins one step of plain gradient descent: its gradient written out, part by part, and what it does to the model."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import config, generator, perturb
from transformer_core import Transformer
from transformer_core.analysis import one_step
from transformer_core.data.batch import Batch
from transformer_core.training.trainer import token_loss

SRC, TGT, LABELS = [4, 5, 6, 7, 8], [1, 3, 3, 9], [3, 3, 9, 2]
ROW = one_step.row_of(SRC, TGT, LABELS)


def model_of(**changes) -> Transformer:
    model = Transformer(config(**changes), generator(0)).eval()
    perturb(model, 1)
    return model.double()


@pytest.fixture(scope="module")
def model() -> Transformer:
    return model_of()


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_output_layers_gradient_is_softmax_minus_target_times_the_decoders_output(model, smoothing):
    found = one_step.output_gradient(model, ROW, smoothing)
    assert np.abs(found.found).max() > 0.01
    np.testing.assert_allclose(found.written_out, found.found, rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.errors.sum(axis=1), 0, atol=1e-12)  # what one word gains, others lose
    assert (found.errors[range(4), LABELS] < 0).all()


def test_so_it_is_for_a_decoder_alone():
    alone = model_of(stacks="decoder", cross_attention=False)
    found = one_step.output_gradient(alone, one_step.row_of([], TGT, LABELS))
    np.testing.assert_allclose(found.written_out, found.found, rtol=0, atol=1e-10)


TIED = {
    "output": {"tie_embeddings": "output"},
    "all": {"tie_embeddings": "all", "src_vocab": 17, "tgt_vocab": 17},
    "unscaled": {"tie_embeddings": "output", "embedding_scale": False},
    "learned positions": {"tie_embeddings": "output", "position": "learned"},
    "decoder": {"tie_embeddings": "output", "stacks": "decoder", "cross_attention": False},
}


@pytest.mark.parametrize("changes", TIED.values(), ids=TIED)
def test_a_matrix_that_is_also_the_table_has_a_second_gradient_from_the_words_that_are_read(changes):
    tied = model_of(**changes)
    row = ROW if tied.cfg.has_encoder else one_step.row_of([], TGT, LABELS)
    found = one_step.output_gradient(tied, row, 0.1)
    assert [*found.read] == [*(SRC if changes["tie_embeddings"] == "all" else []), *TGT]
    assert found.scale == (1 if "embedding_scale" in changes else tied.cfg.d_model**0.5)
    np.testing.assert_allclose(found.written_out, found.found, rtol=0, atol=1e-10)
    assert min(np.abs(way).max() for way in (found.as_output, found.as_table)) > 0.01
    rest = [word for word in range(len(found.weight)) if word not in found.read]  # these are written alone
    np.testing.assert_allclose(found.as_output[rest], found.found[rest], rtol=0, atol=1e-10)


def test_a_matrix_of_the_output_layer_alone_has_one_way(model):
    found = one_step.output_gradient(model, ROW)
    assert found.read.size == 0 and not found.as_table.any()


@pytest.mark.parametrize("changes", TIED.values(), ids=TIED)
def test_each_way_is_the_gradient_of_a_model_with_matrices_of_their_own_of_the_same_weights(changes):
    tied = model_of(**changes)
    row = ROW if tied.cfg.has_encoder else one_step.row_of([], TGT, LABELS)
    parted = Transformer(replace(tied.cfg, tie_embeddings="none"), initialise=False).double().eval()
    table = tied.tgt_embedding.table.weight
    alone = {"output.weight": table, "output.bias": torch.zeros(len(table))}
    parted.load_state_dict(tied.state_dict() | alone)
    found, of = one_step.output_gradient(tied, row), one_step.differentiate(parted, row).of
    tables = [f"{side}_embedding.table.weight" for side in (("src", "tgt") if changes["tie_embeddings"] == "all" else ("tgt",))]
    np.testing.assert_allclose(found.as_output, of["output.weight"], rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.as_table, sum(of[name] for name in tables), rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ["output.weight", "encoder.1.self_attn.w_q.weight", "decoder.0.feed_forward.w_1.bias"])
def test_the_gradient_of_a_cell_is_what_a_small_change_of_it_does_to_the_loss(model, name):
    gradient = one_step.differentiate(model, ROW).of[name].flatten()
    cell = int(gradient.abs().argmax())
    assert slope(model, name, cell) == pytest.approx(float(gradient[cell]), rel=1e-6)


def test_so_it_is_for_a_matrix_that_both_ways_share():
    tied = model_of(**TIED["all"])
    found = one_step.output_gradient(tied, ROW).written_out.flatten()
    cell = int(np.abs(found).argmax())
    assert slope(tied, "tgt_embedding.table.weight", cell) == pytest.approx(found[cell], rel=1e-6)


def slope(model: Transformer, name: str, cell: int, small: float = 1e-5) -> float:
    """By how much the loss changes with this weight, from a little more and a little less of it."""

    def loss(change: float) -> float:
        moved = one_step.nudged(model, one_step.Gradient(0.0, {n: torch.zeros_like(p) for n, p in model.named_parameters()}))
        with torch.no_grad():
            moved.get_parameter(name).view(-1)[cell] += change
            return float(token_loss(moved(ROW.src, ROW.tgt), ROW.labels, model.cfg.pad_id))

    return (loss(small) - loss(-small)) / (2 * small)


def test_a_step_moves_every_weight_against_the_clipped_gradient_and_leaves_the_model_as_it_was(model):
    before = {name: each.clone() for name, each in model.named_parameters()}
    gradient = one_step.differentiate(model, ROW)
    assert gradient.norm > 1  # so it is clipped
    moved = one_step.nudged(model, gradient, rate=0.1, clip=1.0)
    for name, each in moved.named_parameters():
        torch.testing.assert_close(each, before[name] - 0.1 * gradient.of[name] / (gradient.norm + 1e-6))
        assert torch.equal(model.get_parameter(name), before[name]) and model.get_parameter(name).grad is None
    assert gradient.clipping(1e9) == 1


def test_its_loss_and_what_is_likely_before_and_after(model):
    found, gradient = one_step.one_step(model, ROW), one_step.differentiate(model, ROW)
    assert found.losses[0] == pytest.approx(gradient.loss, abs=1e-12)
    assert found.losses[1] < found.losses[0]
    after = one_step.likelihoods(one_step.nudged(model, gradient), ROW)
    assert np.array_equal(found.after, after) and found.before[found.weakest] == found.before.min()


@pytest.mark.parametrize(
    "changes",
    [{}, {"norm": "post"}, {"tie_embeddings": "all", "src_vocab": 17}, {"position": "learned"}, {"n_layers": 1}],
    ids=str,
)
def test_the_lengths_of_the_parts_add_up_to_that_of_the_whole(changes):
    found = one_step.one_step(model_of(**changes), ROW)
    assert sum(each**2 for each in found.lengths.values()) == pytest.approx(found.norm**2)
    assert found.weights.keys() == found.lengths.keys()
    parts = {"encoder.embedding", "encoder.self_attn", "encoder.feed_forward_norm", "decoder.cross_attn"}
    assert parts - ({"encoder.embedding"} if changes.get("tie_embeddings") == "all" else set()) <= found.lengths.keys()


def test_a_step_on_a_batch_is_taken_on_the_mean_of_its_words_without_padding(model):
    others = Batch(
        torch.tensor([[4, 9, 0], [5, 6, 7]]), torch.tensor([[1, 4, 0], [1, 5, 6]]), torch.tensor([[4, 2, 0], [5, 6, 2]])
    )
    rows = one_step.beside(ROW, others, model.cfg.pad_id)
    assert rows.labels.tolist() == [LABELS, [4, 2, 0, 0], [5, 6, 2, 0]]
    row, both = one_step.differentiate(model, ROW), one_step.differentiate(model, rows)
    alone = one_step.differentiate(model, others)
    for name, each in both.of.items():
        torch.testing.assert_close(each, (4 * row.of[name] + 5 * alone.of[name]) / 9, rtol=1e-9, atol=1e-12)


def test_a_row_is_the_same_whatever_dropout_the_model_was_trained_with(model):
    dropped = Transformer(replace(model.cfg, dropout=0.3), initialise=False).double().eval()
    dropped.load_state_dict(model.state_dict())
    assert np.array_equal(one_step.one_step(dropped, ROW).after, one_step.one_step(model, ROW).after)
