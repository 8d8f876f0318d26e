"""Pins: the grammars' sentences are right by rules written down here anew, and no test sentence is ever trained on."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from everyday.translation import TRANSLATIONS
from tests.transformer_core.helpers import generator
from transformer_core import TASKS, ReverseTask, SentenceTask, SortTask
from transformer_core.data.corpora import CORPORA, addition, addition_units_first, pronoun_en, pronoun_zh

FIXED = [name for name in CORPORA if not name.startswith(("everyday", "small", "stories"))]
every_corpus = pytest.mark.parametrize("name", FIXED)


@every_corpus
def test_sentences_are_unique_and_no_held_out_one_is_trained_on(name):
    corpus = CORPORA[name]()
    rows = [tuple(row) for row in corpus.src.tolist()]
    assert len(set(rows)) == len(rows) == len(corpus.examples)
    assert len(rows) - corpus.train == len(rows) // 10
    task = SentenceTask(name)
    trained, held = ({tuple(r) for r in task.batch(600, generator(1), h).src.tolist()} for h in (False, True))
    assert trained <= set(rows[: corpus.train])
    assert held <= set(rows[corpus.train :])


@every_corpus
def test_ids_say_the_examples(name):
    corpus = CORPORA[name]()
    for i in range(0, len(corpus.examples), 397):
        example = corpus.examples[i]
        src, tgt, labels = (corpus.vocabulary.decode(ids[i].tolist()) for ids in (corpus.src, corpus.tgt, corpus.labels))
        assert tuple(w for w in src if w != "<pad>") == example.src
        assert tuple(w for w in tgt if w != "<pad>") == ("<start>", *example.tgt)
        assert tuple(w for w in labels if w != "<pad>") == (*example.tgt, "<end>")
        assert len(example.origin) == len(example.tgt)


_SOME_DRAWS = """
import hashlib, random
from everyday.translation import TRANSLATIONS
for language in TRANSLATIONS.values():
    generator = random.Random(3)
    draws = [language.draw(generator) for _ in range(300)]
    answers = [list(language.answers(pair.source).items()) for pair in draws]
    print(hashlib.sha256(repr((language.source_words, language.target_words, draws, answers)).encode()).hexdigest())
"""


@pytest.mark.slow
def test_what_is_drawn_does_not_depend_on_the_process():
    """The order of a set does: it follows from hashes that every process seeds anew."""
    found = [
        subprocess.run(
            [sys.executable, "-c", _SOME_DRAWS],
            env=os.environ | {"PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[3],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout.split()
        for seed in ("1", "2")
    ]
    assert found[0] == found[1] and len(set(found[0])) == len(TRANSLATIONS)


def test_a_typed_sentence_reads_as_the_corpus_does():
    for name in FIXED:
        corpus = CORPORA[name]()
        for example in corpus.examples[::997]:
            typed = corpus.vocabulary.encode(" ".join(example.src))
            assert corpus.vocabulary.decode(typed) == list(example.src)


def test_sums_are_right_in_both_orders():
    for corpus, order in ((addition(), 1), (addition_units_first(), -1)):
        assert len({example.src for example in corpus.examples}) == 10_000
        for example in corpus.examples[::41]:
            left, right = "".join(example.src).rstrip("=").split("+")
            assert len(left) == len(right) == 2
            assert int("".join(example.tgt[::order])) == int(left) + int(right)


@pytest.mark.parametrize("name", ["pronoun-zh", "small-fr"])
def test_a_held_out_row_is_drawn_once(name):
    task = TASKS[name]()
    count = len(task.corpus.held_out["source"])
    for size in (200, count, count + 50):
        rows = [tuple(row) for row in task.batch(size, generator(3), held_out=True).src.tolist()]
        assert len(rows) == len(set(rows)) == min(size, count)
    first, second = (task.batch(200, generator(seed), held_out=True).src for seed in (3, 4))
    assert not torch.equal(first, second), "which, is drawn"


def test_a_held_out_sum_was_not_trained_on_in_its_mirror_image_either():
    corpus = addition()
    trained = {frozenset("".join(example.src[:5]).split("+")) for example in corpus.examples[: corpus.train]}
    held = {frozenset("".join(example.src[:5]).split("+")) for example in corpus.examples[corpus.train :]}
    assert len(corpus.examples) - corpus.train == 1000
    assert not trained & held


def test_a_sum_is_typed_as_it_is_written():
    words = addition().vocabulary
    assert words.decode(words.encode("27+58=")) == list("27+58=") == words.decode(words.encode("2 7 + 58 ="))
    assert words.unknown_words("27-x=") == ["-", "x"]


@pytest.mark.teaches(point="A5")
def test_it_is_what_the_last_word_says():
    for example in pronoun_en().examples[::29]:
        words = list(example.src)
        the, noun = example.tgt
        assert (the, words[example.origin[1]]) == ("the", noun)
        first, second = [words[i + 1] for i, word in enumerate(words) if word == "the"]
        expects_first = words[-1] in {"empty", "tired", "slow", "big", "large"}
        assert noun == (first if expects_first else second)


@pytest.mark.teaches(point="A5")
def test_in_chinese_too():
    for example in pronoun_zh().examples[::11]:
        words, (noun,) = example.src, example.tgt
        assert words[example.origin[0]] == noun
        if words[-2] in "满空":
            first, second = words[words.index("从") + 1], words[words.index("到") + 1]
        else:
            first, second = (words[i + 1] for i, word in enumerate(words) if word == "那")
        assert noun == (first if words[-2] in "空累慢大长" else second)


def test_numbers_backwards_and_in_order():
    for kind, expected in ((ReverseTask, lambda x: x.flip(1)), (SortTask, lambda x: x.sort(1).values)):
        batch = kind(vocab=13, length=9).batch(7, generator(3))
        assert (batch.src[:, 0] == 1).all()
        assert torch.equal(batch.labels, expected(batch.src[:, 1:]))
        assert (batch.tgt[:, 0] == 1).all()
        assert torch.equal(batch.tgt[:, 1:], batch.labels[:, :-1])


@pytest.mark.parametrize("name", TASKS)
def test_every_task_has_what_training_needs(name, monkeypatch):
    if name in TRANSLATIONS:  # the first draws of many
        few = replace(CORPORA[name](), draws=400)
        monkeypatch.setitem(CORPORA, name, lambda: few)
    task = TASKS[name]()
    assert task.name == name
    for batch in (task.batch(5, generator(4)), held := task.batch(5, generator(4), held_out=True)):
        assert len(task.vocabulary) == task.vocab > max(int(x.max()) for x in (batch.src, batch.tgt, batch.labels) if x.numel())
        assert batch.src.size(1) <= task.longest[0] and batch.tgt.size(1) <= task.longest[1]
        assert (batch.tgt[:, 0] == task.start_id).all()
        filled = batch.tgt[:, 1:] != task.pad_id
        assert torch.equal(batch.tgt[:, 1:][filled], batch.labels[:, :-1][filled])  # shifted by one
    assert (held.src.size(1), held.tgt.size(1)) == task.longest
    for src, labels in zip(held.src.tolist(), held.labels.tolist(), strict=True):
        if answers := task.alternatives(src):
            assert tuple(i for i in labels if i != task.pad_id) in answers
