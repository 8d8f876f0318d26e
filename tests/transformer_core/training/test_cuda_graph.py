"""Pins: steps that are recorded and launched as a whole are those that Python takes one by one; nothing in them forbids it.

Where there is no CUDA, a stand-in records on the CPU (graphs.py), and results are the same to the last bit. On CUDA, whose sums
come in no fixed order, losses agree within `CLOSE`, and with products in bfloat16 within thirty times that.
"""

import math
from dataclasses import replace

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from tests.transformer_core.graphs import stand_in, tensors
from tests.transformer_core.helpers import DEVICES, NEEDS_CUDA, config, generator
from tests.transformer_core.toy import toy
from transformer_core import CopyTask, Recipe, SentenceTask, Trainer, TrainingDiverged, Transformer, checkpoint
from transformer_core.data.corpora import CORPORA
from transformer_core.data.tasks import RepeatTask
from transformer_core.training import cuda_graph
from transformer_core.training import trainer as training
from transformer_core.training.checkpoint import Training
from transformer_core.training.cuda_graph import Recorder

TASK = CopyTask(vocab=7, length=5)
SMALL = config(src_vocab=7, tgt_vocab=7, d_model=12, n_heads=3, d_ff=14, n_layers=1, norm="pre")
DROPPING = replace(SMALL, dropout=0.3)
# While it rises, this rate is a whole multiple of 2^-12, and the same in the graph's float32 as in Python's own numbers.
RECIPE = Recipe(steps=60, batch_size=6, rate=2**-6, warmup=64, clip=0.7, evaluate_every=5, evaluate_on=9, device="cpu")
CLOSE = 1e-3


@pytest.fixture(params=DEVICES)
def device(request, monkeypatch):
    if request.param == "cpu":
        stand_in(monkeypatch)
    return request.param


def begun(device, cfg=DROPPING, **changes):
    return Trainer(Transformer(cfg, generator(3)), TASK, replace(RECIPE, device=device, **changes))


def eager(trainer):
    trainer._call = cuda_graph.directly
    return trainer


def same(device, losses, others, close=CLOSE):
    return losses == others if device == "cpu" else losses == pytest.approx(others, rel=close)


def take(trainer, steps):
    return [trainer.step().loss for _ in range(steps)]


@pytest.mark.parametrize(
    ("cfg", "changes"),
    [
        (SMALL, {}),
        (DROPPING, {"precision": "bfloat16"}),
        (DROPPING, {"optimiser": "sgd", "label_smoothing": 0.1, "rate": 2**-3}),
        (DROPPING, {"average": 0.1}),
    ],
    ids=["no dropout", "dropout and bfloat16", "dropout, sgd and smoothing", "average"],
)
def test_recorded_steps_are_those_of_python(device, cfg, changes):
    steps = 50 if device == "cuda" else 12
    recorded, stepwise = begun(device, cfg, **changes), eager(begun(device, cfg, **changes))
    assert isinstance(recorded._call, Recorder)
    calls = []
    recorded.model.register_forward_pre_hook(lambda model, ids: calls.append(model.training))
    losses = take(recorded, steps)
    close = 30 * CLOSE if recorded.recipe.precision == "bfloat16" else CLOSE
    assert same(device, losses, take(stepwise, steps), close)
    assert calls.count(True) == 4, "three calls to warm up and one to record"
    assert len(set(losses)) == steps
    state, other = recorded.state(), stepwise.state()
    assert torch.equal(state.dropout, other.dropout) and torch.equal(state.data, other.data)
    assert sum(recorded.gradient_norms().values()) == pytest.approx(sum(stepwise.gradient_norms().values()), rel=10 * close)
    if device == "cpu":
        assert torch.equal(recorded._parameters, stepwise._parameters)
        assert all(torch.equal(moment, other.moments[name]) for name, moment in state.moments.items())


