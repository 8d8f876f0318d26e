"""Pins the model on screen and the sequences that it reads, as the settings describe them."""

import gc
import math
import weakref
from dataclasses import replace

import numpy as np
import pytest
import torch

from explorer import resources
from explorer.model_on_screen.forward import Learned, ModelChoice, Random, generated, model_of
from explorer.model_on_screen.model_at_step import find_model
from explorer.model_on_screen.settings import MAX_TOKENS, ModelSettings, of_task
from explorer.model_on_screen.shown_model import show_model
from tests.pages.helpers import WORDS, fresh
from transformer_core import Transformer, TransformerConfig, checkpoint
from transformer_core.errors import InputError
from transformer_core.training import learned, learning_plan
from transformer_core.training.cost import count_by_formula
from transformer_core.training.trainer import Recipe

SMALL = ModelSettings(step=0, d_model=12, n_heads=3, d_ff=14, n_layers=1, src="the red cat", tgt="le chat")


@pytest.fixture
def opened():
    """Opens a model as if it came from a file; returns its id."""

    def store(facts: dict | None = None, **sizes) -> str:
        cfg = TransformerConfig(
            **{"src_vocab": 7, "tgt_vocab": 7, "d_model": 12, "n_heads": 3, "d_ff": 14, "n_layers": 1} | sizes
        )
        model = Transformer(cfg, torch.Generator().manual_seed(1))
        return resources.model_store().add(checkpoint.to_bytes(model, facts or {})).id

    yield store
    resources.model_store().forget_memory()


@pytest.fixture
def course(monkeypatch, tmp_path):
    """Keeps what settings have learned: weights drawn by the number of the step, right at each step but the last of them."""
    store = type(resources.model_store())(tmp_path)
    monkeypatch.setattr(resources, "model_store", lambda: store)

    def keep(settings: ModelSettings, steps=(10, 40), outcome="learned") -> None:
        plan = settings.plan()
        nets = {step: Transformer(plan.cfg, torch.Generator().manual_seed(100 + step)) for step in steps}
        curve = np.array([[step, step / 100, math.nan] for step in steps])
        states = {step: learned.parameters_of(net) for step, net in nets.items()}
        store.put(learned.Learned(plan.cfg, plan.task, Recipe(seed=settings.seed), outcome, curve, 200, states, 1.0, plan.key))

    return keep


# ---------------------------------------------------------------- the model


def test_what_nothing_is_known_of_is_shown_before_its_first_step():
    shown = show_model(replace(SMALL, seed=5, step=None))
    assert (shown.choice.weights, shown.cfg) == (Random(5), replace(SMALL, seed=5).config(len(WORDS)))
    assert (shown.learning.state, shown.learning.step, shown.learning.steps) == ("initial", 0, (0,))
    assert shown.learning.right is None and shown.initial is None and shown.task == "everyday-fr"
    assert shown.model.parameters == count_by_formula(shown.cfg)


@pytest.mark.parametrize(("step", "at"), [(None, 40), (40, 40), (10**6, 40), (39, 10), (10, 10), (9, 0), (0, 0)])
def test_what_has_learned_is_shown_after_the_last_step_kept_that_is_not_later(step, at, course):
    course(SMALL)
    shown = show_model(replace(SMALL, step=step))
    assert (shown.learning.state, shown.learning.step, shown.learning.steps, shown.learning.last) == (
        "learned",
        at,
        (0, 10, 40),
        40,
    )
    assert shown.learning.right == (at / 100 if at else None) and shown.learning.rows == 200
    assert shown.choice.weights == (Learned(shown.learning.model, at) if at else Random(0))
    assert shown.initial == (ModelChoice(shown.cfg, Random(0)) if at else None)
    expected = Transformer(shown.cfg, torch.Generator().manual_seed(100 + at if at else 0))
    for own, other in zip(model_of(shown.choice).parameters(), expected.parameters(), strict=True):
        torch.testing.assert_close(own, other.half().float() if at else other, rtol=0, atol=0)


@pytest.mark.parametrize("outcome", ["cannot-learn", "diverged"])
def test_what_cannot_learn_is_shown_as_far_as_it_got(outcome, course):
    course(SMALL, outcome=outcome)
    shown = show_model(replace(SMALL, step=None))
    assert (shown.learning.state, shown.learning.step, shown.learning.diverged) == ("cannot-learn", 40, outcome == "diverged")
    assert shown.learning.is_at_end


def test_another_seed_or_size_is_another_model(course):
    course(SMALL)
    for other in ({"seed": 1}, {"d_ff": 16}, {"task": "everyday-zh", "tgt": ""}):
        assert show_model(replace(SMALL, **other)).learning.state == "initial"


