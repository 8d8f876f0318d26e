"""Pins: a model comes back as it was saved, and whatever else is offered gives one clear sentence, at once and without harm."""

import json
import pickle
import random
import tracemalloc
from dataclasses import asdict, replace

import pytest
import safetensors.torch
import torch

from tests.transformer_core.helpers import config, perturbed_model, token_ids
from transformer_core import PRESETS, CopyTask, Recipe, ReverseTask, SentenceTask, SortTask, Trainer, Transformer, checkpoint
from transformer_core.data.tasks import RepeatTask, has_source
from transformer_core.training.checkpoint import CheckpointError, Training, read_header

CFG = config(d_model=12, n_heads=3, n_layers=1)
FORMAT = "transformer-explorer-1"


@pytest.fixture(scope="module")
def good():
    return checkpoint.to_bytes(perturbed_model(CFG), {"task": "copy", "steps": 120})


def forged(settings=None, tensors=None, **header):
    """A well-formed safetensors file with what is given in place of what belongs there."""
    texts = {"format": FORMAT, "config": json.dumps(asdict(CFG) | (settings or {})), "facts": "{}"} | header
    tensors = dict(perturbed_model(CFG).named_parameters()) if tensors is None else tensors
    return safetensors.torch.save({name: value.detach().clone() for name, value in tensors.items()}, metadata=texts)


def parameters(**changes):
    """The good tensors, some replaced, those given as None left out."""
    given = {name.replace("__", "."): value for name, value in changes.items()}
    tensors = dict(perturbed_model(CFG).named_parameters()) | given
    return {name: value for name, value in tensors.items() if value is not None}


def with_header(data, header):
    """The file with another header."""
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data[8 + int.from_bytes(data[:8], "little") :]


def refusal(data):
    """The message; that it is one sentence of bearable length is checked on the way."""
    with pytest.raises(CheckpointError) as caught:
        checkpoint.from_bytes(data)
    message = str(caught.value)
    assert 10 < len(message) <= 300
    assert "\n" not in message
    return message


# The way there and back


@pytest.mark.parametrize(
    ("norm", "tie", "bias"), [("post", "none", True), ("pre", "output", False), ("post", "all", False), ("pre", "all", True)]
)
def test_a_model_comes_back_as_it_was(norm, tie, bias):
    cfg = config(tgt_vocab=19, norm=norm, tie_embeddings=tie, attention_bias=bias)
    model = perturbed_model(cfg)
    facts = {"task": "copy", "steps": 120, "exact_match": 0.995, "name": "Ümläut 猫"}
    loaded = checkpoint.from_bytes(checkpoint.to_bytes(model, facts))
    assert loaded.facts == facts
    assert loaded.model.cfg == cfg
    assert not loaded.model.training
    state = loaded.model.state_dict()
    assert list(state) == list(model.state_dict())
    assert all(torch.equal(value, state[name]) for name, value in model.state_dict().items())
    assert (loaded.model.src_embedding.table is loaded.model.tgt_embedding.table) is (tie == "all")
    ids = token_ids(cfg)
    assert torch.equal(loaded.model(*ids), model(*ids))


@pytest.mark.parametrize("changes", [{"norm": "pre"}, {"tie_embeddings": "output"}, {"position": "learned"}], ids=str)
def test_a_decoder_alone_comes_back_as_it_was(changes):
    model = perturbed_model(config(stacks="decoder", **changes))
    loaded = checkpoint.from_bytes(checkpoint.to_bytes(model, {"task": "repeat"}))
    assert loaded.model.cfg == model.cfg and loaded.facts == {"task": "repeat"}
    assert torch.equal(loaded.model(*token_ids(model.cfg)), model(*token_ids(model.cfg)))
    half = checkpoint.from_bytes(checkpoint.to_bytes(model, half=True)).model
    assert all(torch.equal(value.half().float(), half.get_parameter(name)) for name, value in model.named_parameters())


def test_a_file_of_before_says_nothing_of_stacks():
    settings = asdict(CFG)
    del settings["stacks"]
    assert checkpoint.from_bytes(forged(config=json.dumps(settings))).model.cfg == CFG


def test_a_shared_table_stands_in_the_file_once():
    def size(tie):
        return len(checkpoint.to_bytes(Transformer(config(tgt_vocab=19, tie_embeddings=tie))))

    table = 4 * 19 * 66
    assert size("output") - size("all") == pytest.approx(table, abs=300)
    assert size("none") - size("output") == pytest.approx(table, abs=300)


