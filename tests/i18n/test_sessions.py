"""What a session's language changes: every word, and nothing else."""

import re

import pytest

from explorer import i18n
from explorer.session import session
from tests.explorer.session.helpers import saying
from tests.pages.helpers import complaints, session_of, shown, turn, visit

LINK = {
    "d_model": "48",
    "n_heads": "3",
    "n_layers": "2",
    "kind": "decoder",
    "layer": "1",
    "final_norm": "on",
}
_HAN = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture(autouse=True)
def languages_are_those_of_sessions():
    i18n.set_language_source(session._language)


def opened(language: str, page: str, **link: str):
    return visit(link | {"lang": language}, page)


def test_a_link_opens_the_same_settings_in_every_language():
    english, chinese = (opened(language, "heads", **LINK) for language in ("en", "zh_CN"))
    assert session_of(english).settings == session_of(chinese).settings
    assert session_of(english).rerun.drawn == session_of(chinese).rerun.drawn
    assert dict(chinese.query_params) == dict(english.query_params) | {"lang": "zh_CN"}
    assert _HAN.search(chinese.title[0].value) and not _HAN.search(shown(english))
    for at in (english, chinese):
        assert at.button_group(key="kind").value == "decoder"
        assert turn(at, more_settings=True).button_group(key="final_norm").value == "on"


def test_an_error_is_told_in_the_language_of_the_session():
    told = {language: complaints(opened(language, "heads", d_model="64", n_heads="6")) for language in ("en", "zh_CN")}
    assert [len(words) for words in told.values()] == [1, 1]
    assert _HAN.search(told["zh_CN"][0]) and not _HAN.search(told["en"][0])
    assert re.findall(r"\d+", told["zh_CN"][0]) == re.findall(r"\d+", told["en"][0]) == ["64", "6", "4", "8"]


@pytest.mark.parametrize("page", ["heads", "compare"])
def test_another_language_leaves_what_is_chosen(page):
    at = opened("en", page, task="pronoun-en", src="the cat sees it")
    before = session_of(at).settings
    for language, title in (("zh_CN", "简体中文"), ("en", "English")):
        at.selectbox(key="language").set_value(language).run()
        assert not at.exception
        assert session_of(at).settings == before
        assert at.query_params["lang"] == language
        assert at.selectbox(key="language").proto.options[at.selectbox(key="language").index] == title
        task = at.selectbox(key="task")
        assert (task.value, task.proto.raw_value) == ("pronoun-en", task.proto.options[task.index]), (
            "browsers know titles alone"
        )
        assert task.proto.set_value


def test_a_browser_that_still_says_titles_of_the_language_before_changes_nothing():
    at = opened("zh_CN", "compare", task="pronoun-en")
    before = session_of(at).settings
    saying(at, "task", "what is “it”?")
    assert not at.exception
    assert session_of(at).settings == before
    assert at.query_params["task"] == "pronoun-en"
