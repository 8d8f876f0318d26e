"""The first screen: which sentence it shows in which language, and that the page and the server say the same."""

import pytest

from explorer.i18n import speaking
from explorer.model_on_screen.settings import of_task
from explorer.model_on_screen.shown_model import show_model
from explorer.pictures import start
from explorer.pictures.registry import numbers
from tests.pages.helpers import component, fine, go, session_of, visit

BLACK_CAT = "the black cat sleeps on the bed"


def words(drawn) -> str:
    return " ".join(drawn["words"])


def test_the_first_click_needs_no_server():
    at = visit({})
    assert fine(at)
    sent = component(at, "start")
    opening, cuts = sent["opening"], sent["cuts"]
    assert opening["sentence"] == BLACK_CAT and opening["source"] == BLACK_CAT.split()
    assert [each["step"] for each in opening["steps"]] == [0, 71, 191, 510, 1363, 3641, 26000]
    assert words(opening["steps"][-1]) == "le chat noir dort sur le lit" and cuts["after"] == 26000
    assert words(cuts["links"]["6-6"]) == "le chat noir dort sur le chat"
    assert opening["steps"][-1]["glosses"] == "the cat black sleeps on the bed".split()
    assert not opening["guess"] and sent["refused"] is None


def test_a_gloss_is_the_word_that_the_model_looks_at():
    shown = show_model(of_task("everyday-fr"))
    for sentence, glosses in {
        "my sister reads a book": "my sister reads a book",
        "the cat is in the bed": "the cat is in the bed",
        "she loves her dog": "she loves her dog",
        "i like my dog": "I like my dog",
    }.items():
        drawn = numbers(shown, "start", {"sentence": sentence})
        assert " ".join(drawn["steps"][-1]["glosses"]) == glosses
    cut = numbers(shown, "start-cuts", {"sentence": BLACK_CAT, "after": 26000})["links"]["1-2"]
    assert " ".join(cut["words"]) == "le lit noir dort sur le lit"
    assert " ".join(cut["glosses"]) == "the bed black sleeps on the bed"


def test_an_untrained_model_that_writes_english_words_has_no_glosses():
    first = numbers(show_model(of_task("everyday-fr")), "start", {"sentence": BLACK_CAT})["steps"][0]
    assert "closing" in first["words"] and not first["glosses"]


def test_glosses_are_for_readers_of_english():
    shown = show_model(of_task("everyday-zh"))
    choices = {"sentence": "my brother sleeps in the small car"}
    assert numbers(shown, "start", choices)["steps"][-1]["glosses"][0] == "my"
    with speaking("zh_CN"):
        assert not any(step["glosses"] for step in numbers(shown, "start", choices)["steps"])


@pytest.mark.parametrize("task", ["everyday-fr", "everyday-zh"])
def test_the_server_says_what_the_page_says(task):
    sent = component(visit({"task": task}), "start")
    shown, sentence = show_model(of_task(task)), sent["opening"]["sentence"]
    asked = numbers(shown, "start", {"sentence": sentence})
    assert asked | {"steps": [each | {"words": list(each["words"])} for each in asked["steps"]]} == sent["opening"]
    cuts = numbers(shown, "start-cuts", {"sentence": sentence, "after": shown.learning.last})
    assert {name: list(each["words"]) for name, each in cuts["links"].items()} == {
        name: each["words"] for name, each in sent["cuts"]["links"].items()
    }


def test_it_speaks_to_who_reads_chinese():
    at = visit({"lang": "zh_CN"})
    sent = component(at, "start")
    assert sent["answerLanguage"] == "zh" and sent["opening"]["sentence"] == "my brother sleeps in the small car"
    assert words(sent["opening"]["steps"][-1]).startswith("我 的 哥哥")


def test_the_sentence_of_a_link_is_shown_and_one_that_cannot_be_read_is_named():
    assert component(visit({"src": "i love you"}), "start")["opening"]["sentence"] == "i love you"
    sent = component(visit({"src": "the elephant sleeps"}), "start")
    assert sent["opening"]["sentence"] == BLACK_CAT
    assert "“elephant”" in sent["refused"]["refused"] and "the horse sleeps" in sent["refused"]["offered"]


@pytest.mark.parametrize(
    ("sentence", "words"),
    [("", "empty"), ("zzzz", "Type a letter"), ("<b>the cat</b>", "has never seen"), ("the cat " * 200, "shorten it")],
)
def test_nonsense_is_one_clear_sentence(sentence, words):
    drawn = numbers(show_model(of_task("everyday-fr")), "start", {"sentence": sentence})
    assert words in drawn["refused"]


@pytest.mark.parametrize("sentence", ["我爱你", "the 猫 sleeps", "кот спит"])
def test_another_language_is_told_that_the_model_reads_english(sentence):
    shown = show_model(of_task("everyday-zh"))
    assert numbers(shown, "start", {"sentence": sentence})["refused"].startswith("The model reads only English")
    with speaking("zh_CN"):
        assert "英语" in numbers(shown, "start", {"sentence": sentence})["refused"]
    assert "has never seen" in numbers(shown, "start", {"sentence": "le chat dort"})["refused"]


def test_a_sentence_that_was_never_taught_is_said_to_be_a_guess():
    drawn = numbers(show_model(of_task("everyday-fr")), "start", {"sentence": "cat cat dog"})
    assert "never taught" in drawn["guess"] and drawn["steps"][-1]["words"]


def test_cuts_are_of_kept_steps_alone():
    shown = show_model(of_task("everyday-fr"))
    assert words(numbers(shown, "start-cuts", {"sentence": BLACK_CAT, "after": 510})["links"]["6-6"])
    (one,) = numbers(shown, "start-cuts", {"sentence": BLACK_CAT, "after": 510, "link": [6, 6]})["links"].values()
    assert words(one) == words(numbers(shown, "start-cuts", {"sentence": BLACK_CAT, "after": 510})["links"]["6-6"])
    for link in ([1], [1, 2, 3], [0, -1], ["a", 1], "ab"):
        with pytest.raises(ValueError):
            start.cuts.of_json(shown, {"sentence": BLACK_CAT, "after": 510, "link": link})
    far = numbers(shown, "start-cuts", {"sentence": BLACK_CAT, "after": 26000, "link": [90, 90]})["links"]["90-90"]
    assert words(far) == "le chat noir dort sur le lit", "there is no such link"
    for after in (511, -1, 10**9):
        with pytest.raises(ValueError, match="no step"):
            start.cuts.of_json(shown, {"sentence": BLACK_CAT, "after": after})


def test_the_doors_lead_on_with_the_sentence():
    at = visit({"src": "i love you"})
    tell, door, knobs = (link.proto.query_string for link in at.get("page_link") if link.proto.query_string)
    assert "say=i+love+you" in tell and any("room/new?lang=en" in each.value for each in at.markdown)
    for link in (door, knobs):
        assert "src=i+love+you" in link and "task=everyday-fr" in link
    assert fine(go(at, "heads")) and session_of(at).settings.src == "i love you"
