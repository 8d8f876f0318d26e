"""Which model a link means, how the settings follow when another is chosen, and what the browser's history brings back."""

import pytest
import torch

from explorer import server
from explorer.inference.settings import DEFAULTS, SIZES, ModelSettings, choices, size_of
from explorer.session import model_choice
from explorer.session.model_choice import FIRST, OWN, RANDOM
from tests.explorer.session.helpers import back_to
from tests.pages.helpers import complaints, fine, go, session_of, turn, visit
from transformer_core import PRESETS, Transformer, TransformerConfig, checkpoint
from transformer_core.data.corpora import CORPORA

PLAIN = "compare"  # a page that shows no model


def settings_of(at) -> ModelSettings:
    return session_of(at).settings


def uploaded(symbols: int = 7, **sizes) -> str:
    """The id of a model from a file, which reads the numbers below `symbols`."""
    cfg = TransformerConfig(
        **{"src_vocab": symbols, "tgt_vocab": symbols, "d_model": 12, "n_heads": 3, "d_ff": 14, "n_layers": 1} | sizes
    )
    return server.model_store().add(checkpoint.to_bytes(Transformer(cfg, torch.Generator().manual_seed(1)))).id


# ---------------------------------------------------------------- links


@pytest.mark.parametrize(
    ("link", "model"),
    [
        ({}, FIRST), ({"src": "a cat"}, FIRST), ({"part": "head_cost"}, FIRST), ({"model": RANDOM}, None),
        ({"model": "copy"}, "copy"),
        ({"d_model": "72"}, None), ({"seed": "3"}, None), ({"tgt": "le chat"}, None), ({"input": "lengths"}, None),
        ({"causal": "off"}, None), ({"src_len": "5"}, None), ({"model": "copy", "d_model": "72"}, "copy"),
    ],
    ids=str,
)  # fmt: skip
def test_a_link_that_names_sizes_means_random_weights_and_one_that_names_nothing_the_translator(link, model):
    at = visit(link, PLAIN)
    assert settings_of(at).model == model
    assert at.query_params.get("model") == model or model in (None, FIRST)


NONSENSE = {
    "d_model": ["99999", "-8", "banana", "64.5", "", "nan"],
    "n_heads": ["abc", "0", "17", "4 "],
    "n_layers": ["1.5", "7", "-inf"],
    "d_ff": ["0", "1e999"],
    "norm": ["middle", "PRE"],
    "dropout": ["nan", "0.9", "-0.1"],
    "seed": ["inf", "nan", "1e999", "-1", "0.5", "9" * 5000],
    "input": ["neither"],
    "src_len": ["0", "129"],
    "tgt_len": ["128"],
    "tie_embeddings": ["", "some"],
    "causal": ["maybe", "True"],
}


@pytest.mark.parametrize("nth", range(6))
def test_what_a_setting_cannot_be_is_dropped(nth):
    link = {name: values[nth % len(values)] for name, values in NONSENSE.items()}
    at = visit(link, PLAIN)
    assert fine(at)
    kept = {"n_heads": 4} if link["n_heads"] == "4 " else {}  # a blank behind a number is none of its digits
    assert settings_of(at) == ModelSettings(**kept)
    assert at.query_params == {"model": "random"}


def test_every_setting_comes_by_link_stays_from_page_to_page_and_goes_back_to_its_default():
    others = {name: next(v for v in choices(name) if v != DEFAULTS[name]) for name in DEFAULTS if choices(name)}
    others |= {"d_model": 48, "n_heads": 6, "n_layers": 3, "d_ff": 80, "dropout": 0.25, "seed": 17, "src_len": 5, "tgt_len": 6}
    link = {name: {True: "on", False: "off"}.get(value, str(value)) for name, value in others.items()}
    at = visit(link, "training")
    for page in ("training", "compare", "home"):
        go(at, page)
        assert {name: getattr(settings_of(at), name) for name in others} == others
        assert {name: at.query_params[name] for name in link} == link
    turn(at, **{name: DEFAULTS[name] for name in others})
    assert settings_of(at) == ModelSettings()
    assert at.query_params == {"model": "random"}


def test_a_link_shows_itself_again():
    link = {"n_heads": "2", "seed": "9", "src": "a cat sees a dog", "causal": "off"}
    first = visit(link, PLAIN)
    assert first.query_params == link
    assert settings_of(visit(link, PLAIN)) == settings_of(first)


# ---------------------------------------------------------------- stored models


def test_a_model_that_is_gone_keeps_its_address_and_says_so():
    at = visit({"model": "gone"}, "heads")
    assert len(complaints(at)) == 1
    assert at.title and at.sidebar.selectbox(key="model").value == "gone"
    assert at.query_params["model"] == "gone"
    go(at, PLAIN)
    assert at.query_params["model"] == "gone"
    go(at, "heads")
    at.button(key="nearest-model").click().run()
    assert fine(at)
    assert settings_of(at).model == FIRST
    assert "gone" not in at.selectbox(key="model").options


def test_the_settings_show_the_sizes_of_a_stored_model_and_the_address_does_not():
    model = uploaded(d_model=24, n_layers=2, norm="post", causal=False)
    at = visit({"model": model, "d_model": "72"}, "compare")
    cfg = server.model_store().get(model).cfg
    turn(at)
    assert {name: getattr(settings_of(at), name) for name in SIZES} == {name: size_of(cfg, name) for name in SIZES}
    assert [at.slider(key=name).value for name in ("d_model", "n_heads", "n_layers")] == [24, 3, 2]
    turn(at)
    assert set(at.query_params) == {"model", "numbers"}
    at.slider(key="n_heads").set_value(2).run()  # from now on this is another model
    assert settings_of(at).model is None
    assert (settings_of(at).d_model, settings_of(at).n_heads, settings_of(at).causal) == (24, 2, False)
    at.selectbox(key="model").select(model).run()
    assert (settings_of(at).model, settings_of(at).n_heads) == (model, 3)


