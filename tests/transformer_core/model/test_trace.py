"""Pins what a Trace checks, edits and keeps apart; which stages there are is pinned by `analysis/test_stage_list.py`."""

import copy
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from tests.transformer_core.helpers import BATCH, SRC, TGT, config, perturbed_model, token_ids
from transformer_core import Trace
from transformer_core.analysis.accounting import stage_shapes
from transformer_core.model.intervened import IntervenedModel
from transformer_core.model.trace import stage as named_stage
from transformer_core.model.transformer import shapes_only


def traced(model, src, tgt, edits=None, **options):
    with Trace(**options) as trace:
        return (IntervenedModel(model, edits) if edits else model)(src, tgt), trace


def test_a_name_recorded_twice_is_refused():
    cfg = config()
    model, ids = perturbed_model(cfg), token_ids(cfg)
    _, used = traced(model, *ids)
    with (
        pytest.raises(ValueError, match=r"tokens' was recorded twice: use a new Trace for each forward pass"),
        used,
    ):
        model(*ids)


@pytest.mark.parametrize(("name", "message"), [("wieghts", "'wieghts' is not the name"), ("weights", "do not fit the shape")])
def test_a_misspelt_name_and_a_tensor_of_another_rank_are_refused(name, message):
    with pytest.raises(ValueError, match=message), Trace():
        named_stage(name, torch.zeros(2, 3))


def test_without_a_trace_a_stage_is_the_very_tensor_and_any_name_will_do():
    x = torch.zeros(2, 3)
    assert named_stage("anything", x) is x


def test_a_pass_that_fails_leaves_no_trace_behind():
    cfg = config()
    model, (src, tgt) = perturbed_model(cfg), token_ids(cfg)
    failed = Trace()
    with pytest.raises(ValueError, match="outside the vocabulary"), failed:
        model(src, tgt + cfg.tgt_vocab)
    kept = list(failed.stages)
    _, trace = traced(model, src, tgt)
    assert list(failed.stages) == kept and list(trace.stages)[: len(kept)] == kept


def test_a_module_alone_has_stages_without_a_path():
    layer = perturbed_model(config()).encoder[0]
    with Trace() as trace:
        layer.feed_forward(torch.zeros(2, 3, 66))
    assert {name: stage.axes for name, stage in trace.stages.items()} == {
        "hidden": ("batch", "length", "d_ff"),
        "active": ("batch", "length", "d_ff"),
        "output": ("batch", "query", "d_model"),
    }


def test_every_stage_can_be_edited_and_every_edit_reaches_the_logits():
    cfg = config(n_layers=1)
    model, (src, tgt) = perturbed_model(cfg), token_ids(cfg)
    plain, trace = traced(model, src, tgt)
    for name in trace.stages:

        def other(x):
            return torch.where(x.isfinite(), x * 1.5 + torch.linspace(-1, 1, x.size(-1)), x)

        edited, record = traced(model, src, tgt, edits={name: other})
        torch.testing.assert_close(record[name], other(trace[name]), rtol=0, atol=0)
        assert not torch.equal(edited, plain), f"{name} is recorded, but the model goes on with another tensor"


def test_an_edit_changes_neither_the_model_nor_the_next_pass():
    cfg = config()
    model, ids = perturbed_model(cfg), token_ids(cfg)
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    plain, before = traced(model, *ids)
    kept = {name: before[name].clone() for name in before.stages}
    traced(model, *ids, edits=dict.fromkeys(kept, torch.zeros_like))
    again, after = traced(model, *ids)
    assert torch.equal(plain, again)
    assert all(torch.equal(before[name], kept[name]) and torch.equal(after[name], kept[name]) for name in kept)
    assert all(torch.equal(value, weights[name]) for name, value in model.state_dict().items())


def test_an_edit_whose_stage_never_comes_is_refused():
    cfg = config()
    with pytest.raises(ValueError, match=r"no stage 'encoder\.0\.self_attn\.wieghts'"):
        IntervenedModel(perturbed_model(cfg), {"encoder.0.self_attn.wieghts": torch.zeros_like})


