"""Pins what holds for every page: it opens, routed and alone, shows its figures with words, and keeps the shared knobs."""

import json

import pytest
from explorer.contents import CONTENTS
from explorer.contents import PAGES as FOLDER
from explorer.controls import Knobs

from explorer.components import plot
from tests.pages.helpers import FIGURES, PAGES, ROOT, app, figures, fine, go, open_page, script, shown

every_page = pytest.mark.parametrize("page", PAGES)


def heading(page: str) -> str:
    return "Transformer Explorer" if page == "home" else CONTENTS[page].title


def test_the_contents_name_every_page_file_and_no_other():
    assert {path.stem for path in FOLDER.glob("*.py")} == set(CONTENTS)
    assert set(FIGURES) == set(CONTENTS)


@every_page
def test_it_opens_with_words_for_every_figure_and_every_knob_in_the_address_bar(page):
    at = open_page(page)
    assert fine(at)
    assert [title.value for title in at.title] == [heading(page)]
    drawn = figures(at)
    assert len(drawn) >= FIGURES[page]
    assert all(len(each.alt) > 10 for each in drawn)
    assert len({each.id for each in drawn}) == len(drawn)
    assert sum("How to read this" in caption.value for caption in at.caption) >= FIGURES[page]
    knobs = [*at.slider, *at.text_input, *at.number_input, *at.button_group, *at.selectbox, *at.select_slider]
    knobs = [knob for knob in knobs if knob.key not in ("preset", "model")]  # no more than what they set, and kept by hand
    names = {knob.key for knob in knobs}
    assert names >= {"d_model", "n_heads", "n_layers", "d_ff", "norm", "src", "tgt", "seed", "dropout"}
    assert {knob.proto.query_param_key for knob in knobs} == names


@pytest.mark.parametrize("page", ["home", "positions", "attention", "heads", "decoding"])
def test_random_weights_are_called_random(page):
    assert "Random weights (seed 41)" in shown(open_page(page, seed=41))


@every_page
def test_its_file_runs_alone_on_defaults(page):
    at = script(ROOT / "pages" / f"{page}.py").run()
    assert fine(at)
    assert [title.value for title in at.title] == [heading(page)]
    assert len(figures(at)) == len(figures(open_page(page)))


def test_app_py_as_a_plain_script_is_the_same_app():
    at = script(ROOT / "app.py").run()
    assert fine(at)
    assert at.title[0].value == heading("home")
    at.switch_page("pages/heads.py").run()
    assert fine(at)
    assert at.title[0].value == heading("heads")
    assert len(figures(at)) == FIGURES["heads"]


def test_a_walk_through_all_pages_and_back():
    at = app()
    for page in (*PAGES, *reversed(PAGES)):
        assert fine(go(at, page))
        assert at.title[0].value == heading(page)


SIZES = {"d_model": 48, "n_heads": 6, "n_layers": 3, "d_ff": 80, "norm": "post", "tie_embeddings": "output"}
OTHERS = {"seed": 17, "dropout": 0.25, "src": "a cat sees a dog", "tgt": "un chat"}


@pytest.mark.parametrize("by", ["hand", "link"])
def test_the_shared_knobs_survive_a_change_of_page(by):
    chosen = SIZES | OTHERS
    at = app(**chosen) if by == "hand" else app({name: str(value) for name, value in chosen.items()})
    for page in ("heads", "training", "shapes", "home"):
        assert fine(go(at, page))
        assert {name: at.session_state[name] for name in chosen} == chosen


def test_a_link_restores_the_very_figures():
    chosen = {"n_heads": 2, "seed": 9, "src": "a cat sees a dog", "kind": "cross", "scale": "head"}
    first = open_page("heads", part="Heads", **chosen)
    second = open_page("heads", {name: str(value) for name, value in chosen.items()} | {"part": "Heads"})
    assert [each.data for each in figures(first)] == [each.data for each in figures(second)]
    assert [each.alt for each in figures(first)] != [each.alt for each in figures(open_page("heads", part="Heads"))]


def test_a_page_s_own_controls_are_as_they_were_on_coming_back():
    at = open_page("heads", part="Heads", n_layers=3)
    for name, value in {"kind": "cross", "layer": 2, "head": 3}.items():
        at.button_group(key=name).set_value(value).run()
    go(at, "home")
    go(at, "shapes")  # which has a choice of layers of its own by the same name
    assert at.button_group(key="layer").value == 2
    assert fine(go(at, "heads"))
    at.button_group(key="part").set_value("Heads").run()
    assert [at.button_group(key=name).value for name in ("kind", "layer", "head")] == ["cross", 2, 3]


def test_sliders_and_numbers_of_a_page_are_as_they_were_on_coming_back():
    at = open_page("training")
    at.slider(key="symbols").set_value(7).run()
    at.number_input(key="rate").set_value(0.02).run()
    go(at, "home")
    assert fine(go(at, "training"))
    assert (at.slider(key="symbols").value, at.number_input(key="rate").value) == (7, 0.02)


def test_words_typed_are_kept_while_lengths_are_shown():
    at = open_page("masks")
    at.text_input(key="src").set_value("a cat sees a dog").run()
    at.button_group(key="input").set_value("lengths").run()
    assert not [box for box in at.text_input if box.key == "src"]
    at.slider(key="src_len").set_value(5).run()
    go(at, "home")
    at.button_group(key="input").set_value("words").run()
    assert fine(at)
    assert at.text_input(key="src").value == "a cat sees a dog"
    at.button_group(key="input").set_value("lengths").run()
    assert at.slider(key="src_len").value == 5


@pytest.mark.parametrize(
    "link",
    [
        {"d_model": "banana"}, {"d_model": "100000"}, {"d_model": "-8"}, {"n_layers": "1.5"}, {"norm": "middle"},
        {"seed": "-5"}, {"seed": "1e99"}, {"input": "neither"}, {"dropout": "nan"}, {"tie_embeddings": ""},
        {"layer": "9"}, {"head": "99"}, {"kind": "all"}, {"query": "99"}, {"pad_src": "99"}, {"k": "x"}, {"base": "7"},
        {"kind": ""}, {"layer": ""}, {"dimension": "500"}, {"batch": "0"}, {"length": "1000"}, {"rate": "abc"},
        {"device": "tpu"}, {"unheard": "of"},
    ],
    ids=str,
)  # fmt: skip
def test_a_link_with_nonsense_shows_the_defaults(link):
    at = app(link)
    page = {"layer": "heads", "head": "heads", "kind": "attention", "query": "attention", "pad_src": "masks", "k": "masks",
            "base": "positions", "dimension": "positions", "batch": "shapes", "length": "training", "rate": "training",
            "device": "training"}.get(next(iter(link)), "home")  # fmt: skip
    assert fine(go(at, page))
    plain = open_page(page)
    assert [each.data for each in figures(at)] == [each.data for each in figures(plain)]
    for name in ("d_model", "n_heads", "seed", "norm"):
        assert at.session_state[name] == getattr(Knobs(), name)


def test_with_the_server_s_route_figures_go_through_the_component(monkeypatch):
    monkeypatch.setattr(plot.component, "served", True)
    at = open_page("heads", part="Heads")
    assert not at.exception
    assert not at.get("plotly_chart")
    sent = [json.loads(element.proto.json) for element in at.get("bidi_component")]
    sent = [data for data in sent if "figure" in data]
    assert len(sent) == 3
    for data in sent:
        drawn = json.loads(data["figure"])
        assert data["alt"] == drawn["layout"]["meta"]["alt"]
        assert data["plotly"] == plot.route().path
    assert [data["clickable"] for data in sent] == [True, False, False]
