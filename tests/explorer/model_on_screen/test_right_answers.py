"""Pins which models have right answers, and how far an answer is right; the decoding page's tests pin the probabilities."""

import pytest

from everyday.translation import TRANSLATIONS
from explorer import resources
from explorer.model_on_screen.right_answers import truth_of
from explorer.model_on_screen.settings import ModelSettings, of_task
from explorer.model_on_screen.shown_model import show_model
from transformer_core import Transformer, TransformerConfig, checkpoint
from transformer_core.data.corpora import everyday_vocabulary

LANGUAGE = TRANSLATIONS["everyday-fr"]
SOURCE = "do you like my house"


def opened(vocab: int = len(everyday_vocabulary(LANGUAGE)), **facts) -> str:
    cfg = TransformerConfig(src_vocab=vocab, tgt_vocab=vocab, d_model=16, n_heads=2, d_ff=16, n_layers=1)
    return resources.model_store().add(checkpoint.to_bytes(Transformer(cfg), {"task": "everyday-fr"} | facts)).id


@pytest.fixture(autouse=True)
def forgotten():
    yield
    resources.model_store().forget_memory()


def shown(src: str = SOURCE):
    return show_model(ModelSettings(model=opened(), src=src))


def test_of_an_answer_its_probability_and_how_far_it_is_right():
    truth, words = truth_of(shown()), everyday_vocabulary(LANGUAGE)
    for answer, p in truth.answers.items():
        ids = [*words.ids(answer), words.end]
        assert truth.probability(ids) == p and truth.right_until(ids) == len(ids)
        assert truth.probability(ids[:-1]) == 0, "it has not ended"
        assert truth.right_until([*ids[:1], words.start, *ids[1:]]) == 1
        assert truth.right_until([words.end, *ids]) == 0


def test_only_models_of_a_language_have_one():
    assert truth_of(show_model(of_task("copy"))) is None
    assert truth_of(shown()).translation is LANGUAGE
    assert truth_of(show_model(ModelSettings(model=opened(vocab=7), numbers="1 2"))) is None, "its ids mean something else"
