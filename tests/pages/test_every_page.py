"""Every page opens, with words for every figure, by itself or by the router, for a first visitor or by a link."""

import gc
import json
import re
import weakref

import pytest

from everyday.tokenizer import tokenize
from explorer.components import plot
from explorer.i18n import _
from explorer.model_on_screen.settings import ModelSettings, of_task
from explorer.ui.navigation import CONTENTS
from tests.pages.helpers import (
    BASE,
    FIGURES,
    PAGES,
    PARTS,
    ROOT,
    VIEWS,
    app,
    component,
    figures,
    fine,
    go,
    model_line,
    open_page,
    place,
    plots,
    script,
    sent_to,
    session_of,
    shown,
    tour,
    turn,
    visit,
)

pytestmark = pytest.mark.usefixtures("no_story_is_trained")

SHARED = {"task", "sequence_length", "d_model", "n_heads", "n_layers", "norm"}  # settings that stand unfolded on every page


def controls(at) -> list:
    return [*at.slider, *at.select_slider, *at.text_input, *at.number_input, *at.button_group, *at.selectbox]


def check(at, page: str, part: str | None) -> None:
    """What holds for every part of every page."""
    where = f"{page}, {part}"
    assert fine(at), where
    assert len(at.title) == 1 and at.title[0].value, where
    assert part is None or session_of(at).rerun.drawn["part"][0] == part, where
    drawn = figures(at)
    assert all(len(each.alt) > 10 for each in drawn), where
    assert len({each.id for each in drawn}) == len(drawn), where
    assert sum("How to read this" in caption.value for caption in at.caption) >= len(drawn), where
    if part == PARTS[page][0]:
        assert len(drawn) >= FIGURES[page], where
    keys = [control.key for control in controls(at)]
    shared = SHARED if CONTENTS[page].settings and page != "break_it" else set()  # which has sizes of its own
    assert len(set(keys)) == len(keys) and set(keys) >= shared, where
    assert all(control.label for control in controls(at)), where
    assert not re.search(r"(?<!\\)<(?!=)\w+", re.sub(r"`[^`]*`", "", shown(at))), where  # a tag that Markdown would pass on
    maps = [each for each in at.get("bidi_component") if each.proto.id.endswith("-where")]
    assert len(maps) == (page in VIEWS and page != "home"), where
    if maps and page != "shapes":
        assert any(box["highlighted"] for box in component(at, "where")["boxes"]), where
    if part != PARTS[page][0]:  # on arrival the address may still have words of the page before
        assert set(at.query_params) <= {*session_of(at).rerun.drawn, *BASE, "src"}, where


def test_a_tour_of_every_part():
    at = app()
    titles = {}
    for page, part in tour(at):
        check(at, page, part)
        assert titles.setdefault(page, at.title[0].value) == at.title[0].value
    assert len(set(titles.values())) == len(PAGES)
    for page in reversed(PAGES[::3]):
        assert fine(go(at, page)) and at.title[0].value == titles[page]
    gone = weakref.ref(session_of(at))
    del at
    gc.collect()
    assert gone() is None, "a window that is closed is still held by something"


def test_a_first_visitor_sees_a_trained_translator_and_a_bare_address():
    at = visit({}, "home")
    for page in PAGES:
        go(at, page)
        assert session_of(at).settings == (ModelSettings() if page != "training" else of_task("letters"))
        assert at.query_params == {}
        if page in VIEWS:
            line = model_line(at)
            assert (line["task"], line["state"], line["step"]) == ("everyday-fr", "learned", line["steps"]), page
            assert float(line["right"]) > 0.9 and line["words"].startswith("English → French · 88 wide, 4 heads, 2 layers ·")


def test_before_its_first_step_a_model_is_said_to_have_learned_nothing():
    at = app({"seed": "41"})
    for page in VIEWS:
        go(at, page)
        line = model_line(at)
        assert (line["state"], line["step"], line["seed"], line["right"]) == ("initial", "0", "41", ""), page
        assert "nothing has been learned yet" in line["words"], page
        assert [caption for caption in at.caption if "a right answer" in caption.value], page


