"""Pins: the trained models that come with the package can do what they are said to do, and what their attention finds."""

import pytest
import torch

from transformer_core import SHIPPED, TASKS, Trace, checkpoint
from transformer_core.analysis.alignment import aligned_share, pronoun_share
from transformer_core.data.corpora import CORPORA, pronoun_en, pronoun_zh, translate_fr, translate_zh
from transformer_core.data.grammars.translation import MEASURE_WORDS
from transformer_core.training.evaluation import exact_match

LEAST = {"copy": 0.99, "translate-fr": 0.97, "translate-zh": 0.97, "pronoun-en": 0.97, "pronoun-zh": 0.97}


def model(name):
    (path,) = (path for path in SHIPPED if path.stem == name)
    return checkpoint.load(path)


def test_they_are_small_and_name_their_task():
    assert {path.stem for path in SHIPPED} == set(LEAST)
    assert sum(path.stat().st_size for path in SHIPPED) < 6e6
    for path in SHIPPED:
        assert checkpoint.load(path).facts["task"] == path.stem


@pytest.mark.parametrize("name", LEAST)
def test_they_answer_what_they_have_never_seen(name):
    task = TASKS[name]()
    unseen = task.batch(1000, torch.Generator().manual_seed(99), held_out=True)
    assert exact_match(model(name).model, task, unseen) >= LEAST[name]


def test_the_translator_looks_at_the_word_it_is_about_to_say():
    shares = aligned_share(model("translate-fr").model, translate_fr())
    assert shares.shape == (1, 4)
    assert shares.min() > 0.6
    assert shares.max() > 0.9


def test_the_chinese_translator_looks_at_the_noun_that_decides_the_measure_word():
    translator = model("translate-zh").model
    assert aligned_share(translator, translate_zh()).min() > 0.5
    measure = aligned_share(translator, translate_zh(), words=MEASURE_WORDS)
    assert measure[1].min() > 0.45
    assert measure[1].max() > 0.8


def test_a5_the_row_of_it_finds_its_noun_in_english():
    shares = pronoun_share(model("pronoun-en").model, pronoun_en(), "it")
    assert shares["noun"][1].max() > 0.6  # one of the 8 heads at least, in the second layer
    assert shares["noun"][1].max() > 5 * shares["even"][0, 0]


def test_a5_and_in_chinese_less_so():
    shares = pronoun_share(model("pronoun-zh").model, pronoun_zh(), "它")
    assert 0.3 < shares["noun"].max() < 0.6
    assert shares["noun"].max() > 4 * shares["even"][0, 0]


@pytest.mark.parametrize("name", sorted(CORPORA.keys() & LEAST.keys()))
def test_the_alignment_is_an_average_over_words(name):
    """On three sentences, word by word."""
    corpus, trained = CORPORA[name](), model(name).model
    found = []
    with torch.no_grad():
        for row in range(corpus.train, corpus.train + 3):
            trace = Trace()
            trained(corpus.src[row : row + 1], corpus.tgt[row : row + 1], trace=trace)
            for place, origin in enumerate(corpus.examples[row].origin):
                weights = [trace[f"decoder.{i}.cross_attn.weights"] for i in range(trained.cfg.n_layers)]
                if origin is not None:
                    found.append([each[0, :, place, origin] for each in weights])
    mean = torch.stack([torch.stack(each) for each in found]).mean(0)
    torch.testing.assert_close(torch.from_numpy(aligned_share(trained, corpus, 3)), mean)
