"""Pins: of 2,000 damaged and forged files none does anything but be opened and shown, or refused in one sentence."""

import json
import random
from typing import Any

import pytest
import torch

from explorer import resources
from explorer.learning.run import TrainingRun
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shown_model import show_model
from tests.explorer.learning.helpers import advance, finish, plan
from tests.transformer_core.helpers import carried_out
from transformer_core import Transformer, TransformerConfig, checkpoint
from transformer_core.errors import InputError
from transformer_core.training import learned
from transformer_core.training.checkpoint import CheckpointError

pytestmark = pytest.mark.slow

CFG = TransformerConfig(src_vocab=5, tgt_vocab=5, d_model=4, n_heads=2, d_ff=4, n_layers=1, max_len=12)
VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 7, 64, 65, 8193, 50_001, 2**31, 2**63, 10**30, -(10**30),
    0.5, -0.0, 1e-320, 1e308, float("nan"), float("inf"),
    "", "copy", "post", "nonsense", "\x00", "9" * 5000, "☃\u202e", "F32", "F16", "I8", "BOOL",
    [], [0], [1, 2, 3], [-1, 4], [10**15, 10**15 + 4], [[[]]], {}, {"shape": [4]}, {"name": "copy"},
]  # fmt: skip
EACH = 500


def files() -> dict[str, bytes]:
    """One of every kind that can be opened."""
    model = Transformer(CFG, torch.Generator().manual_seed(1))
    facts = {"task": "copy", "steps": 120, "exact_match": 0.5}
    run = TrainingRun(plan(), "me")
    advance(run, 2)
    whole = TrainingRun(plan(), "me")
    finish(whole)
    return {
        "downloaded": whole.checkpoint(training=True),
        "weights": checkpoint.to_bytes(model, facts),
        "half": checkpoint.to_bytes(model, facts, half=True),
        "resumable": run.checkpoint(training=True),
        "course": learned.to_bytes(carried_out(plan(0.5, steps=12)).learned()),
    }


def places(thing: Any) -> list[tuple[Any, Any]]:
    """Every place in nested lists and dicts: what holds it, and its key."""
    keys = list(thing) if isinstance(thing, dict) else range(len(thing)) if isinstance(thing, list) else ()
    return [place for key in keys for place in ((thing, key), *places(thing[key]))]


def with_another_value(thing: Any, draw: random.Random) -> None:
    """Changes, drops, doubles or renames something, in place; also inside a text that is JSON itself."""
    holder, key = draw.choice(places(thing))
    value = holder[key]
    if isinstance(value, str) and value[:1] in "{[" and draw.random() < 0.9:
        inner = json.loads(value)
        if places(inner):
            with_another_value(inner, draw)
            holder[key] = json.dumps(inner)
            return
    way = draw.randrange(4)
    if way == 0 and isinstance(holder, dict):
        del holder[key]
    elif way == 1 and isinstance(holder, dict):
        holder[draw.choice(["x", "", "__metadata__", "training.data", "0", "12", "curve"])] = holder.pop(key)
    elif way == 2 and isinstance(value, int | float) and not isinstance(value, bool):
        holder[key] = value + draw.choice([-1, 1, 2**20])
    else:
        holder[key] = draw.choice(VALUES)


def damaged(data: bytes, draw: random.Random) -> bytes:
    length = int.from_bytes(data[:8], "little")
    way = draw.randrange(8)
    if way == 0:
        return data[: draw.randrange(len(data))]
    if way == 1:  # bytes of the weights; NaN among them
        changed, at = bytearray(data), draw.randrange(8 + length, len(data) - 4)
        changed[at : at + 4] = draw.choice([b"\xff" * 4, b"\x00" * 4, draw.randbytes(4)])
        return bytes(changed)
    if way == 2:
        changed = bytearray(data)
        for _ in range(draw.randrange(1, 4)):
            changed[draw.randrange(8 + length)] = draw.randrange(256)
        return bytes(changed)
    header = json.loads(data[8 : 8 + length])
    for _ in range(draw.randrange(1, 3)):
        with_another_value(header, draw)
    text = json.dumps(header).encode("utf-8", "surrogatepass")
    return len(text).to_bytes(8, "little") + text + data[8 + length :]


@pytest.mark.parametrize("kind", ["weights", "half", "resumable", "course"])
def test_what_a_damaged_file_does(kind):
    good, draw = files()[kind], random.Random(kind)
    opened = refused = 0
    resources.model_store().open(good)
    for _ in range(EACH):
        data = damaged(good, draw)
        try:
            model = resources.model_store().open(data).model
        except CheckpointError as error:
            assert 10 < len(str(error)) <= 400 and "\n" not in str(error)
            refused += 1
            continue
        opened += 1
        try:
            show_model(ModelSettings(model=model.id, numbers="1 2 3", src="1 2")).forward()
        except InputError as error:
            assert len(str(error)) <= 300
    assert refused > EACH / 2 and opened > EACH / 50, (opened, refused)
    resources.model_store().forget_memory()