@pytest.mark.parametrize(("kind", "average"), [("adam", 0.0), ("sgd", 0.0), ("adam", 0.1)])
def test_recorded_steps_are_gone_on_with_from_a_file_and_gone_back_with(device, kind, average):
    trainer = begun(device, optimiser=kind, average=average)
    take(trainer, 3)
    data = checkpoint.to_bytes(trainer.model, {}, Training(TASK, trainer.recipe, trainer.state()))
    state, weights = trainer.state(), {name: value.clone() for name, value in trainer.model.state_dict().items()}
    rest = take(trainer, 5)
    loaded = checkpoint.from_bytes(data)
    other = Trainer(loaded.model, TASK, loaded.training.recipe)
    other.restore(loaded.training.state)
    assert same(device, take(other, 5), rest)
    trainer.model.load_state_dict(weights)
    trainer.restore(state)
    assert same(device, take(trainer, 5), rest), "a recording finds the state where it was"


def test_batches_of_many_shapes_are_recorded_once(device, monkeypatch):
    corpus = toy()
    monkeypatch.setitem(CORPORA, "toy", lambda: corpus)
    task = SentenceTask("toy")
    draws = generator(4 * RECIPE.seed)
    shapes = {(batch.src.size(1), batch.tgt.size(1)) for batch in (task.batch(6, draws) for _ in range(9))}
    cfg = replace(SMALL, src_vocab=task.vocab, tgt_vocab=task.vocab)
    recorded, stepwise = (Trainer(Transformer(cfg, generator(3)), task, replace(RECIPE, device=device)) for _ in range(2))
    calls = []
    recorded.model.register_forward_pre_hook(lambda model, ids: calls.append(model.training))
    eager(stepwise)._records = False
    assert take(recorded, 9) == pytest.approx(take(stepwise, 9), rel=CLOSE)
    assert len(shapes) > 3 and calls.count(True) == 4


def test_a_decoder_alone_takes_the_steps_of_python(device):
    """Its sources have no tokens, and its right tokens, of another number in each step, are not recorded."""
    task, cfg = RepeatTask(9, 8), replace(DROPPING, src_vocab=9, tgt_vocab=9, stacks="decoder")
    recorded, stepwise = (Trainer(Transformer(cfg, generator(3)), task, replace(RECIPE, device=device)) for _ in range(2))
    assert isinstance(recorded._call, Recorder)
    losses = take(recorded, 6)
    assert same(device, losses, take(eager(stepwise), 6)) and len(set(losses)) == 6


def test_a_recorded_step_that_is_not_finite_has_not_been_taken(device):
    trainer, untroubled = begun(device), begun(device)
    take(trainer, 2)
    take(untroubled, 2)
    weight = trainer.model.output.weight
    kept = weight.detach().clone()
    with torch.no_grad():
        weight[3] *= math.inf
    spoilt, before = trainer._parameters.detach().clone(), trainer.state()
    for _ in range(2):
        with pytest.raises(TrainingDiverged, match="step 3: the loss became nan"):
            trainer.step()
    after = trainer.state()
    torch.testing.assert_close(trainer._parameters.detach(), spoilt, rtol=0, atol=0, equal_nan=True)
    assert after.step == before.step and torch.equal(after.data, before.data) and torch.equal(after.dropout, before.dropout)
    assert all(torch.equal(moment, before.moments[name]) for name, moment in after.moments.items())
    with torch.no_grad():
        weight.copy_(kept)
    assert same(device, take(trainer, 3), take(untroubled, 3))


def test_a_recording_changes_nothing_and_is_made_for_each_shape_once(device):
    total, draws = torch.zeros(3, device=device), torch.Generator(device).manual_seed(5)
    begun_at, calls = draws.get_state(), []

    def work(x, factor):
        calls.append(x.shape)
        total.add_(x.sum(dim=0) * factor)
        return torch.empty_like(total).uniform_(generator=draws)

    recorder = Recorder([total], draws)
    drawn = []
    for x, factor in ((torch.ones(2, 3), 1.0), (torch.ones(4, 3), 10.0), (torch.full((2, 3), 2.0), 100.0)):
        drawn.append(recorder(work, x, factor).tolist())
    assert total.tolist() == [2 + 40 + 400] * 3
    assert [len(shape) for shape in calls] == [2] * 8 and len({*calls}) == 2
    draws.set_state(begun_at)
    assert drawn == [torch.empty(3, device=device).uniform_(generator=draws).tolist() for _ in range(3)]