def test_a_file_on_disk(tmp_path):
    path = tmp_path / "model.safetensors"
    model = perturbed_model(CFG)
    checkpoint.save(path, model, {"steps": 3})
    assert [p.name for p in tmp_path.iterdir()] == ["model.safetensors"], "no partial file is left"
    loaded = checkpoint.load(str(path))
    assert loaded.facts == {"steps": 3}
    assert torch.equal(loaded.model.output.weight, model.output.weight)
    checkpoint.save(path, Transformer(CFG), None)
    assert checkpoint.load(path).facts == {}, "an older file is replaced"


def test_a_failed_save_leaves_the_older_file(tmp_path):
    path = tmp_path / "model.safetensors"
    checkpoint.save(path, perturbed_model(CFG))
    before = path.read_bytes()
    with pytest.raises(TypeError):
        checkpoint.save(path, Transformer(CFG), {"not json": object()})
    assert path.read_bytes() == before


def test_any_safetensors_reader_reads_it(good):
    tensors = safetensors.torch.load(good)
    assert tensors.keys() == dict(Transformer(CFG).named_parameters()).keys()


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        checkpoint.load(tmp_path / "nothing")


# Damage


def test_a_file_cut_off_anywhere(good):
    length = int.from_bytes(good[:8], "little")
    places = {0, 1, 7, 8, 9, 10, length // 2, length + 7, length + 8, length + 9, len(good) - 1, len(good) - 4}
    draw = random.Random(0)
    for place in places | {draw.randrange(len(good)) for _ in range(20)}:
        refusal(good[:place])


def test_a_file_with_something_after_its_end(good):
    refusal(good + b"\0")
    refusal(good + good)


def test_random_bytes():
    draw = random.Random(1)
    for size in (1, 8, 9, 100, 5000):
        refusal(draw.randbytes(size))
        refusal(size.to_bytes(8, "little") + draw.randbytes(size))
        refusal((size + 1).to_bytes(8, "little") + b"{" + draw.randbytes(size))


def test_single_bytes_changed(good):
    """Loads with the right shapes, or is refused; nothing else happens."""
    draw, refused = random.Random(2), 0
    header = int.from_bytes(good[:8], "little")
    shapes = {name: value.shape for name, value in Transformer(CFG).named_parameters()}
    for i in [*range(8), *(draw.randrange(8, header + 8) for _ in range(60))]:
        damaged = bytearray(good)
        damaged[i] = draw.choice([b for b in range(256) if b != good[i]])
        try:
            model = checkpoint.from_bytes(bytes(damaged)).model
        except CheckpointError:
            refused += 1
        else:
            if model.cfg == CFG:
                assert {name: value.shape for name, value in model.named_parameters()} == shapes
    assert refused > 40


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_weights_that_are_no_numbers(bad):
    weight = torch.ones(12)
    weight[5] = bad
    message = refusal(forged(tensors=parameters(encoder__0__self_attn__w_q__bias=weight)))
    assert message == "the file holds weights that are not finite numbers; choose another one"


# Foreign files


class Bomb:
    """Unpickling this writes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_is_not_opened(tmp_path, protocol):
    target = tmp_path / "written"
    assert "safetensors" in refusal(pickle.dumps(Bomb(target), protocol=protocol))
    assert not target.exists()


def test_torchs_own_format_is_not_opened(tmp_path):
    path, target = tmp_path / "model.pt", tmp_path / "written"
    for zipped in (True, False):
        torch.save({"weights": torch.ones(3), "bomb": Bomb(target)}, path, _use_new_zipfile_serialization=zipped)
        with pytest.raises(CheckpointError, match="this is not a complete safetensors file"):
            checkpoint.load(path)
    assert not target.exists()


@pytest.mark.parametrize("metadata", [None, {}, {"format": "pt"}, {"format": FORMAT + "0", "config": "{}"}])
def test_a_foreign_safetensors_file(metadata):
    message = refusal(safetensors.torch.save({"weight": torch.ones(2, 3)}, metadata=metadata))
    assert message == "this safetensors file holds no configuration; choose one that was saved by Transformer Explorer"


def test_a_header_longer_than_any_model_s_is_refused_before_it_is_read():
    entry = b'"weight%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},'
    header = b"{" + b"".join(entry % i for i in range(100_000)) + b'"last":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}'
    with pytest.raises(CheckpointError, match=r"the file's header has 6,... kB, and that of a model up to 4,096 kB"):
        checkpoint.from_bytes(len(header).to_bytes(8, "little") + header)


@pytest.mark.parametrize("facts", ['{"steps": 1' + "0" * 400 + "}", '{"seed": -' + "9" * 20 + "}"])
def test_a_number_that_no_count_can_be_is_refused(facts):
    with pytest.raises(CheckpointError, match=r"a number of .* digits"):
        checkpoint.from_bytes(forged(facts=facts))


@pytest.mark.parametrize("header", [b"{}", b"[1]", b"{", b'{"__metadata__": 3}', b"{" * 50_000, b'{"a":' * 50_000, b"\xff{"])
def test_a_header_that_is_something_else(header):
    refusal(len(header).to_bytes(8, "little") + header)


# Half precision


@pytest.mark.parametrize("tie", ["none", "all"])
def test_a_file_of_half_the_size_holds_the_weights_rounded(tie):
    model = perturbed_model(config(tgt_vocab=19, tie_embeddings=tie))
    whole, half = checkpoint.to_bytes(model, {"steps": 3}), checkpoint.to_bytes(model, {"steps": 3}, half=True)
    weights = sum(parameter.numel() for parameter in model.parameters())
    assert len(whole) - len(half) == pytest.approx(2 * weights, rel=0.01)
    loaded = checkpoint.from_bytes(half)
    assert (loaded.facts, loaded.model.cfg, loaded.training) == ({"steps": 3}, model.cfg, None)
    for name, value in model.named_parameters():
        read = loaded.model.get_parameter(name)
        assert read.dtype == torch.float32 and torch.equal(read, value.half().float())
    assert checkpoint.to_bytes(loaded.model, {"steps": 3}, half=True) == half, "rounded once and for all"
    ids = token_ids(model.cfg)
    torch.testing.assert_close(loaded.model(*ids), model(*ids), rtol=0, atol=0.02)


def test_a_weight_that_half_precision_cannot_hold_is_refused_and_the_largest_is_kept():
    model = perturbed_model(CFG)
    with torch.no_grad():
        model.output.bias[3] = 65504.0
    assert checkpoint.from_bytes(checkpoint.to_bytes(model, half=True)).model.output.bias[3] == 65504
    with torch.no_grad():
        model.output.bias[3] = -65520.0
    with pytest.raises(ValueError, match=r"^output.bias holds a weight beyond 65,504, .*; save it in full$"):
        checkpoint.to_bytes(model, half=True)


def test_weights_of_half_precision_that_are_not_finite_or_too_few():
    halved = {name: value.half() for name, value in parameters().items()}
    assert checkpoint.from_bytes(forged(tensors=halved)).model.cfg == CFG
    assert "not finite numbers" in refusal(forged(tensors=halved | {"output.bias": torch.full((17,), torch.inf).half()}))
    assert "([18], 'F16')" in refusal(forged(tensors=halved | {"output.bias": torch.ones(18).half()}))


def test_training_is_resumed_from_float32_weights_alone(kept):
    model, training = in_training()
    with pytest.raises(ValueError, match="cannot be resumed from weights in half precision"):
        checkpoint.to_bytes(model, {}, training, half=True)
    bias = model.output.bias.detach()
    metadata = read_header(kept)["__metadata__"]
    tensors = safetensors.torch.load(kept) | {"output.bias": bias.half()}
    assert "should have the shape [7] and type F32, but" in refusal(safetensors.torch.save(tensors, metadata=metadata))


# Lies


@pytest.mark.parametrize(
    "text",
    ["", "{", "null", "3", "[]", '"text"', "[" * 100_000, '{"src_vocab": 19}', '{"n_embd": 3}', "[[]]", "1" * 5000, "NaN"],
)
def test_a_configuration_that_cannot_be_read(text):
    assert "the file's configuration cannot be read" in refusal(forged(config=text))


@pytest.mark.parametrize("text", ["", "3", "[]", "[" * 100_000, "null"])
def test_facts_that_cannot_be_read(text):
    assert "the file's configuration cannot be read" in refusal(forged(facts=text))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_heads": 5}, "d_model 12 cannot be split over 5 heads"),
        ({"d_model": 0}, "d_model must be a whole number"),
        ({"d_model": "12"}, "d_model must be a whole number"),
        ({"d_model": 12.0}, "d_model must be a whole number"),
        ({"dropout": "0.1"}, "dropout must be at least 0"),
        ({"norm": ["pre"]}, "norm must be"),
        ({"norm": "A" * 100_000}, "norm must be"),
        ({"pad_id": None}, "pad_id None"),
        ({"B" * 100_000: 1}, "unknown setting"),
        ({"stacks": "encoder"}, "stacks must be one of 'both', 'decoder'"),
        ({"stacks": None}, "stacks must be"),
        ({"stacks": "decoder", "tie_embeddings": "all"}, "needs a source embedding"),
    ],
)
def test_a_configuration_that_cannot_be_built(settings, message):
    assert message in refusal(forged(settings))


@pytest.mark.parametrize(
    "settings",
    [
        {"n_layers": 10**9},
        {"d_model": 10**9, "n_heads": 1},
        {"d_model": 3 * 10**9},
        {"d_ff": 10**12},
        {"src_vocab": 10**10},
        {"tgt_vocab": 10**10},
        {"max_len": 10**9},
        {"max_len": 10**18},
        {"n_layers": 65},
        {"src_vocab": 50_001, "d_model": 3},
        {"tgt_vocab": 10**4000, "d_model": 3},
        {"max_len": 8_193},
        {"tgt_max_len": 8_193},
        {"n_layers": 5000, "d_model": 3, "d_ff": 1},
        {"d_model": 3 * 10**4000},
        {"n_layers": 10**9, "d_model": 10**9, "n_heads": 10**9},
        {"d_model": 9_000, "n_heads": 3, "d_ff": 1},
    ],
    ids=lambda settings: ",".join(f"{name}~1e{len(str(value)) - 1}" for name, value in settings.items()),
)
def test_giant_claims_are_refused_before_anything_is_built(settings, monkeypatch):
    data = forged(settings)

    def build(*_, **__):
        raise AssertionError("a model of the claimed size was built")

    monkeypatch.setattr(checkpoint, "Transformer", build)
    tracemalloc.start()
    message = refusal(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "the file claims" in message
    assert peak < 2_000_000


def test_a_claim_within_the_limits_but_not_in_the_file_builds_nothing_real(monkeypatch):
    monkeypatch.setattr(checkpoint, "Transformer", None)
    assert "encoder.0.feed_forward.w_1.weight should have the shape" in refusal(forged({"d_ff": 1_000_000}))


def test_the_limits_leave_room_for_every_preset():
    for cfg in PRESETS.values():
        with pytest.raises(CheckpointError, match="the file lacks"):
            checkpoint._check_tensors({}, cfg)


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        (parameters(output__bias=None), "the file lacks output.bias (missing tensors: 1)"),
        (parameters(output__bias=None, output__weight=None), "the file lacks output.bias (missing tensors: 2)"),
        (parameters(extra=torch.ones(3)), "the file holds 'extra', which its configuration does not have"),
        (parameters(encoder_norm__weight=torch.ones(12)), "the file holds 'encoder_norm.weight', which its"),
        (
            parameters(output__bias=torch.ones(18)),
            "output.bias should have the shape [17] and type F32/F16, but the file says",
        ),
        (parameters(output__weight=torch.ones(12, 17)), "output.weight should have the shape [17, 12]"),
        (parameters(output__bias=torch.ones(1, 17)), "output.bias should have the shape [17]"),
        (parameters(output__bias=torch.ones(17, dtype=torch.float64)), "but the file says ([17], 'F64')"),
        (parameters(output__bias=torch.ones(17, dtype=torch.int32)), "but the file says ([17], 'I32')"),
        (parameters(output__bias=torch.ones(17, dtype=torch.bfloat16)), "but the file says ([17], 'BF16')"),
        ({}, "the file lacks decoder.0.cross_attn.w_k.bias (missing tensors:"),
    ],
)
def test_tensors_that_do_not_fit_the_configuration(tensors, message):
    assert message in refusal(forged(tensors=tensors))


def test_stacks_that_the_file_does_not_hold():
    """A decoder alone with the weights of an encoder, an encoder and a decoder without them, and cross-attention too many."""
    assert "the file holds 'decoder.0.cross_attn.w_k.bias', which its configuration does not have" in refusal(
        forged({"stacks": "decoder"})
    )
    without_cross = {name: value for name, value in parameters().items() if "cross_attn" not in name}
    assert "the file holds 'encoder.0.feed_forward.w_1.bias', which" in refusal(forged({"stacks": "decoder"}, without_cross))
    alone = {name: value for name, value in without_cross.items() if not name.startswith(("encoder", "src"))}
    assert "the file lacks encoder.0.feed_forward.w_1.bias" in refusal(forged({"cross_attention": False}, alone))
    assert checkpoint.from_bytes(forged({"stacks": "decoder"}, alone)).model.cfg == replace(CFG, stacks="decoder")


def test_a_name_of_any_length_gives_a_short_message():
    refusal(forged(tensors=parameters(**{"x" * 100_000: torch.ones(1)})))


@pytest.mark.parametrize("entry", [3, None, [], {}, {"shape": [17]}, {"dtype": "F32", "shape": "17"}])
def test_a_tensor_entry_that_is_no_entry(good, entry):
    header = read_header(good) | {"output.bias": entry}
    assert "output.bias should have the shape [17]" in refusal(with_header(good, header))


@pytest.mark.parametrize("offsets", [[0, 68], [10**15, 10**15 + 68], [-68, 0], [68, 0], ["a", "b"], None])
def test_offsets_that_point_elsewhere(good, offsets):
    header = read_header(good)
    assert header["output.bias"]["data_offsets"][1] - header["output.bias"]["data_offsets"][0] == 68
    header["output.bias"]["data_offsets"] = offsets
    assert "the file is damaged" in refusal(with_header(good, header))


def test_a_name_given_twice(good):
    """Two readers may take different ones of them; a shape that only one of them saw must not reach the model."""
    length = int.from_bytes(good[:8], "little")
    text = good[8 : 8 + length].rstrip()
    first = b'{"output.bias":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},' + text[1:]
    last = text[:-1] + b',"output.bias":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
    for header in (first, last):
        data = len(header).to_bytes(8, "little") + header + good[8 + length :]
        try:
            loaded = checkpoint.from_bytes(data)
        except CheckpointError:
            continue
        assert loaded.model.output.bias.shape == (17,)


def test_the_good_file_is_good(good):
    """What the tests above change is the only thing wrong with their files."""
    assert checkpoint.from_bytes(forged()).model.cfg == CFG
    assert checkpoint.from_bytes(good).facts == {"task": "copy", "steps": 120}
    assert torch.equal(checkpoint.from_bytes(good).model.output.bias, perturbed_model(CFG).output.bias)


# Training that can be gone on with (that it is the same run is pinned in test_training.py)

COPYING = config(src_vocab=7, tgt_vocab=7, d_model=12, n_heads=3, n_layers=1)
TASKS_TO_KEEP = [CopyTask(7, 5), ReverseTask(7, 4), SortTask(7, 6), SentenceTask("pronoun-zh"), RepeatTask(7, 9)]


def in_training(task=TASKS_TO_KEEP[0], **recipe):
    stacks = "both" if has_source(task) else "decoder"
    cfg = replace(COPYING, src_vocab=task.vocab, tgt_vocab=task.vocab, stacks=stacks)
    trainer = Trainer(Transformer(cfg), task, Recipe(batch_size=3, evaluate_on=2, device="cpu", **recipe))
    trainer.step()
    trainer.step()
    return trainer.model, Training(task, trainer.recipe, trainer.state())


@pytest.fixture(scope="module")
def kept():
    model, training = in_training()
    return checkpoint.to_bytes(model, {"steps": 2}, training)


def with_training(file, drop=(), **tensors):
    """The file with another header entry `training` (given as `claim`) or other tensors in its training."""
    metadata = read_header(file)["__metadata__"]
    claim = tensors.pop("claim", None)
    if claim is not None:
        metadata["training"] = claim if isinstance(claim, str) else json.dumps(json.loads(metadata["training"]) | claim)
    held = safetensors.torch.load(file) | {f"training.{name}": value for name, value in tensors.items()}
    return safetensors.torch.save({name: v for name, v in held.items() if name not in drop}, metadata=metadata)


@pytest.mark.parametrize("task", TASKS_TO_KEEP, ids=lambda task: task.name)
@pytest.mark.parametrize(("optimiser", "average"), [("adam", 0.0), ("sgd", 0.0), ("adam", 0.1)])
def test_a_training_comes_back_as_it_was(task, optimiser, average):
    model, training = in_training(task, optimiser=optimiser, average=average)
    data = checkpoint.to_bytes(model, {"steps": 2}, training)
    loaded = checkpoint.from_bytes(data)
    assert (loaded.training.task, loaded.training.recipe, loaded.facts) == (task, training.recipe, {"steps": 2})
    state, before = loaded.training.state, training.state
    assert state.step == 2 and state.moments.keys() == before.moments.keys()
    assert all(torch.equal(moment, before.moments[name]) for name, moment in state.moments.items())
    assert torch.equal(state.data, before.data) and torch.equal(state.dropout, before.dropout)
    assert checkpoint.to_bytes(loaded.model, loaded.facts, loaded.training) == data
    assert checkpoint.from_bytes(checkpoint.to_bytes(model)).training is None


def test_a_training_of_a_decoder_alone_that_claims_a_task_with_a_source():
    model, training = in_training(RepeatTask(7, 9))
    file = checkpoint.to_bytes(model, {"steps": 2}, training)
    assert checkpoint.from_bytes(file).training.task == RepeatTask(7, 9)
    claim = {"task": {"name": "copy", "vocab": 7, "length": 5}}
    assert "the task copy has a source, and a decoder alone reads none" in refusal(with_training(file, claim=claim))


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("", "the state of training in the file cannot be read"),
        ("[1]", "the state of training in the file cannot be read"),
        ("[" * 100_000, "the state of training in the file cannot be read"),
        ({"task": 3}, "the state of training in the file cannot be read"),
        ({"task": {"name": "juggle"}}, "there is no task 'juggle'"),
        ({"task": {"name": ["copy"]}}, "there is no task ['copy']"),
        ({"task": {"name": "copy", "vocab": 7.0, "length": 5}}, "the sizes of the task copy must be whole numbers"),
        ({"task": {"name": "copy", "breadth": 7}}, "the task copy does not have these sizes"),
        ({"task": {"name": "copy", "vocab": 8, "length": 5}}, "the file's task has 8 ids, but its model reads 7"),
        ({"task": {"name": "repeat", "vocab": 7, "length": 8}}, "the task repeat has no source; choose the decoder alone"),
        ({"task": {"name": "repeat", "vocab": 7, "length": 3}}, "need 8, not 3"),
        ({"recipe": {"steps": 0}}, "steps must be at least 1, not 0"),
        ({"recipe": {"betas": "ab"}}, "betas cannot be 'ab'"),
        ({"step": -1}, "step must be a whole number from 0 to 1000, not -1"),
        ({"step": 1001}, "from 0 to 1000, not 1001"),
        ({"step": "2"}, "not '2'"),
        ({"step": True}, "not True"),
        ({"dropout_bytes": 10**12}, "not 1000000000000"),
        ({"recipe": {"optimiser": "sgd"}}, "the file lacks training.momentum_buffer"),
    ],
)
def test_a_training_that_cannot_be(kept, claim, message):
    assert message in refusal(with_training(kept, claim=claim))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"exp_avg": torch.ones(3)}, "training.exp_avg should have the shape"),
        ({"exp_avg_sq": torch.ones(3, dtype=torch.float64)}, "training.exp_avg_sq should have the shape"),
        ({"data": torch.zeros(16, dtype=torch.uint8)}, "training.data should have the shape [5056] and type U8"),
        ({"data": torch.zeros(5056, dtype=torch.uint8)}, "the file's random generators are damaged"),
        ({"dropout": torch.full((5056,), 255, dtype=torch.uint8)}, "the file's random generators are damaged"),
        ({"more": torch.ones(3)}, "the file holds 'training.more'"),
        ({"drop": ["training.data"]}, "the file lacks training.data (missing tensors: 1)"),
    ],
)
def test_tensors_that_do_not_fit_the_training(kept, changes, message):
    assert message in refusal(with_training(kept, **changes))


def test_moments_that_are_no_numbers(kept):
    moment = safetensors.torch.load(kept)["training.exp_avg"]
    moment[3] = float("nan")
    assert (
        refusal(with_training(kept, exp_avg=moment)) == "the file holds weights that are not finite numbers; choose another one"
    )


def test_tensors_of_a_training_that_the_file_does_not_tell_of(kept):
    metadata = read_header(kept)["__metadata__"]
    del metadata["training"]
    assert "the file holds 'training.data'" in refusal(safetensors.torch.save(safetensors.torch.load(kept), metadata=metadata))
