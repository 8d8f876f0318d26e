"""Pins: the trained models that come with the package can do what they are said to do, and what their attention finds."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from everyday.translation import TRANSLATIONS
from tools import shipped_models
from transformer_core import SHIPPED_MODELS, TASKS
from transformer_core.analysis.pronoun import pronoun_share
from transformer_core.commands.evaluate import measured_as_typed, measured_translation
from transformer_core.commands.options import opened
from transformer_core.data.corpora import pronoun_en, pronoun_zh
from transformer_core.training.evaluation import exact_match
from transformer_core.training.folder import ModelFolder
from transformer_core.training.learning_plan import default_config, plans_for, thorough_plan

LEAST = {"letters": 0.99, "copy": 0.99, "pronoun-en": 0.97, "pronoun-zh": 0.97}
RIGHT = {"source": 0.96, "adjective-noun": 0.96, "verb-object": 0.96, "construction": 0.96}  # of 60 answers of each kind
DIVERGENCE = {"source": 0.03, "adjective-noun": 0.05, "verb-object": 0.05, "construction": 0.08}  # median, in nats
TYPED = Path(__file__).parents[2] / "everyday" / "typed_unseen.txt"
TRANSLATORS = ("everyday-fr", "everyday-zh")


def model(name):
    return opened(name).model


def usual(task):
    """The key of a task's usual model."""
    return plans_for(task, default_config(task), 0)[0].key


def test_they_are_small_and_named_by_their_key():
    files = list(SHIPPED_MODELS.glob("*.safetensors"))
    assert {path.stem for path in files} >= {usual(task) for task in (*LEAST, *TRANSLATORS)}
    assert sum(path.stat().st_size for path in files) < 28e6
    for path in files:
        learned = ModelFolder(SHIPPED_MODELS).get(path.stem)
        is_flat = (learned.task.name, learned.cfg.n_layers) == ("repeat", 1)  # one layer cannot, which is what it shows
        assert learned.key == path.stem and learned.outcome == ("cannot-learn" if is_flat else "learned")
        plan = shipped_models.plan_of(learned)
        assert plan is not None and plan.key == path.stem, "it learned otherwise than such models do today: learn it anew"
        assert learned.last in learned.states and learned.right_at(learned.last) == learned.right


def test_the_readme_lists_them():
    assert shipped_models.table() in (SHIPPED_MODELS / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("task", TRANSLATORS)
def test_every_translator_one_setting_from_the_usual_one_is_there(task):
    """After as many steps as the usual one, but from one answer for each sentence."""
    cfg, there = default_config(task), ModelFolder(SHIPPED_MODELS)
    turned = {"d_model": (16, 32, 64, 128), "n_heads": (1, 2, 8), "n_layers": (1, 3), "norm": ("post",)}
    for name, value in ((name, value) for name, values in turned.items() for value in values):
        learned = there.get(thorough_plan(task, replace(cfg, **{name: value}), 0, "cuda").key)
        assert learned is not None and learned.last == there.get(usual(task)).last, (name, value)
        assert learned.right > (0.95 if (name, value) != ("d_model", 16) else 0.85) and learned.rows == 600, (name, value)


@pytest.mark.parametrize("task", TRANSLATORS)
def test_the_translators_took_all_their_steps(task):
    """Much is gained when the rate falls, which is last."""
    learned = ModelFolder(SHIPPED_MODELS).get(usual(task))
    assert learned.last == learned.recipe.steps


@pytest.mark.parametrize("task", ["pronoun-en", "pronoun-zh", *TRANSLATORS])
def test_of_the_usual_ones_one_sees_the_way_there(task):
    learned = ModelFolder(SHIPPED_MODELS).get(usual(task))
    assert len(learned.steps) > 5
    assert learned.right_at(learned.steps[1]) < 0.1 < learned.right


@pytest.mark.parametrize("name", LEAST)
def test_they_answer_what_they_have_never_seen(name):
    task = TASKS[name]()
    unseen = task.batch(1000, torch.Generator().manual_seed(99), held_out=True)
    assert exact_match(model(name), task, unseen) >= LEAST[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", TRANSLATORS)
def test_the_translators_know_the_language(name):
    """On 60 sentences of every kind that no model was trained on."""
    found = measured_translation(model(name), TRANSLATIONS[name], 60, seed=1)
    assert set(found["held_out"]) == set(RIGHT)
    for kind, measured in found["held_out"].items():
        assert measured["greedy"]["share"] >= RIGHT[kind] and measured["beam"]["share"] >= RIGHT[kind], kind
        assert measured["kl_median"] < DIVERGENCE[kind], kind
    assert max(max(layer) for layer in found["aligned_attention"]["content words"]) > 0.8


@pytest.mark.parametrize("name", TRANSLATORS)
def test_the_translators_know_what_people_type(name):
    """On the sentences of a second writer that are of a kind which was taught."""
    found = measured_as_typed(model(name), TRANSLATIONS[name], TYPED.read_text(encoding="utf-8").splitlines())
    assert found["taught"] > 120 and found["right"] >= 0.95 * found["taught"]


@pytest.mark.teaches(point="A5")
def test_the_row_of_it_finds_its_noun_in_english():
    shares = pronoun_share(model("pronoun-en"), pronoun_en(), "it")
    assert shares["noun"][1].max() > 0.6  # one of the 8 heads at least, in the second layer
    assert shares["noun"][1].max() > 5 * shares["even"][0, 0]


@pytest.mark.teaches(point="A5")
def test_and_in_chinese_less_so():
    shares = pronoun_share(model("pronoun-zh"), pronoun_zh(), "它")
    assert 0.3 < shares["noun"].max() < 0.6
    assert shares["noun"].max() > 4 * shares["even"][0, 0]
