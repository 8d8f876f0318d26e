"""Whoever asks for a length is given a source that has it, and that the model can read."""

import random
from dataclasses import replace

import pytest
import torch

from everyday.translation import TRANSLATIONS
from explorer import resources
from explorer.learning.task_titles import TASK_TITLES
from explorer.model_on_screen.settings import MAX_TOKENS, ModelSettings, of_task
from explorer.model_on_screen.shown_model import show_model
from explorer.model_on_screen.sources import (
    another,
    example,
    length_of,
    lengths,
    of_length,
    readable,
    reader_of,
    reader_of_model,
)
from transformer_core import Transformer, TransformerConfig, checkpoint

FRENCH = reader_of(of_task("everyday-fr"))
COPY = reader_of(of_task("copy"))


def shown(task: str, source: str):
    reader = reader_of(of_task(task))
    return show_model(replace(of_task(task), step=0, d_model=16, n_layers=1, d_ff=16, **{reader.setting: source}))


def words_in(on_screen) -> int:
    """The words of a source, or of a decoder's text behind the start token."""
    return len(on_screen.read) - (not on_screen.cfg.has_encoder)


@pytest.mark.parametrize("task", TASK_TITLES)
def test_a_source_of_every_length_that_is_offered_can_be_read(task):
    reader = reader_of(of_task(task))
    offered = lengths(reader)
    assert len(offered) > 1 or task.startswith("addition"), "all sums are equally long"
    assert list(offered) == sorted(set(offered))
    for length in offered if reader.in_words else (1, 2, 10, 32):
        on_screen = shown(task, of_length(reader, length))
        assert words_in(on_screen) == length in offered and not on_screen.text.unknown
    if reader.in_words:
        assert of_length(reader, length_of(reader, example(reader))) == example(reader)


@pytest.mark.parametrize("task", TASK_TITLES)
def test_where_any_length_is_asked_for_it_is_found_whatever_it_says(task):
    reader, generator = reader_of(of_task(task)), random.Random(4)
    assert lengths(reader, any_length=True) == range(1, MAX_TOKENS + 1)
    for length in (1, 3, 33, MAX_TOKENS):
        for text in (of_length(reader, length), another(reader, "", length, generator, any_length=True)):
            on_screen = shown(task, text)
            assert words_in(on_screen) == length and not on_screen.text.unknown


def test_rows_of_numbers_may_be_longer_than_those_of_training():
    assert max(COPY.lengths) == 10 and lengths(COPY) == range(1, 33)


@pytest.mark.parametrize("task", TASK_TITLES)
def test_another_source_has_the_same_length_and_is_another_one(task):
    reader, generator = reader_of(of_task(task)), random.Random(4)
    offered = [length for length in lengths(reader) if length > 1]
    for length in (offered[0], offered[len(offered) // 2]):
        text = of_length(reader, length)
        for _ in range(4):
            before, text = text, another(reader, text, length, generator)
            assert text != before and readable(reader, text) and length_of(reader, text) == length


def test_where_there_is_no_other_one_it_stays():
    assert another(COPY, "1", 1, random.Random(4)) == "1"


def test_another_sentence_is_one_that_people_say_and_of_the_nearest_length_unless_any_is_asked_for():
    generator = random.Random(4)
    for length in (3, 6, 60):
        text = another(FRENCH, "", length, generator)
        assert TRANSLATIONS["everyday-fr"].answers(text.replace("'s", " 's").replace("n't", " not").split()) or "'" in text
        assert length_of(FRENCH, text) == min(length, max(FRENCH.lengths))


def test_a_length_is_counted_whether_or_not_the_source_can_be_read():
    assert length_of(FRENCH, "I don’t like the zebra!") == 6 and not readable(FRENCH, "I don’t like the zebra!")
    assert length_of(COPY, "1 x") == 0
    assert length_of(FRENCH, "") == 0
    assert example(FRENCH) == TRANSLATIONS["everyday-fr"].example and readable(FRENCH, example(FRENCH))


def test_a_file_s_own_vocabulary_and_positions_say_what_can_be_typed():
    cfg = TransformerConfig(src_vocab=7, tgt_vocab=7, d_model=12, n_heads=3, d_ff=14, n_layers=1, max_len=9)
    found = resources.model_store().add(checkpoint.to_bytes(Transformer(cfg, torch.Generator().manual_seed(1)), {}))
    reader = reader_of(ModelSettings(model=found.id))
    assert reader == reader_of_model(found) and (reader.task, reader.setting) == ("", "numbers")
    assert lengths(reader) == lengths(reader, any_length=True) == range(1, 9)
    assert reader_of(ModelSettings(model="gone")) == FRENCH, "what the sidebar says beside it"
