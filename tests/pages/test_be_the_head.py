"""Be the head: what each level asks for, that the model writes with the given row, and that the address keeps the place."""

import pytest

from explorer.components.be_the_head.component import LEVELS, heard
from explorer.exhibits.be_the_head.game import examples
from explorer.model_on_screen.settings import of_task
from explorer.model_on_screen.shown_model import show_model
from explorer.pictures.registry import numbers
from tests.pages.helpers import component, fine, visit

BLACK_CAT = "the black cat sleeps on the bed"
DOG = "does the dog eat the bread"


def page(**link):
    at = visit(link, "be_the_head")
    assert fine(at)
    return component(at, "be-the-head")


def drawn(sentence: str, task: str = "everyday-fr"):
    return numbers(show_model(of_task(task)), "be-the-head", {"sentence": sentence})


def look(sentence: str, kind: str, query: int, weights, task: str = "everyday-fr"):
    choices = {"sentence": sentence, "kind": kind, "query": query, "weights": weights}
    return numbers(show_model(of_task(task)), "be-the-head-look", choices)


def on(*keys: int, of: int) -> list[float]:
    return [1.0 if key in keys else 0.0 for key in range(of)]


def test_it_opens_on_the_first_level_with_nothing_looked_at():
    sent = page()
    assert sent["drawn"]["sentence"] == BLACK_CAT and sent["look"] is None
    assert sent["place"] == {"level": 0, "goal": 0, "looks": [], "own": False, "helped": 0}
    first = sent["drawn"]["levels"][0][0]
    assert first == {"query": 1, "word": "chat", "gloss": "cat", "own": "chat", "ownGloss": "cat"}


def test_the_model_writes_with_the_row_that_it_is_given():
    cat, bed = look(BLACK_CAT, "cross", 1, on(2, of=7)), look(BLACK_CAT, "cross", 1, on(6, of=7))
    assert cat["next"][0][0] == "chat" and cat["next"][0][1] > 0.999
    assert cat["rest"] == ["noir", "dort", "sur", "le", "lit"]
    assert bed["next"][0] == pytest.approx(["lit", 0.997], abs=1e-3) and bed["glosses"][0] == "bed"
    half = look(BLACK_CAT, "cross", 1, on(2, 6, of=7))
    assert half["next"][0][0] == "chat", "half and half is no way to another word"
    assert look(BLACK_CAT, "cross", 1, [0, 0, 0.3, 0, 0, 0, 0.7])["next"][0][0] == "lit"
    again = look(DOG, "decoder", 6, on(2, of=7))
    assert again["next"][0][0] == "chien" and drawn(DOG)["levels"][3][0]["word"] == "chien"


def test_every_sentence_that_is_offered_has_a_goal_on_its_level():
    for task in ("everyday-fr", "everyday-zh"):
        for level, sentences in enumerate(examples(task)):
            for sentence in sentences:
                picture = drawn(sentence, task)
                assert picture["levels"][level] and not picture["guess"], (task, level, sentence)
                assert all(goal["fewest"] in (1, 2) for goal in picture["levels"][2]), sentence
    assert len(examples("everyday-fr")) == LEVELS


def test_a_row_in_a_link_is_computed_and_what_it_cannot_be_is_left_out():
    sent = page(level="2", weights="6", own="on")
    assert sent["place"] == {"level": 1, "goal": 0, "looks": [[6, 100]], "own": True, "helped": 0}
    assert sent["look"]["next"][0][0] == "lit"
    sent = page(level="2", weights="6:70,2:30")
    assert sent["look"]["next"][0][0] == "lit" and sent["place"]["looks"] == [[6, 70], [2, 30]]
    sent = page(level="9", asked="99", weights="2,2", own="perhaps", helped="-1")
    assert sent["place"] == {"level": 0, "goal": 3, "looks": [], "own": False, "helped": 0} and sent["look"] is None
    assert page(weights="99")["place"]["looks"] == []


def test_the_row_of_the_model_is_computed_by_its_arithmetic():
    at = visit({"level": "2", "row": "on"}, "be_the_head")
    assert fine(at)
    cell = component(at, "weights")
    assert cell["columns"][2] == "2 cat"
    assert cell["cell"] == [1, 2]


def test_a_sentence_without_a_goal_says_so_and_an_unknown_word_is_named():
    assert page(src="i love you", level="4")["drawn"]["levels"][3] == []
    sent = page(src="the elephant sleeps")
    assert sent["drawn"]["sentence"] == BLACK_CAT and "“elephant”" in sent["refused"]["refused"]


def test_what_a_browser_says_is_checked():
    place = {"level": 1, "goal": 0, "looks": [[6, 100]], "own": True, "helped": 0}
    assert heard(place) == place
    wrong = ({"level": 4}, {"goal": -1}, {"looks": [[6]]}, {"looks": [[6, 0]]}, {"looks": [[6, 5], [6, 5]]}, {"own": 1})
    for each in (None, [], *(place | one for one in wrong)):
        assert heard(each) is None, each
    for weights in ([], on(of=7), on(2, of=6), [2.0] * 7, ["1"] * 7):
        with pytest.raises(ValueError, match=r"weights"):
            look(BLACK_CAT, "cross", 1, weights)


def test_a_level_that_the_first_sentence_lacks_begins_with_one_that_has_it():
    sent = page(level="4")
    assert sent["drawn"]["sentence"] == "your station is on his street" and sent["drawn"]["levels"][3]
    assert page(level="4", src="i love you")["drawn"]["sentence"] == "i love you"
