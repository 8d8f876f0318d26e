"""Pins that the command which is said to repeat a training begins the very same one: model, task and recipe."""

import random
from argparse import Namespace
from dataclasses import fields, replace
from typing import Any

import pytest

from transformer_core import __main__ as command_line
from transformer_core import checkpoint
from transformer_core.commands.options import MODEL_OPTIONS
from transformer_core.commands.repeat import PAIRS_FILE, TEXT_FILE, pairs_file, repeating
from transformer_core.data import pairs
from transformer_core.data.tasks import (
    TASKS,
    CopyTask,
    LettersTask,
    PairsTask,
    RepeatTask,
    ReverseTask,
    SentenceTask,
    SortTask,
    TextTask,
)
from transformer_core.model.config import PRESETS, TransformerConfig
from transformer_core.training.learning_plan import default_config, pairs_plan, plan_for, recipe_for, text_plan
from transformer_core.training.trainer import Recipe

HOSTILE = (
    ("<script>alert(1)</script", "\"un\" & 'deux'"),
    ('"one" two', 'un "x'),
    ("three", "=1+1"),
    ("four, five; six", "a = b | c"),
    ("猫在这里", "le chat → la chatte"),
    ("-1", "@x"),
)


def begun(words: list[str], monkeypatch: pytest.MonkeyPatch) -> tuple[TransformerConfig, Any, Recipe, Namespace]:
    """Returns the sizes, task, recipe and options that the command would train with, without the training."""
    made: list[Any] = []
    monkeypatch.setattr(command_line, "Trainer", lambda model, task, recipe: made.append((model.cfg, task, recipe)))
    assert words[:4] == ["python", "-m", "transformer_core", "train"]
    args = command_line._parser().parse_args(words[3:])
    command_line._begun(args)
    return (*made[0], args)


def variants() -> list[tuple[TransformerConfig, Recipe]]:
    """Configurations and recipes that differ from the usual ones in every field, alone and together."""
    cfg = replace(PRESETS["tiny"], src_vocab=7, tgt_vocab=7, d_model=12, n_heads=3, d_ff=14)
    other: dict[str, Any] = {
        "n_layers": 2, "dropout": 0.15, "norm": "post", "position": "alibi", "tie_embeddings": "all", "score": "additive",
        "activation": "gelu", "layer_norm": "unbiased_std", "norm_eps": 1e-9, "max_len": 128, "tgt_max_len": 100,
        "final_norm": False, "attention_bias": False, "causal": False, "cross_attention": False, "residual": False,
        "embedding_scale": False, "cross_position": True,
    }  # fmt: skip
    changed: dict[str, Any] = {
        "steps": 77, "batch_size": 5, "rate": None, "warmup": 4000, "optimiser": "sgd", "betas": (0.8, 0.999), "eps": 1e-7,
        "label_smoothing": 0.1, "clip": 0.3, "seed": 4, "evaluate_every": 7, "evaluate_on": 33, "precision": "float32",
        "linear_warmup": False, "schedule": "cosine", "average": 0.05,
    }  # fmt: skip
    assert {*other, "d_model", "n_heads", "d_ff", "stacks"} == {*MODEL_OPTIONS}, "the task decides which stacks there are"
    assert {*changed, "device"} == {field.name for field in fields(Recipe)}
    draw = random.Random(3)
    found = [(replace(cfg, **{name: value}), Recipe()) for name, value in other.items()]
    found += [(cfg, Recipe(**{name: value})) for name, value in changed.items()]
    for _ in range(10):
        some, others = ({name: each[name] for name in each if draw.random() < 0.5} for each in (other, changed))
        found.append((replace(cfg, **some), Recipe(**others)))
    found += [(replace(cfg, position=position, cross_position=True), Recipe()) for position in ("rotary", "alibi")]
    return [*found, (replace(cfg, **other), Recipe(**changed)), (replace(cfg, final_norm=True), Recipe(rate=0.1 + 0.2))]


def test_every_setting_of_a_model_and_of_a_recipe_can_be_given(monkeypatch):
    task = CopyTask(7, 4)
    for cfg, recipe in variants():
        *found, args = begun(repeating(cfg, task, recipe, 0.99), monkeypatch)
        assert found == [cfg, task, recipe]
        assert (args.until, args.stop_at, args.threads) == (0.99, None, 1)


@pytest.mark.parametrize(
    "task",
    [
        CopyTask(),
        CopyTask(3, 2),
        LettersTask(12, 9),
        ReverseTask(51, 32),
        SortTask(),
        SentenceTask("small-fr"),
        RepeatTask(9, 11),
    ],
)
def test_every_task_with_its_sizes(monkeypatch, task):
    cfg = replace(default_config(task.name), src_vocab=task.vocab, tgt_vocab=task.vocab)
    recipe = plan_for(task.name, default_config(task.name), 2).recipe
    assert begun(repeating(cfg, task, recipe), monkeypatch)[:3] == (cfg, task, recipe)


