"""Pins the store of models: what goes in comes out, one address per model, and an end to how much it keeps."""

import os
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from explorer import limits
from explorer.learning import store as store_module
from explorer.learning.learned_model import of_file
from explorer.learning.run import TrainingRun
from explorer.learning.store import ModelStore
from tests.explorer.learning.helpers import CFG, RECIPE, advance, finish, plan
from tests.transformer_core.helpers import carried_out
from transformer_core import SHIPPED_MODELS, TASKS, Transformer, TransformerConfig, checkpoint
from transformer_core.errors import InputError
from transformer_core.training import learned
from transformer_core.training.checkpoint import CheckpointError

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


@pytest.mark.parametrize("state", [False, True])
def test_words_in_a_file_that_nobody_reads_fill_no_folder(tmp_path, state):
    """A model's own facts are some kilobytes; those of two hundred pairs at their longest, some megabytes."""
    store = ModelStore(tmp_path)
    run = TrainingRun(plan(steps=2), "me")
    advance(run, 2)
    for size, is_kept in ((40 * 2**20, False), (4 * 2**20, False), (3 * 2**20, True)):
        loaded = checkpoint.from_bytes(run.checkpoint(training=state))
        file = checkpoint.to_bytes(loaded.model, FACTS | {"junk": "x" * size}, loaded.training)
        with pytest.raises(CheckpointError, match="the file's header has") if not is_kept else nullcontext():
            store.add(file)
    kept = [path.stat().st_size for path in (tmp_path / "opened").iterdir()]
    assert len(kept) == 1 and kept[0] < 4 * 2**20


def test_what_comes_with_the_app_is_found_by_its_key_and_not_lost(monkeypatch):
    monkeypatch.setattr(limits, "MODEL_BYTES", 10)
    store = ModelStore()
    keys = [path.stem for path in SHIPPED_MODELS.glob("*.safetensors")]
    assert keys
    for key in keys:
        found = store.get(key)
        assert found.id == key and found.task in TASKS and found.steps[0] == 0
        assert store.get(key).model(found.last).cfg == found.cfg


def test_a_course_of_learning_comes_out_as_it_went_in_at_every_step(tmp_path):
    model = carried_out(plan(0.5, steps=12)).learned()
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


@pytest.fixture
def in_memory_alone(monkeypatch):
    """What was opened is not kept in the folder."""
    monkeypatch.setattr(limits, "OPENED_BYTES", 0)


def test_a_file_is_parsed_once_as_long_as_its_model_is_kept(monkeypatch, in_memory_alone):
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


@pytest.mark.parametrize("average", [0.0, 0.1])
def test_a_file_that_can_be_gone_on_with_is_the_same_model(average):
    run, store = TrainingRun(plan(average=average), "me"), ModelStore()
    advance(run, 4)
    alone, with_training = run.checkpoint(), run.checkpoint(training=True)
    assert len(with_training) > 2 * len(alone)
    assert store.add(with_training) is store.add(alone)


def test_the_name_says_what_is_known():
    store = ModelStore()
    assert store.add(data(0)).name == "copy numbers · 1,260 steps · 98.8% right"
    assert store.add(data(0, FACTS | {"rows": 80})).name.endswith("98.8% of 80 right")
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


def test_a_full_store_gives_up_what_was_opened_longest_ago(monkeypatch, in_memory_alone):
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


def test_a_store_that_rests_keeps_in_memory_what_can_be_had_nowhere_else(tmp_path, monkeypatch):
    on_disk, box = ModelStore(tmp_path), next(iter(SHIPPED_MODELS.glob("*.safetensors"))).stem
    opened, boxed = on_disk.add(data(1)), on_disk.get(box)
    assert on_disk.nbytes == opened.nbytes + boxed.nbytes
    on_disk.rest()
    assert on_disk.nbytes == 0
    again = on_disk.get(opened.id)
    assert again is not opened and parameters(again.model(1260)).equal(parameters(opened.model(1260)))
    monkeypatch.setattr(limits, "OPENED_BYTES", 0)  # files that are opened are kept nowhere
    alone = ModelStore(tmp_path)
    kept = alone.add(data(2))
    alone.rest()
    assert alone.get(kept.id) is kept


