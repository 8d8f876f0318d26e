"""Pins: rows of stories without a source, what is judged of them, and that none of training is held out."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from everyday.stories import KINDS, Stories
from tests.transformer_core.helpers import generator
from transformer_core import SentenceTask
from transformer_core.data.corpora import CORPORA
from transformer_core.data.stories import HELD_OUT, TRAINED, StoryCorpus, story_corpus


@pytest.fixture(params=("en", "zh"))
def corpus(request):
    return story_corpus(request.param)


def told(corpus, labels):
    """The words of each row."""
    return [tuple(corpus.vocabulary.decode(i for i in row if i > 3)) for row in labels.tolist()]


def test_a_row_is_a_story_and_has_no_source(corpus):
    batch = corpus.batch(64, generator(1))
    assert (batch.src.shape, batch.src.dtype) == ((64, 0), torch.int64)
    assert batch.tgt.dtype == batch.labels.dtype == torch.int64
    for given, labels in zip(batch.tgt.tolist(), batch.labels.tolist(), strict=True):
        end = labels.index(2)
        assert given[: end + 1] == [1, *labels[:end]]
        assert not any(given[end + 1 :]) and not any(labels[end + 1 :])
    assert batch.labels.size(1) == max(len(story) for story in told(corpus, batch.labels)) + 1
    assert all(corpus.language.next_words(story).get("<end>") for story in told(corpus, batch.labels[:8]))


def test_held_out_rows_are_different_and_no_training_row_is_one(corpus):
    batch = corpus.batch(HELD_OUT + 1, generator(2), held_out=True)
    assert batch.labels.shape == (HELD_OUT, corpus.longest[1])
    held = set(told(corpus, batch.labels))
    assert held == {example.tgt for example in corpus.held_out["source"]} and len(held) == HELD_OUT
    assert len(corpus.trained.labels) == TRAINED
    assert not held & set(told(corpus, corpus.trained.labels))


def test_the_generator_decides(corpus):
    first, again, other = (corpus.batch(16, generator(seed)).labels for seed in (3, 3, 4))
    assert torch.equal(first, again) and first.tolist() != other.tolist()


def test_what_is_judged_are_pronouns_and_what_came_before():
    corpus = story_corpus("en")
    batch = corpus.batch(HELD_OUT, generator(5), held_out=True)
    kinds = corpus.kinds(batch)
    assert torch.equal(batch.judged, kinds != KINDS.index("other"))
    pronouns = batch.labels[kinds == KINDS.index("pronoun")]
    assert set(corpus.vocabulary.decode(pronouns.tolist())) == {"he", "she", "him", "her", "his"}
    assert not (batch.judged & (batch.labels <= 3)).any(), "neither padding nor the end"
    for row in range(8):
        (story,) = told(corpus, batch.labels[row : row + 1])
        for place in (kinds[row] == KINDS.index("repeated")).nonzero().flatten().tolist():
            assert story[place] in story[:place]


def test_surprisals_are_those_of_the_language_and_nothing_judged_has_any(corpus):
    batch = corpus.batch(20, generator(6), held_out=True)
    found = corpus.surprisals(batch)
    for row, story in enumerate(told(corpus, batch.labels)):
        assert found[row].tolist() == pytest.approx(
            corpus.language.surprisals(story) + [0] * (found.size(1) - len(story) - 1), rel=1e-5
        )
    assert found[batch.judged].max() < 1e-6 and found.sum() > 0


def test_the_example_is_the_beginning_of_a_story_as_one_types_it(corpus):
    tokens = corpus.vocabulary.decode(corpus.vocabulary.encode(corpus.example))
    assert corpus.separator.join(tokens).replace(" .", ".") == corpus.example.replace(" .", ".")
    assert set(corpus.language.next_words(tokens)) in ({"she"}, {"她"})


def test_who_asks_at_once_waits_for_the_same_draws():
    calls = []

    class Slow(Stories):
        def draw(self, generator):
            calls.append(generator)
            return super().draw(generator)

    whole = story_corpus("en")
    language = Slow("en", whole.language.templates, whole.language.fillings)
    corpus = StoryCorpus(whole.vocabulary, whole.example, whole.longest, language)
    assert not calls
    with ThreadPoolExecutor(4) as threads:
        batches = list(threads.map(lambda _: corpus.batch(2, generator(7)), range(4)))
    assert len(set(calls)) == 1, "of one drawing"
    assert all(torch.equal(batch.labels, whole.batch(2, generator(7)).labels) for batch in batches)


def test_a_corpus_of_stories_is_a_task(corpus, monkeypatch):
    monkeypatch.setitem(CORPORA, "stories", lambda: corpus)
    task = SentenceTask("stories")
    assert (task.longest, task.held_out_rows, task.has_held_out) == ((0, corpus.language.longest + 1), HELD_OUT, True)
    assert task.alternatives([]) == ()
    assert task.vocab == len(corpus.language.words) + 4
    assert torch.equal(task.batch(4, generator(8)).labels, corpus.batch(4, generator(8)).labels)
    rows = corpus.rows(corpus.held_out["source"][:3])
    assert rows.src.shape == (3, 0) and rows.src.dtype == torch.int64
