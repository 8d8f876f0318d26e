"""Pins: a course of learning comes back as it was saved, and whatever else is offered is refused in one clear sentence."""

import json
import math
import random
from dataclasses import asdict, replace

import numpy as np
import pytest
import safetensors.torch
import torch

from tests.transformer_core.helpers import config, generator
from transformer_core import CopyTask, Recipe, checkpoint
from transformer_core.data.tasks import RepeatTask, task_to_dict
from transformer_core.training import learned
from transformer_core.training.checkpoint import CheckpointError
from transformer_core.training.cost import count_by_formula
from transformer_core.training.evaluation import FinalEvaluation
from transformer_core.training.learned import Learned, from_bytes, initial, parameters_of, to_bytes, with_parameters

CFG = config(src_vocab=7, tgt_vocab=7, d_model=12, n_heads=3, n_layers=1)
TASK = CopyTask(7, 5)
CURVE = np.array([[10, 0.0, 1.9], [20, 0.25, 1.2], [30, 1.0, math.nan]])
FACTS = {
    "config": asdict(CFG),
    "task": task_to_dict(TASK),
    "recipe": asdict(Recipe(seed=3)),
    "outcome": "diverged",
    "rows": 200,
    "seconds": 1.5,
}
PARAMETERS = count_by_formula(CFG)


def state(seed):
    return torch.randn(PARAMETERS, generator=generator(seed)).half()


def course(**changes):
    states = {10: state(1), 30: state(2)}
    return replace(Learned(CFG, TASK, Recipe(seed=3), "diverged", CURVE, 200, states, 1.5), **changes)


def forged(tensors=None, facts=None, metadata=None, drop=()):
    """A well-formed safetensors file with what is given in place of what belongs there."""
    held = {"curve": torch.from_numpy(CURVE), "10": state(1), "30": state(2)} | (tensors or {})
    given = FACTS | (facts or {})
    metadata = {"format": "transformer-explorer-learned-1", "facts": json.dumps(given)} | (metadata or {})
    return safetensors.torch.save({name: value for name, value in held.items() if name not in drop}, metadata=metadata)


def refusal(data):
    with pytest.raises(CheckpointError) as caught:
        from_bytes(data)
    message = str(caught.value)
    assert 10 < len(message) <= 300 and "\n" not in message
    return message


@pytest.mark.parametrize("small", [False, True])
def test_a_course_comes_back_as_it_was(small):
    before = course()
    data = to_bytes(before, small=small)
    after = from_bytes(data)
    for name in ("cfg", "task", "recipe", "outcome", "rows", "seconds", "key", "steps", "last"):
        assert getattr(after, name) == getattr(before, name), name
    assert np.array_equal(after.curve, before.curve, equal_nan=True), "a loss that is no number is where it diverged"
    assert after.steps == (0, 10, 30)
    for step in (10, 30):
        off = (after.states[step].float() - before.states[step].float()).abs().max()
        assert after.states[step].dtype == torch.float16 and float(off) <= (0.02 if small else 0)
    assert learned.is_learned(data) and not learned.is_learned(checkpoint.to_bytes(initial(CFG, 0)))
    assert len(data) < PARAMETERS * (2.2 if small else 4) + 3000
    assert to_bytes(after, small=small) == data or small


def test_the_models_of_its_steps():
    found = course()
    assert torch.equal(parameters_of(found.model(10)), state(1))
    assert torch.equal(parameters_of(found.model(0)), parameters_of(initial(CFG, 3)))
    assert not found.model(30).training
    assert [found.nearest(step) for step in (0, 9, 10, 29, 30, 10**6, None)] == [0, 0, 10, 10, 30, 30, 30]
    assert (found.right, found.right_at(20), found.right_at(15)) == (1.0, 0.25, None)
    with pytest.raises(KeyError):
        found.model(20)
    tied = config(src_vocab=7, tgt_vocab=7, tie_embeddings="all")
    model = initial(tied, 1)
    assert torch.equal(parameters_of(with_parameters(tied, parameters_of(model))), parameters_of(model))