@pytest.mark.parametrize("device", [pytest.param("cuda", marks=NEEDS_CUDA)])
def test_a_training_goes_on_on_another_kind_of_device(device):
    trainers = [begun("cpu", SMALL), begun(device, SMALL)]
    for here, there in (trainers, trainers[::-1]):
        take(here, 4)
        there.model.load_state_dict(here.model.state_dict())
        there.restore(here.state())
        assert take(there, 4) == pytest.approx(take(here, 4), rel=CLOSE)


def test_what_is_recorded_is_known_beforehand(monkeypatch):
    def records(trainer):
        monkeypatch.setattr(trainer, "_parameters", torch.empty(0))
        assert not trainer._can_record(), "not on a CPU"
        monkeypatch.setattr(trainer, "_parameters", torch.empty(0, device="meta"))
        trainer._parameters = type("OnCuda", (), {"device": torch.device("cuda")})
        return trainer._can_record()

    assert records(begun("cpu"))
    assert records(begun("cpu", batch_size=3072 // 5)) and not records(begun("cpu", batch_size=3072 // 5 + 1))


# What may be recorded


class Recordable(TorchDispatchMode):
    """Fails at what no graph can hold: a result that the host has to wait for, a tensor made on the CPU and moved."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        devices = {tensor.device.type for tensor in tensors(args, kwargs, result)}
        waits = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape} & set(func.tags)
        assert not waits and func is not torch.ops.aten.lift_fresh.default, f"{func} makes the host wait"
        assert len(devices) <= 1, f"{func} copies between {devices}"
        return result


@pytest.mark.parametrize(
    "work",
    [
        lambda x: x.sum().item(),
        lambda x: bool(x.any()),
        lambda x: x[x > 0],
        lambda x: x.nonzero(),
        lambda x: x.unique(),
        lambda x: x.masked_select(x > 0),
        lambda x: x * torch.tensor(3.0),
        lambda x: torch.ones(2).to("meta"),
    ],
)
def test_what_cannot_be_recorded_is_noticed(work):
    with pytest.raises(AssertionError, match=r"makes the host wait|copies between"), Recordable():
        work(torch.ones(2))


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize(
    ("changes", "recipe"),
    [
        ({}, {}),
        ({"dropout": 0.1, "norm": "post", "tie_embeddings": "all"}, {"label_smoothing": 0.1, "optimiser": "sgd"}),
        ({"position": "learned", "layer_norm": "unbiased_std", "score": "additive", "activation": "gelu"}, {}),
        ({"score": "concat_linear", "causal": False, "residual": False, "dropout": 0.2}, {"clip": math.inf, "average": 0.1}),
    ],
    ids=["plain", "post", "additive", "odd"],
)
def test_a_step_makes_the_host_wait_for_nothing(monkeypatch, device, changes, recipe):
    """On "meta" nothing is computed, and a tensor that comes from the CPU is as foreign as it would be on CUDA."""
    task = SentenceTask("pronoun-en")
    model = Transformer(config(src_vocab=task.vocab, tgt_vocab=task.vocab, **changes))
    drawn = task.batch(4, generator(0))
    ids = [x.to(device) for x in (drawn.src, drawn.tgt, drawn.labels)]
    with monkeypatch.context() as patch:
        patch.setattr(training, "resolve_device", lambda name: torch.device(device))
        patch.setattr(torch, "Generator", lambda device=None, real=torch.Generator: real())
        trainer = Trainer(model, task, replace(RECIPE, **recipe))
    with Recordable():
        found = trainer._find_gradient(*ids)
        if device == "cpu":
            trainer._update(1e-3)
    assert found.shape == (2,) and found.device.type == device


def test_half_precision_makes_the_host_wait_for_nothing_either():
    trainer = begun("cpu", precision="bfloat16")
    drawn = TASK.batch(4, generator(0))
    with Recordable():
        trainer._find_gradient(drawn.src, drawn.tgt, drawn.labels)
