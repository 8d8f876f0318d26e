"""Pins: a plan follows from task, settings and seed alone, and no plan takes longer than anybody would wait."""

from dataclasses import fields, replace

import numpy as np
import pytest
import torch

from transformer_core import TASKS
from transformer_core.data.tasks import SYMBOL_TASKS, ManySentences, PairsTask, RepeatTask
from transformer_core.errors import InputError
from transformer_core.training import learning_plan
from transformer_core.training.learning import last_step, outcome_of
from transformer_core.training.learning_plan import (
    check_in_time,
    default_config,
    has_thorough_plan,
    pairs_plan,
    plan_for,
    plans_for,
    seconds_of_a_step,
    thorough_plan,
)
from transformer_core.training.trainer import Recipe

NUMBERS, SUMS = ("copy", "reverse", "sort"), ("addition", "addition-units-first")
OFFERED = (*NUMBERS, *SUMS, "small-fr", "small-zh", "pronoun-en", "pronoun-zh", "everyday-fr", "everyday-zh")


def plan(task="copy", seed=0, **changes):
    return plan_for(task, replace(default_config(task), **changes), seed)


def size(task):
    cfg = default_config(task)
    return cfg.d_model, cfg.n_layers, cfg.n_heads, cfg.d_ff, cfg.norm, cfg.dropout, cfg.position


def test_the_sizes_that_tasks_begin_with():
    tiny = (64, 1, 4, 128, "pre", 0.0, "sinusoidal")
    assert {size(task) for task in (*NUMBERS, "small-fr", "small-zh")} == {tiny}
    assert {size(task) for task in ("pronoun-en", "pronoun-zh")} == {(64, 2, 4, 128, "pre", 0.0, "sinusoidal")}
    assert {size(task) for task in SUMS} == {(64, 2, 4, 128, "pre", 0.0, "learned")}
    assert {size(task) for task in ("everyday-fr", "everyday-zh")} == {(88, 2, 4, 256, "pre", 0.0, "sinusoidal")}
    for task in OFFERED:
        cfg = default_config(task)
        assert cfg.src_vocab == cfg.tgt_vocab == TASKS[task]().vocab


@pytest.mark.parametrize("task", ["pronoun-en", "everyday-fr"])
@pytest.mark.parametrize("right", [0.1, 0.97, 1.0])
def test_what_is_learned_beforehand_takes_all_its_steps(task, right):
    """Also where it stands still for long: much is gained when the rate falls, which is last."""
    beforehand = thorough_plan(task, default_config(task), 0)
    steps = beforehand.recipe.steps
    curve = np.array([(step, right, 0.1) for step in range(100, steps + 1, 100)])
    assert last_step(beforehand, curve) == steps
    assert outcome_of(beforehand, curve[:-1]) is None
    assert outcome_of(beforehand, curve) == "learned"


def test_the_usual_model_of_a_language_is_learned_beforehand_from_more_sentences_than_its_neighbours():
    usual, cfg = thorough_plan("everyday-zh", default_config("everyday-zh"), 0), default_config("everyday-zh")
    assert usual.rows == ManySentences("everyday-zh", draws=600_000) and usual.task == TASKS["everyday-zh"]()
    assert thorough_plan("everyday-zh", replace(cfg, d_model=32), 0).rows is None is plan_for("everyday-zh", cfg, 0).rows


def test_what_was_learned_beforehand_is_shown_before_what_is_learned_while_somebody_waits():
    for task in OFFERED:
        cfg = default_config(task)
        *beforehand, last = plans_for(task, cfg, 3)
        assert last == plan_for(task, cfg, 3)
        assert beforehand == [thorough_plan(task, cfg, 3, device) for device in ("cpu", "cuda") if has_thorough_plan(task)]
        assert len({each.key for each in (*beforehand, last)}) == len(beforehand) + 1


OTHERS = {  # another value of every field of a recipe
    "steps": 30, "batch_size": 5, "rate": 1e-4, "warmup": 7, "optimiser": "sgd", "betas": (0.9, 0.99), "eps": 1e-6,
    "label_smoothing": 0.1, "clip": 0.5, "seed": 9, "evaluate_every": 3, "evaluate_on": 11, "device": "cuda",
    "precision": "bfloat16", "linear_warmup": False, "schedule": "cosine", "average": 0.5,
}  # fmt: skip


