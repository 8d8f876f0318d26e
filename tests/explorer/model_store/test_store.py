"""Pins the store of models: what goes in comes out, one address per model, and an end to how much it keeps."""

from dataclasses import replace

import pytest
import torch

from explorer.model_store import store as store_module
from explorer.model_store.learned_model import of_file
from explorer.model_store.store import ModelStore
from explorer.training import limits
from explorer.training.run import TrainingRun
from tests.explorer.training.helpers import CFG, advance, plan
from transformer_core import BOX, TASKS, Transformer, TransformerConfig, checkpoint
from transformer_core.training import learned
from transformer_core.training.checkpoint import CheckpointError
from transformer_core.training.learning import Learning

FACTS = {"task": "copy", "steps": 1260, "exact_match": 0.9875}


def model(seed: int, cfg: TransformerConfig = CFG) -> Transformer:
    return Transformer(cfg, torch.Generator().manual_seed(seed))


def data(seed: int, facts: dict | None = None) -> bytes:
    return checkpoint.to_bytes(model(seed), FACTS if facts is None else facts)


def parameters(model: Transformer) -> torch.Tensor:
    return torch.nn.utils.parameters_to_vector(model.parameters())


def test_a_model_comes_out_as_it_went_in():
    store = ModelStore()
    stored = store.add(data(3))
    assert store.get(stored.id) is stored
    assert (stored.cfg, stored.task, stored.steps, stored.last) == (CFG, "copy", (1260,), 1260)
    assert stored.right_at(1260) == 0.9875 and stored.right_at(5) is None and stored.rows is None
    loaded = stored.model(1260)
    assert not loaded.training
    assert parameters(loaded).equal(parameters(model(3)))
    assert stored.model(1260) is not loaded  # nobody can change what another gets
    with pytest.raises(KeyError):
        stored.model(0)  # its seed is not known


def test_what_comes_with_the_app_is_found_by_its_key_and_not_lost(monkeypatch):
    monkeypatch.setattr(limits, "MODEL_BYTES", 10)
    store = ModelStore()
    keys = [path.stem for path in BOX.glob("*.safetensors")]
    assert keys
    for key in keys:
        found = store.get(key)
        assert found.id == key and found.task in TASKS and found.steps[0] == 0 and not found.own
        assert store.get(key).model(found.last).cfg == found.cfg


def test_a_course_of_learning_comes_out_as_it_went_in_at_every_step(tmp_path):
    learning = Learning(plan(0.5, steps=12))
    while learning.outcome is None:
        learning.step()
    model = learning.learned()
    ModelStore(tmp_path).put(model)
    for found in (ModelStore(tmp_path).get(model.key), ModelStore().add(learned.to_bytes(model))):
        assert found.steps == model.steps and found.nearest(None) == model.last and found.nearest(0) == 0
        assert (found.curve == model.curve).all() and found.rows == 6
        for step in model.steps:
            assert parameters(found.model(step)).equal(parameters(model.model(step)))
        assert parameters(found.model(0)).equal(parameters(learned.initial(CFG, 0)))


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "0123", "0123456789ABCDEF", "0123456789abcde/", "x" * 16])
def test_ids_of_links_name_no_other_files(name, tmp_path):
    (tmp_path / f"{name[:1] or 'x'}.safetensors").write_bytes(b"no model")
    assert ModelStore(tmp_path).get(name) is None


def test_the_same_model_has_the_same_address_and_stands_there_once():
    store = ModelStore()
    ids = {store.add(data(seed)).id for seed in (3, 3, 3, 3, 4)}
    assert len(ids) == 2
    assert store.add(data(3, {"task": "other"})).id not in ids


def test_a_file_is_parsed_once_as_long_as_its_model_is_kept(monkeypatch):
    """The page that shows a file opens it in every rerun."""
    parsed = []
    monkeypatch.setattr(store_module, "of_file", lambda data: parsed.append(data) or of_file(data))
    run = TrainingRun(plan(), "me")
    advance(run, 4)
    files = {"alone": data(3), "resumable": run.checkpoint(training=True), "bad": data(3)[:-5]}
    store = ModelStore()
    for _ in range(3):
        assert store.open(files["alone"]).model is store.open(files["alone"]).model
        assert (store.open(files["alone"]).resumes_after, store.open(files["resumable"]).resumes_after) == (None, 4)
        with pytest.raises(CheckpointError, match=r"damaged|complete"):
            store.open(files["bad"])
    assert sorted(parsed) == sorted(files.values())
    store.forget_memory()
    assert store.open(files["alone"]).model.cfg == CFG and len(parsed) == 4


