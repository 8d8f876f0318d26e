"""Pins what a lesson in a link makes of the pages: what is locked stays, steps are whole views, wrong words are told."""

from functools import partial

import pytest

from explorer.rooms.lesson import packed
from explorer.rooms.script import Step
from explorer.session import lesson
from tests.explorer.session.helpers import back_to
from tests.pages.helpers import BASE, go, sent_to, session_of, turn
from tests.pages.helpers import visit as visit_page

visit = partial(visit_page, folded=True)  # what is unfolded stands in the address

HEADS = BASE | {"n_heads": "2", "kind": "encoder", "more": "on", "part": "side_by_side"}
STEPS = [
    Step("watch", "Heads", 3.0, page="heads", view=HEADS, lock=("n_heads", "kind", "part"), show="Look at *this*."),
    Step("watch", "Masks", 3.0, page="masks", view=BASE | {"part": "triangle"}, question="Why?"),
    Step("watch", "Heads", 3.0, page="heads", view=BASE, parts=("words_and_lines", "split_and_join", "caption", "controls")),
]
WORD = packed(STEPS)


def step(number, **other):
    """The address of a step."""
    return {**STEPS[number - 1].view, **other, "lesson": WORD, "at": str(number)}


def said(at):
    """The note and the question above the page."""
    return next((body for body in (each.proto.body for each in at.get("html")) if body.startswith(("<p>", "<strong>"))), "")


def notes(at):
    return [each.value for each in at.info if "link" in each.value]


def buttons(at):
    return {each.key: each for each in at.button}


def keys(at, kind):
    return {each.key: each for each in at.get(kind)}


def test_steps_are_whole_views_and_the_way_on_and_back_keeps_nothing_of_another():
    at = visit(step(1), "heads")
    assert said(at) == "<p>Look at *this*.</p>"
    assert "Step 1 of 3" in [each.value for each in at.caption] and buttons(at)["lesson-arrow_back"].disabled
    buttons(at)["lesson-arrow_forward"].click().run()
    assert (at.title[0].value, session_of(at).settings.n_heads, at.session_state["part"]) == ("Masks", 4, "triangle")
    assert at.query_params["at"] == "2" and "n_heads" not in at.query_params and said(at) == "<strong>Why?</strong>"
    buttons(at)["lesson-arrow_forward"].click().run()
    assert at.title[0].value == "Heads" and at.query_params["at"] == "3" and "lesson-arrow_forward" not in buttons(at)
    assert "kind" not in at.query_params and session_of(at).settings.n_heads == 4
    buttons(at)["lesson-arrow_back"].click().run()
    buttons(at)["lesson-arrow_back"].click().run()
    assert (session_of(at).settings.n_heads, at.session_state["kind"]) == (2, "encoder")


def test_a_page_that_is_loaded_anew_keeps_its_step():
    at = visit(step(1), "heads")
    buttons(at)["lesson-arrow_forward"].click().run()
    again = visit(dict(at.query_params), "masks")
    assert again.session_state["part"] == "triangle" and "Step 2 of 3" in [each.value for each in again.caption]


def test_what_is_locked_is_drawn_so_and_no_address_changes_it():
    at = visit(step(1), "heads")
    rows = keys(at, "button_group")
    assert rows["kind"].disabled and rows["part"].disabled and not rows["layer"].disabled
    assert keys(at, "select_slider")["n_heads"].disabled and not keys(at, "select_slider")["d_model"].disabled
    at = visit(step(1, n_heads="8", kind="cross", layer="0", part="head_cost"), "heads")
    assert (session_of(at).settings.n_heads, at.session_state["kind"], at.session_state["part"]) == (
        2,
        "encoder",
        "side_by_side",
    )
    assert at.query_params["n_heads"] == "2" and at.query_params["kind"] == "encoder" and not at.exception
    back_to(at, step(1, n_heads="4", kind="decoder"), "heads")
    assert (session_of(at).settings.n_heads, at.session_state["kind"]) == (2, "encoder")
    turn(at, n_heads=8, kind="cross")  # a browser that sends what its page does not offer
    assert (session_of(at).settings.n_heads, at.session_state["kind"]) == (2, "encoder")


def test_what_is_no_widget_is_locked_too():
    link = {"task": "everyday-fr", "step": "510", "cut": "cross.1.0", "lock": "step,cut,src", "src": "the red cat sees the dog"}
    at = visit(link, "heads")
    (scrubber,) = (each for each in map(sent_to, at.get("bidi_component")) if "answered" in each)
    assert scrubber["locked"] and keys(at, "text_input")["src"].disabled
    assert buttons(at)["uncut-0"].disabled and buttons(at)["another"].disabled
    for name, value in (("step", None), ("cut", ""), ("src", "the dog sleeps")):
        session_of(at).controls.remembered[name] = value
        at.run()
    settings = session_of(at).settings
    assert (settings.step, settings.cut, settings.src) == (510, "cross.1.0", "the red cat sees the dog")


