"""Look closer: what it shows of a sentence, that the address keeps the place, and that each cut is the model's own."""

import numpy as np
import pytest

from explorer.components.closer.component import heard
from explorer.model_on_screen.settings import of_task
from explorer.model_on_screen.shown_model import show_model
from explorer.pictures.registry import numbers
from tests.pages.helpers import component, fine, visit

BLACK_CAT = "the black cat sleeps on the bed"


def closer(**link):
    at = visit(link, "look_closer")
    assert fine(at)
    return component(at, "closer")


def drawn(sentence: str, task: str = "everyday-fr"):
    return numbers(show_model(of_task(task)), "look-closer", {"sentence": sentence})


def test_it_opens_on_the_second_word_with_what_its_look_brings():
    sent = closer()
    assert sent["drawn"]["sentence"] == BLACK_CAT
    assert sent["place"] == {"query": 1, "key": -1, "cut": False, "heads": False}
    assert (
        sent["drawn"]["answer"] == ["le", "chat", "noir", "dort", "sur", "le", "lit", "<end>"]
        and sent["drawn"]["end"] == "<end>"
    )
    row = sent["drawn"]["rows"][1]
    assert row["next"][0][0] == "chat" and row["next"][0][1] > 0.9999
    assert np.mean(row["heads"], axis=0).argmax() == 2
    assert row["without"][2]["next"][0] == pytest.approx(["lit", 0.9306], abs=1e-3)
    assert all(head[2] == 0 and sum(head) == pytest.approx(1, abs=1e-3) for head in row["without"][2]["heads"])
    asked = drawn(BLACK_CAT)
    assert [each["next"] for each in sent["drawn"]["rows"]] == [each["next"] for each in asked["rows"]], "by its name alike"
    assert set(sent["terms"]) == {"query", "key", "head", "layer"}


def test_no_cut_of_the_end_writes_on():
    for sentence in (BLACK_CAT, "where is my big dog"):
        end = drawn(sentence)["rows"][-1]
        assert [each["next"][0][0] for each in end["without"]] == ["<end>"] * len(end["without"])


def test_a_link_opens_where_it_says_and_nonsense_in_it_is_left_out():
    place = closer(src="where is my big dog", query="3", key="2", without="on", heads="on")["place"]
    assert place == {"query": 3, "key": 2, "cut": True, "heads": True}
    place = closer(src="where is my big dog", query="99", key="99", without="perhaps", heads="7")["place"]
    assert place == {"query": 6, "key": 4, "cut": False, "heads": False}


def test_it_speaks_to_who_reads_chinese_and_names_what_it_does_not_know():
    sent = closer(lang="zh_CN")
    assert sent["answerLanguage"] == "zh" and sent["drawn"]["answer"][:3] == ["我", "的", "哥哥"]
    sent = closer(src="the elephant sleeps")
    assert sent["drawn"]["sentence"] == BLACK_CAT and "“elephant”" in sent["refused"]["refused"]
    assert "the horse sleeps" in sent["refused"]["offered"]


@pytest.mark.parametrize(
    ("sentence", "words"),
    [("", "empty"), ("zzzz", "Type a letter"), ("<b>the cat</b>", "has never seen"), ("the cat " * 200, "shorten")],
)
def test_nonsense_is_one_clear_sentence(sentence, words):
    assert words in drawn(sentence)["refused"]


def test_what_a_browser_says_of_a_place_is_checked():
    place = {"query": 1, "key": -1, "cut": True, "heads": False}
    assert heard(place) == place
    for wrong in (None, [], place | {"query": -1}, place | {"key": -2}, place | {"cut": 1}, place | {"query": "1"}):
        assert heard(wrong) is None
