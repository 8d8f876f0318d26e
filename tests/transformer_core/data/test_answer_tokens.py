"""Pins: what is typed as an answer becomes the words of the language, and what is no word of it is named."""

import random

import pytest

from everyday.translation import TRANSLATIONS
from transformer_core.data.answer_tokens import answer_tokens
from transformer_core.data.sentence_text import sentence_text
from transformer_core.errors import InputError

FRENCH = [
    "aimes",
    "-tu",
    "l'",
    "eau",
    "?",
    "Anna",
    "anna",
    "a",
    "-t-il",
    "le",
    "les",
    "sel",
    "chat",
    "est-ce",
    "que",
    "aujourd'hui",
]
CHINESE = ["你", "喜欢", "汽车", "车", "汽", "一", "辆", "没有", "没", "有", "？", "喜", "安娜", "，"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("aimes-tu l'eau ?", "aimes -tu l' eau ?"),
        ("Aimes-tu l’eau?", "aimes -tu l' eau ?"),
        ("aimes -tu l' eau", "aimes -tu l' eau"),
        ("ANNA a-t-il", "Anna a -t-il"),
        ("le sel.", "le sel"),
        ("  est-ce que\N{NO-BREAK SPACE}Anna ! ", "est-ce que Anna"),
        ("aujourd'hui", "aujourd'hui"),
        ("", ""),
    ],
)
def test_french(text, tokens):
    assert answer_tokens(text, FRENCH) == tokens.split()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("你喜欢汽车？", "你 喜欢 汽车 ？"),
        ("你 喜欢 一辆汽车?", "你 喜欢 一 辆 汽车 ？"),
        ("没有车。", "没有 车"),
        ("安娜,你喜欢", "安娜 ， 你 喜欢"),
    ],
)
def test_chinese(text, tokens):
    assert answer_tokens(text, CHINESE) == tokens.split()


@pytest.mark.parametrize(
    ("text", "named"),
    [("le chien", "chien"), ("l'arbre", "arbre"), ("le <b>chat", "<b>chat"), ("你爱汽车", "爱汽车"), ("z" * 99, "z" * 40)],
)
def test_what_is_no_word_is_named(text, named):
    with pytest.raises(InputError, match=f"“{named}” is no word"):
        answer_tokens(text, [*FRENCH, *CHINESE])


def drawn(name: str, count: int) -> list[tuple[str, ...]]:
    generator = random.Random(3)
    return [TRANSLATIONS[name].draw(generator).target for _ in range(count)]


def test_french_as_it_is_written_is_read_back_word_by_word():
    words = TRANSLATIONS["everyday-fr"].words
    for answer in drawn("everyday-fr", 500):
        assert tuple(answer_tokens(sentence_text(answer, "fr"), words)) == answer


def test_chinese_as_it_is_written_is_nearly_always_read_back_word_by_word():
    """喝水 is 喝 and 水 as well as a word of its own; with blanks between the words nothing is in doubt."""
    words, answers = TRANSLATIONS["everyday-zh"].words, drawn("everyday-zh", 500)
    read = [answer_tokens(sentence_text(answer, "zh"), words) for answer in answers]
    assert all("".join(found) == "".join(answer) for found, answer in zip(read, answers, strict=True))
    assert sum(tuple(found) != answer for found, answer in zip(read, answers, strict=True)) < 0.03 * len(answers)
    assert all(tuple(answer_tokens(" ".join(answer), words)) == answer for answer in answers)
