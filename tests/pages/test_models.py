"""Pins: every part of every page stands with every switch turned, and with the trained models that come with the app."""

import pytest

from explorer import server
from explorer.inference.decoding import teacher_forcing
from explorer.inference.settings import VARIANT, ModelSettings
from explorer.inference.shown_model import show_model
from explorer.session.model_choice import FIRST
from tests.pages.helpers import (
    PAGES,
    PARTS,
    VIEWS,
    app,
    attention_view,
    complaints,
    fine,
    go,
    session_of,
    shown,
    tour,
    turn,
    visit,
)
from transformer_core import PRESETS, SHIPPED, Transformer, TransformerConfig
from transformer_core.data.corpora import CORPORA
from transformer_core.training import checkpoint

VARIANTS = {
    "mixed": {"position": "learned", "score": "additive", "layer_norm": "unbiased_std", "activation": "gelu", "norm": "post"},
    "stripped": {
        "position": "none", "residual": False, "cross_attention": False, "causal": False, "embedding_scale": False,
        "score": "dot", "final_norm": "off", "tie_embeddings": "output", "n_layers": 2,
    },
    "others": {"score": "concat_linear", "attention_bias": False, "final_norm": "on", "tie_embeddings": "all", "norm": "post"},
}  # fmt: skip


def settings_of(at) -> ModelSettings:
    return session_of(at).settings


@pytest.mark.parametrize("name", VARIANTS)
def test_every_part_stands_with_every_switch(name):
    at = app(**VARIANTS[name])
    for place in tour(at):
        assert not complaints(at), place
        assert {switch: getattr(settings_of(at), switch) for switch in VARIANTS[name]} == VARIANTS[name], place


def test_every_page_and_part_is_in_the_tour_and_every_switch():
    assert set(PARTS) == set(PAGES)
    assert {name for variant in VARIANTS.values() for name in variant} >= set(VARIANT)


@pytest.mark.parametrize("name", [path.stem for path in SHIPPED])
def test_the_pages_stand_with_every_shipped_model(name):
    every_part = name in ("translate-fr", "copy")  # one that reads words, one that reads numbers
    at = visit({"model": name})
    for place in tour(at, VIEWS if every_part else ["heads", "decoding"]):
        assert not complaints(at), place
        assert settings_of(at).model == name, place
    cfg = checkpoint.load(next(path for path in SHIPPED if path.stem == name)).model.cfg
    assert (settings_of(at).d_model, settings_of(at).n_layers, settings_of(at).norm) == (cfg.d_model, cfg.n_layers, cfg.norm)


def test_a_model_reads_its_language_and_another_begins_with_a_sentence_of_its_own():
    at = visit({"kind": "cross"}, "heads")
    assert attention_view(at)["rows"] == "<start> le chat rouge voit une grande maison".split()
    assert attention_view(at)["columns"] == "the red cat sees a big house".split()
    turn(at, src="a queen wants my white bread")
    assert attention_view(at)["rows"][1:] == "une reine veut mon pain blanc".split()
    at.selectbox(key="model").set_value("pronoun-zh").run()
    assert at.text_input(key="src").value == CORPORA["pronoun-zh"]().example
    assert attention_view(at)["columns"][1] == "把"
    at.selectbox(key="model").set_value("translate-fr").run()
    assert at.text_input(key="src").value == CORPORA["translate-fr"]().example


def test_a_first_visitor_sees_a_trained_translator():
    at = visit({})
    for page in PAGES:
        assert fine(go(at, page))
        assert settings_of(at).model == FIRST
        assert "model" not in at.query_params
    assert "Trained weights" in shown(go(at, "heads"))


def test_a_link_says_which_model_it_means():
    for setting in ("d_model=72", "seed=3", "tgt=le chat", "input=lengths", "causal=off"):
        name, value = setting.split("=")
        at = visit({name: value}, "heads")
        assert settings_of(at).model is None, setting
        assert "model" not in at.query_params
    at = visit({"src": "the white cat eats a fish"}, "heads")
    assert (settings_of(at).model, attention_view(at)["columns"][1:3]) == (FIRST, ["white", "cat"])
    at = visit({"model": FIRST, "src": "the red dragon sees a cat"}, "attention")
    assert "dragon" in shown(at), "a word that the model has not learned is named"


def test_a_changed_size_leaves_the_translator_and_its_link_says_so():
    at = visit({}, "heads")
    at.slider(key="d_model").set_value(72).run()
    assert settings_of(at).model is None and "Random weights" in shown(at)
    at.selectbox(key="model").set_value(FIRST).run()
    assert "Trained weights" in shown(at)
    at.slider(key="d_model").set_value(72).run()
    at.slider(key="d_model").set_value(64).run()
    assert at.query_params["model"] in ("random", ["random"])


def test_switches_come_by_link_stay_from_page_to_page_and_leave_the_address_with_their_defaults():
    others = {
        "position": "learned", "score": "dot", "causal": False, "cross_attention": False, "residual": False,
        "layer_norm": "unbiased_std", "final_norm": "on", "activation": "gelu", "embedding_scale": False,
        "attention_bias": False, "tie_embeddings": "all",
    }  # fmt: skip
    assert set(others) == set(VARIANT)
    at = visit({name: {True: "on", False: "off"}.get(value, value) for name, value in others.items()}, "heads")
    for page in ("heads", "masks"):
        go(at, page)
        assert {name: getattr(settings_of(at), name) for name in others} == others
    turn(at, d_model=72, **{name: getattr(ModelSettings(), name) for name in others})
    assert set(at.query_params) == {"d_model"}
    go(at, "heads")
    assert settings_of(at) == ModelSettings(d_model=72)


def test_a_preset_sets_the_switches_and_another_takes_them_back():
    at = visit({"activation": "gelu"}, "shapes")
    for name in ("lesson", "post_norm_notes", "tiny"):
        at.selectbox(key="preset").set_value(name).run()
        assert settings_of(at).config(11).layer_norm == PRESETS[name].layer_norm
        assert settings_of(at).attention_bias == PRESETS[name].attention_bias
        turn(at, seed=1)  # which keeps the folded settings on screen
    assert fine(go(at, "heads"))
    assert at.selectbox(key="preset").value == "tiny"


@pytest.mark.parametrize(("name", "kind", "layer"), [("translate-fr", "cross", 0), ("pronoun-en", "encoder", 1)])
def test_the_first_page_opens_a_trained_model_in_one_click(name, kind, layer):
    at = app()
    at.button(key=name).click().run()
    assert not at.exception
    assert at.title[0].value == "Heads"
    assert (settings_of(at).model, at.session_state["kind"], at.session_state["layer"]) == (name, kind, layer)
    assert "Trained weights" in shown(at)


def test_the_labels_of_a_model_that_reverses_are_the_row_backwards():
    cfg = TransformerConfig(src_vocab=7, tgt_vocab=7, d_model=8, n_heads=2, d_ff=6, n_layers=1, dropout=0.0)
    stored = server.model_store().add(checkpoint.to_bytes(Transformer(cfg), {"task": "reverse"}))
    model = show_model(ModelSettings(model=stored.id, numbers="1 5 3 6 2"))
    src, tgt, label = model.batch(0, 0)
    assert (src, tgt, label) == ((1, 5, 3, 6, 2), (1, 2, 6, 3), (2, 6, 3, 5))
    lesson = teacher_forcing(model)
    assert (lesson.given, lesson.labels, lesson.known) == (tgt, label, True)
