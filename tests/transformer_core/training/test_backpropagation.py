"""Pins: the backward pass that is written out finds autograd's gradient, for every model that it takes, and when it is used."""

from dataclasses import replace
from functools import partial

import pytest
import torch

from tests.transformer_core.helpers import any_configuration, config, generator, perturbed_model, token_ids
from transformer_core import CopyTask, Recipe, Trace, Trainer, Transformer
from transformer_core.data.batch import Batch
from transformer_core.data.tasks import RepeatTask
from transformer_core.model.dropout import use_dropout_generator
from transformer_core.model.intervened import IntervenedModel
from transformer_core.training import backpropagation
from transformer_core.training.trainer import token_loss

TASK = CopyTask(vocab=7, length=5)
SMALL = config(src_vocab=7, tgt_vocab=7, d_model=12, n_heads=3, d_ff=14, n_layers=2, norm="pre", dropout=0.3)
RECIPE = Recipe(steps=8, batch_size=6, rate=5e-3, warmup=3, evaluate_every=8, evaluate_on=9, clip=0.7, label_smoothing=0.1)


def both_gradients(cfg, dtype, seed, src_len, tgt_len):
    """The loss and the gradients, part by part, as they are written out and by autograd, of a model in training."""
    model = perturbed_model(cfg, seed).to(dtype).train()
    src, tgt = token_ids(cfg, batch=3, src=src_len, tgt=tgt_len, seed=seed)
    loss_of = partial(token_loss, labels=tgt.roll(-1, 1), pad_id=cfg.pad_id, label_smoothing=0.1)
    assert backpropagation.covers(model) and backpropagation.begin_with_tokens(model, src, tgt)
    found = []
    for written_out in (True, False):
        dropout = generator(seed)
        use_dropout_generator(model, dropout)
        for name, parameter in model.named_parameters():  # what the last step left there
            unreached = not cfg.cross_attention and name.startswith(("encoder", "src"))
            parameter.grad = torch.full_like(parameter, 0.0 if unreached or not written_out else 7.0)
        if written_out:
            loss = backpropagation.differentiate(model, src, tgt, loss_of)
        else:
            loss = loss_of(model(src, tgt))
            loss.backward()
        gradients = {name: parameter.grad for name, parameter in model.named_parameters()}
        found.append((loss.detach(), gradients, dropout.get_state()))
    return found


def assert_same(found, tolerance):
    (loss, gradients, drawn), (true_loss, true_gradients, truly_drawn) = found
    torch.testing.assert_close(loss, true_loss, rtol=tolerance, atol=0)
    length = torch.stack([gradient.norm() for gradient in true_gradients.values()]).norm().item()
    for name, gradient in gradients.items():
        torch.testing.assert_close(gradient, true_gradients[name], rtol=0, atol=tolerance * length, msg=name)
    assert torch.equal(drawn, truly_drawn), "the same is dropped, and as much drawn"


@pytest.mark.parametrize("lengths", [(8, 5), (17, 19)], ids=["short rows", "long rows"])
@pytest.mark.parametrize("seed", range(24))
def test_it_is_the_gradient_of_autograd(seed, lengths):
    cfg = any_configuration(seed, layer_norm="standard", score=("scaled_dot", "dot")[seed % 2], max_len=20, tgt_max_len=None)
    cfg = replace(cfg, pad_id=0)  # no row begins with it
    assert_same(both_gradients(cfg, torch.float64, seed, *lengths), 1e-12)


@pytest.mark.parametrize(
    "changes",
    [{}, {"norm": "post", "tie_embeddings": "all", "src_vocab": 17, "dropout": 0.1}, {"stacks": "decoder", "norm": "pre"}],
)
def test_it_is_the_gradient_of_autograd_in_float32(changes):
    assert_same(both_gradients(config(**changes), torch.float32, 0, 7, 5), 1e-6)


ALONE, REPEATING = replace(SMALL, src_vocab=9, tgt_vocab=9, stacks="decoder"), RepeatTask(vocab=9, length=8)


@pytest.mark.parametrize(("kind", "average"), [("adam", 0.0), ("sgd", 0.1)])
@pytest.mark.parametrize(("cfg", "task"), [(SMALL, TASK), (ALONE, REPEATING)], ids=["both stacks", "a decoder alone"])
def test_a_run_is_that_of_autograd(kind, average, cfg, task, monkeypatch):
    recipe = replace(RECIPE, optimiser=kind, average=average)
    trainer = Trainer(Transformer(cfg), task, recipe)
    assert trainer._without_autograd
    reports = [trainer.step() for _ in range(recipe.steps)]
    monkeypatch.setattr(backpropagation, "covers", lambda model: False)
    by_autograd = Trainer(Transformer(cfg), task, recipe)
    for report in reports:
        other = by_autograd.step()
        assert report.loss == pytest.approx(other.loss, rel=1e-4)
        assert report.gradient_norm == pytest.approx(other.gradient_norm, rel=1e-4)


def unused(*given):
    raise AssertionError("written out")


@pytest.mark.parametrize(
    "changes",
    [{"layer_norm": "unbiased_std"}, {"score": "additive"}, {"score": "concat_linear"}],
    ids=lambda x: str(*x.values()),
)
def test_models_of_other_parts_learn_by_autograd(changes, monkeypatch):
    monkeypatch.setattr(backpropagation, "differentiate", unused)
    Trainer(Transformer(replace(SMALL, **changes)), TASK, RECIPE).step()


def test_a_changed_model_and_a_watched_step_go_by_autograd(monkeypatch):
    trainer = Trainer(Transformer(SMALL), TASK, RECIPE)
    cut = IntervenedModel(Transformer(SMALL), {"decoder.0.cross_attn.context": torch.zeros_like})
    monkeypatch.setattr(backpropagation, "differentiate", unused)
    with pytest.raises(AssertionError, match="written out"):
        trainer.step()
    with Trace() as trace:
        trainer.take()
    assert "decoder.1.cross_attn.weights" in trace.stages
    Trainer(cut, TASK, RECIPE).step()


class BeginningWithPadding(CopyTask):
    def batch(self, size, generator, held_out=False):
        batch = super().batch(size, generator, held_out)
        src = batch.src.clone()
        src[0] = self.pad_id  # nothing is left that cross-attention could look at
        return Batch(src, batch.tgt, batch.labels)


def test_rows_without_a_first_word_go_by_autograd(monkeypatch):
    trainer = Trainer(Transformer(SMALL), BeginningWithPadding(vocab=7, length=5), RECIPE)
    monkeypatch.setattr(backpropagation, "differentiate", unused)
    assert trainer.take().loss > 0