def test_one_model_larger_than_the_store_is_kept_alone(monkeypatch, in_memory_alone):
    monkeypatch.setattr(limits, "MODEL_BYTES", 10)
    store = ModelStore()
    first, second = store.add(data(0)), store.add(data(1))
    assert store.get(first.id) is None
    assert store.get(second.id).cfg == CFG


def test_memory_and_disk_stay_within_their_bounds_through_500_settings(tmp_path, monkeypatch):
    """And what was used last is still there."""
    one = carried_out(plan(0.5, steps=12)).learned()
    of_each, file = one.nbytes, len(learned.to_bytes(one))
    monkeypatch.setattr(limits, "MODEL_BYTES", 4 * of_each)
    monkeypatch.setattr(limits, "FOLDER_BYTES", 9 * file)
    store, keys = ModelStore(tmp_path), []
    for seed in range(500):
        stored = store.put(replace(one, key=replace(plan(0.5, steps=12), recipe=replace(one.recipe, seed=seed)).key))
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


# What was opened from files


def course() -> bytes:
    return learned.to_bytes(carried_out(plan(0.5, steps=12)).learned())


def resumable() -> bytes:
    run = TrainingRun(plan(average=0.1), "me")
    advance(run, 4)
    return run.checkpoint(training=True)


def downloaded() -> bytes:
    """A file with the course of a run."""
    run = TrainingRun(plan(0.5), "me")
    finish(run)
    return run.checkpoint(training=True)


def test_the_course_of_a_run_is_kept_and_told_with_its_final_evaluation(tmp_path):
    run, store = TrainingRun(plan(steps=40), "me"), ModelStore(tmp_path)
    history = finish(run)
    opened = store.open(run.checkpoint(training=True))
    found = opened.model
    assert found.id == store.add(run.checkpoint()).id and opened.resumes_after == history.step
    assert found.steps == (0, *sorted(run.learned().states)) and len(found.steps) > 2
    assert (found.right_at(found.last), found.rows_at(found.last)) == (history.final.exact_match, history.final.rows)
    assert found.rows_at(found.steps[1]) == RECIPE.evaluate_on != history.final.rows
    assert found.name.endswith(f"of {history.final.rows} right")
    (file,) = (tmp_path / "opened").iterdir()
    assert learned.is_learned(file.read_bytes()), "what it takes to go on is not kept"


def test_a_course_of_another_model_is_refused():
    loaded = checkpoint.from_bytes(downloaded())
    with pytest.raises(CheckpointError, match="contradicts itself"):
        ModelStore().add(checkpoint.to_bytes(model(0, replace(CFG, d_ff=15)), course=loaded.course))
    with pytest.raises(CheckpointError, match="contradicts itself"):
        ModelStore().add(checkpoint.to_bytes(loaded.model, course=downloaded()))


@pytest.mark.parametrize(
    "file",
    [lambda: data(3), resumable, course, downloaded],
    ids=["weights", "resumable", "course", "downloaded"],
)
def test_a_file_that_one_copy_has_opened_is_there_at_the_other_and_after_a_restart(tmp_path, file):
    one, two = ModelStore(tmp_path), ModelStore(tmp_path)
    opened = one.add(file())
    found = two.get(opened.id)
    assert (found.id, found.cfg, found.task, found.name) == (opened.id, opened.cfg, opened.task, opened.name)
    assert found.steps == opened.steps and np.array_equal(found.curve, opened.curve, equal_nan=True)
    assert parameters(found.model(found.last)).equal(parameters(opened.model(opened.last)))


