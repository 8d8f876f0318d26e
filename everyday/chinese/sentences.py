"""Everyday sentences in Chinese: every right way to say one, by a chooser."""

from collections.abc import Callable
from typing import Any

from everyday.chinese.actions import WHERE
from everyday.chinese.clauses import clause
from everyday.chinese.persons import has_a_name, identified, owner
from everyday.chinese.phrases import PEOPLE, Speaker
from everyday.chinese.qualities import Qualities
from everyday.chinese.words import COLOURS, Said
from everyday.choice import Choose
from everyday.english import Word
from everyday.sentence import (
    Asking,
    Clause,
    Description,
    Fixed,
    NounPhrase,
    Phrases,
    Pointing,
    Prefaced,
    Pronoun,
    Quality,
    Sentence,
    There,
    Where,
)
from everyday.tables import read
from everyday.words import PHRASES


def _ways() -> dict[str, list[tuple[float, Said]]]:
    """Reads the ways to say each set phrase."""
    ways: dict[str, list[tuple[float, Said]]] = {phrase: [] for phrase in PHRASES}
    for row in read("chinese/phrases", "english chinese share", keys=2):
        ways[row.one_of("english", PHRASES)].append((row.number("share"), row.words("chinese")))
    return ways


_FIXED = _ways()
_OFFERED = {"yes": ((0.6, ("好", "的")), (0.4, ("好",))), "no": ((0.5, ("不",)), (0.5, ("不", "用", "了")))}
_HOW, _HOW_WELL = ((0.6, ("怎么样",)), (0.4, ("好", "吗"))), ((1.0, ("怎么样",)),)
_AGE = {
    "adult": ((0.5, ("多大", "了")), (0.3, ("多大",)), (0.2, ("多大", "年纪", "了"))),
    "young": ((0.5, ("几", "岁", "了")), (0.5, ("多大", "了"))),
    "thing": ((1.0, ("有", "多少", "年", "了")),),
}
_THIS = {"this": ("这",), "that": ("那",), "these": ("这", "些"), "those": ("那", "些")}


def chinese(sentence: Sentence, choose: Choose) -> list[Word]:
    """Says the sentence in Chinese, each word with the role of the English word that it comes from."""
    return _SAID[type(sentence)](sentence, choose)


def _question(words: list[Word], asks: bool, role: str = "be") -> list[Word]:
    """`asks`: whether it needs 吗."""
    return [*words, Word("吗", role), Word("？", role)] if asks else [*words, Word("？", role)]


def _pointing(sentence: Pointing, choose: Choose) -> list[Word]:
    speaker = Speaker(choose)
    speaker.negated, speaker.asks = sentence.negated, sentence.question
    asks = sentence.question
    words = [Word(text, "this") for text in _THIS[sentence.this]]
    no = Word("不", "not") if sentence.negated else None
    if isinstance(sentence.what, Quality):
        if len(words) == 1 and speaker.chance("one", 1.0 if asks else 0.4):
            words.append(Word("个", "this"))
        saying = Qualities(speaker, "this", no=no, asks=asks)
        words += saying.said(sentence.what)
        asks = asks and not saying.asked
    else:
        be = Word("是", "be")
        if asks and not no and speaker.chance("or not", 0.25):
            words += [be, Word("不", "be")]
            asks = False
        words += [no, be] if no else [be]
        for i, phrase in enumerate(sentence.what):
            words += [Word("和", "o.and")] if i else []
            words += identified(phrase, f"o{i}", speaker)
    return _question(words, asks) if sentence.question else words


def _there(sentence: There, choose: Choose) -> list[Word]:
    speaker, asks = Speaker(choose), sentence.question
    speaker.negated, speaker.asks = sentence.negated, asks
    words: list[Word] = []
    if sentence.place:
        words = speaker.where(sentence.place, inside=True)
        if speaker.chance("at", 0.3):
            words.insert(0, Word("在", "p.prep" if sentence.place.preposition else "p.noun"))
    if sentence.negated:
        words.append(Word("没有", "not"))
        speaker.without_one = 1.0
    else:
        words.append(Word("有", "there"))
        if asks:
            speaker.without_one = 0.5
            if speaker.chance("or not", 0.25):
                words.append(Word("没有", "be"))
                asks, speaker.without_one = False, 1.0
    words += speaker.phrases(sentence.what, "o", "there")
    return _question(words, asks) if sentence.question else words


def _where(sentence: Where, choose: Choose) -> list[Word]:
    speaker, where = Speaker(choose), Word(choose("where", WHERE), "where")
    first = sentence.subject[0]
    if len(sentence.subject) == 1 and isinstance(first, NounPhrase) and first.determiner == "a":
        speaker.without_one = 1.0
        return [where, Word("有", "be"), *speaker.phrases(sentence.subject, "s", "there"), Word("？", "where")]
    return [*speaker.phrases(sentence.subject, "s", "subject"), Word("在", "be"), where, Word("？", "where")]


