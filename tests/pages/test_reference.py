"""The reference lists every part of the app by a question, finds it by a term, and opens it."""

import pytest

from explorer.exhibits.reference.questions import QUESTIONS
from explorer.i18n import _
from tests.pages.helpers import PARTS, fine, go, session_of, turn, visit

NONE = ("home", "reference", "host")  # they answer no question


def listed(at) -> list[str]:
    return [link.proto.label for link in at.get("page_link")]


def test_every_part_has_a_question_and_every_question_a_part():
    asked = [(each.page, each.part or None) for each in QUESTIONS]
    there = {(page, None if part == parts[0] and len(parts) == 1 else part) for page, parts in PARTS.items() for part in parts}
    assert set(asked) == {(page, part) for page, part in there if page not in NONE}
    assert len({each.words for each in QUESTIONS}) == len(QUESTIONS)
    assert all(each.words.endswith("?") for each in QUESTIONS)


@pytest.mark.parametrize("each", [each for each in QUESTIONS if each.choices], ids=lambda each: each.words)
def test_a_question_that_chooses_something_finds_it_there(each):
    at = visit(dict(each.choices), each.page)
    assert not at.exception and not at.warning, "the page knows what is chosen"
    assert all(at.query_params[name] in (value, [value]) for name, value in each.choices)


def test_all_questions_are_listed_and_open_their_part_with_the_sentence():
    at = visit({"src": "i love you"}, "reference")
    assert fine(at) and len(listed(at)) == len(QUESTIONS)
    door = next(link for link in at.get("page_link") if link.proto.label == _("Why are scores divided by √d_k?"))
    assert "part=why_scale" in door.proto.query_string and "src=i+love+you" in door.proto.query_string
    assert fine(go(at, "attention")) and session_of(at).settings.src == "i love you"


@pytest.mark.parametrize(
    ("typed", "pages"),
    [
        ("softmax", {"masks", "attention"}),
        ("BEAM", {"decoding"}),
        ("learning rate", {"training"}),
        ("padding mask", {"masks"}),
        ("d_model", {"positions", "shapes"}),
        ("heat map", {"heads"}),
        ("batchnorm", {"norms"}),
        ("cache", {"decoding"}),
        ("copy task", {"training"}),
    ],
)
def test_a_term_finds_what_explains_it(typed, pages):
    at = turn(visit({}, "reference"), ask_for=typed)
    assert fine(at) and {link.proto.page for link in at.get("page_link")} >= pages and len(listed(at)) < 8


@pytest.mark.parametrize("typed", ["zebra", "<b>x</b>", "*", "a" * 3000])
def test_what_no_question_has_is_said(typed):
    at = turn(visit({}, "reference"), ask_for=typed)
    assert not at.exception and not listed(at) and len(at.info) == 1


def test_where_nothing_has_all_words_what_has_most_of_them_is_listed():
    at = turn(visit({}, "reference"), ask_for="softmax zebra")
    assert fine(at) and _("Why are scores divided by √d_k?") in listed(at) and not at.info
    assert any("all of these words" in each.value for each in at.caption)


@pytest.mark.parametrize(("typed", "term"), [("  HEADS ", "head"), ("cheat", "causal mask"), ("K/V cache", "KV cache")])
def test_both_parts_find_a_term_by_whatever_it_is_called(typed, term):
    for part, field in (("every_question", "ask_for"), ("explained_terms", "term")):
        at = turn(visit({"part": part}, "reference"), **{field: typed})
        assert fine(at) and any(each.value.startswith(f"**{term}**") for each in at.markdown)
    at = turn(visit({"part": "explained_terms"}, "reference"), term="zebra")
    assert "zebra" in at.info[0].value and "such as masks" in at.info[0].value