def test_the_usual_sizes_of_a_decoder_alone_are_its_task_s(monkeypatch):
    cfg, task = default_config("repeat"), RepeatTask()
    recipe = recipe_for("repeat", cfg, seed=0)
    assert repeating(cfg, task, recipe) == ["python", "-m", "transformer_core", "train", "--task", "repeat", "--threads", "1"]
    for other in (replace(cfg, n_layers=1), replace(cfg, n_heads=4), replace(cfg, tie_embeddings="output", norm="post")):
        assert begun(repeating(other, task, recipe), monkeypatch)[:3] == (other, task, recipe)


@pytest.mark.parametrize("split", ["words", "characters"])
def test_pairs_of_any_words_come_back_from_their_file(monkeypatch, tmp_path, split):
    task = PairsTask(HOSTILE, split)
    plan = pairs_plan(task, 5)
    (tmp_path / PAIRS_FILE).write_text(pairs_file(task.pairs), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert pairs.of_file((tmp_path / PAIRS_FILE).read_bytes(), split).pairs == task.pairs
    assert begun(repeating(plan.cfg, task, plan.recipe), monkeypatch)[:3] == (plan.cfg, task, plan.recipe)
    shallow = replace(plan.cfg, dropout=0.0, n_heads=2)
    assert begun(repeating(shallow, task, plan.recipe), monkeypatch)[0] == shallow


def test_a_text_comes_back_from_its_file(monkeypatch, tmp_path):
    task = TextTask(("# one, two", "= three", '"four" ; five', "-- six", "á 七"))
    plan = text_plan(task, 5)
    (tmp_path / TEXT_FILE).write_text("\n".join(task.lines), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    words = repeating(plan.cfg, task, plan.recipe)
    assert words[4:6] == ["--text", TEXT_FILE] and "--stacks" not in words
    assert begun(words, monkeypatch)[:3] == (plan.cfg, task, plan.recipe)


def test_the_usual_training_is_said_in_few_words():
    cfg = PRESETS["tiny"]
    usual = ["python", "-m", "transformer_core", "train", "--task", "copy"]
    recipe = recipe_for("copy", cfg, seed=0)
    assert repeating(cfg, TASKS["copy"](), recipe) == [*usual, "--threads", "1"]
    assert repeating(cfg, TASKS["copy"](), replace(recipe, device="cuda")) == [*usual, "--device", "cuda"]


@pytest.mark.parametrize("task", ["copy", "small-zh", "everyday-fr"])
def test_the_command_trains_as_the_app_does(monkeypatch, task):
    cfg = replace(PRESETS["small"], src_vocab=TASKS[task]().vocab, tgt_vocab=TASKS[task]().vocab, norm="post", n_layers=4)
    words = ["--task", task, "--preset", "small", "--norm", "post", "--n-layers", "4", "--seed", "3"]
    *found, _args = begun(["python", "-m", "transformer_core", "train", *words], monkeypatch)
    assert found == [cfg, TASKS[task](), recipe_for(task, cfg, seed=3)]


def test_2_for_sizes_that_a_task_does_not_have(capsys):
    for given in (
        ["--task", "small-fr", "--length", "4"],
        ["--pairs", "x.tsv", "--symbols", "4"],
        ["--text", "x.txt", "--task", "copy"],
    ):
        assert command_line.main(["train", *given]) == 2
        assert "leave --" in capsys.readouterr().err
    assert command_line.main(["train", "--symbols", "1", "--steps", "2"]) == 2


def test_what_is_stopped_at_a_step_is_what_it_was_there(capsys, tmp_path):
    """The rate of a cosine falls with the steps that were planned, not with those that were taken."""
    given = ["train", "--d-model", "12", "--n-heads", "3", "--d-ff", "14", "--symbols", "5", "--length", "4", "--threads", "1"]
    given += ["--schedule", "cosine", "--steps", "40", "--dropout", "0.1", "--average", "0.1"]
    stopped, resumed, whole = (str(tmp_path / f"{name}.safetensors") for name in ("stopped", "resumed", "whole"))
    assert command_line.main([*given, "--stop-at", "23", "--out", stopped]) == 0
    assert checkpoint.load(stopped).training.state.step == 23
    assert command_line.main(["train", "--resume", stopped, "--threads", "1", "--out", resumed]) == 0
    assert command_line.main([*given, "--out", whole]) == 0
    one, other = (checkpoint.load(path).model.state_dict() for path in (resumed, whole))
    assert all((one[name] == other[name]).all() for name in other)
    assert command_line.main(["train", "--resume", stopped, "--length", "5"]) == 2
    assert "which has 4" in capsys.readouterr().err