def test_the_model_is_found_whatever_is_typed_and_is_whole():
    settings = ModelSettings(src="the white dragon", cut="cross.1.0")
    model = find_model(settings)
    assert model == find_model(ModelSettings()) == show_model(replace(settings, src="the cat")).model
    assert model.learning.is_final and not model.choice.cuts and model.initial is not None
    with pytest.raises(InputError, match="“dragon”"):
        show_model(settings)


def test_what_has_learned_is_one_object_and_does_not_keep_its_weights(course):
    course(SMALL)
    store = resources.model_store()
    shown, found = show_model(replace(SMALL, step=10)), weakref.ref(store.learned_by(SMALL.plans()))
    assert show_model(replace(SMALL, step=10)) is shown
    assert find_model(replace(SMALL, step=10)) is shown.model is not find_model(SMALL)
    store.forget_memory()
    gc.collect()
    assert found() is None


# ---------------------------------------------------------------- what it reads


def test_what_is_typed_is_read_after_the_start_token():
    shown = show_model(replace(SMALL, src="The red cat", tgt="le chat rouge"))
    assert shown.src_labels == ["0 the", "1 red", "2 cat"]
    assert shown.tgt_labels == ["0 <start>", "1 le", "2 chat", "3 rouge"] and shown.text.typed


def test_the_decoder_is_given_a_right_answer_where_no_end_is_known_and_the_model_s_own_where_there_is_none():
    shown = show_model(replace(SMALL, src="do you like my red car", tgt=""))
    assert " ".join(WORDS.decode(shown.tgt[1:])) == "est-ce que tu aimes ma voiture rouge ?" and not shown.text.typed
    assert shown.answer != shown.tgt and shown.verdict.answer == tuple(WORDS.decode(shown.answer[1:]))
    assert not shown.verdict.is_right and shown.verdict.was_taught
    beyond = show_model(replace(SMALL, src="cat cat the", tgt=""))
    assert beyond.tgt == beyond.answer and beyond.right_answer == ()


@pytest.mark.parametrize("outcome", ["learned", "cannot-learn"])
def test_at_every_step_the_decoder_is_given_what_the_model_answers_at_the_end(outcome, course):
    settings = replace(SMALL, src="do you like my red car", tgt="")
    course(settings, outcome=outcome)
    end, middle, start = (show_model(replace(settings, step=step)) for step in (None, 10, 0))
    assert end.tgt == end.answer == middle.tgt == start.tgt
    assert len({end.answer, middle.answer, start.answer}) == 3, "what they say by themselves differs"
    assert middle.verdict.answer == tuple(WORDS.decode(middle.answer[1:]))
    assert middle.answer == generated(middle.choice, middle.src, WORDS, 2 * len(middle.src) + 4)


def test_lengths_are_those_asked_for_and_drawn_by_the_seed():
    by_length = replace(SMALL, input="lengths", src_len=9, tgt_len=4, seed=3)
    shown = show_model(by_length)
    assert (len(shown.src), len(shown.tgt), shown.tgt[0]) == (9, 5, WORDS.start)
    assert min(shown.src + shown.tgt[1:]) > WORDS.unknown, "no special tokens"
    assert show_model(by_length).src == shown.src != show_model(replace(by_length, seed=4)).src


@pytest.mark.parametrize("padding", [(0, 0), (2, 1)])
def test_padding_stands_behind_both_sequences_and_the_label_is_one_place_on(padding):
    shown = show_model(SMALL)
    src, tgt = (WORDS.encode(text) for text in (SMALL.src, SMALL.tgt))
    pad_src, pad_tgt = ((WORDS.pad,) * n for n in padding)
    assert shown.batch(*padding) == ((*src, *pad_src), (WORDS.start, *tgt, *pad_tgt), (*tgt, WORDS.end, *pad_tgt))


@pytest.mark.parametrize(("kind", "layer"), [("encoder", 1), ("decoder", 0), ("cross", 1)])
def test_an_attention_is_that_of_the_forward_pass_with_its_tokens(kind, layer):
    settings = replace(SMALL, n_layers=2, seed=4)
    attention = show_model(settings).attention(kind, layer)
    stages = fresh(settings.config(len(WORDS)), 4, settings.src, settings.tgt)
    side = f"{'encoder' if kind == 'encoder' else 'decoder'}.{layer}.{'cross' if kind == 'cross' else 'self'}_attn"
    np.testing.assert_array_equal(attention.map.weights, stages[f"{side}.weights"])
    np.testing.assert_array_equal(attention.stage("q"), stages[f"{side}.q"])
    src, tgt = ("the", "red", "cat"), ("<start>", "le", "chat")
    assert attention.map.query_tokens == (src if kind == "encoder" else tgt)
    assert attention.map.key_tokens == (tgt if kind == "decoder" else src)
    closed = np.triu(np.ones((3, 3), bool), 1) if kind == "decoder" else np.zeros((3, 3), bool)
    np.testing.assert_array_equal(attention.map.allowed, ~closed)
    assert attention.score is None and attention.score_name == "scaled_dot"