def test_a_setting_stays_locked_on_other_pages_and_a_control_does_not():
    at = visit(step(1), "heads")
    go(at, "attention")
    assert session_of(at).settings.n_heads == 2 and keys(at, "select_slider")["n_heads"].disabled
    assert not keys(at, "button_group")["part"].disabled
    buttons(at)["lesson-own"].click().run()
    assert at.title[0].value == "Heads" and at.session_state["part"] == "side_by_side"


def test_who_leaves_the_lesson_can_change_everything():
    at = visit(step(1), "heads")
    buttons(at)["lesson-leave"].click().run()
    assert not {"lesson", "at"} & {*at.query_params} and "lesson-leave" not in buttons(at)
    assert session_of(at).settings.n_heads == 2 and not keys(at, "select_slider")["n_heads"].disabled
    back_to(at, step(1), "heads")
    assert keys(at, "select_slider")["n_heads"].disabled, "a step back in the history leads into it again"


def test_a_step_shows_the_parts_and_kinds_that_it_names():
    at = visit(step(3), "heads")
    assert keys(at, "button_group")["part"].options == ["Words and lines", "Split and join"]
    assert not keys(at, "select_slider"), "the settings are not named"
    assert "details-words_and_lines" not in keys(at, "expander")
    at = visit(BASE | {"show": "picture", "part": "side_by_side", "kind": "encoder"}, "heads")
    assert not keys(at, "button_group") and at.session_state["part"] == "side_by_side"
    assert (at.query_params["kind"], at.query_params["show"]) == ("encoder", "picture")
    assert not any("How to read this" in each.value for each in at.caption)


def test_words_of_one_page_need_no_lesson():
    words = {"note": "Look at <b>this</b>.", "lock": "layer", "next": "masks?part=triangle&note=Then this."}
    at = visit(BASE | {"layer": "0", "more": "on", **words}, "heads")
    assert said(at) == "<p>Look at &lt;b&gt;this&lt;/b&gt;.</p>"
    assert keys(at, "button_group")["layer"].disabled and words.items() <= dict(at.query_params).items()
    buttons(at)["lesson-arrow_forward"].click().run()
    assert at.title[0].value == "Masks" and at.session_state["part"] == "triangle" and said(at) == "<p>Then this.</p>"
    assert at.query_params["note"] == "Then this." and "lock" not in at.query_params


def test_a_note_belongs_to_its_page_and_a_locked_setting_to_all():
    at = visit(BASE | {"note": "Look.", "lock": "n_heads", "n_heads": "2"}, "heads")
    go(at, "masks")
    assert said(at) == "" and keys(at, "select_slider")["n_heads"].disabled and "lesson-leave" in buttons(at)
    assert said(go(at, "heads")) == "<p>Look.</p>"


def test_a_long_note_is_cut():
    at = visit(BASE | {"note": "ab" * 500}, "heads")
    assert said(at) == f"<p>{'ab' * (lesson.LONGEST_NOTE // 2)}</p>"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"lesson": WORD[:-9]}, "The lesson in this link cannot be read: the end of the link is missing"),
        ({"lesson": "nothing"}, "The lesson in this link cannot be read: a part of the link is missing"),
        ({"lesson": WORD, "at": "7"}, "The link says at=7, which means nothing here. On screen is at=1."),
        ({"lock": "layer,sail"}, "The link says lock=sail, which is no control of this page."),
        ({"show": "pictures"}, "The link says show=pictures, which is no part of this page."),
        ({"next": "https://example.org"}, "The link says next=https://example.org, which leads to no page here."),
        ({"next": "hads"}, "The link says next=hads, which leads to no page here."),
    ],
)
def test_a_wrong_link_says_where_it_is_wrong(words, says):
    at = visit(HEADS | words, "heads")
    assert not at.exception and any(says in each.replace("\\", "") for each in notes(at)), notes(at)


@pytest.mark.parametrize(
    ("link", "page"),
    [
        ("./?a=1", ("home", {"a": "1"})),
        ("heads", ("heads", {})),
        ("/heads?src=a+b%26c", ("heads", {"src": "a b&c"})),
        ("host", None),
        ("//evil.example/heads", None),
        ("javascript:alert(1)", None),
        ("http://[", None),
    ],
)
def test_an_address_of_the_app_is_told_from_others(link, page):
    assert lesson.parsed(link, ("home", "heads")) == page
    assert page is None or lesson.parsed(lesson.link_of(*page), ("home", "heads")) == page


def test_a_draft_is_handed_over_by_a_page_that_is_loaded_anew():
    at = visit(BASE | {"draft": WORD}, "heads")
    assert [*session_of(at).draft.steps.values()] == STEPS and "draft" not in at.query_params
    at = visit(BASE | {"draft": "broken"}, "heads")
    assert not session_of(at).draft.steps and notes(at)
