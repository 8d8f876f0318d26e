"""Translations are written as French and Chinese people write them."""

import pytest

from transformer_core.data.sentence_text import sentence_text


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("je n' aime pas le lait", "je n'aime pas le lait"),
        ("est-ce qu' il boit de l' eau ?", "est-ce qu'il boit de l'eau\u00a0?"),
        ("vas -tu à la mer ?", "vas-tu à la mer\u00a0?"),
        ("a -t-il l' autre aujourd'hui ?", "a-t-il l'autre aujourd'hui\u00a0?"),
        ("oui , merci !", "oui, merci\u00a0!"),
        ("le <unk> d' Anna", "le <unk> d'Anna"),
        ("", ""),
    ],
)
def test_french_is_elided_and_keeps_its_question_mark(tokens, text):
    assert sentence_text(tokens.split(), "fr") == text


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("我 有 一 辆 红色 的 汽车", "我有一辆红色的汽车"),
        ("你 喜欢 猫 吗 ？", "你喜欢猫吗？"),
        ("Anna 喜欢 Tom <unk>", "Anna喜欢Tom <unk>"),
        ("", ""),
    ],
)
def test_chinese_has_no_blanks_but_between_latin_letters(tokens, text):
    assert sentence_text(tokens.split(), "zh") == text


def test_other_languages_have_their_words_side_by_side():
    assert sentence_text(["the", "dog", "'s", "cat", "."], "en") == "the dog 's cat."