def test_padding_is_no_key_and_a_score_of_its_own_is_that_of_the_model():
    attention = show_model(replace(SMALL, score="additive")).attention("cross", 0, (2, 1))
    assert attention.map.key_tokens == ("the", "red", "cat", "<pad>", "<pad>")
    assert attention.map.allowed.tolist() == [[True] * 3 + [False] * 2] * 4
    assert attention.score is not None and attention.score_name == "additive"


def test_as_many_tokens_as_fit_are_shown():
    shown = show_model(replace(SMALL, src="cat " * MAX_TOKENS, tgt="chat " * MAX_TOKENS))
    assert (len(shown.src), len(shown.tgt)) == (MAX_TOKENS, MAX_TOKENS + 1)
    assert shown.forward()["memory"].shape == (MAX_TOKENS, 12)


def test_words_that_a_corpus_lacks_are_named():
    shown = show_model(replace(of_task("pronoun-en"), step=0, src="the white dragon", tgt="the dragon"))
    assert shown.model.in_words and shown.translation is None
    assert shown.text.unknown == ("white", "dragon") and shown.verdict is None
    assert shown.tgt == (shown.vocabulary.start, *shown.vocabulary.encode("the dragon"))


def test_a_translator_reads_what_is_typed_as_english_and_its_answer_is_judged():
    shown = show_model(ModelSettings(src="I don’t like milk!"))
    assert shown.learning.is_at_end and shown.learning.state == "learned", "it comes with the app"
    assert shown.vocabulary.decode(shown.src) == "i do not like milk".split() and not shown.text.unknown
    assert shown.tgt == shown.answer and shown.vocabulary.end not in shown.tgt
    assert tuple(shown.vocabulary.decode(shown.tgt[1:])) == shown.verdict.answer
    assert "je n' aime pas le lait".split() in [list(answer) for answer in shown.verdict.right]
    with pytest.raises(InputError, match="“dragon”"):
        show_model(ModelSettings(src="the white dragon"))


# ---------------------------------------------------------------- models from files


def test_a_file_determines_the_model_and_its_first_step_is_not_known(opened):
    model = opened({"task": "copy", "steps": 70, "exact_match": 0.5})
    shown = show_model(ModelSettings(model=model, d_model=512, numbers="1 2"))
    assert shown.choice == ModelChoice(resources.model_store().get(model).cfg, Learned(model, 70))
    assert (shown.learning.steps, shown.learning.right, shown.initial) == ((70,), 0.5, None)
    assert show_model(ModelSettings(model=model, step=0, numbers="1 2")).learning.step == 70


def test_what_a_file_may_hold_is_shown_or_refused(opened):
    assert show_model(ModelSettings(model=opened(), numbers="1")).tgt == (1,)
    shown = show_model(ModelSettings(model=opened(pad_id=2), numbers="1 3 4"))
    assert shown.forward().values
    with pytest.raises(InputError, match="up to 3"):
        show_model(ModelSettings(model=opened(max_len=4), numbers="1 2 3 4"))
    with pytest.raises(InputError, match="up to 0"):
        show_model(ModelSettings(model=opened(tgt_max_len=1), numbers="1 2"))
    with pytest.raises(InputError):
        show_model(ModelSettings(model=opened(src_vocab=1, tgt_vocab=1), numbers="1"))


def test_a_changed_schedule_is_not_shown_with_a_model_of_the_schedule_before(monkeypatch):
    """The one that comes with the package learned by today's."""
    store, cfg = resources.model_store(), learning_plan.default_config("letters")
    today = learning_plan.plans_for("letters", cfg, 0)
    assert store.learned_by(today).last > 100
    recipe = learning_plan.recipe_for
    monkeypatch.setattr(learning_plan, "recipe_for", lambda *given: replace(recipe(*given), warmup=recipe(*given).warmup + 1))
    tomorrow = learning_plan.plans_for("letters", cfg, 0)
    assert tomorrow != today and store.learned_by(tomorrow) is None