@pytest.mark.parametrize("small", [False, True])
def test_a_decoder_alone_comes_back(small):
    cfg, task = replace(CFG, stacks="decoder"), RepeatTask(7, 9)
    n = count_by_formula(cfg)
    states = {step: torch.randn(n, generator=generator(step)).half() for step in (10, 30)}
    after = from_bytes(to_bytes(course(cfg=cfg, task=task, states=states), small=small))
    assert (after.cfg, after.task, after.steps) == (cfg, task, (0, 10, 30))
    model = after.model(30)
    assert model(torch.empty(1, 0, dtype=torch.long), torch.tensor([[1, 2, 3]])).shape == (1, 3, 7)
    assert small or torch.equal(parameters_of(model), states[30])


def test_the_final_evaluation_comes_back_and_one_that_cannot_be_is_refused():
    final = FinalEvaluation(0.875, 400)
    assert from_bytes(to_bytes(course(final=final))).final == final and from_bytes(to_bytes(course())).final is None
    for wrong in ({"exact_match": 1.5, "rows": 4}, {"exact_match": True, "rows": 4}, {"exact_match": 0.5, "rows": 0}):
        assert "contradicts itself" in refusal(forged(facts={"final": wrong}))
    for wrong in (None, 3, {"rows": 4}, {"exact_match": 0.5, "rows": 4, "more": 1}):
        assert "cannot be read" in refusal(forged(facts={"final": wrong}))


def test_fewer_steps_for_fewer_bytes_and_always_the_last():
    whole = course(states={step: state(step) for step in (10, 20, 30, 40, 50)})
    of_each = state(1).nbytes
    kept = {most: sorted(whole.within(most * of_each).states) for most in (5, 4, 3, 2, 1, 0)}
    assert kept == {5: [10, 20, 30, 40, 50], 4: [10, 30, 50], 3: [10, 30, 50], 2: [10, 50], 1: [50], 0: [50]}


def test_the_file_of_a_model_may_hold_its_course():
    whole, model = course(), initial(CFG, 3)
    data = checkpoint.to_bytes(model, {"steps": 30}, course=to_bytes(whole))
    assert to_bytes(from_bytes(data)) == to_bytes(whole) == checkpoint.from_bytes(data).course
    assert checkpoint.from_bytes(data).facts == {"steps": 30}
    assert parameters_of(checkpoint.from_bytes(data).model).equal(parameters_of(model))
    assert "no course of learning" in refusal(checkpoint.to_bytes(model))
    assert "no course of learning" in refusal(checkpoint.to_bytes(model, course=data)), "a file in a file in a file is none"
    for kind in (torch.float32, torch.int64):
        header = {"format": "transformer-explorer-1", "config": json.dumps(asdict(CFG))}
        wrong = safetensors.torch.save({"course": torch.zeros(4, dtype=kind)}, metadata=header)
        assert "is no file" in refusal(wrong)
        with pytest.raises(CheckpointError, match="is no file"):
            checkpoint.from_bytes(wrong)


def test_weights_beyond_float16_are_kept_at_its_limit():
    model = initial(CFG, 0)
    with torch.no_grad():
        next(model.parameters()).fill_(1e6)
    assert parameters_of(model).isfinite().all()


