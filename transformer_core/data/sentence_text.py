"""Tokens of a translation as one writes them: French with its elisions and hyphens, Chinese without blanks."""

import re
from collections.abc import Sequence

_NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
_BLANK_BETWEEN_SIGNS = re.compile(r"(?<![!-~]) | (?![!-~])")  # one that does not stand between two Latin letters


def sentence_text(tokens: Sequence[str], language: str) -> str:
    """ "l' eau" is "l'eau", "vas -tu ?" is "vas-tu ?" with a space that never breaks, "一 辆 车" is "一辆车".

    Args:
        language: "fr", "zh", or any other, whose words stand side by side.
    """
    text = " ".join(tokens)
    if language == "zh":
        return _BLANK_BETWEEN_SIGNS.sub("", text)
    if language == "fr":
        text = re.sub(" (?=-)|(?<=') ", "", text)
        text = re.sub(" (?=[?!])", _NO_BREAK_SPACE, text)
    return re.sub(" (?=[,.])", "", text)
