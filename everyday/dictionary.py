"""A small dictionary: nouns, verbs, adjectives and numbers with one common translation of each."""

from dataclasses import dataclass
from functools import cache

from everyday.suggestions import words_by_kind
from everyday.tables import read

_TABLES = {"fr": "french/dictionary", "zh": "chinese/dictionary"}


@dataclass(frozen=True)
class DictionaryEntry:
    """An English word in its base form and one word for it. kind: see `suggestions.words_by_kind`."""

    english: str
    translation: str
    kind: str


@cache
def dictionary(language: str) -> tuple[DictionaryEntry, ...]:
    """Returns the entries for a language, "fr" or "zh"; no English word and no translation stands in two of them.

    French verbs are in the first person singular, and adjectives are masculine: infinitives are rare in the sentences.
    """
    kinds = {form: kind for kind, entries in words_by_kind().items() for entry in entries for form in entry}
    rows = read(_TABLES[language], "english translation")
    return tuple(DictionaryEntry(row.text("english"), row.text("translation"), kinds[row.text("english")]) for row in rows)
