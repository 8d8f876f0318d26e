"""Pins: what is measured of a translator is what one finds by hand, one sentence and one pass at a time."""

import math
import random

import numpy as np
import pytest
import torch

from everyday.holdout import HOLD_OUTS, held_out
from everyday.recogniser import trees
from everyday.translation import TRANSLATIONS
from tests.transformer_core.learned import by_heart
from transformer_core import Trace
from transformer_core.analysis.translation_metrics import (
    CONTENT_WORDS,
    Answer,
    Share,
    aligned_attention,
    decoded_answers,
    divergences,
    held_out_examples,
    share_right,
)
from transformer_core.data.corpora import everyday_vocabulary, example_of
from transformer_core.model.beam_search import beam_search

FRENCH = TRANSLATIONS["everyday-fr"]
WORDS = everyday_vocabulary(FRENCH)
ALONE = ("i love anna", "hello", "the cat is black and the", "do you like my house")  # of several lengths
SEVERAL = "do you see you"


@pytest.fixture(scope="module")
def model():
    """It knows two sentences, and says each of two answers to the ambiguous one half of the time."""
    first, second, *_ = FRENCH.answers(SEVERAL.split())
    known = next(iter(FRENCH.answers(ALONE[0].split())))
    return by_heart(FRENCH, [(ALONE[0], known), (SEVERAL, first), (SEVERAL, second)])


@pytest.mark.parametrize("width", [1, 3])
def test_answers_of_many_sources_are_those_of_each_alone_in_their_order(model, width):
    sources = [tuple(source.split()) for source in (*ALONE, SEVERAL) * 20]  # more than fit into one pass
    found = decoded_answers(model, WORDS, sources, width)
    assert len(found) == len(sources)
    for source, answers in zip(sources[-5:] + sources[:5], found[-5:] + found[:5], strict=True):
        alone = beam_search(model, torch.tensor([WORDS.ids(source)]), 1, 40, width, end_id=2).hypotheses
        expected = [(tuple(WORDS.decode(each.tokens[:-1])), math.exp(each.score)) for each in alone if each.ended]
        assert [answer.words for answer in answers] == [words for words, _ in expected]
        assert [answer.probability for answer in answers] == pytest.approx([p for _, p in expected], rel=1e-4)


def test_right_is_any_of_the_right_answers_and_no_answer_is_wrong():
    source = tuple(SEVERAL.split())
    first, second, *_ = (Answer(words, 0.5) for words in FRENCH.answers(source))
    wrong = Answer(("non",), 0.9)
    found = [[first], [second, wrong], [wrong, first], [], [first]]
    assert share_right(FRENCH, [source] * 4 + [("not", "in", "the", "grammar", "the")], found) == Share(2, 5)


def test_a_share_has_the_interval_of_wilson():
    share = Share(9, 10)
    assert share.share == 0.9
    assert share.interval == pytest.approx((0.5958, 0.9821), abs=1e-4)  # as printed in textbooks


def test_the_divergence_is_that_of_whole_answers_by_hand_and_of_ambiguous_sources_alone(model):
    answers = FRENCH.answers(SEVERAL.split())
    expected = 0.0
    for words, p in answers.items():
        ids, log_q = WORDS.ids(words), 0.0
        for at, token in enumerate([*ids, 2]):
            with torch.no_grad():
                logits = model(torch.tensor([WORDS.ids(SEVERAL.split())]), torch.tensor([[1, *ids[:at]]]))[0, -1].double()
            log_q += float(logits.log_softmax(-1)[token])
        expected += p * (math.log(p) - log_q)
    alone = [("goodbye",)]
    assert len(FRENCH.answers(alone[0])) == 1
    (found,) = divergences(model, FRENCH, [*alone, tuple(SEVERAL.split())])
    assert found == pytest.approx(expected, rel=1e-4)
    assert divergences(model, FRENCH, alone).shape == (0,)


def drawn(count):
    generator = random.Random(3)
    return [example_of(FRENCH.draw(generator)) for _ in range(count)]


@pytest.mark.parametrize("counts", [None, CONTENT_WORDS.__contains__])
def test_aligned_attention_is_a_mean_over_words_of_passes_of_one_sentence(model, counts):
    examples, found = drawn(70), []
    for example in examples:
        trace = Trace()
        with torch.no_grad(), trace:
            model(torch.tensor([WORDS.ids(example.src)]), torch.tensor([[1, *WORDS.ids(example.tgt)]]))
        for query, key in enumerate(example.origin):
            if key is not None and (counts is None or counts(example.src[key])):
                found.append([trace[f"decoder.{i}.cross_attn.weights"][0, :, query, key].numpy() for i in range(2)])
    expected = np.mean(found, axis=0)
    options = {} if counts is None else {"counts": counts}
    np.testing.assert_allclose(aligned_attention(model, WORDS, examples, **options), expected, rtol=1e-4)
    assert expected.std() > 0


def test_attention_on_what_never_counts_is_not_a_number(model):
    assert np.isnan(aligned_attention(model, WORDS, drawn(3), lambda word: False)).all()


def test_content_words_are_nouns_adjectives_and_verbs_in_all_their_forms():
    assert {"mouse", "mice", "red", "go", "goes", "going", "went"} <= CONTENT_WORDS
    assert not CONTENT_WORDS & {"is", "are", "the", "do", "does", "not", "can", "my", "in", "and", "i", None}


def test_held_out_examples_are_different_sources_of_every_kind_and_depend_on_the_seed():
    found = held_out_examples(FRENCH, 8, seed=1)
    assert list(found) == list(HOLD_OUTS)
    for kind, examples in found.items():
        assert len({example.src for example in examples}) == len(examples) == 8
        for example in examples:
            assert kind in {held_out(tree, example.src) for tree in trees(example.src)}
    assert held_out_examples(FRENCH, 8, seed=1) == found != held_out_examples(FRENCH, 8, seed=2)