def test_a_run_opened_twice_is_one_model():
    run, store = TrainingRun(plan(), "me"), ModelStore()
    advance(run, 4)
    assert store.add(run.checkpoint()).id == store.add(run.checkpoint()).id


@pytest.mark.parametrize("average", [0.0, 0.1])
def test_a_file_that_can_be_gone_on_with_is_the_same_model(average):
    run, store = TrainingRun(plan(average=average), "me"), ModelStore()
    advance(run, 4)
    alone, with_training = run.checkpoint(), run.checkpoint(training=True)
    assert len(with_training) > 2 * len(alone)
    assert store.add(with_training) is store.add(alone)


def test_the_address_fits_into_a_link():
    identity = ModelStore().add(data(3)).id
    assert identity.isalnum() and identity.isascii() and len(identity) == 16


def test_the_name_says_what_is_known():
    store = ModelStore()
    assert store.add(data(0)).name == "copy numbers · 1,260 steps · 98.8% right"
    assert store.add(data(0, {})).name == "uploaded"
    assert store.add(data(0, {"task": "copy", "exact_match": None})).name == "copy numbers"


@pytest.mark.parametrize(
    "content", [b"", b"no model at all", data(3)[:-5], data(3)[:40], b"\xff" * 200], ids=["none", "text", "cut", "head", "ff"]
)
def test_bad_bytes_are_refused_and_leave_nothing(content):
    store = ModelStore()
    with pytest.raises(CheckpointError):
        store.add(content)
    assert not store._memory


def test_what_is_not_there():
    store = ModelStore()
    assert store.get("0123456789abcdef") is None


def test_a_full_store_gives_up_what_was_opened_longest_ago(monkeypatch):
    size = parameters(model(0)).nbytes
    monkeypatch.setattr(limits, "MODEL_BYTES", 2 * size + size // 2)
    store = ModelStore()
    first, second = store.add(data(0)), store.add(data(1))
    assert store.get(first.id) is not None  # opened: now the second is the one unused for longest
    third = store.add(data(2))
    assert [store.get(stored.id) is not None for stored in (first, second, third)] == [True, False, True]
    store.add(data(0))  # adding again is opening, too
    fourth = store.add(data(3))
    assert [store.get(stored.id) is not None for stored in (first, third, fourth)] == [True, False, True]


def test_one_model_larger_than_the_store_is_kept_alone(monkeypatch):
    monkeypatch.setattr(limits, "MODEL_BYTES", 10)
    store = ModelStore()
    first, second = store.add(data(0)), store.add(data(1))
    assert store.get(first.id) is None
    assert store.get(second.id).cfg == CFG


def test_memory_and_disk_stay_within_their_bounds_through_500_settings(tmp_path, monkeypatch):
    """And what was used last is still there."""
    learning = Learning(plan(0.5, steps=12))
    while learning.outcome is None:
        learning.step()
    one = learning.learned()
    of_each, file = one.nbytes, len(learned.to_bytes(one))
    monkeypatch.setattr(limits, "MODEL_BYTES", 4 * of_each)
    monkeypatch.setattr(limits, "FOLDER_BYTES", 9 * file)
    store, keys = ModelStore(tmp_path), []
    for seed in range(500):
        stored = store.put(replace(one, recipe=replace(one.recipe, seed=seed)))
        keys.append(stored.id)
        assert sum(each.nbytes for each in store._memory.values()) <= limits.MODEL_BYTES
        assert sum(each.stat().st_size for each in tmp_path.iterdir()) <= limits.FOLDER_BYTES
    assert len(set(keys)) == 500
    assert [key for key in keys if key in store._memory] == keys[-4:]
    left = {each.stem for each in tmp_path.iterdir()}
    assert keys[-1] in left and left <= set(keys) and len(left) >= 8
    assert store.get(keys[0]) is None
    for key in left:
        assert store.get(key).last == 12  # from the folder, where it is no longer in memory
