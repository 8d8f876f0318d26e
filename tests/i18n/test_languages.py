"""Which languages there are, and which one a browser gets."""

import pytest

from explorer.i18n import LANGUAGES, best_language, find_language, html_tag
from explorer.i18n.languages import offered


def test_the_languages_offered_are_english_and_those_with_a_catalogue(tmp_path):
    for name in ("zh_CN", "eo"):
        (tmp_path / name / "LC_MESSAGES").mkdir(parents=True)
        (tmp_path / name / "LC_MESSAGES" / "explorer.mo").touch()
    (tmp_path / "fr" / "LC_MESSAGES").mkdir(parents=True)  # without one
    assert list(offered(tmp_path).items()) == [("en", "English"), ("eo", "eo"), ("zh_CN", "简体中文")]
    assert offered(tmp_path / "nowhere") == {"en": "English"}


def test_chinese_is_there_and_the_pseudo_locale_is_not_offered():
    assert LANGUAGES == {"en": "English", "zh_CN": "简体中文"}
    assert find_language("xx") == "xx"


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("zh", "zh_CN"), ("zh-CN", "zh_CN"), ("zh_CN", "zh_CN"), ("ZH-hans", "zh_CN"), ("zh-Hans-HK", "zh_CN"),
        ("zh-SG", "zh_CN"), ("zh-TW", None), ("zh-Hant-CN", None), ("zhx", None), ("en", "en"), (" en-GB ", "en"),
        ("fr", None), ("", None), ("*", None),
    ],
)  # fmt: skip
def test_a_tag_means_a_language(tag, language):
    assert find_language(tag) == language


@pytest.mark.parametrize(
    ("accept", "language"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh_CN"),
        ("fr, en;q=0.5, zh-Hans;q=.9", "zh_CN"),
        ("fr, en ; q=0.5, zh;q=0.3", "en"),
        ("zh;q=0, fr", "en"),
        ("zh-TW,zh;q=0.5", "zh_CN"),
        ("zh-TW,ja", "en"),
        ("xx,zh", "zh_CN"),  # no browser gets the pseudo-locale
        ("en;q=1.2.3,zh;q=0.1", "zh_CN"),
        ("", "en"),
        (";;=,*;q", "en"),
        (["fr", "zh-Hans", "en"], "zh_CN"),
        (("en-US", "zh"), "en"),
        ([], "en"),
    ],
)
def test_a_browser_gets_the_first_of_its_languages_that_there_is(accept, language):
    assert best_language(accept) == language


@pytest.mark.parametrize(("language", "tag"), [("en", "en"), ("zh_CN", "zh-CN"), ("de", "de"), ("xx", "en")])
def test_a_page_says_its_language_whichever_catalogue_it_is(language, tag):
    assert html_tag(language) == tag
