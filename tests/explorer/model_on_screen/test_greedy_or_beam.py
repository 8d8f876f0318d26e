"""Pins: many sources at once are decoded as each alone, and the sentences found are ones where the beam finds more."""

import math

import pytest
import torch

from everyday.translation import TRANSLATIONS
from explorer import resources
from explorer.model_on_screen.decoding import beams, generated_steps
from explorer.model_on_screen.forward import Learned, ModelChoice
from explorer.model_on_screen.greedy_or_beam import greedy_answers, sentences_that_differ
from tests.transformer_core.helpers import teach
from transformer_core import Transformer, TransformerConfig, checkpoint
from transformer_core.data.corpora import everyday_vocabulary

LANGUAGE = TRANSLATIONS["everyday-fr"]
WORDS = everyday_vocabulary(LANGUAGE)
SOURCE = "do you like my red car"
# Two answers share their first word, which is therefore the likelier one: greedy decoding misses the likeliest answer.
SPLIT = {
    ("tu", "aimes", "ma", "voiture", "rouge", "?"): 0.42,
    ("est-ce", "que", "tu", "aimes", "ma", "voiture", "rouge", "?"): 0.36,
    ("est-ce", "que", "vous", "aimez", "ma", "voiture", "rouge", "?"): 0.22,
}
CFG = TransformerConfig(
    src_vocab=len(WORDS), tgt_vocab=len(WORDS), d_model=16, n_heads=2, d_ff=16, n_layers=1, norm="pre", dropout=0.0
)


@pytest.fixture(scope="module")
def net():
    return teach(Transformer(CFG, torch.Generator().manual_seed(1)), WORDS, {tuple(SOURCE.split()): SPLIT})


@pytest.fixture
def choice(net):
    found = resources.model_store().add(checkpoint.to_bytes(net, {"task": "everyday-fr", "steps": 30}))
    yield ModelChoice(CFG, Learned(found.id, 30))
    resources.model_store().forget_memory()


def alone(choice, ids, steps):
    steps = generated_steps(choice, ids, WORDS.start, steps, end=WORDS.end)
    return tuple(step.token for step in steps), sum(float(step.log_probabilities[step.token]) for step in steps)


def test_many_sources_at_once_as_each_alone(choice):
    sources = [tuple(WORDS.encode(text)) for text in ("you are happy", "do you like my red car", "i love you", "where are you")]
    for ids, (answer, score) in zip(sources, greedy_answers(choice, sources, WORDS.start, 7, WORDS.end), strict=True):
        expected, total = alone(choice, ids, 7)
        assert answer == expected
        assert score == pytest.approx(total, abs=1e-4)
    assert greedy_answers(choice, [], WORDS.start, 7, WORDS.end) == []


def test_probability_that_splits_hides_the_likeliest_answer_from_greedy_decoding(choice):
    ((answer, score),) = greedy_answers(choice, [tuple(WORDS.encode(SOURCE))], WORDS.start, 10, WORDS.end)
    assert WORDS.decode(answer[:3]) == ["est-ce", "que", "tu"] and answer[-1] == WORDS.end
    assert math.exp(score) == pytest.approx(0.36, abs=0.03)


@pytest.mark.slow
def test_for_the_sentences_found_the_beam_s_answer_is_another_and_more_probable(choice):
    found = sentences_that_differ(choice, LANGUAGE.name, 10, 4, 0.6)
    assert SOURCE in found and len(set(found)) == len(found) <= 3
    for text in found:
        ids = tuple(WORDS.encode(text))
        answer, score = alone(choice, ids, 10)
        best = beams(choice, ids, WORDS.start, 10, 4, 0.6, WORDS.end)[0].hypotheses[0]
        assert tuple(WORDS.decode(best.tokens[:-1])) in LANGUAGE.answers(WORDS.decode(ids)), "and right"
        assert best.tokens != answer and best.score > score and score < math.log(0.5)
