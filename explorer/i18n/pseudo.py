"""The pseudo-locale: English that is marked at both ends and a third longer.

Text without marks was never passed to `_`; text that is cut off or overlaps would also do so in a longer language.
"""

import re

OPENING, CLOSING, FILLER = "⟦", "⟧", "é"

_WORD = 6  # letters of a padding word
_UNBROKEN = re.compile(r"(```.*?```|\$\$.*?\$\$|\n)", re.DOTALL)  # blocks of code and formulas, ends of lines
_LINE = re.compile(r"(?P<prefix>\s*(?:(?:[-*+]|\d+\.|#{1,6}|>)\s+)*)(?P<text>.*?)(?P<end>\s*)", re.DOTALL)
_MARKUP = re.compile(
    r"\{[^{}]*\}"  # placeholders
    r"|\$[^$]+\$"  # formulas
    r"|\]\([^)]*\)"  # the address of a link
    r"|:[a-z0-9_-]+(?:/[a-z0-9_]+)?(?::|(?=\[))"  # icons, :blue[
    r"|<[^<>]*>"  # <pad>
    r"|[*`\[\]\\]"
)


def pseudo(message: str) -> str:
    """The message, each of its lines marked and lengthened. Placeholders and markup stay as they are."""
    return "".join(part if i % 2 else _marked(part) for i, part in enumerate(_UNBROKEN.split(message)))


def _marked(line: str) -> str:
    """The marks go after what makes the line a list item or a heading, and before the spaces at its end."""
    match = _LINE.fullmatch(line)
    if match is None or not match["text"]:
        return line
    text = match["text"]
    space = "" if text.isalpha() else " "  # a single word becomes a longer word
    return f"{match['prefix']}{OPENING}{text}{space}{_filler(text)}{CLOSING}{match['end']}"


def _filler(text: str) -> str:
    """A third of the visible text, in words that can be wrapped."""
    words, rest = divmod(-(-len(_MARKUP.sub("", text)) // 3), _WORD)
    return " ".join([FILLER * _WORD] * words + [FILLER * rest] * (rest > 0)) or FILLER
