"""Pins: the files of the package hold what the grammar draws today, and reading them gives the same as drawing."""

import itertools
import random

import pytest
import torch

from everyday.translation import TRANSLATIONS
from tests.transformer_core.toy import VOCABULARY, sample, sample_with_answers, toy
from transformer_core.data import draws
from transformer_core.data.corpora import DRAWN, everyday
from transformer_core.data.vocabulary import Vocabulary

ANEW = "the grammar has changed: python -m transformer_core draw"


def never(generator):
    raise AssertionError("drawn")


@pytest.fixture(scope="module")
def data():
    return draws.to_bytes(toy().draw(), VOCABULARY, 2000)


def equal(one, other, names):
    for name in names:
        found, expected = getattr(one, name), getattr(other, name)
        assert torch.equal(found, expected) and found.dtype == expected.dtype, name


@pytest.mark.parametrize("drawing", [sample, sample_with_answers])
def test_reading_gives_what_was_drawn(drawing, tmp_path):
    drawn = toy(sample=drawing).draw()
    file = tmp_path / "toy.xz"
    file.write_bytes(draws.to_bytes(drawn, VOCABULARY, 2000))
    read = toy(file=file, sample=never)._drawn
    equal(read, drawn, ("src", "answers", "lengths"))
    assert (read.choices is None) == (drawn.choices is None) == (drawing is sample)
    if drawn.choices is not None:
        equal(read.choices, drawn.choices, ("begin", "place", "token", "share"))
        assert len(drawn.choices.place) > 1000
    assert read.held_out == drawn.held_out and list(read.held_out) == list(drawn.held_out)


def test_origins_come_back(tmp_path):
    def aligned(generator):
        example, reason = sample(generator)
        origin = tuple(generator.choice([None, 0, 3, 11]) for _ in example.tgt)
        return draws.Example(example.src, example.tgt, origin), reason

    drawn = toy(sample=aligned).draw()
    read = draws.from_bytes(draws.to_bytes(drawn, VOCABULARY, 2000), VOCABULARY, 2000)
    assert read is not None and read.held_out == drawn.held_out
    assert {place for example in drawn.held_out["source"] for place in example.origin} == {None, 0, 3, 11}


def test_a_file_of_other_words_or_another_number_is_drawn_anew(data, tmp_path):
    other = Vocabulary((*VOCABULARY.tokens[:-1], "otherwise"), 0, 1, 2, 3)
    assert draws.from_bytes(data, other, 2000) is None
    assert draws.from_bytes(data, VOCABULARY, 1999) is None
    (tmp_path / "toy.xz").write_bytes(data)
    fewer = toy(500, file=tmp_path / "toy.xz")
    assert len(fewer._drawn.src) < 500 and toy(500, file=tmp_path / "none.xz")._drawn.held_out == fewer.held_out


@pytest.mark.slow
@pytest.mark.parametrize("name", TRANSLATIONS)
def test_the_package_holds_what_the_grammar_draws(name):
    """The first rows and the first held-out sentences; the words as a whole are in the file's name of itself."""
    corpus, generator = everyday(name), random.Random(draws.SEED)
    read = draws.from_bytes((DRAWN / f"{name}.xz").read_bytes(), corpus.vocabulary, corpus.draws)
    assert read is not None, ANEW
    drawn = [corpus.sample(generator) for _ in range(1000)]
    short = [each for each in drawn if len(each[0].src) <= corpus.longest[0] and len(each[0].tgt) < corpus.longest[1]]
    expected = [draws._ids(example, corpus.vocabulary) for example, reason in short if reason is None]
    right = [list(draws._choices(example, corpus.vocabulary)) for example, reason in short if reason is None]
    begin = read.choices.begin[: len(right) + 1].tolist()
    assert begin == [0, *itertools.accumulate(map(len, right))], ANEW
    of_read = zip(*(getattr(read.choices, name)[: begin[-1]].tolist() for name in ("place", "token", "share")), strict=True)
    for found, choice in zip(of_read, itertools.chain(*right), strict=True):
        assert found == pytest.approx(choice, abs=1e-6), ANEW
    rows = torch.cat([read.src[: len(expected)], read.answers[: len(expected)]], dim=1).tolist()
    assert [[i for i in row if i != 0] for row in rows] == expected, ANEW
    first = {example.src: (reason, example) for example, reason in reversed(short) if reason is not None}
    trained = {tuple(row) for row in read.src.tolist()}
    kept = {example.src: (reason, example) for reason, found in read.held_out.items() for example in found}
    for src, found in first.items():
        ids = corpus.vocabulary.ids(src)
        among = (*ids, *itertools.repeat(0, read.src.size(1) - len(ids))) in trained
        assert among or kept[src] == found, ANEW
    assert len(first) > 10 and not any(
        (*ids, *itertools.repeat(0, read.src.size(1) - len(ids))) in trained for ids in map(corpus.vocabulary.ids, kept)
    )
