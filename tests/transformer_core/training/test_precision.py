"""Pins: with matrix products in bfloat16 all else stays float32, training stays close to float32's, and it learns as much."""

from dataclasses import asdict, replace

import pytest
import torch

from tests.transformer_core.helpers import DEVICES, config, generator, train_steps
from transformer_core import CopyTask, Recipe, Trace, Trainer, Transformer
from transformer_core.model.dropout import Dropout
from transformer_core.training.trainer import resolve_precision

TASK = CopyTask(vocab=5, length=4)
SMALL = config(src_vocab=5, tgt_vocab=5, d_model=24, n_heads=3, d_ff=26, n_layers=1, norm="pre")
RECIPE = Recipe(steps=300, batch_size=16, rate=5e-3, warmup=10, evaluate_every=20, evaluate_on=40)


def losses(device, precision, cfg=SMALL, steps=20):
    recipe = replace(RECIPE, steps=steps, device=device, precision=precision)
    return [report.loss for report in train_steps(Transformer(cfg, generator(1)), TASK, recipe)]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "changes", [{}, {"norm": "post", "dropout": 0.1}, {"score": "additive"}], ids=["plain", "post", "additive"]
)
def test_bfloat16_is_close_to_float32_and_not_the_same(device, changes):
    cfg = replace(SMALL, **changes)
    wide, narrow = losses(device, "float32", cfg), losses(device, "bfloat16", cfg)
    assert narrow == pytest.approx(wide, rel=0.05)
    assert narrow != wide


@pytest.mark.parametrize("device", DEVICES)
def test_copying_is_learned_in_bfloat16(device):
    recipe = replace(RECIPE, rate=2e-2, device=device, precision="bfloat16")
    easy = CopyTask(vocab=4, length=3)
    reports = train_steps(Transformer(replace(SMALL, src_vocab=4, tgt_vocab=4), generator(1)), easy, recipe)
    assert any(report.evaluation is not None and report.evaluation.exact_match == 1 for report in reports)


@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("layer_norm", ["standard", "unbiased_std"])
def test_only_matrix_products_are_narrow(residual, layer_norm):
    cfg = replace(SMALL, residual=residual, layer_norm=layer_norm)
    trainer = Trainer(Transformer(cfg), TASK, replace(RECIPE, device="cpu", precision="bfloat16"))
    given = []
    for name, module in trainer.model.named_modules():
        if name.endswith("norm"):
            module.register_forward_pre_hook(lambda module, x: given.append(x[0].dtype))
    batch, trace = TASK.batch(3, generator(0)), Trace()
    with torch.autocast("cpu", torch.bfloat16), trace:
        trainer.model(batch.src, batch.tgt)
    kinds = {name.rsplit(".", 1)[-1]: trace[name].dtype for name in trace.stages}
    assert {name for name, kind in kinds.items() if kind is torch.bfloat16} >= {"q", "k", "v", "products", "context", "logits"}
    for name in ("weights", "residual", "norm_in", "sum", "memory"):
        assert kinds[name] is torch.float32, name
    assert len(given) == 7 and set(given) == {torch.float32}, "norms"
    trainer.step()
    assert {p.grad.dtype for p in trainer.model.parameters()} == {torch.float32}
    assert {moment.dtype for moment in trainer.state().moments.values()} == {torch.float32}


def test_dropout_makes_up_for_what_it_drops_in_half_precision_too():
    dropout = Dropout(0.1)
    dropped = dropout(torch.ones(50, dtype=torch.bfloat16))
    assert dropped.unique().tolist() == pytest.approx([0, 1 / 0.9], rel=1e-6)


@pytest.mark.parametrize(
    ("device", "d_model", "in_hardware", "expected"),
    [
        ("cuda", 512, True, torch.bfloat16),
        ("cuda", 511, True, torch.float32),
        ("cuda", 512, False, torch.float32),
        ("cpu", 1024, True, torch.float32),
        ("mps", 1024, True, torch.float32),
    ],
)
def test_auto_is_narrow_where_that_pays(monkeypatch, device, d_model, in_hardware, expected):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: in_hardware)
    assert resolve_precision("auto", torch.device(device), d_model) is expected
    assert resolve_precision("float32", torch.device(device), d_model) is torch.float32
    assert resolve_precision("bfloat16", torch.device(device), d_model) is torch.bfloat16


def test_a_recipe_from_before_there_was_a_choice_is_one_of_today():
    before = asdict(Recipe(steps=7))
    del before["precision"]
    assert Recipe.from_dict(before) == Recipe(steps=7)
