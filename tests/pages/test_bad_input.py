"""Pins what happens with input that cannot be, or is merely odd: one clear sentence, or a page that works; no traceback."""

import re

import pytest
import torch
from explorer.state import MAX_TOKENS

from explorer import server
from tests.pages.helpers import (
    FIGURES,
    PAGES,
    PARTS,
    VIEWS,
    Cells,
    app,
    complaints,
    config,
    figure,
    figures,
    fine,
    go,
    landing,
    open_page,
    shown,
    told,
    tour,
    turn,
)
from transformer_core import Transformer, TransformerConfig, checkpoint

# Each with the parts that the sentence must have: what was asked for, and what is possible.
REFUSED = {
    "heads that do not divide": ({"n_heads": 3}, ("64", "3 heads", "try 2 or 4")),
    "no source": ({"src": ""}, ("source", "empty")),
    "only blanks": ({"src": "  \t "}, ("source", "empty")),
    "no target": ({"tgt": ""}, ("target", "empty")),
    "ten thousand words": ({"src": "cat " * 10_000}, ("source", "10,000", str(MAX_TOKENS))),
    "one target word too many": ({"tgt": "chat " * (MAX_TOKENS + 1)}, ("target", str(MAX_TOKENS + 1), str(MAX_TOKENS))),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_shown_is_declined_in_one_sentence_on_every_page(case):
    knobs, parts = REFUSED[case]
    at = app(**knobs)
    for page in VIEWS:
        sentence = told(go(at, page))
        assert all(part in sentence for part in parts), sentence
        assert not figures(at)
    assert fine(turn(at, n_heads=4, src="a cat", tgt="un chat"))  # and with the next turn all is well


LINES = {
    "unknown words": "zebra the quagga",
    "emoji": "👩‍👩‍👧 the 😀 cat 🇫🇷",
    "HTML": "<script>alert(1)</script> <b>cat</b> <img src=x onerror=alert(1)>",
    "markdown": "# **bold** _it_ `code` $x^2$ [a](http://b) ![c](http://d) :red[e] :material/home: \\< ~s~ |t|",
    "other scripts": "кошка 高兴 ねこ قطة",
    "one long word": "a" * 10_000,
    "signs": "<>&\"'\\\x00\x7f",
    "combining": "Z̸̡͝a̷l̶g̵o̴",
    "as many as fit": "cat " * MAX_TOKENS,
    "one sign": ".",
}


@pytest.mark.parametrize("case", LINES)
def test_odd_sentences_are_shown(case):
    at = app(src=LINES[case], tgt=LINES[case])
    for page in VIEWS:
        assert fine(go(at, page))
        assert len(figures(at)) == FIGURES[page]
        assert not re.search(r"(?<!\\)<(?!=)\w+", re.sub(r"`[^`]*`", "", shown(at)))  # no tag that Markdown would pass on
        for each in figures(at):
            for axis in ("xaxis", "yaxis"):
                assert not re.search("[<>]", "".join(each.layout[axis].get("ticktext", [])))


def test_unknown_words_are_named():
    at = open_page("heads", part="Heads", kind="encoder", src="zebra the quagga zebra", tgt="un okapi")
    assert "read as \\<unk>: zebra, quagga, okapi" in shown(at)
    assert Cells(at, "head-large").data["rows"] == ["0 <unk>", "1 the", "2 <unk>", "3 <unk>"]


@pytest.mark.parametrize(("src_len", "tgt_len"), [(1, 1), (128, 127)])
def test_the_shortest_and_the_longest_on_every_page(src_len, tgt_len):
    at = app(input="lengths", src_len=src_len, tgt_len=tgt_len)
    for page in PAGES:
        assert fine(go(at, page))
        assert len(figures(at)) == FIGURES[page]


INFINITE = ["inf", "-inf", "1e999", "nan", "Infinity", "+iNf", "1" + 400 * "0"]


@pytest.mark.parametrize("number", INFINITE)
def test_a_seed_that_is_no_finite_number_is_left_out_of_the_address(number):
    at = app({"seed": number})
    assert fine(at)
    assert at.session_state["seed"] == 0
    assert "seed" not in at.query_params
    assert fine(turn(at, seed=7))
    assert at.number_input(key="seed").proto.query_param_key == "seed"  # from now on the address says it again


@pytest.mark.parametrize("page", PAGES)
def test_numbers_that_are_not_finite_are_left_out_on_every_page(page):
    for number in ("inf", "-1e999"):
        link = {"model": "random"} | dict.fromkeys(("seed", "d_model", "dropout", "head", "rate", "scale", "step"), number)
        at = landing(page, link)
        assert fine(at)
        assert at.session_state["seed"] == 0
        assert at.session_state["model"] == "random"
        assert not {"seed", "d_model", "dropout"} & at.query_params.keys()


SIZES = {
    "narrowest": {"d_model": 8, "n_heads": 8, "d_ff": 16, "n_layers": 1},
    "widest": {"d_model": 512, "n_heads": 16, "d_ff": 16, "n_layers": 6},
    "one head": {"n_heads": 1},
}


@pytest.mark.parametrize("case", SIZES)
def test_the_ends_of_the_knobs_on_every_page(case):
    at = app(**SIZES[case])
    for page in VIEWS:
        assert fine(go(at, page))
        assert len(figures(at)) == FIGURES[page]


@pytest.mark.parametrize("preset", ["tiny", "paper_base"])
def test_presets_set_the_sizes(preset):
    at = app(n_layers=2)
    at.selectbox(key="preset").select(preset).run()
    sizes = {name: at.session_state[name] for name in ("d_model", "n_heads", "n_layers", "d_ff", "norm", "tie_embeddings")}
    paper = {"d_model": 512, "n_heads": 8, "n_layers": 6, "d_ff": 2048, "norm": "post", "tie_embeddings": "all"}
    tiny = {"d_model": 64, "n_heads": 4, "n_layers": 1, "d_ff": 128, "norm": "pre", "tie_embeddings": "none"}
    assert sizes == (paper if preset == "paper_base" else tiny)
    assert at.session_state["preset"] == preset
    for page in ("home", "shapes", "heads"):
        assert fine(go(at, page))
    turn(at, n_layers=3)
    assert at.session_state["preset"] not in ("tiny", "paper_base")  # they are own sizes now
    assert fine(at)


def test_choices_that_are_no_longer_there_fall_back():
    at = open_page("heads", part="Heads", n_layers=6, n_heads=16)
    turn(at, kind="cross", layer=5, head=15)
    assert fine(turn(at, n_layers=1, n_heads=2))
    assert (at.session_state["layer"], at.session_state["head"]) == (0, 0)
    for page in ("attention", "masks", "shapes"):
        assert fine(go(at, page))


def test_choices_that_went_while_another_page_was_read_fall_back():
    at = open_page("attention", kind="encoder", n_layers=6, n_heads=16, src="a b c d e f g h i")
    turn(at, layer=5, head=15, query=8, key=8)
    go(at, "home")
    turn(at, n_layers=1, n_heads=2, src="a cat")
    for page in ("attention", "heads", "masks", "shapes"):
        assert fine(go(at, page))
        assert at.session_state["layer"] == 0
    assert at.session_state["head"] == 0


def test_words_that_are_no_longer_there_fall_back():
    at = open_page("attention", src="a b c d e f g h i", kind="encoder")
    turn(at, query=8, key=7)
    assert fine(turn(at, src="a cat"))
    assert at.session_state["query"] in (0, 1) and at.session_state["key"] in (0, 1)
    assert fine(turn(at, query=1, key=1))
    assert fine(turn(at, kind="decoder", tgt="un"))


@pytest.mark.parametrize(
    ("page", "slider", "ends"),
    [
        ("positions", "dimension", [{"d_model": 64}, {"d_model": 48}, {"d_model": 32}, {"d_model": 8}]),
        ("masks", "pad_src", [{"src": "cat " * n} for n in (120, 126, 124, 127, 128, 3)]),
        ("masks", "pad_tgt", [{"tgt": "chat " * n} for n in (119, 125, 123, 126, 127, 3)]),
    ],
)
def test_a_slider_whose_end_moves_below_its_value_moves_along(page, slider, ends):
    """Streamlit gives such a slider its default for one run, and fails in the run after."""
    at = open_page(page, **ends[0])
    at.slider(key=slider).set_value(at.slider(key=slider).max).run()
    for end in ends[1:]:
        assert fine(turn(at, **end))
        assert at.session_state[slider] <= at.slider(key=slider).max
    assert fine(turn(at))


def test_an_unknown_model_in_the_link_is_told_once():
    at = app({"model": "0123456789abcdef"})
    assert "no longer on the server" in told(at)
    assert at.query_params["model"] == "random"
    assert fine(go(at, "heads"))
    assert "Random weights (seed 0)" in shown(at)


def test_an_unknown_run_in_the_link_is_told_once():
    at = open_page("training", {"run": "no-such-run"})
    assert "no longer on the server" in told(at)
    assert "run" not in at.query_params
    assert fine(turn(at))


# Models that a file may hold, but that the sidebar has no knob for.
ODD_MODELS = {
    "wide": {"d_model": 520, "n_heads": 20, "n_layers": 1, "d_ff": 2049},
    "deep": {"n_layers": 7, "dropout": 0.75},
    "odd and narrow": {"d_model": 3, "n_heads": 1, "d_ff": 5},
    "fewer target symbols": {"tgt_vocab": 4},
    "more target symbols": {"tgt_vocab": 29},
    "short positions": {"max_len": 4},
    "another filler": {"pad_id": 2},
    "not causal, no biases": {"causal": False, "attention_bias": False, "final_norm": True, "norm": "post"},
    "no cross-attention": {"cross_attention": False},
}


def opened(**changes):
    """The app with a model from a file, which is to read two numbers."""
    sizes = {"src_vocab": 11, "tgt_vocab": 11, "d_model": 24, "n_heads": 3, "d_ff": 40, "n_layers": 2} | changes
    model = Transformer(TransformerConfig(**sizes), torch.Generator().manual_seed(1))
    return app({"model": server.model_store().add(checkpoint.to_bytes(model)).id, "compare": "yes"}, numbers="1 3")


@pytest.mark.parametrize("case", ODD_MODELS)
def test_a_model_from_a_file_is_shown_in_every_part(case):
    at = opened(**ODD_MODELS[case])
    for page, part in tour(at, VIEWS):
        assert not complaints(at), (page, part)
        if part == PARTS[page][0]:
            assert len(figures(at)) >= FIGURES[page], page
        if page in ("attention", "heads"):
            assert "Trained weights: uploaded." in shown(at)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"src_vocab": 1, "tgt_vocab": 1}, "“1” is not among the symbols of this model"),
        ({"tgt_max_len": 1}, "has 2 tokens; up to 0 can be shown"),
    ],
    ids=["one symbol", "no place for an answer"],
)
def test_a_model_from_a_file_that_cannot_read_is_declined_in_one_sentence(changes, says):
    at = opened(**changes)
    for page in VIEWS:
        assert says in told(go(at, page))


