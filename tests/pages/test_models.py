"""Pins that every part stands with every switch turned, with every task, and with the trained models of the app."""

import numpy as np
import pytest

from everyday.translation import TRANSLATIONS
from explorer.learning.task_titles import TASK_TITLES
from explorer.model_on_screen.settings import ModelSettings, of_task
from tests.pages.helpers import (
    VIEWS,
    app,
    attention_view,
    complaints,
    fine,
    go,
    model_line,
    session_of,
    tour,
    turn,
    visit,
)
from transformer_core.data.corpora import CORPORA

VARIANTS = {
    "mixed": {"position": "learned", "score": "additive", "layer_norm": "unbiased_std", "activation": "gelu", "norm": "post"},
    "stripped": {
        "position": "none",
        "residual": False,
        "cross_attention": False,
        "causal": False,
        "embedding_scale": False,
        "score": "dot",
        "final_norm": "off",
        "tie_embeddings": "output",
        "n_layers": 2,
    },
    "others": {"score": "concat_linear", "attention_bias": False, "final_norm": "on", "tie_embeddings": "all", "norm": "post"},
}


def settings_of(at) -> ModelSettings:
    return session_of(at).settings


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_every_part_stands_with_every_switch(name):
    at = app(**VARIANTS[name])
    for place in tour(at):
        assert not complaints(at), place
        assert {switch: getattr(settings_of(at), switch) for switch in VARIANTS[name]} == VARIANTS[name], place


# The tasks whose models come with the app.
@pytest.mark.parametrize("task", ["everyday-fr", "everyday-zh", "pronoun-en", "pronoun-zh", "copy"])
def test_the_pages_stand_with_every_model_that_comes_with_the_app(task):
    every_part = task == "copy"  # it reads numbers; test_bad_input opens each part with the one that a first visitor meets
    at = visit({"task": task})
    for place in tour(at, VIEWS if every_part else ["heads", "decoding"]):
        assert not complaints(at), place
        assert settings_of(at) == of_task(task), place
    line = model_line(go(at, "heads"))
    assert (line["state"], line["step"]) == ("learned", line["steps"]) and float(line["right"]) > 0.9
    assert int(line["d-model"]) == of_task(task).d_model and int(line["layers"]) == of_task(task).n_layers


@pytest.mark.parametrize("task", TASK_TITLES)
def test_every_task_has_its_pages_before_the_first_step(task):
    at = visit({"task": task, "step": "0", "seed": "5"})
    for page in ("masks", "decoding", "heads"):
        assert fine(go(at, page)), page
    line = model_line(at)
    assert (line["task"], line["state"], line["step"], line["seed"]) == (task, "initial", "0", "5")


@pytest.mark.parametrize("task", TASK_TITLES)
@pytest.mark.slow
def test_every_task_has_every_part_of_them(task):
    at = visit({"task": task, "step": "0", "seed": "5"})
    for place in tour(at, ["masks", "heads", "decoding"]):
        assert not complaints(at), place


def test_a_model_reads_its_language_and_another_begins_with_a_sentence_of_its_own():
    at = visit({"kind": "cross"}, "heads")
    assert attention_view(at)["columns"] == "do you like my red car".split()
    turn(at, src="I don’t eat white bread!")
    assert attention_view(at)["columns"] == "i do not eat white bread".split()
    assert [pair.split(" → ")[1] for pair in attention_view(at)["rows"]] == "je ne mange pas de pain blanc <end>".split()
    at.selectbox(key="task").set_value("pronoun-zh").run()
    assert at.text_input(key="src").value == CORPORA["pronoun-zh"]().example
    assert attention_view(at)["columns"][1] == "把"
    at.selectbox(key="task").set_value("everyday-fr").run()
    assert at.text_input(key="src").value == TRANSLATIONS["everyday-fr"].example


def test_step_0_of_a_model_is_one_slider_away_and_its_pictures_have_the_same_tokens():
    at = visit({"kind": "cross"}, "heads", folded=True)
    before = attention_view(at)
    turn(at, step=0)
    after, line = attention_view(at), model_line(at)
    assert (line["state"], line["step"], line["right"]) == ("learned", "0", "")
    assert "as initialised" in line["words"] and at.query_params == {"step": "0"}
    assert (before["rows"], before["columns"]) == (after["rows"], after["columns"])
    assert not np.allclose(before["weights"], after["weights"])
    assert any("its answer at the end of learning" in caption.value for caption in at.caption)
    assert [words for words in at.sidebar.markdown if ":red[:material/cancel:]" in words.value], "the answer at this step"


def test_what_is_typed_for_the_decoder_and_what_the_model_says_are_told_apart():
    at = visit({"tgt": "le chat", "task": "everyday-fr", "kind": "decoder"}, "heads")
    assert [pair.split(" → ")[0] for pair in attention_view(at)["rows"]] == ["<start>", "le", "chat"]
    (said,) = (caption.value for caption in at.caption if "as you chose" in caption.value)
    assert "“le chat”" in said
    assert any("est-ce que tu aimes" in words.value for words in at.sidebar.markdown), "the verdict is on the model's answer"


def test_the_first_page_opens_another_model_in_one_click():
    at = app()
    at.button(key="pronoun-en").click().run()
    assert not at.exception
    assert at.title[0].value == "Heads"
    assert (at.session_state["kind"], at.session_state["layer"]) == ("encoder", 1)
    assert settings_of(at) == of_task("pronoun-en") and model_line(at)["state"] == "learned"
