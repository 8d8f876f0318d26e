"""Pins: what is drawn often stands there often, nothing held out is trained on, and rows of a batch are of like length."""

import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import torch

from everyday.translation import TRANSLATIONS
from tests.transformer_core.helpers import generator
from tests.transformer_core.toy import VOCABULARY, distribution, sample, sample_with_answers, toy
from transformer_core import TASKS, SentenceTask
from transformer_core.data import draws
from transformer_core.data.corpora import CORPORA, everyday_vocabulary, example_of
from transformer_core.data.corpus import Example
from transformer_core.data.tasks import ManySentences


@pytest.fixture(scope="module")
def corpus():
    return toy()


@pytest.fixture
def task(corpus, monkeypatch):
    monkeypatch.setitem(CORPORA, "toy", lambda: corpus)
    return SentenceTask("toy")


def words(ids):
    return tuple(VOCABULARY.decode(i for i in ids if i != 0))


def test_the_words_and_the_example_are_there_before_anything_is_drawn():
    def never(generator):
        raise AssertionError("drawn")

    lazy = toy(sample=never)
    assert len(lazy.vocabulary) == len(VOCABULARY) and lazy.example == "a red car"
    assert lazy.answers("a moon".split()) == [("une", "lune")]
    assert lazy.longest == (7, 11)
    with pytest.raises(AssertionError, match="drawn"):
        _ = lazy.held_out


@pytest.mark.parametrize(("longest", "kept"), [((5, 11), (5, 7)), ((7, 9), (7, 9)), ((7, 11), (7, 11))])
def test_what_is_too_long_is_left_out(longest, kept):
    drawn = toy(longest=longest)
    sources = [words(row) for row in drawn._drawn.src.tolist()]
    assert (max(map(len, sources)), drawn._drawn.answers.size(1) - 1) == kept, "with the end, without the start"
    assert all(len(src) <= longest[0] and len(each.tgt) < longest[1] for src, each in drawn.by_source.items())


def test_who_asks_at_once_waits_for_the_same_draws():
    calls = []

    def slow(generator):
        calls.append(time.sleep(1e-4))
        return sample(generator)

    shared = toy(200, sample=slow)
    with ThreadPoolExecutor(4) as threads:
        found = [*threads.map(lambda _: shared.held_out, range(4))]
    assert len(calls) == 200 and all(each is found[0] for each in found) and len(found) == 4


def test_sentences_stand_there_as_often_as_they_were_drawn(corpus):
    generator, drawn, held = random.Random(2017), Counter(), {}
    for _ in range(2000):
        example, reason = sample(generator)
        if reason is None:
            drawn[example.src, example.tgt] += 1
        else:
            held.setdefault(example.src, (reason, example))
    rows = zip(corpus._drawn.src.tolist(), corpus._drawn.answers.tolist(), strict=True)
    kept = Counter((words(src), words(answer)[1:-1]) for src, answer in rows)
    assert kept == drawn and max(drawn.values()) > 20
    for kind in ("source", "adjective-noun"):
        assert corpus.held_out[kind] == [example for reason, example in held.values() if reason == kind]
    assert corpus._drawn.src.dtype == corpus._drawn.answers.dtype == torch.int16


def test_nothing_held_out_is_trained_on_even_if_it_was_drawn_for_both(corpus):
    trained = {words(row) for row in corpus._drawn.src.tolist()}
    assert not trained & corpus.by_source.keys()
    assert sum(map(len, corpus.held_out.values())) == len(corpus.by_source) > 30

    def two_ways(generator):
        example, reason = sample(generator)
        return example, "construction" if generator.random() < 0.5 else reason

    mixed = toy(sample=two_ways)
    trained = {words(row) for row in mixed._drawn.src.tolist()}
    assert not trained & mixed.by_source.keys()
    assert mixed.held_out["construction"], "drawn once, as it happens"


def test_a_batch_says_what_was_drawn(task, corpus):
    for held_out in (False, True):
        batch = task.batch(50, generator(1), held_out)
        for src, tgt, labels in zip(batch.src.tolist(), batch.tgt.tolist(), batch.labels.tolist(), strict=True):
            assert words(tgt)[0] == "<start>" and words(labels) == (*words(tgt)[1:], "<end>")
            assert words(labels)[:-1] in distribution(words(src))
            assert (words(src) in corpus.by_source) is held_out
            if held_out:
                assert corpus.by_source[words(src)].tgt == words(labels)[:-1]
                assert corpus.by_source[words(src)] in corpus.held_out["source"]


def test_rows_of_a_batch_are_of_like_length_and_those_held_out_as_long_as_the_longest(task, corpus):
    draws, shapes, kept, filled = generator(2), set(), 0, 0
    for _ in range(40):
        batch = task.batch(16, draws)
        shapes.add((batch.src.size(1), batch.tgt.size(1)))
        assert (batch.src != 0).any(0).all() and (batch.labels != 0).any(0).all(), "no column is nothing but padding"
        filled += batch.src.numel() + batch.labels.numel()
        kept += int((batch.src != 0).sum() + (batch.labels != 0).sum())
    whole = corpus._drawn
    alike, anyhow = 1 - kept / filled, 1 - float((torch.cat([whole.src, whole.answers[:, 1:]], dim=1) != 0).float().mean())
    assert alike < 0.15 < 0.5 < anyhow, "shares of padding"
    assert len(shapes) > 5
    assert max(shapes)[0] == 7 == corpus.longest[0]
    held = task.batch(16, draws, held_out=True)
    assert (held.src.size(1), held.tgt.size(1)) == task.longest == (7, 11)


