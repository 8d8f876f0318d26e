"""The Chinese words of everyday sentences, by the English ones: nouns with their measure words, and adjectives by what they
are said of.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from everyday.tables import Row, read
from everyday.words import ADJECTIVES, PLACE_NAMES
from everyday.words import NOUNS as ENGLISH_NOUNS

Said = tuple[str, ...]  # words that are said together
Options = tuple[tuple[float, Said], ...]
_SHARES = ((1.0,), (0.6, 0.4), (0.5, 0.3, 0.2))


def options(text: str) -> Options:
    """Parses "很 好/不错": options separated by "/", the likely ones first, and words by spaces."""
    ways = text.split("/")
    return tuple(zip(_SHARES[len(ways) - 1], (tuple(way.split()) for way in ways), strict=True))


def options_of(row: Row, column: str) -> Options:
    """Returns the options of a cell."""
    if row.text(column).count("/") >= len(_SHARES):
        raise row.error(f"{column} has more than {len(_SHARES)} ways")
    return options(row.text(column))


class Noun(NamedTuple):
    """`measure`: the measure word; of an uncountable noun, that of its usual portion ("a coffee", "this bread")."""

    said: Options
    measure: Options


NOUNS = {
    row.one_of("english", ENGLISH_NOUNS): Noun(options_of(row, "chinese"), options_of(row, "measure"))
    for row in read("chinese/nouns", "english chinese measure")
}
ELDER_OR_YOUNGER = {
    ("brother", True): ("哥哥",),
    ("brother", False): ("弟弟",),
    ("sister", True): ("姐姐",),
    ("sister", False): ("妹妹",),
}
IN_GENERAL = {"brother": ("兄弟",), "sister": ("姐妹",)}  # elder or younger does not matter
PRONOUNS = {"i": "我", "he": "他", "she": "她", "it": "它", "we": "我们", "who": "谁"}
NAMES = {
    "anna": "安娜",
    "tom": "汤姆",
    "mary": "玛丽",
    "paul": "保罗",
    "paris": "巴黎",
    "london": "伦敦",
    "france": "法国",
    "china": "中国",
}
NUMBERS = {"one": "一", "two": "两", "three": "三", "four": "四", "five": "五", "ten": "十"}
COLOURS = {"red": "红", "blue": "蓝", "green": "绿", "white": "白", "black": "黑", "yellow": "黄"}
PLACES = {
    "home": options("家"),
    "school": options("学校"),
    "paris": options("巴黎"),
    "london": options("伦敦"),
    "france": options("法国"),
    "china": options("中国"),
    "work": options("公司"),
    "here": options("这里/这儿"),
    "there": options("那里/那儿"),
}
TIMES = {"today": "今天", "now": "现在", "yesterday": "昨天", "every day": "每天"}

# --- Adjectives. --------------------------------------------------------------------------------------------------------------

_GROUPS = {
    "male": frozenset("man boy father dad brother son he tom paul".split()),
    "young": frozenset("boy girl child baby".split()),
    "adult": frozenset(
        "man woman teacher student doctor friend mother father mom dad brother sister son daughter "
        "i you he she we they who anna tom mary paul".split()
    ),
    "person": frozenset("i you he she we they who anna tom mary paul".split()),
}
_KINDS = (  # the more telling first
    "person", "animal", "readable", "song", "audible", "watchable", "language", "sky", "vehicle", "drink", "food", "goal",
    "abstract", "openable", "surface", "inside", "thing",
)  # fmt: skip


@cache
def _of(what: str) -> tuple[str | None, ...]:
    """Returns the groups and kinds of a noun, a pronoun, a name, "it" or "this", the most telling first; None for all."""
    if what in PLACE_NAMES:
        return ("city", "goal", None)
    kinds = ENGLISH_NOUNS[what].kinds if what in ENGLISH_NOUNS else frozenset()
    groups = [group for group, members in _GROUPS.items() if what in members]
    found = [what, *groups, *(kind for kind in _KINDS if kind in kinds)]
    if "person" in found or "animal" in found:
        found.append("alive")
    return (*found, None)


def _adjectives(name: str) -> dict[str, dict[str | None, Options]]:
    """Returns an adjective's options for a noun, a group, a kind of nouns, "it" or "this"; None: for anything else."""
    found: dict[str, dict[str | None, Options]] = {}
    known = ENGLISH_NOUNS.keys() | _GROUPS.keys() | {*_KINDS, "alive", "it", "this"}
    for row in read(name, "english said_of chinese", keys=2):
        of = row.one_of("said_of", known) if row.optional("said_of") else None
        found.setdefault(row.one_of("english", ADJECTIVES), {})[of] = options_of(row, "chinese")
    return found


# Before a noun, with 的 or without; and said of a subject, without 很: words before the last one stand before 很 (跑 得 很 快).
_ATTRIBUTES, _QUALITIES = _adjectives("chinese/attributes"), _adjectives("chinese/qualities")


def _find(table: dict[str | None, Options], what: str) -> Options:
    return next(table[kind] for kind in _of(what) if kind in table)


@cache
def attribute(adjective: str, noun: str) -> Options:
    """Returns the adjective before this noun, with 的 if it needs one."""
    return _find(_ATTRIBUTES[adjective], noun)


@cache
def quality(adjective: str, of: str) -> Options:
    """Returns the adjective said of this, after 很; colours without 色."""
    return options(COLOURS[adjective]) if adjective in COLOURS else _find(_QUALITIES[adjective], of)


# What has its colour in its name, which is not always the English one.
CALLED = {
    ("tea", "green"): "绿",
    ("tea", "black"): "红",
    ("coffee", "black"): "黑",
    ("bread", "black"): "黑",
    ("bread", "white"): "白",
    ("rice", "white"): "白",
    ("chocolate", "black"): "黑",
    ("chocolate", "white"): "白",
    ("meat", "red"): "红",
    ("meat", "white"): "白",
}
# What may be called 红花 instead of 红色的花. Elsewhere the short form means something else (红包, 黄鱼) or is not said.
_COLOURED = frozenset("cat dog horse bird mouse rabbit cow flower door table chair box cup ball shoe house".split())
_SOMETIMES = frozenset({"apple red", "apple green", "tree green", "fish red", "car red", "car black", "car white"})


@cache
def short_colour(noun: str, colour: str) -> bool:
    return noun in _COLOURED or f"{noun} {colour}" in _SOMETIMES


def all_words(*said: Sequence[tuple[float, Said]]) -> set[str]:
    return {word for each in said for _, words in each for word in words}


TOKENS = (
    all_words(*(noun.said for noun in NOUNS.values()), *(noun.measure for noun in NOUNS.values()))
    | all_words(*(said for table in (*_ATTRIBUTES.values(), *_QUALITIES.values()) for said in table.values()))
    | all_words(*PLACES.values())
    | {word for said in (*ELDER_OR_YOUNGER.values(), *IN_GENERAL.values()) for word in said}
    | {
        *PRONOUNS.values(),
        *NAMES.values(),
        *NUMBERS.values(),
        *COLOURS.values(),
        *(colour + "色" for colour in COLOURS.values()),
    }
    | {*TIMES.values()}
)
