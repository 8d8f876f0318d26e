"""Whoever asks for a length is given a source that has it, and that the model can read."""

import pytest

from explorer import server
from explorer.inference.sentences import lengths, of_length
from explorer.inference.settings import MAX_TOKENS, ModelSettings
from explorer.inference.shown_model import show_model
from transformer_core import SHIPPED
from transformer_core.data.corpora import CORPORA


@pytest.mark.parametrize("model", [path.stem for path in SHIPPED])
def test_a_shipped_model_reads_a_source_of_every_length_that_is_offered(model):
    stored = server.model_store().get(model)
    offered = lengths(stored)
    assert len(offered) > 1 and list(offered) == sorted(set(offered))
    for length in offered if stored.in_words else (1, 2, 9, MAX_TOKENS):
        source = of_length(stored, length)
        shown = show_model(ModelSettings(model=model, **{"src" if stored.in_words else "numbers": source}))
        assert len(shown.src) == length, source
        assert not shown.unknown
    if stored.in_words:
        example = CORPORA[stored.task]().example
        assert of_length(stored, len(stored.vocabulary.encode(example))) == example
        assert of_length(stored, 0) == of_length(stored, offered[0]), "the nearest that there is"


def test_random_weights_read_every_length_and_the_default_stands_where_it_fits():
    assert lengths(None) == range(1, MAX_TOKENS + 1)
    for length in (1, 7, 8, MAX_TOKENS):
        shown = show_model(ModelSettings(src=of_length(None, length)))
        assert len(shown.src) == length and not shown.unknown
    assert of_length(None, 7) == ModelSettings().src