def test_every_row_is_equally_likely_short_or_long(corpus):
    """Batches of like length: by counts of sentences in many of them against those in the corpus."""
    draws, found, size = generator(3), Counter(), 16
    for _ in range(1500):
        found.update(map(words, corpus.batch(size, draws).src.tolist()))
    rows = Counter(words(row) for row in corpus._drawn.src.tolist())
    total = sum(rows.values())
    # Rows of a batch are not independent: the length is common to them. By length, then, and by sentence within it.
    for length in {len(src) for src in rows}:
        expected = sum(n for src, n in rows.items() if len(src) == length) / total
        share = sum(n for src, n in found.items() if len(src) == length) / (1500 * size)
        assert share == pytest.approx(expected, abs=0.03)
    for src, n in rows.most_common(8):
        assert found[src] / (1500 * size) == pytest.approx(n / total, rel=0.15)


def test_the_generator_alone_decides(task):
    one, other = generator(5), generator(5)
    first, second = task.batch(4, one), task.batch(4, one)
    for batch in (first, second):
        again = task.batch(4, other)
        assert torch.equal(again.src, batch.src) and torch.equal(again.labels, batch.labels)
    assert task.batch(4, generator(6)).src.tolist() != first.src.tolist()


def test_alternatives_are_all_right_answers_the_most_probable_first(task):
    ids = [*VOCABULARY.ids("a red mother".split()), 0, 0]
    assert [words(answer) for answer in task.alternatives(ids)] == [
        ("une", "mère", "rouge", "<end>"),
        ("une", "ma", "maman", "rouge", "<end>"),
    ]
    assert TASKS["copy"]().alternatives([1, 2]) == () == SentenceTask("pronoun-zh").alternatives([5, 6])


def test_where_several_tokens_are_right_a_batch_has_all_of_them(monkeypatch):
    corpus = toy(sample=sample_with_answers)
    monkeypatch.setitem(CORPORA, "toy", lambda: corpus)
    batch, several = SentenceTask("toy").batch(64, generator(4)), 0
    right = {}
    for (row, place, token), share in zip(batch.right.at.tolist(), batch.right.shares.tolist(), strict=True):
        right.setdefault((row, place), {})[token] = share
    assert right.keys() == {tuple(each) for each in (batch.labels != VOCABULARY.pad).nonzero().tolist()}
    for (row, place), shares in right.items():
        begun = words(batch.tgt[row].tolist())[1:][:place]
        odds = {}
        for answer, probability in distribution(words(batch.src[row].tolist())).items():
            if answer[:place] == begun:
                following = (*answer, "<end>")[place]
                odds[following] = odds.get(following, 0) + probability
        expected = {VOCABULARY.ids([word])[0]: odd / sum(odds.values()) for word, odd in odds.items()}
        assert shares == pytest.approx(expected, abs=1e-6)
        several += len(shares) > 1
    assert several > 20
    assert batch.padded((9, 12), 0).right is batch.right


def test_without_all_answers_a_batch_has_one_right_token_at_each_place(task):
    assert task.batch(8, generator(4)).right is None


@pytest.mark.parametrize("name", ["everyday-fr", "everyday-zh"])
def test_sentences_of_a_language_are_drawn_with_the_probabilities_of_their_next_words(name):
    """The same sentences and answers as without, and what the grammar says."""
    language, one, other = TRANSLATIONS[name], random.Random(8), random.Random(8)
    compared = 0
    for _ in range(150):
        pair = language.draw_with_answers(one)
        assert replace(pair, answers=None) == language.draw(other)
        example = example_of(pair)
        assert example.answers[example.tgt] > 0 and sum(example.answers.values()) == pytest.approx(1)
        if language.answers(example.src) == example.answers:  # not of two trees
            compared += 1
            found = {}
            for place, token, share in draws._choices(example, everyday_vocabulary(language)):
                found.setdefault(place, {})[everyday_vocabulary(language).decode([token])[0]] = share
            for place in range(len(example.tgt) + 1):
                truth = language.next_words(example.src, example.tgt[:place])
                assert truth == pytest.approx(found.get(place, {next(iter(truth)): 1.0}))
    assert compared > 120


def test_examples_as_rows(corpus):
    rows = corpus.rows([Example(("a", "moon"), ("une", "lune"), (0, 1))])
    assert (rows.src.shape, rows.tgt.shape, rows.labels.shape) == ((1, 7), (1, 11), (1, 11))
    assert (words(rows.src[0].tolist()), words(rows.labels[0].tolist())) == (("a", "moon"), ("une", "lune", "<end>"))


@pytest.mark.slow
def test_as_many_sentences_as_one_wants_are_those_of_the_package_and_more():
    shipped, many = CORPORA["small-fr"](), ManySentences("small-fr", draws=14_000)
    assert many.corpus is ManySentences("small-fr", draws=14_000).corpus
    assert (many.vocab, many.longest, many.name) == (len(shipped.vocabulary), shipped.longest, "small-fr")
    first = shipped._drawn.answers[:, :8].tolist()
    assert len(many.corpus._drawn.answers) > len(first) > 10_000
    assert many.corpus._drawn.answers[: len(first), :8].tolist() == first
    trained = {tuple(row) for row in many.corpus._drawn.src.tolist()}
    held = many.batch(200, generator(3), held_out=True)
    assert not {tuple(row[: len(next(iter(trained)))]) for row in held.src.tolist()} & trained
