"""One English word for each word of a translation, for readers who do not know its language."""

from collections.abc import Mapping
from functools import cache

from everyday.tables import read

_TABLES = {"fr": "french/glosses", "zh": "chinese/glosses"}


@cache
def glosses(language: str) -> Mapping[str, str]:
    """Returns the glosses of all words of a language, "fr" or "zh".

    A gloss is the meaning that a word has most often, whatever the sentence; in brackets, what a word does that English lacks.
    """
    return {row.text("word"): row.text("english") for row in read(_TABLES[language], "word english")}