@pytest.mark.parametrize("field", [field.name for field in fields(Recipe)])
def test_another_recipe_is_another_model(field):
    """Or else a changed schedule would be told of a model that learned by the old one."""
    usual = plan()
    assert getattr(usual.recipe, field) != OTHERS[field]
    other = replace(usual, recipe=replace(usual.recipe, **{field: OTHERS[field]}))
    assert other.key != usual.key == plan().key


def test_whatever_else_changes_a_model_is_in_its_key(monkeypatch):
    usual = plan("everyday-fr")
    others = [
        replace(usual, **change)
        for change in (
            {"target": 0.5},
            {"beyond": 3.0},
            {"gives_up": 0.4},
            {"rows": ManySentences("everyday-fr", draws=9)},
            {"cfg": replace(usual.cfg, norm_eps=1e-6)},
            {"task": TASKS["everyday-zh"]()},
        )
    ]
    keys = {each.key for each in (usual, *others)}
    for name, value in (("STEP_VERSION", -1), ("DATA_VERSIONS", {"everyday-fr": -1})):
        monkeypatch.setattr(learning_plan, name, value)
        keys.add(plan("everyday-fr").key)
    assert len(keys) == len(others) + 3


KEYS = {  # what files are named by: files that exist are found by no other name
    "copy": "d425e854faafa278",
    "letters": "1cd4fc81095d8c71",
    "reverse": "c8f2dfe64a6f1d28",
    "addition": "fe084c9e68a8e695",
    "small-fr": "a0e2e0910e083092",
    "pronoun-en": "e47ce6d130171a6b",
    "everyday-zh": "468cca540fdfca2f",
    "repeat": "2b988d04f1c2ae3b",
}


def test_models_keep_their_names():
    assert {task: plans_for(task, default_config(task), 0)[0].key for task in KEYS} == KEYS


def test_positions_in_cross_attention_are_in_the_key_where_they_count():
    usual = plan("copy")
    rotary = replace(usual, cfg=replace(usual.cfg, position="rotary"))
    both = replace(usual, cfg=replace(usual.cfg, position="rotary", cross_position=True))
    assert len({usual.key, rotary.key, both.key}) == 3
    assert replace(usual, cfg=replace(usual.cfg, cross_position=True)).key == usual.key


def test_which_stacks_there_are_is_in_the_key_where_they_are_not_both():
    both, alone = plan(), plan_for("repeat", default_config("repeat"), 0)
    for usual in (both, alone):
        turned = "decoder" if usual.cfg.stacks == "both" else "both"
        assert replace(usual, cfg=replace(usual.cfg, stacks=turned)).key != usual.key
    assert (
        replace(both, cfg=replace(both.cfg, cross_attention=False)).key
        != replace(both, cfg=replace(both.cfg, stacks="decoder")).key
    )


def test_the_usual_decoder_alone():
    cfg, usual = default_config("repeat"), plan_for("repeat", default_config("repeat"), 3)
    assert (cfg.stacks, cfg.n_layers, cfg.n_heads, cfg.src_vocab, cfg.tgt_vocab) == ("decoder", 2, 1, 22, 22)
    assert (usual.task, usual.target, usual.recipe.seed, usual.recipe.steps) == (RepeatTask(), 0.85, 3, 1000)
    assert usual.evaluated_on == 200 and usual.has_held_out and usual.has_other_rows and not has_thorough_plan("repeat")
    check_in_time(usual)


def test_nothing_but_the_settings_decides():
    assert plan("small-fr", d_model=32) == plan("small-fr", d_model=32)
    one, other = plan(seed=1), plan(seed=2)
    assert one.key != other.key and replace(one.recipe, seed=2) == other.recipe
    assert {plan(task).recipe.device for task in OFFERED} == {"cpu"}
    assert len({plan(task).key for task in OFFERED}) == len(OFFERED)


@pytest.mark.parametrize(
    ("d_model", "n_heads", "rate"),
    [(64, 4, 3e-3), (128, 4, 1.5e-3), (256, 4, 0.75e-3), (32, 4, 6e-3), (16, 4, 12e-3), (8, 4, 12e-3)],
)
def test_the_rate_falls_with_the_width(d_model, n_heads, rate):
    assert plan("small-fr", d_model=d_model, n_heads=n_heads).recipe.rate == pytest.approx(rate)