def test_symbols_that_a_trained_model_does_not_know():
    model = Transformer(TransformerConfig(src_vocab=6, tgt_vocab=6, d_model=24, n_heads=3, d_ff=40, n_layers=1))
    stored = server.model_store().add(checkpoint.to_bytes(model))
    at = open_page("heads", {"model": stored.id, "part": "Heads"}, numbers="1 2 3")
    assert fine(at)
    for line, part in (("1 2 9", "“9”"), ("cat", "“cat”"), ("", "empty"), ("1 " * 500, "500")):
        assert part in told(turn(at, numbers=line))
    assert fine(turn(at, numbers="3 4 5"))
    assert Cells(at, "head-large").data["columns"] == ["0 · 1", "1 · 3", "2 · 4", "3 · 5"]  # 1 starts every row


def test_a_knob_turned_on_a_trained_model_makes_a_new_one():
    model = Transformer(TransformerConfig(src_vocab=6, tgt_vocab=6, d_model=24, n_heads=3, d_ff=48, n_layers=2))
    stored = server.model_store().add(checkpoint.to_bytes(model, {"task": "copy"}))
    at = open_page("heads", {"model": stored.id, "part": "Heads"}, numbers="1 2 3")
    assert "Trained weights: copy numbers." in shown(at)
    assert [at.session_state[name] for name in ("d_model", "n_heads", "n_layers", "d_ff")] == [24, 3, 2, 48]
    at.slider(key="n_heads").set_value(6).run()
    assert fine(at)
    assert "Random weights" in shown(at) and "model" not in at.query_params
    assert len(figure(at, "heads").cells) == 6
    assert config(d_model=24, n_heads=6).d_k == 4
    at.selectbox(key="model").select(stored.id).run()  # it can be had back
    assert fine(at)
    assert "Trained weights: copy numbers." in shown(at) and at.query_params["model"] == stored.id
