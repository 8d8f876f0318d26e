"""Pins the attention to the words that a model writes: the last layer's, each query named by the token that comes of it."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.inference.decoding import token_texts
from explorer.inference.settings import ModelSettings
from explorer.inference.shown_model import show_model
from explorer.inference.word_by_word import word_by_word, writes_by_itself
from transformer_core.model.stages import LOGITS


def test_the_translator_writes_its_answer_and_looks_at_the_source():
    shown = show_model(ModelSettings())
    drawn = word_by_word(shown)
    assert drawn.query_tokens == tuple(shown.vocabulary.decode(shown.answer[1:])), "its end is no word"
    assert drawn.key_tokens == tuple("do you like my red car".split())
    whole = shown.attention("cross", shown.cfg.n_layers - 1).map
    np.testing.assert_array_equal(drawn.weights, whole.weights[:, :-1])


@pytest.mark.parametrize(
    "change", [{"step": 0}, {"step": 510}, {"cut": "cross.1.0,cross.1.1,cross.1.2,cross.1.3"}, {}], ids=str
)
def test_what_is_written_is_the_answer_of_this_step_and_with_these_cuts(change):
    shown = show_model(replace(ModelSettings(), **change))
    drawn = word_by_word(shown)
    assert list(drawn.query_tokens) == token_texts(shown, shown.answer[1:])
    given = replace(shown, tgt=shown.answer).attention("cross", shown.cfg.n_layers - 1).map
    np.testing.assert_array_equal(drawn.weights, given.weights[:, : len(drawn.query_tokens)])


def test_what_it_would_say_next_to_words_of_another_origin_is_not_called_its_own():
    assert writes_by_itself(show_model(ModelSettings()))
    for change in ({"tgt": "ma chat"}, {"task": "copy", "step": 0}, {"input": "lengths"}, {"causal": False, "step": 0}):
        assert not writes_by_itself(show_model(replace(ModelSettings(), **change)))


def test_where_the_input_is_typed_a_word_is_what_the_model_finds_most_probable_there():
    settings = replace(ModelSettings(), step=0, d_model=16, n_layers=1, cross_attention=False, tgt="le chat rouge")
    shown = show_model(settings)
    drawn = word_by_word(shown)
    likeliest = shown.forward()[LOGITS][:, 1:].argmax(-1) + 1  # padding is no token to say
    written = shown.vocabulary.decode(likeliest.tolist())
    assert list(drawn.query_tokens) == written[: len(drawn.query_tokens)]
    assert drawn.kind == "decoder", "there is no other"
    assert not np.triu(drawn.weights[0], 1).any(), "what comes later is masked"
