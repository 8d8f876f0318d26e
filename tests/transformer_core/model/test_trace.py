"""Pins: the map of the model (every stage's name and axes, in order), and what a Trace checks, edits and keeps apart."""

import threading

import pytest
import torch

from tests.transformer_core.helpers import BATCH, SRC, TGT, config, perturbed_model, token_ids
from transformer_core import Trace
from transformer_core.analysis.accounting import stage_shapes
from transformer_core.model.intervened import IntervenedModel
from transformer_core.model.trace import stage as named_stage
from transformer_core.model.transformer import shapes_only

POST = """
encoder.embedding.tokens              batch src d_model
encoder.embedding.scaled              batch src d_model
encoder.embedding.positions           src d_model
encoder.embedding.sum                 batch src d_model

encoder.0.self_attn.q                 batch head query d_k
encoder.0.self_attn.k                 batch head key d_k
encoder.0.self_attn.v                 batch head key d_v
encoder.0.self_attn.products          batch head query key
encoder.0.self_attn.scores            batch head query key
encoder.0.self_attn.masked_scores     batch head query key
encoder.0.self_attn.weights           batch head query key
encoder.0.self_attn.context           batch head query d_v
encoder.0.self_attn.concat            batch query d_model
encoder.0.self_attn.output            batch query d_model
encoder.0.self_attn.residual          batch src d_model
encoder.0.self_attn.norm_out          batch src d_model

encoder.0.feed_forward.hidden         batch src d_ff
encoder.0.feed_forward.active         batch src d_ff
encoder.0.feed_forward.output         batch src d_model
encoder.0.feed_forward.residual       batch src d_model
encoder.0.feed_forward.norm_out       batch src d_model

memory                                batch src d_model

decoder.embedding.tokens              batch tgt d_model
decoder.embedding.scaled              batch tgt d_model
decoder.embedding.positions           tgt d_model
decoder.embedding.sum                 batch tgt d_model

decoder.0.self_attn.q                 batch head query d_k
decoder.0.self_attn.k                 batch head key d_k
decoder.0.self_attn.v                 batch head key d_v
decoder.0.self_attn.products          batch head query key
decoder.0.self_attn.scores            batch head query key
decoder.0.self_attn.masked_scores     batch head query key
decoder.0.self_attn.weights           batch head query key
decoder.0.self_attn.context           batch head query d_v
decoder.0.self_attn.concat            batch query d_model
decoder.0.self_attn.output            batch query d_model
decoder.0.self_attn.residual          batch tgt d_model
decoder.0.self_attn.norm_out          batch tgt d_model

decoder.0.cross_attn.q                batch head query d_k
decoder.0.cross_attn.k                batch head key d_k
decoder.0.cross_attn.v                batch head key d_v
decoder.0.cross_attn.products         batch head query key
decoder.0.cross_attn.scores           batch head query key
decoder.0.cross_attn.masked_scores    batch head query key
decoder.0.cross_attn.weights          batch head query key
decoder.0.cross_attn.context          batch head query d_v
decoder.0.cross_attn.concat           batch query d_model
decoder.0.cross_attn.output           batch query d_model
decoder.0.cross_attn.residual         batch tgt d_model
decoder.0.cross_attn.norm_out         batch tgt d_model

decoder.0.feed_forward.hidden         batch tgt d_ff
decoder.0.feed_forward.active         batch tgt d_ff
decoder.0.feed_forward.output         batch tgt d_model
decoder.0.feed_forward.residual       batch tgt d_model
decoder.0.feed_forward.norm_out       batch tgt d_model

decoder.output                        batch tgt d_model
logits                                batch tgt vocab
"""

PRE = """
encoder.embedding.tokens              batch src d_model
encoder.embedding.scaled              batch src d_model
encoder.embedding.positions           src d_model
encoder.embedding.sum                 batch src d_model

encoder.0.self_attn.norm_in           batch src d_model
encoder.0.self_attn.q                 batch head query d_k
encoder.0.self_attn.k                 batch head key d_k
encoder.0.self_attn.v                 batch head key d_v
encoder.0.self_attn.products          batch head query key
encoder.0.self_attn.scores            batch head query key
encoder.0.self_attn.masked_scores     batch head query key
encoder.0.self_attn.weights           batch head query key
encoder.0.self_attn.context           batch head query d_v
encoder.0.self_attn.concat            batch query d_model
encoder.0.self_attn.output            batch query d_model
encoder.0.self_attn.residual          batch src d_model

encoder.0.feed_forward.norm_in        batch src d_model
encoder.0.feed_forward.hidden         batch src d_ff
encoder.0.feed_forward.active         batch src d_ff
encoder.0.feed_forward.output         batch src d_model
encoder.0.feed_forward.residual       batch src d_model

memory                                batch src d_model

decoder.embedding.tokens              batch tgt d_model
decoder.embedding.scaled              batch tgt d_model
decoder.embedding.positions           tgt d_model
decoder.embedding.sum                 batch tgt d_model

decoder.0.self_attn.norm_in           batch tgt d_model
decoder.0.self_attn.q                 batch head query d_k
decoder.0.self_attn.k                 batch head key d_k
decoder.0.self_attn.v                 batch head key d_v
decoder.0.self_attn.products          batch head query key
decoder.0.self_attn.scores            batch head query key
decoder.0.self_attn.masked_scores     batch head query key
decoder.0.self_attn.weights           batch head query key
decoder.0.self_attn.context           batch head query d_v
decoder.0.self_attn.concat            batch query d_model
decoder.0.self_attn.output            batch query d_model
decoder.0.self_attn.residual          batch tgt d_model

decoder.0.cross_attn.norm_in          batch tgt d_model
decoder.0.cross_attn.q                batch head query d_k
decoder.0.cross_attn.k                batch head key d_k
decoder.0.cross_attn.v                batch head key d_v
decoder.0.cross_attn.products         batch head query key
decoder.0.cross_attn.scores           batch head query key
decoder.0.cross_attn.masked_scores    batch head query key
decoder.0.cross_attn.weights          batch head query key
decoder.0.cross_attn.context          batch head query d_v
decoder.0.cross_attn.concat           batch query d_model
decoder.0.cross_attn.output           batch query d_model
decoder.0.cross_attn.residual         batch tgt d_model

decoder.0.feed_forward.norm_in        batch tgt d_model
decoder.0.feed_forward.hidden         batch tgt d_ff
decoder.0.feed_forward.active         batch tgt d_ff
decoder.0.feed_forward.output         batch tgt d_model
decoder.0.feed_forward.residual       batch tgt d_model

decoder.output                        batch tgt d_model
logits                                batch tgt vocab
"""


