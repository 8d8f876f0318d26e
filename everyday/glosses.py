"""One English word for each word of a translation, for readers who do not know its language."""

from collections.abc import Mapping, Sequence
from functools import cache

from everyday.tables import Row, read

_TABLES = {"fr": "french/glosses", "zh": "chinese/glosses"}


@cache
def glosses(language: str) -> Mapping[str, str]:
    """Returns the glosses of all words of a language, "fr" or "zh".

    A gloss is the meaning that a word has most often, whatever the sentence; in brackets, what a word does that English lacks.
    """
    return {row.text("word"): row.text("english") for row in _rows(language)}


@cache
def origins(language: str) -> Mapping[str, frozenset[str]]:
    """Returns for each word of a language all English words that it may stand for, inflected as they are in sentences."""
    return {row.text("word"): frozenset(row.words("from")) for row in _rows(language)}


def gloss_in(language: str, word: str, source: Sequence[str], looks: Sequence[float], least: float) -> str:
    """Returns the gloss of a word in its sentence; "" for a word that the language lacks.

    It is the English word that the word may stand for and that the model looks at most, if any gets a share of `least`: under
    "lit" stands "reads" in one sentence, and "bed" in another.

    Args:
        source: the English words; looks: the share of attention that each of them gets where the word is written.
    """
    known = origins(language).get(word, frozenset())
    seen = [(share, english) for english, share in zip(source, looks, strict=True) if english in known and share >= least]
    if not seen:
        return glosses(language).get(word, "")
    _share, english = max(seen)
    return "I" if english == "i" else english


def _rows(language: str) -> list[Row]:
    return read(_TABLES[language], "word english from")
