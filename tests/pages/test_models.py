"""Pins: every part of every page stands with every switch turned, and with every trained model that comes with the app."""

import pytest
from explorer.controls import FIRST, VARIANT, Knobs
from explorer.decoded import lesson

from explorer import server, state
from tests.pages.helpers import (
    PAGES,
    PARTS,
    VIEWS,
    app,
    attention_view,
    complaints,
    figures,
    fine,
    go,
    open_page,
    shown,
    tour,
    turn,
    visit,
)
from transformer_core import SHIPPED, Transformer, TransformerConfig, checkpoint
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


def test_every_page_and_part_is_listed():
    assert set(PARTS) == set(PAGES)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_part_stands_with_every_switch(name):
    at = app(**VARIANTS[name])
    for place in tour(at):
        assert not complaints(at), place
        assert {switch: at.session_state[switch] for switch in VARIANTS[name]} == VARIANTS[name], place


@pytest.mark.parametrize("name", [path.stem for path in SHIPPED])
def test_every_part_stands_with_every_shipped_model(name):
    at = app({"model": name})
    for place in tour(at, VIEWS):
        assert not complaints(at), place
        assert at.session_state["model"] == name, place


def test_a_shipped_translator_reads_english_and_says_french():
    at = open_page("heads", {"model": "translate-fr", "kind": "cross", "part": "Heads"})
    spec = figures(at)[0].layout
    assert [
        label.split()[1] for label in spec["yaxis"]["ticktext"]
    ] == "&lt;start&gt; le chat rouge voit une grande maison".split()
    assert [label.split()[1] for label in spec["xaxis"]["ticktext"]] == "the red cat sees a big house".split()
    turn(at, src="a queen wants my white bread")
    assert [label.split()[1] for label in figures(at)[0].layout["yaxis"]["ticktext"]][
        1:
    ] == "une reine veut mon pain blanc".split()


def test_a_model_of_another_language_begins_with_a_sentence_of_its_own():
    at = open_page("heads")
    at.selectbox(key="model").set_value("pronoun-zh").run()
    assert at.text_input(key="src").value == CORPORA["pronoun-zh"]().example
    assert attention_view(at)["columns"][1] == "把"
    at.selectbox(key="model").set_value("translate-fr").run()
    assert at.text_input(key="src").value == CORPORA["translate-fr"]().example


@pytest.mark.parametrize("page", PAGES)
def test_a_first_visitor_sees_a_trained_translator(page):
    at = go(visit({}), page)
    assert fine(at)
    assert at.session_state["model"] == FIRST
    assert "model" not in at.query_params
    if page in ("attention", "heads", "layers", "decoding"):
        assert "Trained weights: English → French" in shown(at)


@pytest.mark.parametrize("knob", ["d_model=72", "seed=3", "tgt=le chat", "input=lengths", "causal=off"])
def test_a_link_that_turns_a_knob_of_random_weights_means_random_weights(knob):
    name, value = knob.split("=")
    at = go(visit({name: value}), "heads")
    assert "Random weights" in shown(at)
    assert "model" not in at.query_params


def test_a_link_with_a_source_alone_gives_it_to_the_translator():
    at = go(visit({"src": "the white cat eats a fish"}), "heads")
    assert figures(at)[0].layout["xaxis"]["ticktext"][1:3] == ["1 white", "2 cat"]
    assert "Trained weights" in shown(at)


def test_turning_a_size_leaves_the_translator_and_its_link_says_so():
    at = go(visit({}), "heads")
    at.slider(key="d_model").set_value(72).run()
    assert "Random weights" in shown(at)
    at.selectbox(key="model").set_value(FIRST).run()
    assert "Trained weights" in shown(at)
    at.slider(key="d_model").set_value(72).run()
    at.slider(key="d_model").set_value(64).run()
    assert at.query_params["model"] == "random"


def test_words_that_a_trained_model_has_not_learned_are_named():
    at = open_page("attention", {"model": "translate-fr", "src": "the red dragon sees a cat"})
    assert "dragon" in shown(at)


@pytest.mark.parametrize("switch", VARIANT)
def test_a_switch_comes_by_link_stays_from_page_to_page_and_goes_back_to_its_default(switch):
    other = {
        "position": "learned", "score": "dot", "causal": False, "cross_attention": False, "residual": False,
        "layer_norm": "unbiased_std", "final_norm": "on", "activation": "gelu", "embedding_scale": False,
        "attention_bias": False, "tie_embeddings": "all",
    }[switch]  # fmt: skip
    said = {True: "on", False: "off"}.get(other, other)
    at = open_page("heads", {switch: said})
    assert at.session_state[switch] == other
    go(at, "masks")
    assert at.session_state[switch] == other
    turn(at, **{switch: getattr(Knobs(), switch)})
    turn(at, d_model=72)
    go(at, "heads")
    assert switch not in at.session_state or at.session_state[switch] == getattr(Knobs(), switch)


def test_a_preset_sets_the_switches_and_another_takes_them_back():
    at = app()
    at.selectbox(key="preset").set_value("lesson").run()
    assert at.session_state["layer_norm"] == "unbiased_std"
    go(at, "shapes")
    assert at.session_state["layer_norm"] == "unbiased_std"
    at.selectbox(key="preset").set_value("post_norm_notes").run()
    assert (at.session_state["attention_bias"], at.session_state["layer_norm"]) == (False, "standard")
    at.selectbox(key="preset").set_value("tiny").run()
    go(at, "heads")
    assert at.selectbox(key="preset").value == "tiny"


def test_the_trained_model_s_own_switches_are_shown():
    cfg = checkpoint.load(SHIPPED[0]).model.cfg
    at = open_page("shapes", {"model": SHIPPED[0].stem})
    assert (at.session_state["n_layers"], at.session_state["d_model"]) == (cfg.n_layers, cfg.d_model)


@pytest.mark.parametrize(("name", "kind", "layer"), [("translate-fr", "cross", 0), ("pronoun-en", "encoder", 1)])
def test_the_first_page_opens_a_trained_model_in_one_click(name, kind, layer):
    at = app()
    at.button(key=name).click().run()
    assert not at.exception
    assert at.title[0].value == "Heads"
    assert (at.session_state["model"], at.session_state["kind"], at.session_state["layer"]) == (name, kind, layer)
    assert "Trained weights" in shown(at)


def test_the_labels_of_a_model_that_reverses_are_the_row_backwards():
    cfg = TransformerConfig(src_vocab=7, tgt_vocab=7, d_model=8, n_heads=2, d_ff=6, n_layers=1, dropout=0.0)
    stored = server.model_store().add(checkpoint.to_bytes(Transformer(cfg), {"task": "reverse"}))
    view = state.view_of(Knobs(model=stored.id, numbers="1 5 3 6 2"))
    src, tgt, label = view.batch(0, 0)
    assert (src, tgt, label) == ((1, 5, 3, 6, 2), (1, 2, 6, 3), (2, 6, 3, 5))
    assert (lesson(view).given, lesson(view).labels, lesson(view).known) == (tgt, label, True)