def test_files_are_kept_within_a_bound_of_their_own(tmp_path, monkeypatch):
    size = len(data(0))
    monkeypatch.setattr(limits, "OPENED_BYTES", 2 * size + size // 2)
    store = ModelStore(tmp_path)
    ids = [store.add(data(seed)).id for seed in range(4)]
    assert {file.stem for file in (tmp_path / "opened").iterdir()} == {*ids[-2:]}
    store.forget_memory()
    assert [store.get(each) is not None for each in ids] == [False, False, True, True]
    monkeypatch.setattr(limits, "OPENED_BYTES", size - 1)
    large = ModelStore(tmp_path / "other").add(data(0))
    assert large.cfg == CFG and not (tmp_path / "other").exists(), "larger than the bound"


def test_with_no_bytes_for_them_files_are_not_kept_nor_read(tmp_path, monkeypatch):
    opened = ModelStore(tmp_path).add(data(3))
    monkeypatch.setattr(limits, "OPENED_BYTES", 0)
    store = ModelStore(tmp_path)
    assert store.get(opened.id) is None and opened.id not in store
    store.add(data(4))
    assert len(list((tmp_path / "opened").iterdir())) == 1


@pytest.mark.parametrize(
    "forged", [data(4), data(3)[:-5], b"\x80\x04no pickle is read", b""], ids=["other", "cut", "pickle", "none"]
)
def test_a_file_that_is_not_what_its_name_says_is_not_shown(forged, tmp_path, caplog):
    """Whoever can write into the folder can do no more than somebody who uploads a file."""
    store = ModelStore(tmp_path)
    opened = store.add(data(3))
    (file,) = (tmp_path / "opened").iterdir()
    file.write_bytes(forged)
    store.forget_memory()
    assert opened.id in store and store.get(opened.id) is None and not file.exists()
    assert len(caplog.records) == 1 and store.get(opened.id) is None and len(caplog.records) == 1


def test_an_address_in_place_of_a_folder_is_said_and_models_are_kept_in_the_usual_one(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("EXPLORER_MODELS", "s3://models")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    store = ModelStore()
    assert [record.levelname for record in caplog.records] == ["ERROR"] and "s3://models" in caplog.text
    opened = store.add(data(3))
    assert ModelStore().get(opened.id) is not None and list(tmp_path.rglob(f"{opened.id}.safetensors"))


def kept(tmp_path) -> tuple[ModelStore, str]:
    """A store whose folder holds a model, and that has nothing in memory."""
    store = ModelStore(tmp_path)
    found = store.put(carried_out(plan(steps=2)).learned())
    store.forget_memory()
    return store, found.id


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), OSError(5, "Input/output error")], ids=str)
def test_a_file_that_cannot_be_read_is_told_once_and_counts_as_none(tmp_path, monkeypatch, caplog, error):
    store, key = kept(tmp_path)

    def refuse(*_given, **_more):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", refuse)
        assert [store.get(key), store.get(key)] == [None, None]
    assert [record.message.endswith(f"cannot be read: {error}") for record in caplog.records] == [True]
    assert key in store and store.get(key) is not None, "it is there again"


def test_a_damaged_file_is_told_once(tmp_path, caplog):
    store, key = kept(tmp_path)
    (file,) = tmp_path.glob("*.safetensors")
    file.write_bytes(file.read_bytes()[:-7])
    assert [store.get(key), store.get(key)] == [None, None]
    assert ["is damaged, and is learned again" in record.message for record in caplog.records] == [True]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), OSError(30, "Read-only file system")], ids=str)
def test_where_the_folder_cannot_be_written_models_are_kept_in_memory_and_that_is_told_once(
    tmp_path, monkeypatch, caplog, error
):
    def refuse(*_given, **_more):
        raise error

    monkeypatch.setattr(Path, "write_bytes", refuse)
    store = ModelStore(tmp_path)
    for seed in (0, 1):
        assert store.get(store.put(carried_out(plan(steps=2, seed=seed)).learned()).id) is not None
    assert [f"only in memory: {error}" in record.message for record in caplog.records] == [True]
    assert not list(tmp_path.iterdir()), "no half of a file is left"