def _asking(sentence: Asking, choose: Choose) -> list[Word]:
    speaker, about = Speaker(choose), sentence.about
    speaker.they = PEOPLE if sentence.word == "who" else speaker.they
    asked, end = Word("谁" if sentence.word == "who" else "什么", "asked"), Word("？", "asked")
    if isinstance(about, str):
        this = [Word(text, "this") for text in _THIS[about]]
        if sentence.word == "how":
            return [*this, Word("怎么样", "asked"), end]
        return [*this, Word("是", "be"), asked, end]
    first = about[0]
    if sentence.word in ("how", "how old"):
        alive = first != Pronoun("it") if not isinstance(first, NounPhrase) else first.noun.alive
        if sentence.word == "how":
            said = choose("how", _HOW if alive else _HOW_WELL)
        else:
            child = isinstance(first, NounPhrase) and first.noun.english in ("boy", "girl", "child", "baby", "son", "daughter")
            young = child or first == Pronoun("it") or (isinstance(first, NounPhrase) and "animal" in first.noun.kinds)
            said = choose("how old", _AGE["young" if young else "adult" if alive else "thing"])
        return [*speaker.phrases(about, "s", "subject"), *(Word(text, "asked") for text in said), end]
    if sentence.word == "what" and isinstance(first, NounPhrase) and has_a_name(first) and speaker.chance("called", 0.6):
        return [*owner(first, speaker), Word("叫", "be"), asked, Word("名字", "s0.noun"), end]
    if sentence.word == "who" and about == (Pronoun("it"),):
        return [Word("是", "be"), asked, end]
    return [*speaker.phrases(about, "s", "subject"), Word("是", "be"), asked, end]


def _phrases(sentence: Phrases, choose: Choose) -> list[Word]:
    words = Speaker(choose).phrases(sentence.parts, "o", "alone")
    return [*(Word(text, "please") for text in ("请", "给", "我")), *words] if sentence.please else words


def _description(sentence: Description, choose: Choose) -> list[Word]:
    quality, speaker = sentence.quality, Speaker(choose)
    first = quality.adjectives[0]
    if len(quality.adjectives) > 1 or quality.degree or first.english in ("open", "closed"):
        return Qualities(speaker, "this", be="q0", plain=False).said(quality)
    if first.english in COLOURS:
        colour = COLOURS[first.english]
        return [Word(choose("colour", ((0.6, colour + "色"), (0.4, colour))), "q0")]
    if first.english == "sick":
        return [Word("生病", "q0")]
    return [Word(text, "q0") for text in speaker.of(first, "this")]


def _fixed(sentence: Fixed, choose: Choose) -> list[Word]:
    said = [Word(text, "fixed") for text in choose(sentence.text, _FIXED[sentence.text])]
    if sentence.to is None:
        return said
    to = Speaker(choose).phrase(sentence.to, "o0", "called")
    comma = Word("，", "fixed")
    return [*to, comma, *said] if choose("to first", ((0.5, True), (0.5, False))) else [*said, comma, *to]


def _prefaced(sentence: Prefaced, choose: Choose) -> list[Word]:
    """Says a preface: 请问 begins questions only; a yes to an offer is 好的."""
    text, rest = sentence.preface.text, sentence.rest
    asks = isinstance(rest, Where | Asking) or getattr(rest, "question", False)
    if text == "excuse me" and not asks:
        preface = [Word("对不起", "fixed")]
    elif text in _OFFERED and isinstance(rest, Fixed):
        preface = [Word(said, "fixed") for said in choose(text, _OFFERED[text])]
    else:
        preface = _fixed(sentence.preface, choose)
    if rest == Fixed("please"):
        return [*preface, Word("，", "fixed"), Word("谢谢", "fixed")]
    return [*preface, Word("，", "fixed"), *chinese(rest, choose)]


_SAID: dict[type, Callable[[Any, Choose], list[Word]]] = {
    Clause: clause,
    Pointing: _pointing,
    There: _there,
    Where: _where,
    Asking: _asking,
    Phrases: _phrases,
    Description: _description,
    Fixed: _fixed,
    Prefaced: _prefaced,
}
TOKENS = {word for ways in _FIXED.values() for _, said in ways for word in said} | set(
    "怎么样 好 的 用 谢谢 吗 多大 了 年纪 几 岁 有 多少 年 这 那 些 个 谁 名字 给 我 是 不 没有 和 什么 生病 ？ ，".split()
)
