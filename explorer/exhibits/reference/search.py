"""One search over all that the app can show: pages and their parts, questions, and terms, by their names and by what else
people call them (`sought` in the files of the glossary). English words find in every language.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Generic, NamedTuple, TypeVar

from explorer import glossary, i18n
from explorer.exhibits.reference.questions import QUESTIONS, FrequentQuestion
from explorer.glossary import Term
from explorer.i18n import ENGLISH, _
from explorer.ui.navigation import CONTENTS, PAGES

Thing = TypeVar("Thing")

_LONGEST = 200  # characters that are read of what is typed
_STEM = 3  # letters from which on a word is found by itself with an ending: caches, cached, caching
_ENDING = 3  # letters of the longest
_HAN = r"\u3400-\u9fff"
_WORD = re.compile(rf"[{_HAN}]+|[^\W{_HAN}]+")
_TITLE = re.compile(r'\b(\w+): _\("([^"]+)"\)')  # of a part, in a page's file
_IDLE = frozenset(
    "a an and any are as at be by can could did do does for from had has have how i if in into is it its me my of on one or "
    "should so some than that the their them then there these they this to up was were what when where which who why will "
    "with would you your happens happen mean means work works use used get gets make makes need needs".split()
)  # words of a question that tell nothing of what it is about

NAMED, IN_NAME, IN_TEXT, IN_PART = range(4)  # how well a thing was found, the best first; the last: not all words are there


class Place(NamedTuple):
    """A page, or a part of it. `part` is "" for the page itself."""

    page: str
    part: str


class Entry(NamedTuple, Generic[Thing]):
    """A thing that can be found.

    Attributes:
        name: its words on screen, with its other forms.
        called: what it is called, however it is spaced; forms: what it is about, likewise.
        text, words: all that finds it.
    """

    thing: Thing
    name: str
    called: frozenset[str]
    forms: frozenset[str]
    text: str
    words: frozenset[str]


class Found(NamedTuple):
    """What was found, each with its rank, the best first."""

    places: list[tuple[int, Place]]
    questions: list[tuple[int, FrequentQuestion]]
    terms: list[tuple[int, Term]]

    @property
    def is_partial(self) -> bool:
        """Returns whether nothing has all words."""
        return all(rank == IN_PART for group in self for rank, _thing in group)


def find(typed: str, language: str) -> Found:
    """Returns what the words find, in any order and any case."""
    places, questions, terms = _entries(language)
    groups = Found(*(_matches(typed, entries) for entries in (places, questions, terms)))
    if any(groups):
        return groups
    best = [_partly(typed, entries) for entries in (places, questions, terms)]
    most = max((score for group in best for score, _thing in group), default=0)
    return Found(*([(IN_PART, thing) for score, thing in group if score == most] for group in best))


def nothing(typed: str) -> str:
    """Says what can be searched, where a text has found nothing."""
    words = _(
        "Nothing here is called “{words}”: search finds pages, questions and terms, such as masks, softmax or beam search."
    )
    return words.format(words=typed[:_LONGEST])


def only_some() -> str:
    return _("Nothing has all of these words. What has most of them:")


def part_title(place: Place) -> str:
    """Returns a part's title on its page; "" for the page itself."""
    return _(part_titles(place.page)[place.part]) if place.part else ""


@cache
def part_titles(page: str) -> dict[str, str]:
    """Returns the titles of a page's parts, by id, as its file names them; empty for a page of one part."""
    return dict(_TITLE.findall((PAGES / f"{page}.py").read_text(encoding="utf-8")))


# --- How words find. --------------------------------------------------------------------------------------------------


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text[:_LONGEST]).casefold()


def _squeezed(text: str) -> str:
    """Returns the letters alone: `batch norm`, `batch-norm` and `BatchNorm` are one."""
    return "".join(_WORD.findall(_folded(text)))


def _words(text: str) -> list[str]:
    words = list(dict.fromkeys(_WORD.findall(_folded(text))))
    return [word for word in words if word not in _IDLE] or words