@pytest.mark.parametrize("tie", ["none", "output"])
def test_a_decoder_alone_is_edited_as_any_other_and_has_no_stage_of_an_encoder(tie):
    model = perturbed_model(config(stacks="decoder", norm="pre", tie_embeddings=tie))
    src, tgt = token_ids(model.cfg)
    changed = IntervenedModel(model, {"decoder.0.self_attn.output": torch.zeros_like})
    without = copy.deepcopy(model)
    with torch.no_grad():
        for parameter in without.decoder[0].self_attn.w_o.parameters():
            parameter.zero_()
        torch.testing.assert_close(changed(src, tgt), without(src, tgt))
        assert (changed(src, tgt) - model(src, tgt)).abs().max() > 1e-3
    assert {id(p) for p in changed.parameters()} == {id(p) for p in model.parameters()}
    again = IntervenedModel(changed, {"decoder.1.feed_forward.output": torch.zeros_like})
    assert not torch.allclose(again(src, tgt), changed(src, tgt), atol=1e-3)
    for name in ("memory", "encoder.0.self_attn.q", "decoder.0.cross_attn.weights"):
        with pytest.raises(ValueError, match="no stage"):
            IntervenedModel(model, {name: torch.zeros_like})


def test_an_edit_that_changes_the_rank_is_refused():
    cfg = config()
    with pytest.raises(ValueError, match=r"encoder\.0\.self_attn\.q: axes .* do not fit the shape \(2, 3, 7\)"):
        traced(perturbed_model(cfg), *token_ids(cfg), edits={"encoder.0.self_attn.q": lambda x: x[..., 0]})


def test_stages_keep_no_gradient():
    cfg = config()
    logits, trace = traced(perturbed_model(cfg), *token_ids(cfg))
    assert logits.requires_grad
    assert not any(stage.value.requires_grad for stage in trace.stages.values())
    assert torch.equal(trace["logits"], logits)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_shapes_on_meta_are_those_of_a_real_pass(norm):
    cfg = config(norm=norm)
    _, real = traced(perturbed_model(cfg), *token_ids(cfg))
    src, tgt = (ids.to("meta") for ids in token_ids(cfg))
    with Trace(shapes_only=True) as shapes:
        shapes_only(cfg)(src, tgt)
    expected = [(stage.name, stage.axes, stage.shape) for stage in real.stages.values()]
    assert [(stage.name, stage.axes, stage.shape) for stage in shapes.stages.values()] == expected
    assert [(stage.name, stage.axes, stage.shape) for stage in stage_shapes(cfg, BATCH, SRC, TGT)] == expected
    assert all(stage.value is None for stage in shapes.stages.values())
    with pytest.raises(ValueError, match="logits has no value: this trace keeps shapes only"):
        shapes["logits"]


def test_a_trace_can_keep_some_stages_alone():
    cfg = config(n_layers=2)
    model, ids = perturbed_model(cfg), token_ids(cfg)
    _, every = traced(model, *ids)
    with Trace(only=["weights", "scores"]) as some:
        model(*ids)
    assert [(stage.name, stage.axes, stage.shape) for stage in some.stages.values()] == [
        (stage.name, stage.axes, stage.shape) for stage in every.stages.values()
    ]
    kept = {name for name, stage in some.stages.items() if stage.value is not None}
    assert kept == {name for name in every.stages if name.endswith((".weights", ".scores"))} and len(kept) == 2 * 2 * 3
    assert all(torch.equal(some[name], every[name]) for name in kept)
    with pytest.raises(ValueError, match=r"encoder\.0\.self_attn\.q has no value: this trace keeps weights, scores only"):
        some["encoder.0.self_attn.q"]


def test_threads_that_share_a_model_do_not_mix():
    cfg = config(n_layers=1)
    model = perturbed_model(cfg)
    kinds = []  # one input, one edit and one right answer per thread
    for seed in range(4):
        ids = token_ids(cfg, seed=seed)
        edits = {"encoder.0.self_attn.context": torch.zeros_like} if seed % 2 else {}
        kinds.append((ids, edits, traced(model, *ids, edits=edits)))
    wrong, barrier = [], threading.Barrier(len(kinds))

    def work(ids, edits, right):
        barrier.wait()
        for _ in range(25):
            logits, trace = traced(model, *ids, edits=edits)
            same = all(torch.equal(trace[name], right[1][name]) for name in right[1].stages)
            if list(trace.stages) != list(right[1].stages) or not same or not torch.equal(logits, right[0]):
                wrong.append(edits)

    with ThreadPoolExecutor(len(kinds)) as threads:
        list(threads.map(work, *zip(*kinds, strict=True)))
    assert not wrong
