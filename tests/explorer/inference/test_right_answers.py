"""Pins: what the language says of a source reaches the pages as arrays over the model's vocabulary."""

from dataclasses import replace

import numpy as np
import pytest

from everyday.translation import TRANSLATIONS
from explorer import server
from explorer.inference.right_answers import answer_text, truth_of
from explorer.inference.settings import ModelSettings, of_task
from explorer.inference.shown_model import show_model
from transformer_core import Transformer, TransformerConfig, checkpoint
from transformer_core.data.corpora import everyday_vocabulary

LANGUAGE = TRANSLATIONS["everyday-fr"]
SOURCE = "do you like my house"


def opened(vocab: int = len(everyday_vocabulary(LANGUAGE)), **facts) -> str:
    cfg = TransformerConfig(src_vocab=vocab, tgt_vocab=vocab, d_model=16, n_heads=2, d_ff=16, n_layers=1)
    return server.model_store().add(checkpoint.to_bytes(Transformer(cfg), {"task": "everyday-fr"} | facts)).id


@pytest.fixture(autouse=True)
def forgotten():
    yield
    server.model_store().forget_memory()


def shown(src: str = SOURCE):
    return show_model(ModelSettings(model=opened(), src=src))


def test_next_words_as_probabilities_over_the_vocabulary():
    truth, words = truth_of(shown()), everyday_vocabulary(LANGUAGE)
    assert len(truth.answers) > 2 and sum(truth.answers.values()) == pytest.approx(1)
    given = [words.start]
    answer = next(iter(truth.answers))
    for n, word in enumerate([*answer, "<end>"]):
        nexts = truth.next_words(given)
        assert nexts.shape == (len(words),) and nexts.sum() == pytest.approx(1)
        going_on = {}
        for other, p in truth.answers.items():
            if other[:n] == answer[:n]:
                going_on[(*other, "<end>")[n]] = going_on.get((*other, "<end>")[n], 0) + p
        total = sum(going_on.values())
        assert {words.tokens[i]: nexts[i] for i in np.flatnonzero(nexts)} == pytest.approx(
            {word: p / total for word, p in going_on.items()}
        )
        given.append(words.ids([word])[0])
    assert truth.next_words([words.start, words.start]) is None


def test_of_an_answer_its_probability_and_how_far_it_is_right():
    truth, words = truth_of(shown()), everyday_vocabulary(LANGUAGE)
    for answer, p in truth.answers.items():
        ids = [*words.ids(answer), words.end]
        assert truth.probability(ids) == p and truth.right_until(ids) == len(ids)
        assert truth.probability(ids[:-1]) == 0, "it has not ended"
        assert truth.right_until([*ids[:1], words.start, *ids[1:]]) == 1
        assert truth.right_until([words.end, *ids]) == 0


def test_a_source_beyond_the_language_has_no_answers():
    truth = truth_of(shown("house house my my"))
    assert not truth.answers and truth.next_words([everyday_vocabulary(LANGUAGE).start]) is None


def test_only_models_of_a_language_have_one():
    assert truth_of(show_model(of_task("copy"))) is None
    assert truth_of(shown()).translation is LANGUAGE
    assert truth_of(show_model(ModelSettings(model=opened(vocab=7), numbers="1 2"))) is None, "its ids mean something else"


def test_an_answer_is_written_as_one_writes_it():
    on_screen = shown()
    ids = everyday_vocabulary(LANGUAGE).ids(("aimes", "-tu", "ma", "maison", "<end>"))
    assert answer_text(on_screen, ids) == "aimes-tu ma maison"
    assert answer_text(show_model(replace(of_task("copy"), numbers="1 2")), [1, 2, 4]) == "1 2 4"
