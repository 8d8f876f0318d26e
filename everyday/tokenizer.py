"""Splits what a person types into English words: lower case, no punctuation, contractions opened.

The "'s" of "Anna's" is "is" where no noun follows that she could own ("Anna's happy", "Anna's in the garden"); else it is a
word of its own, the possessive.
"""

import re
import unicodedata
from collections.abc import Sequence

from everyday.english import WORDS
from everyday.recogniser import subject_end
from everyday.words import ADJECTIVES, DEMONSTRATIVES, NOUNS, NUMBERS

# A number with its points, an "'s" that stands alone already, or letters and digits with apostrophes and hyphens between them.
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)+|(?<!\S)'s(?![^\W_])|[^\W_]+(?:['-][^\W_]+)*")
_MARKS = str.maketrans(dict.fromkeys("’‘ʼ‛´`′", "'") | dict.fromkeys("‐‑‒", "-"))
_NO_WIDTH = ("Cf", "Mn", "Me")  # categories of characters without width: joiners, emoji styles, combining accents
_UNSEEN = (*_NO_WIDTH, "Cc")
# Punctuation of several scripts is ignored; of any other sign the reader is told that it was left out.
_PUNCTUATION = re.escape(""".,;:!?…'"()[]«»‹›“”„‘’‚`´-–—‐‑‒。，、；：！？（）「」『』《》·¿¡؟،؛""")
_SIGN = re.compile(rf"(?:[^\w\s{_PUNCTUATION}]|_)+")
_DIGITS = dict(zip(("1", "2", "3", "4", "5", "10"), NUMBERS, strict=True))
_OPENED = {
    "can't": "can not",
    "cannot": "can not",
    "won't": "will not",
    "shan't": "shall not",
    "let's": "let us",
    "i'm": "i am",
    "ain't": "ain't",
}
_ENDINGS = {"n't": "not", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would"}
# Contractions that are no other word when their apostrophe is forgotten, as "were", "well" and "ill" would be.
WITHOUT_APOSTROPHE = {
    contraction.replace("'", ""): contraction
    for contraction in """don't doesn't didn't isn't aren't wasn't weren't can't won't haven't hasn't couldn't shouldn't
    i'm i've you're you've they're they've we've he's she's that's there's what's where's who's let's""".split()
}
_BEFORE_IS = frozenset("he she it that this there here where what who how when why".split())
_KNOWN = frozenset(WORDS)
_NOUN_FORMS = frozenset(form for noun in NOUNS.values() for form in (noun.english, noun.plural) if form)
_BEFORE_NOUNS = frozenset((*ADJECTIVES, *NUMBERS, "very", "and"))


def tokenize(text: str) -> list[str]:
    """Returns the English words of a text; those that the grammar lacks stay as they are."""
    tokens = [part for token in _TOKEN.findall(_plain(text)) for part in _parts(WITHOUT_APOSTROPHE.get(token, token))]
    return _not_behind_pointer([word for i, token in enumerate(tokens) for word in _opened(token, tokens, i + 1)])


def dropped(text: str) -> list[str]:
    """Returns the signs of a text, once each, that belong to no word and are no punctuation."""
    signs = dict.fromkeys(_SIGN.findall(text))
    return [sign for sign in signs if any(unicodedata.category(character) not in _UNSEEN for character in sign)]


def _plain(text: str) -> str:
    """Lower-cases a text; replaces curly apostrophes, other hyphens and full-width letters by the usual characters."""
    text = unicodedata.normalize("NFKC", text.translate(_MARKS)).lower()
    return "".join(character for character in text if unicodedata.category(character) not in _NO_WIDTH)


def _parts(token: str) -> list[str]:
    """Splits at hyphens if that gives known words only."""
    parts = token.split("-")
    return parts if _KNOWN.issuperset(parts) else [token]


def _opened(token: str, tokens: Sequence[str], after: int) -> list[str]:
    """Opens a contraction ("I'm" is "i am"); `after` is the place of the next token."""
    if token in _OPENED:
        return _OPENED[token].split()
    if token in _DIGITS:
        return [_DIGITS[token]]
    if token == "its" and not _noun_follows(tokens, after):
        return ["it", "is"]
    for ending, word in _ENDINGS.items():
        if token.endswith(ending) and token != ending:
            return [token.removesuffix(ending), word]
    if token.endswith("'s") and token != "'s":
        word = token.removesuffix("'s")
        return [word, "is" if word in _BEFORE_IS or not _noun_follows(tokens, after) else "'s"]
    return [token]


def _noun_follows(tokens: Sequence[str], at: int) -> bool:
    """True if a noun is at this place, with or without adjectives. Unknown words and the end count as nouns."""
    first = at
    while at < len(tokens) and tokens[at] in _BEFORE_NOUNS:
        at += 1
    if at == len(tokens):
        return at == first
    noun = tokens[at].removesuffix("'s")
    return noun in _NOUN_FORMS or noun not in _KNOWN


def _not_behind_pointer(words: list[str]) -> list[str]:
    """Reorders "is this not good" to "is not this good", the tree's order when "this" or "there" has no noun."""
    if words[1:2] == ["not"] and words[0] in ("is", "are") and words[2:3] and words[2] in (*DEMONSTRATIVES, "there"):
        alone = subject_end(words, 2) in (2, len(words))
        return [words[0], words[2], "not", *words[3:]] if alone else words
    return words