def traced(model, src, tgt, edits=None, **options):
    with Trace(**options) as trace:
        return (IntervenedModel(model, edits) if edits else model)(src, tgt), trace


def read_map(text):
    return [tuple(line.split(maxsplit=1)) for line in text.splitlines() if line]


@pytest.mark.parametrize(("norm", "expected"), [("post", POST), ("pre", PRE)])
def test_the_map_of_a_model_of_one_layer(norm, expected):
    cfg = config(norm=norm, n_layers=1)
    _, trace = traced(perturbed_model(cfg), *token_ids(cfg))
    assert [(stage.name, " ".join(stage.axes)) for stage in trace.stages.values()] == read_map(expected)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_every_layer_has_the_same_map_and_final_norms_add_no_stage(norm):
    def of_layer(i, stages):
        return [(s.name.replace(f".{i}.", ".0."), s.axes) for s in stages if f".{i}." in s.name]

    stages = stage_shapes(config(norm=norm, n_layers=3), BATCH, SRC, TGT)
    first = [(name, tuple(axes.split())) for name, axes in read_map({"post": POST, "pre": PRE}[norm]) if ".0." in name]
    assert of_layer(0, stages) == of_layer(1, stages) == of_layer(2, stages) == first
    other = [[s.name for s in stage_shapes(config(norm=norm, final_norm=f), BATCH, SRC, TGT)] for f in (True, False)]
    assert other[0] == other[1]


def test_an_axis_word_has_one_size_in_a_scope():
    cfg = config()
    _, trace = traced(perturbed_model(cfg), *token_ids(cfg))
    fixed = {"batch": BATCH, "head": 3, "src": SRC, "tgt": TGT, "d_model": 66, "d_k": 22, "d_v": 22, "d_ff": 13, "vocab": 17}
    lengths = {"encoder": (SRC, SRC), "self_attn": (TGT, TGT), "cross_attn": (TGT, SRC)}  # query, key
    seen = set()
    for stage in trace.stages.values():
        assert stage.shape == tuple(stage.value.shape)
        parts = stage.name.split(".")
        scope = "encoder" if parts[0] == "encoder" else parts[2] if len(parts) > 2 else None
        sizes = fixed | dict(zip(("query", "key"), lengths.get(scope, (None, None)), strict=True))
        assert stage.shape == tuple(sizes[word] for word in stage.axes), stage.name
        seen |= set(stage.axes)
    assert seen == {*fixed, "query", "key"}


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


@pytest.mark.parametrize("place", ["encoder.1.self_attn", "decoder.0.self_attn", "decoder.1.cross_attn"])
def test_switching_a_head_off_is_the_same_as_cutting_it_out_of_the_output_projection(place):
    cfg = config(norm="pre")
    model, (src, tgt) = perturbed_model(cfg), token_ids(cfg)
    plain, before = traced(model, src, tgt)

    def without_head_2(context):
        keep = torch.tensor([1.0, 1.0, 0.0])
        return context * keep[None, :, None, None]

    edited, after = traced(model, src, tgt, edits={f"{place}.context": without_head_2})
    assert (edited - plain).abs().max() > 1e-2
    assert (after[f"{place}.context"][:, 2] == 0).all()
    assert torch.equal(after[f"{place}.context"][:, :2], before[f"{place}.context"][:, :2])
    assert torch.equal(after[f"{place}.weights"], before[f"{place}.weights"]), "what comes earlier stays"

    surgery = perturbed_model(cfg)
    with torch.no_grad():
        surgery.get_submodule(place).w_o.weight[:, 44:] = 0.0  # the columns that read head 2
    torch.testing.assert_close(edited, surgery(src, tgt), rtol=0, atol=2e-6)


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

    threads = [threading.Thread(target=work, args=kind) for kind in kinds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_decoding_step_by_step_takes_a_trace_per_step():
    cfg = config(n_layers=1)
    model, (src, tgt) = perturbed_model(cfg), token_ids(cfg)
    with Trace() as first:
        memory = model.encode(src)
        model.decode(tgt[:, :2], memory)
    with Trace() as second:
        model.decode(tgt[:, :3], memory)
    assert first["decoder.0.cross_attn.weights"].shape == (BATCH, 3, 2, SRC)
    assert second["decoder.0.cross_attn.weights"].shape == (BATCH, 3, 3, SRC)
    assert not any(name.startswith("encoder") for name in second.stages)