def _has(word: str, text: str, words: frozenset[str]) -> bool:
    if re.match(f"[{_HAN}]", word):
        return word in text
    return word in words or any(_is_like(word, other) for other in words)


def _is_like(word: str, other: str) -> bool:
    """Returns whether one begins with the other: a word that is still being typed, or one that has another ending."""
    if len(word) > 1 and other.startswith(word):
        return True
    return len(other) >= _STEM and word.startswith(other) and len(word) - len(other) <= _ENDING


def _matches(typed: str, entries: Sequence[Entry[Thing]]) -> list[tuple[int, Thing]]:
    whole, words = _squeezed(typed), _words(typed)
    if not words:
        return []
    found = []
    for entry in entries:
        if whole in entry.called:
            found.append((NAMED, entry.thing))
        elif all(_has(word, entry.name.casefold(), frozenset(_words(entry.name))) for word in words):
            found.append((IN_NAME, entry.thing))
        elif whole in entry.forms or all(_has(word, entry.text, entry.words) for word in words):
            found.append((IN_TEXT, entry.thing))
    return sorted(found, key=lambda each: each[0])


def _partly(typed: str, entries: Sequence[Entry[Thing]]) -> list[tuple[int, Thing]]:
    """Returns what has at least half of the words, with how many; where words are not spaced, what is called as some of the
    letters, with how many.
    """
    words, whole = _words(typed), _squeezed(typed)
    found = []
    for entry in entries:
        if re.search(f"[{_HAN}]", whole):
            score = max((len(form) for form in entry.called | entry.forms if len(form) > 1 and form in whole), default=0)
        else:
            count = sum(_has(word, entry.text, entry.words) for word in words)
            score = count if 2 * count >= len(words) else 0
        if score:
            found.append((score, entry.thing))
    return found


# --- What there is to find. -------------------------------------------------------------------------------------------


def _entry(thing: Thing, name: str, called: Sequence[str], forms: Sequence[str] = (), *text: str) -> Entry[Thing]:
    whole = unicodedata.normalize("NFKC", " ".join([name, *called, *forms, *text])).casefold()
    letters, others = (frozenset(map(_squeezed, each)) for each in (called, forms))
    return Entry(thing, name, letters, others, whole, frozenset(_WORD.findall(whole)))


@cache
def _entries(language: str) -> tuple[list[Entry[Place]], list[Entry[FrequentQuestion]], list[Entry[Term]]]:
    """Returns all that can be found in a language."""
    english = {each.key: each for each in glossary.terms(ENGLISH)}
    forms = {
        each.key: tuple(form for one in (each, english[each.key]) for form in (one.term, *one.also, *one.sought))
        for each in glossary.terms(language)
    }
    with i18n.speaking(language):
        return (
            [_of_place(place) for place in _places()],
            [_of_question(each, forms) for each in QUESTIONS],
            [_entry(each, " ".join([each.term, *each.also]), forms[each.key]) for each in glossary.terms(language)],
        )


def _places() -> list[Place]:
    shown = [entry.name for entry in CONTENTS.values() if not entry.hidden]
    return [Place(page, part) for page in shown for part in ("", *part_titles(page))]


def _of_place(place: Place) -> Entry[Place]:
    title = part_titles(place.page)[place.part] if place.part else CONTENTS[place.page].title
    return _entry(place, _(title), (_(title), title))


def _of_question(each: FrequentQuestion, forms: dict[str, tuple[str, ...]]) -> Entry[FrequentQuestion]:
    """Returns a question with all that its terms are called."""
    about = {_squeezed(term) for term in each.terms.split(", ")}
    called = [form for key in forms if about & set(map(_squeezed, forms[key])) for form in forms[key]]
    place = Place(each.page, each.part)
    titles = [_of_place(place).name, CONTENTS[each.page].title, _(CONTENTS[each.page].title)]
    words = (_(each.words), each.words)
    return _entry(each, words[0], words, called, each.terms, _(each.terms), *titles)
