"""Pins the shelf of trained models: what goes in comes out, one address per model, and an end to how much it keeps."""

import pytest
import torch

from explorer.model_store.store import ModelStore
from explorer.training import limits
from explorer.training.run import TrainingRun
from tests.explorer.training.helpers import CFG, advance, plan
from transformer_core import SHIPPED, Transformer, TransformerConfig, checkpoint
from transformer_core.training.checkpoint import CheckpointError


@pytest.fixture(autouse=True)
def without_what_comes_with_the_app(request, monkeypatch):
    """Reading the shipped models takes longer than all else here; the test that is about them has them."""
    if "shipped" not in request.node.name:
        monkeypatch.setattr("explorer.model_store.store.SHIPPED", [])


FACTS = {"task": "copy", "steps": 1260, "exact_match": 0.9875}


def model(seed: int, cfg: TransformerConfig = CFG) -> Transformer:
    return Transformer(cfg, torch.Generator().manual_seed(seed))


def data(seed: int, facts: dict | None = None) -> bytes:
    return checkpoint.to_bytes(model(seed), FACTS if facts is None else facts)


def test_a_model_comes_out_as_it_went_in():
    shelf = ModelStore()
    stored = shelf.add(data(3))
    assert shelf.get(stored.id) == stored
    assert (stored.cfg, stored.facts) == (CFG, FACTS)
    loaded, original = shelf.load(stored.id), model(3).state_dict()
    assert not loaded.training
    assert all(torch.equal(value, original[name]) for name, value in loaded.state_dict().items())
    assert shelf.load(stored.id) is not loaded  # nobody can change what another gets


def test_shipped_models_are_there_under_their_names_and_stay(monkeypatch):
    monkeypatch.setattr(limits, "MODEL_BYTES", 10)
    shelf = ModelStore()
    shelf.add(data(0))
    for path in SHIPPED:
        stored = shelf.get(path.stem)
        assert (stored.id, stored.task) == (path.stem, path.stem)
        assert shelf.load(path.stem).cfg == stored.cfg


def test_the_same_model_has_the_same_address_and_stands_there_once():
    shelf = ModelStore()
    ids = {shelf.add(data(seed)).id for seed in (3, 3, 3, 3, 4)}
    assert len(ids) == 2
    assert shelf.add(data(3, {"task": "other"})).id not in ids


def test_a_run_opened_twice_is_one_model():
    run, shelf = TrainingRun(plan(), "me"), ModelStore()
    advance(run, 4)
    assert shelf.add(run.checkpoint()).id == shelf.add(run.checkpoint()).id


def test_a_file_that_can_be_gone_on_with_is_the_same_model():
    run, shelf = TrainingRun(plan(), "me"), ModelStore()
    advance(run, 4)
    alone, with_training = run.checkpoint(), run.checkpoint(training=True)
    assert len(with_training) > 2 * len(alone)
    assert shelf.add(with_training) == shelf.add(alone)


def test_the_address_fits_into_a_link():
    identity = ModelStore().add(data(3)).id
    assert identity.isalnum() and identity.isascii() and len(identity) == 16


def test_the_name_says_what_is_known():
    shelf = ModelStore()
    assert shelf.add(data(0)).name == "copy numbers · 1,260 steps · 98.8% exact"
    assert shelf.add(data(0, {})).name == "uploaded"
    assert shelf.add(data(0, {"task": "copy", "exact_match": None})).name == "copy numbers"


@pytest.mark.parametrize(
    "content", [b"", b"no model at all", data(3)[:-5], data(3)[:40], b"\xff" * 200], ids=["none", "text", "cut", "head", "ff"]
)
def test_bad_bytes_are_refused_and_leave_nothing(content):
    shelf = ModelStore()
    with pytest.raises(CheckpointError):
        shelf.add(content)
    assert not shelf._models


def test_what_is_not_there():
    shelf = ModelStore()
    assert shelf.get("0123456789abcdef") is None
    with pytest.raises(KeyError, match="0123456789abcdef"):
        shelf.load("0123456789abcdef")


def test_a_full_shelf_gives_up_what_was_opened_longest_ago(monkeypatch):
    size = len(data(0))
    monkeypatch.setattr(limits, "MODEL_BYTES", 2 * size + size // 2)
    shelf = ModelStore()
    first, second = shelf.add(data(0)), shelf.add(data(1))
    assert shelf.get(first.id) is not None  # opened: now the second is the one unused for longest
    third = shelf.add(data(2))
    assert [shelf.get(stored.id) is not None for stored in (first, second, third)] == [True, False, True]
    shelf.add(data(0))  # adding again is opening, too
    fourth = shelf.add(data(3))
    assert [shelf.get(stored.id) is not None for stored in (first, third, fourth)] == [True, False, True]


def test_one_model_larger_than_the_shelf_is_kept_alone(monkeypatch):
    monkeypatch.setattr(limits, "MODEL_BYTES", 10)
    shelf = ModelStore()
    first, second = shelf.add(data(0)), shelf.add(data(1))
    assert shelf.get(first.id) is None
    assert shelf.load(second.id).cfg == CFG