# Deleting what somebody has opened


def test_who_has_brought_a_model_deletes_it_at_every_copy(tmp_path):
    one, two = ModelStore(tmp_path), ModelStore(tmp_path)
    opened = one.add(data(3), "ann")
    assert two.get(opened.id) is two.get(opened.id) is not None and two.is_made_by(opened.id, "ann"), "in memory there, too"
    for other in ("bob", ""):
        assert not one.is_made_by(opened.id, other)
        one.delete(opened.id, other)
    assert one.get(opened.id) is opened
    two.delete(opened.id, "ann")
    for store in (one, two, ModelStore(tmp_path)):
        assert store.get(opened.id) is None and opened.id not in store and not store.is_made_by(opened.id, "ann")
    assert not list((tmp_path / "opened").iterdir()), "nothing is left of it, nor of who brought it"
    assert one.add(data(3), "bob").id == opened.id and two.is_made_by(opened.id, "bob"), "who has the file can open it again"


def test_who_brings_a_file_that_is_there_already_cannot_delete_it(tmp_path):
    store = ModelStore(tmp_path)
    opened = store.add(data(3), "ann")
    for copy in (store, ModelStore(tmp_path)):
        assert copy.add(data(3), "bob").id == opened.id
        assert copy.is_made_by(opened.id, "ann") and not copy.is_made_by(opened.id, "bob")
    nobodys = store.add(data(4))
    assert store.add(data(4), "bob").id == nobodys.id and not store.is_made_by(nobodys.id, "bob")
    (maker,) = (tmp_path / "opened").glob("*.maker")
    assert "ann" not in maker.read_text()


def test_nobody_deletes_a_model_of_the_settings_or_of_the_app(tmp_path):
    store, box = ModelStore(tmp_path), next(iter(SHIPPED_MODELS.glob("*.safetensors"))).stem
    learned_here = store.put(carried_out(plan(steps=2)).learned())
    for key in (box, learned_here.id, "0" * 16, "../../etc/passwd", ""):
        assert not store.is_made_by(key, "ann")
        store.delete(key, "ann")
    assert store.get(box) is not None and store.get(learned_here.id) is learned_here


def test_what_is_in_memory_alone_is_deleted_there(in_memory_alone):
    store = ModelStore()
    opened = store.add(data(3), "ann")
    store.add(data(3), "bob")
    assert store.is_made_by(opened.id, "ann") and not store.is_made_by(opened.id, "bob")
    store.delete(opened.id, "ann")
    assert store.get(opened.id) is None and not store.is_made_by(opened.id, "ann")


def test_a_model_that_is_used_gives_way_to_none_that_is_not(tmp_path, monkeypatch):
    size = len(data(0))
    monkeypatch.setattr(limits, "OPENED_BYTES", 2 * size + size // 2)
    store = ModelStore(tmp_path)
    first, second = (store.add(data(seed), "ann") for seed in (0, 1))
    for at, each in enumerate((first, second)):
        os.utime(tmp_path / "opened" / f"{each.id}.safetensors", (at, at))
    assert store.get(first.id) is first, "from memory"
    store.add(data(2), "ann")
    assert [store.get(each.id) is not None for each in (first, second)] == [True, False]
    assert len(list((tmp_path / "opened").glob("*.maker"))) == 2, "nor is it kept who brought what is gone"


def test_a_file_that_cannot_be_deleted_is_told(tmp_path, monkeypatch):
    store = ModelStore(tmp_path)
    opened = store.add(data(3), "ann")

    def refuse(*_given, **_more):
        raise OSError(30, "Read-only file system")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refuse)
        with pytest.raises(InputError, match="cannot be deleted"):
            store.delete(opened.id, "ann")
    assert store.get(opened.id) is opened