@pytest.mark.parametrize("page", ["home", "heads", "training"])
def test_its_file_runs_alone_on_defaults(page):
    at = script(ROOT / "pages" / f"{page}.py").run()
    assert fine(at)
    routed = visit({}, page, folded=True)
    assert [title.value for title in at.title] == [title.value for title in routed.title]
    assert len(figures(at)) == len(figures(routed))


def test_app_py_as_a_plain_script_is_the_same_app():
    at = script(ROOT / "app.py").run()
    assert fine(at)
    title = at.title[0].value
    at.switch_page("pages/heads.py").run()
    assert fine(at)
    assert at.title[0].value == _(CONTENTS["heads"].title) != title


def test_a_link_restores_the_very_figures():
    chosen = {"n_heads": "2", "seed": "9", "src": "a cat sees", "part": "side_by_side", "kind": "encoder", "scale": "head"}
    first, second = visit(chosen | BASE, "heads", folded=True), app(folded=True)
    go(second, "heads")
    turn(second, n_heads=2, seed=9, src="a cat sees", part="side_by_side", kind="encoder", scale="head")
    assert [each.data for each in figures(first)] == [each.data for each in figures(second)]
    assert first.run().query_params == second.query_params
    assert second.query_params == {name: value for name, value in (chosen | BASE).items() if name != "task"}
    assert [each.alt for each in figures(first)] != [each.alt for each in figures(open_page("heads", {"part": "side_by_side"}))]


def test_what_must_be_known_moves_nothing_below_it():
    """Where a control's place changes, it is on the page twice until the page is drawn."""
    places = []
    for link in ({}, {"src": "the zebra sees the cat"}, {"cut": "encoder.0.feed_forward"}):
        at = open_page("attention", link | {"task": "pronoun-en"})
        assert fine(at)
        places.append([place(at, key) for key in ("kind", "weights")])
    assert places[0] == places[1] == places[2]


def test_words_typed_are_kept_while_lengths_are_shown():
    at = open_page("masks", {"src": "a cat sees a dog"}, more_settings=True)
    at.button_group(key="input").set_value("lengths").run()
    assert not [box for box in at.text_input if box.key == "src"]
    at.slider(key="src_len").set_value(5).run()
    turn(go(at, "masks"), more_settings=True)
    at.button_group(key="input").set_value("words").run()
    assert fine(at)
    assert at.text_input(key="src").value == "a cat sees a dog"
    at.button_group(key="input").set_value("lengths").run()
    assert at.slider(key="src_len").value == 5


def test_another_length_brings_another_sentence():
    at = open_page("heads", {"seed": "1"})
    for length in (3, 9, 1):
        at.select_slider(key="sequence_length").set_value(length).run()
        assert fine(at)
        assert len(session_of(at).shown().src) == length == len(tokenize(at.text_input(key="src").value))
    at.text_input(key="src").set_value("a cat sees").run()
    # Where another setting changes its value, another slider takes its place (see `ui.widgets.linked_select`).
    assert [each.value for each in at.select_slider if each.key.startswith("sequence_length")] == [3]


def test_figures_go_through_the_component():
    at = open_page("heads", {"part": "side_by_side"})
    assert fine(at)
    assert not at.get("plotly_chart")
    sent = [sent_to(element) for element in at.get("bidi_component")]
    sent = [data for data in sent if "figure" in data]
    assert {data["name"]: data["clickable"] for data in sent} == {"entropy": False}
    for data in sent:
        drawn = json.loads(data["figure"])
        assert data["alt"] == drawn["layout"]["meta"]["alt"]
        assert f"/{data['plotly']}" == plot.component.route().path


def test_without_the_server_s_route_a_figure_is_streamlit_s_own(monkeypatch):
    monkeypatch.setattr(plot.component, "served", False)
    at = open_page("heads", {"part": "side_by_side"})
    assert fine(at) and not plots(at)
    (element,) = at.get("plotly_chart")
    assert len(element.proto.alt) > 10 and json.loads(element.proto.spec)["data"]
