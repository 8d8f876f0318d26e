"""Pins the route that the search of the bar asks: what was found, by kind, in the language of the page."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from explorer.shell import search


def asked(language: str, **query: str) -> Response:
    """The answer of the route, as a browser gets it."""
    scope = {"type": "http", "method": "GET", "path": f"/{search.path(language)}", "headers": []}
    scope["query_string"] = urlencode(query).encode()
    found, more = search.route().matches(scope)
    assert found is Match.FULL
    return search._answer(Request(scope | more))


def answer(language: str, typed: str) -> dict[str, Any]:
    return json.loads(asked(language, q=typed).body)


def test_pages_questions_and_terms_stand_apart_each_with_its_place():
    places, questions, terms = answer("en", "dropout")["groups"]
    assert [each["title"] for each in (places, questions, terms)] == ["Pages and parts", "Questions", "Terms"]
    (part,) = places["results"]
    assert (part["page"], part["part"], part["name"], part["of"]) == ("layers", "dropout", "Dropout", "Layers")
    assert questions["results"][0]["of"] == "Layers · Dropout"
    assert terms["results"][0]["name"] == "dropout" and len(terms["results"][0]["said"]) > 80


def test_a_result_names_what_is_unfolded_or_chosen_there():
    (cache,) = answer("en", "cache")["groups"][0]["results"]
    assert (cache["page"], cache["part"], cache["folded"], cache["choices"]) == ("decoding", "generation", True, {})
    cheat = answer("en", "cheat")["groups"][0]["results"][0]
    assert (cheat["page"], cheat["part"], cheat["choices"]) == ("break_it", "", {"experiment": "causal"})


def test_it_speaks_chinese():
    questions, terms = answer("zh_CN", "偷看")["groups"]
    assert "因果掩码" in [each["name"] for each in terms["results"]]
    assert all(not each["name"].isascii() for each in questions["results"]) and not terms["title"].isascii()


def test_nothing_found_says_what_can_be_searched_and_part_of_the_words_is_told():
    nothing = answer("en", "zebra <b>")
    assert not nothing["groups"] and "“zebra <b>”" in nothing["note"] and "pages, questions and terms" in nothing["note"]
    some = answer("en", "softmax zebra")
    assert some["groups"] and "all of these words" in some["note"]
    assert json.loads(asked("en").body) == {"groups": [], "note": ""}


@pytest.mark.parametrize(("language", "status"), [("xx", 200), ("tlh", 404)])
def test_only_languages_of_the_app_are_answered(language, status):
    assert asked(language, q="mask").status_code == status
