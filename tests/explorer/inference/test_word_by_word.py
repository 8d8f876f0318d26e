"""Pins the attention to the words that a model writes: the last layer's, each query named by the token that comes of it."""

from dataclasses import replace

import numpy as np

from explorer.inference.settings import ModelSettings
from explorer.inference.shown_model import show_model
from explorer.inference.word_by_word import is_own_answer, word_by_word
from transformer_core.model.stages import LOGITS


def test_the_translator_writes_its_answer_and_looks_at_the_source():
    shown = show_model(ModelSettings())
    drawn = word_by_word(shown)
    assert drawn.query_tokens == tuple(shown.vocabulary.decode(shown.answer[1:])), "its end is no word"
    assert drawn.key_tokens == tuple("do you like my red car".split())
    whole = shown.attention("cross", shown.cfg.n_layers - 1).map
    np.testing.assert_array_equal(drawn.weights, whole.weights[:, :-1])


def test_what_it_would_say_next_to_words_of_another_origin_is_not_called_its_answer():
    assert is_own_answer(show_model(ModelSettings()))
    for change in ({"step": 510}, {"tgt": "ma chat"}, {"task": "copy", "step": 0}, {"cut": "cross.1.0"}):
        assert not is_own_answer(show_model(replace(ModelSettings(), **change)))


def test_what_is_written_is_what_the_model_finds_most_probable_also_before_it_has_learned():
    settings = replace(ModelSettings(), step=0, d_model=16, n_layers=1, cross_attention=False)
    shown = show_model(settings)
    drawn = word_by_word(shown)
    written = shown.vocabulary.decode(shown.forward()[LOGITS].argmax(-1).tolist())
    assert list(drawn.query_tokens) == written[: len(drawn.query_tokens)]
    assert drawn.kind == "decoder", "there is no other"
    assert not np.triu(drawn.weights[0], 1).any(), "what comes later is masked"
