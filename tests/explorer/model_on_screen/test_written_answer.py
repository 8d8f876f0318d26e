"""Answers as they are written: at each kept step, and after each cut."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.model_on_screen.settings import of_task
from explorer.model_on_screen.shown_model import ShownModel, show_model
from explorer.model_on_screen.written_answer import FAINTEST, answers_while_learning, answers_without_links, written_answer

SENTENCE = "the black cat sleeps on the bed"


def translator(task: str = "everyday-fr", **changes) -> ShownModel:
    return show_model(replace(of_task(task), **{"src": SENTENCE} | changes))


def words(answer) -> str:
    return " ".join(answer.words)


def test_each_word_has_the_mean_of_the_heads_of_the_last_layer():
    shown = translator()
    found = written_answer(shown)
    own = replace(shown, text=replace(shown.text, tgt=shown.answer))
    assert words(found) == "le chat noir dort sur le lit"
    np.testing.assert_allclose(found.weights, own.attention("cross", 1).map.weights.mean(axis=0)[:7], atol=1e-6)
    np.testing.assert_allclose(found.weights.sum(axis=1), 1, atol=1e-5)
    assert found.weights.argmax(axis=1).tolist() == [0, 2, 1, 3, 4, 5, 6], "the lines of chat and noir cross"


def test_the_answer_after_each_kept_step():
    found = answers_while_learning(translator())
    assert list(found) == [0, 71, 191, 510, 1363, 3641, 26000]
    assert [words(found[step]) for step in (191, 510, 1363)] == [
        "le n' est pas",
        "le chat noir est sur le lit",
        "le chat noir dort sur le lit",
    ]
    assert {step: words(answer) for step, answer in found.items()} == {
        step: words(written_answer(translator(step=step))) for step in found
    }


def test_the_answers_after_the_cuts_of_the_first_screen():
    """Those that its texts and pictures are built on."""
    found = answers_without_links(translator())
    assert {(query, key): words(answer) for (query, key), answer in found.items()} == {
        (0, 0): "le chat noir dort sur le lit",
        (1, 2): "le lit noir dort sur le lit",
        (2, 1): "le chat dort sur le lit",
        (3, 3): "le chat noir sur le lit",
        (4, 4): "le chat noir dort",
        (4, 5): "le chat noir dort sur le lit",
        (5, 5): "le chat noir dort sur lit",
        (6, 6): "le chat noir dort sur le chat",
    }


@pytest.mark.parametrize(
    ("task", "src"), [("everyday-fr", "i love you"), ("everyday-zh", "my brother sleeps in the small car")]
)
def test_a_cut_is_that_of_the_settings_in_all_heads_and_layers(task, src):
    shown = translator(task, src=src)
    whole, found = written_answer(shown), answers_without_links(shown)
    assert found.keys() == {tuple(link) for link in np.argwhere(whole.weights >= FAINTEST).tolist()}
    for (query, key), answer in found.items():
        cut = translator(task, src=src, cut=f"cross.all.all:{query}-{key}")
        assert answer.words == written_answer(cut).words
        np.testing.assert_array_equal(answer.weights, written_answer(cut).weights)
        if query < len(answer.words):
            assert answer.weights[query, key] == 0


def test_an_answer_without_a_word_has_no_weights():
    empty = written_answer(translator("everyday-zh", step=71, src="the cat"))
    assert empty.words == () and empty.weights.shape == (0, 2)
