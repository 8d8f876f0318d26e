"""The shared settings: which are on screen, and what they offer."""

import pytest

from explorer import server
from explorer.inference.settings import DEFAULTS, VARIANT, choices
from explorer.session.model_choice import RANDOM
from tests.pages.helpers import fine, session_of, turn, visit
from transformer_core import SHIPPED, Transformer, TransformerConfig, checkpoint

PAGE = "compare"  # without controls of its own
COMMON = {"model", "sequence_length", "d_model", "n_heads", "n_layers", "norm"}
FOLDED = {"preset", "input", "seed", "d_ff", "dropout", *VARIANT}


def on_screen(at) -> set[str]:
    drawn = (*at.slider, *at.select_slider, *at.selectbox, *at.button_group, *at.text_input, *at.number_input)
    return {control.key for control in drawn} - {"language"}


def test_the_common_settings_come_first_and_the_rest_when_it_says_something():
    at = visit({"model": RANDOM}, PAGE)
    assert on_screen(at) == COMMON | {"src", "tgt"}
    for name in (*VARIANT, "seed", "d_ff", "dropout"):
        other = next((value for value in choices(name) if value != DEFAULTS[name]), None)
        link = {"seed": "3", "d_ff": "80", "dropout": "0.25"}.get(name) or {True: "on", False: "off"}.get(other, str(other))
        assert on_screen(visit({name: link}, PAGE)) == COMMON | {"src", "tgt"} | FOLDED, name


@pytest.mark.parametrize(("model", "source"), [("translate-fr", {"src"}), ("copy", {"numbers"})])
def test_a_stored_model_has_the_settings_that_it_reads(model, source):
    at = visit({"model": model}, PAGE)
    assert on_screen(at) == COMMON | source


def test_lengths_stand_in_for_sentences():
    at = visit({"input": "lengths", "src_len": "5"}, PAGE)
    assert on_screen(at) == (COMMON | FOLDED | {"src_len", "tgt_len"}) - {"sequence_length"}
    assert at.slider(key="src_len").value == 5


def test_every_model_that_comes_with_the_app_can_be_chosen():
    at = visit({}, PAGE)
    names = at.selectbox(key="model").options
    assert len(names) == len(set(names)) == 1 + len(SHIPPED)
    for path in SHIPPED:
        at.selectbox(key="model").set_value(path.stem).run()
        assert fine(at) and session_of(at).settings.model == path.stem


def test_sizes_beyond_the_ends_of_a_slider_are_shown():
    wide = Transformer(TransformerConfig(src_vocab=7, tgt_vocab=7, d_model=520, n_heads=20, d_ff=14, n_layers=1))
    at = visit({"model": server.model_store().add(checkpoint.to_bytes(wide)).id}, PAGE)
    assert fine(at)
    assert (at.slider(key="d_model").value, at.slider(key="d_model").max) == (520, 520)
    assert (at.slider(key="n_heads").value, at.slider(key="n_heads").max) == (20, 20)


def test_only_the_settings_that_cannot_go_together_are_marked():
    at = visit({"n_heads": "6"}, "heads")
    marked = [caption.value for caption in at.sidebar.caption if ":red[" in caption.value]
    assert len(marked) == 1 and "64" in marked[0]
    turn(at, n_heads=4)
    assert not [caption for caption in at.sidebar.caption if ":red[" in caption.value]