def test_the_source_is_one_that_the_model_can_read():
    at = visit({}, PLAIN)
    assert settings_of(at).src == CORPORA[FIRST]().example == DEFAULTS["src"]
    at.selectbox(key="model").select("pronoun-zh").run()
    assert settings_of(at).src == CORPORA["pronoun-zh"]().example
    at.selectbox(key="model").select(FIRST).run()
    assert settings_of(at).src == CORPORA[FIRST]().example
    at.text_input(key="src").set_value("a cat sees a dog").run()
    at.selectbox(key="model").select("pronoun-en").run()
    before = settings_of(at).src
    at.selectbox(key="model").select(RANDOM).run()
    assert settings_of(at).src == before


def test_numbers_that_a_model_does_not_know_are_left_out_unless_a_link_says_them():
    model = uploaded(symbols=6)
    assert settings_of(visit({"model": model}, PLAIN)).numbers == "1 5 3 2 4"
    assert settings_of(visit({"model": model, "numbers": "1 2 9"}, PLAIN)).numbers == "1 2 9"
    assert settings_of(visit({"model": model, "src": "a cat"}, PLAIN)).numbers == "1 5 3 2 4", "src is not what it reads"
    assert settings_of(visit({"model": uploaded(symbols=1)}, PLAIN)).numbers == "1"


def test_a_model_that_was_opened_can_be_chosen_until_it_is_gone():
    model = uploaded()
    at = visit({"model": model}, PLAIN)
    at.selectbox(key="model").select(RANDOM).run()
    assert model in model_choice.offered_models(session_of(at))
    server.model_store().forget_uploads()
    at.run()
    assert model_choice.offered_models(session_of(at)) == list(server.model_store().shipped)


# ---------------------------------------------------------------- presets


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_sets_every_size_and_is_named_as_long_as_it_holds(preset):
    at = visit({"model": RANDOM, "activation": "gelu"}, PLAIN)
    assert at.selectbox(key="preset").value == OWN
    at.selectbox(key="preset").select(preset).run()
    assert fine(at)
    assert {name: getattr(settings_of(at), name) for name in SIZES} == {name: size_of(PRESETS[preset], name) for name in SIZES}
    assert model_choice.preset_of(settings_of(at)) == preset
    turn(at, n_layers=3)
    assert model_choice.preset_of(settings_of(at)) == OWN


# ---------------------------------------------------------------- history


def test_a_step_back_brings_the_model_that_the_address_means():
    at = visit({}, "heads")
    at.selectbox(key="model").select("copy").run()
    assert at.query_params["model"] == "copy"
    back_to(at, {})
    assert settings_of(at).model == FIRST and at.query_params == {}
    back_to(at, {"model": "copy"})
    assert settings_of(at).model == "copy"
    back_to(at, {"seed": "3"})
    assert (settings_of(at).model, settings_of(at).seed) == (None, 3)


def test_a_step_back_gives_every_setting_that_it_does_not_name_its_default():
    at = visit({"n_layers": "3", "seed": "5", "src": "a cat"}, PLAIN)
    back_to(at, {"n_layers": "2"})
    assert settings_of(at) == ModelSettings(n_layers=2)
    assert at.query_params == {"n_layers": "2"}


def test_steps_back_and_forward_through_pages_bring_what_was_on_screen():
    at = visit({"part": "side_by_side"}, "heads")
    go(at, PLAIN)
    go(at, "heads")
    at.button_group(key="head").set_value(3).run()
    assert at.query_params == {"part": "side_by_side", "head": "3"}
    back_to(at, {"part": "side_by_side"}, PLAIN)
    back_to(at, {"part": "side_by_side"}, "heads")
    assert at.button_group(key="head").value == 0
    assert at.query_params == {"part": "side_by_side"}, "an address that was gone back to is not written over"
    back_to(at, {"part": "side_by_side", "head": "3"})
    assert at.button_group(key="head").value == 3
    back_to(at, {})
    assert session_of(at).rerun.drawn["part"][0] == "words_and_lines"
    assert at.query_params == {}


# ---------------------------------------------------------------- settings off the screen


def test_what_was_typed_or_set_is_kept_while_its_widget_is_off_the_screen():
    at = visit({"seed": "3"}, PLAIN)
    at.number_input(key="seed").set_value(7).run()
    at.text_input(key="tgt").set_value("un chat").run()
    at.selectbox(key="model").select("copy").run()
    at.text_input(key="numbers").set_value("1 4 2").run()
    assert not [box for box in (*at.number_input, *at.text_input) if box.key in ("seed", "tgt", "src")]
    at.selectbox(key="model").select(FIRST).run()
    go(at, "heads")
    at.selectbox(key="model").select("copy").run()
    assert at.text_input(key="numbers").value == settings_of(at).numbers == "1 4 2"
    at.selectbox(key="model").select(RANDOM).run()
    assert (settings_of(at).seed, settings_of(at).tgt) == (7, "un chat")
    assert at.text_input(key="tgt").value == "un chat" and at.query_params["seed"] == "7"
