"""Pins what is known of the next words of stories: by the models that come with the app, by counting, and at best."""

import math

import pytest
import torch

from tests.transformer_core.helpers import generator
from transformer_core import SentenceTask, Transformer, TransformerConfig
from transformer_core.analysis.ngram import TrigramModel
from transformer_core.analysis.story_metrics import Known, known_by_counting, known_to_model, least_losses
from transformer_core.commands.options import opened

ROWS = 60


@pytest.fixture(params=("en", "zh"))
def task(request):
    return SentenceTask(f"stories-{request.param}")


def rows_of(task, count=ROWS):
    return task.batch(count, generator(3), held_out=True).trimmed(task.pad_id)


def counter_of(task):
    return TrigramModel.fit(task.corpus.trained, task.vocab, task.pad_id)


def test_the_model_knows_what_the_story_decides_and_counting_does_not(task):
    """Of the other words, it knows nearly as much as whoever knows the rules by which stories are drawn."""
    rows = rows_of(task, 200)
    model = known_to_model(opened(task.name).model.eval(), task.corpus, rows)
    counted, least = known_by_counting(counter_of(task), task.corpus, rows), least_losses(task.corpus, rows)
    for kind in ("repeated", "pronoun"):
        assert model[kind].right > 0.99 * model[kind].n > 400 and model[kind].loss < 0.05
        assert counted[kind].right < 0.45 * counted[kind].n and counted[kind].loss > 1
        assert least[kind] == pytest.approx(0, abs=1e-6)
    assert least["other"] < model["other"].loss < least["other"] + 0.03 < counted["other"].loss - 0.5
    assert counted["repeated"].right < 0.2 * counted["repeated"].n


def test_each_word_is_counted_once_by_its_kind_and_its_own_probability(task):
    """Word by word, as one would by hand."""
    rows, counter = rows_of(task, 3), counter_of(task)
    kinds, found = task.corpus.kinds(rows), {0: [], 1: [], 2: []}
    for row, (given, labels) in enumerate(zip(rows.tgt.tolist(), rows.labels.tolist(), strict=True)):
        for at, label in enumerate(labels):
            if label != task.pad_id:
                likely = counter.next_probabilities(given[: at + 1])
                found[int(kinds[row, at])].append((likely.argmax() == label, -math.log(likely[label])))
    for known, words in zip(known_by_counting(counter, task.corpus, rows).values(), found.values(), strict=True):
        right, losses = zip(*words, strict=True)
        assert known == Known(len(words), sum(right), pytest.approx(sum(losses) / len(words)))


@pytest.mark.parametrize("causal", [True, False])
def test_a_model_sees_nothing_of_the_words_that_it_is_to_know(causal):
    task = SentenceTask("stories-en")
    cfg = TransformerConfig(
        src_vocab=task.vocab, tgt_vocab=task.vocab, d_model=16, n_heads=2, d_ff=16, n_layers=1, stacks="decoder", causal=causal
    )
    model, rows = Transformer(cfg, generator(1)).eval(), rows_of(task, 2)
    with torch.no_grad():
        likely = torch.stack(
            [model(rows.src, rows.tgt[:, : at + 1])[:, -1].log_softmax(-1) for at in range(rows.tgt.size(1))], dim=1
        )
    losses = -likely.gather(-1, rows.labels[..., None])[..., 0][rows.labels != task.pad_id]
    found = known_to_model(model, task.corpus, rows).values()
    assert sum(each.n for each in found) == len(losses)
    assert sum(each.n * each.loss for each in found) == pytest.approx(float(losses.sum()), rel=1e-5)