def test_a_file_cut_off_or_changed_anywhere():
    good, draw = to_bytes(course()), random.Random(1)
    assert refusal(b"")
    for place in [draw.randrange(len(good)) for _ in range(30)]:
        refusal(good[:place])
    length = int.from_bytes(good[:8], "little")
    for place in [draw.randrange(8, 8 + length) for _ in range(200)]:
        changed = good[:place] + bytes([draw.randrange(256)]) + good[place + 1 :]
        try:
            from_bytes(changed)
        except CheckpointError:
            continue


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"outcome": "famous"}, "contradicts itself"),
        ({"rows": 0}, "contradicts itself"),
        ({"rows": "many"}, "cannot be read"),
        ({"seconds": math.nan}, "contradicts itself"),
        ({"seconds": -1}, "contradicts itself"),
        ({"task": {"name": "juggle"}}, "there is no task 'juggle'"),
        ({"task": {"name": "copy", "vocab": 8, "length": 5}}, "contradicts itself"),
        ({"task": {"name": "copy", "vocab": 7, "length": 10**9}}, "contradicts itself"),
        ({"task": {"name": "copy", "vocab": 10**12, "length": 5}}, "contradicts itself"),
        ({"task": {"name": "repeat", "vocab": 7, "length": 8}}, "contradicts itself"),
        ({"config": asdict(CFG) | {"stacks": "decoder"}}, "contradicts itself"),
        ({"task": 3}, "cannot be read"),
        ({"recipe": {"steps": 0}}, "steps must be at least 1"),
        ({"recipe": {"speed": 1}}, "unknown setting 'speed'"),
        ({"recipe": []}, "cannot be read"),
        ({"config": asdict(CFG) | {"d_model": 12.0}}, "d_model must be a whole number"),
        ({"config": asdict(CFG) | {"n_layers": 10**9}}, "parameters"),
        ({"config": asdict(CFG) | {"d_ff": 10**12}}, "parameters"),
        ({"config": asdict(CFG) | {"max_len": 10**12}}, "position"),
        ({"config": asdict(CFG) | {"n_layers": 2}}, "do not fit its configuration"),
        ({"config": None}, "cannot be read"),
    ],
)
def test_facts_that_cannot_be(facts, message):
    assert message in refusal(forged(facts=facts))


@pytest.mark.parametrize("facts", ["", "[1]", "3", "{}", "[" * 100_000])
def test_facts_that_are_none(facts):
    assert "cannot be read" in refusal(forged(metadata={"facts": facts}))


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({"10": state(1)[:-1]}, "do not fit its configuration"),
        ({"10": state(1).float()}, "do not fit its configuration"),
        ({"0": state(1)}, "do not fit its configuration"),
        ({"010": state(1)}, "do not fit its configuration"),
        ({"-5": state(1)}, "do not fit its configuration"),
        ({"１": state(1)}, "do not fit its configuration"),
        ({"1" * 30: state(1)}, "do not fit its configuration"),
        ({"40.bytes": torch.zeros(PARAMETERS, dtype=torch.int8)}, "do not fit its configuration"),
        ({"10": torch.full((PARAMETERS,), math.inf).half()}, "not finite numbers"),
        ({"curve": torch.zeros(3, 2, dtype=torch.float64)}, "lacks the curve"),
        ({"curve": torch.zeros(0, 3, dtype=torch.float64)}, "lacks the curve"),
        ({"curve": torch.from_numpy(CURVE).float()}, "lacks the curve"),
        ({"curve": torch.from_numpy(CURVE[::-1].copy())}, "is not one"),
        ({"curve": torch.tensor([[10, 1.5, 0.1]], dtype=torch.float64)}, "is not one"),
        ({"curve": torch.tensor([[math.nan, 0.5, 0.1]], dtype=torch.float64)}, "is not one"),
        ({"curve": torch.tensor([[10, math.nan, 0.1]], dtype=torch.float64)}, "is not one"),
    ],
    ids=str,
)
def test_tensors_that_do_not_fit(tensors, message):
    assert message in refusal(forged(tensors))


def test_a_foreign_file_and_one_without_its_curve():
    assert "holds no course of learning" in refusal(checkpoint.to_bytes(initial(CFG, 0)))
    assert "holds no course of learning" in refusal(forged(metadata={"format": "another"}))
    assert "lacks the curve" in refusal(forged(drop=["curve"]))
    assert from_bytes(forged()).steps == (0, 10, 30), "what is changed above is all that is wrong there"
    assert from_bytes(forged(drop=["10", "30"])).steps == (0,)