@pytest.mark.parametrize("task", SYMBOL_TASKS)
def test_numbers_and_letters_are_learned_at_twice_the_rate_where_that_is_safe(task):
    def times(**changes):
        return plan(task, **changes).recipe.rate / plan("small-fr", **changes).recipe.rate

    assert times() == times(d_model=32) == times(d_model=128, n_layers=3) == 2
    assert times(d_model=16) == times(norm="post") == times(n_layers=4) == times(tie_embeddings="all") == 1
    assert times(d_model=256) == 1
    assert times(d_model=24) == pytest.approx(1.5)


def test_everyday_sentences_are_learned_at_a_higher_rate_where_that_is_safe():
    def rate(**changes):
        return plan("everyday-fr", **changes).recipe.rate

    assert rate() == pytest.approx(2 * 3e-3 * 64 / 88)
    assert rate(norm="post") == rate(n_layers=4) == pytest.approx(3e-3 * 64 / 88)
    assert (rate(d_model=48), rate(d_model=16)) == (6e-3, 12e-3)


def test_deep_post_norm_models_learn_at_a_lower_rate():
    assert plan(norm="post", n_layers=4, d_model=128).recipe.rate == 1e-3
    assert plan(norm="pre", n_layers=4, d_model=128).recipe.rate == 1.5e-3
    assert plan(norm="post", n_layers=1, d_model=128).recipe.rate == 1.5e-3


def test_the_usual_models_have_all_steps_they_may_need():
    for task in OFFERED:
        found = plan(task)
        everyday = task.startswith("everyday")
        assert found.recipe.steps == (1000 if task.startswith("pronoun") else 1500), task
        assert found.beyond == (None if everyday else 1.5) and found.recipe.average > 0
        check_in_time(found)


def test_larger_models_take_fewer_steps_and_none_takes_too_long():
    for task in ("copy", "pronoun-en", "everyday-fr"):
        most = 60 if task == "everyday-fr" else 30
        before = plan(task, d_model=64).recipe.steps
        for width in (96, 128, 192, 256, 384, 512):
            found = plan(task, d_model=width)
            assert found.recipe.steps <= before
            assert found.recipe.steps * seconds_of_a_step(found) <= most or found.recipe.steps == learning_plan.FEWEST
            assert found.recipe.warmup * 4 <= found.recipe.steps
            before = found.recipe.steps


def test_what_would_take_too_long_is_refused_with_what_would_not():
    large = plan("everyday-fr", d_model=512, n_layers=6, n_heads=8, d_ff=2048)
    assert large.recipe.steps == learning_plan.FEWEST, "it can still be learned beforehand"
    with pytest.raises(InputError, match="on one core") as caught:
        check_in_time(large)
    assert caught.value.nearest, "there is something smaller"
    for name, values in caught.value.nearest.items():
        smaller = plan_for("everyday-fr", replace(large.cfg, **{name: values[0]}), 0)
        check_in_time(smaller)
        assert getattr(smaller.cfg, name) < getattr(large.cfg, name)


def test_the_time_of_a_step_grows_with_all_that_costs():
    def seconds(**changes):
        return seconds_of_a_step(plan(**changes))

    usual = seconds()
    for change in ({"d_model": 128}, {"n_layers": 2}, {"d_ff": 1024}, {"score": "additive"}, {"task": "pronoun-en"}):
        assert seconds(**change) > usual, change


@pytest.mark.parametrize("task", learning_plan._TYPICAL)
def test_how_long_rows_for_training_are(task):
    """Against the means of many batches: the time is estimated from it."""
    draws = torch.Generator().manual_seed(0)
    batches = [TASKS[task]().batch(64, draws) for _ in range(50)]
    src, tgt = learning_plan._TYPICAL[task]
    assert sum(batch.src.size(1) for batch in batches) / 50 == pytest.approx(src, abs=1)
    assert sum(batch.tgt.size(1) for batch in batches) / 50 == pytest.approx(tgt, abs=1)


def test_few_pairs_are_regularised_more_and_none_end_by_what_is_held_out():
    few, many = (pairs_plan(PairsTask(tuple((f"a {i}", f"b {i}") for i in range(n))), 3) for n in (30, 200))
    assert (few.cfg.dropout, few.recipe.label_smoothing) == (0.3, 0.1)
    assert (many.cfg.dropout, many.recipe.label_smoothing) == (0.1, 0.0)
    assert few.beyond is None and few.recipe.seed == 3 and few.recipe.steps == many.recipe.steps == 400
