"""Words and their ids."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from string import ascii_uppercase

from transformer_core.errors import TextError

SPECIAL = ("<pad>", "<start>", "<end>", "<unk>")  # the first tokens of a vocabulary of words
FIRST_WORD = len(SPECIAL)  # the id of what follows them

_SEPARATOR = re.compile("[,;，；、،؛]")  # what people put between numbers
# One token: a word (with an inner apostrophe or hyphen), a single Chinese character, or any other single character.
_TOKEN = re.compile(r"[\u4e00-\u9fff]|[^\W_\u4e00-\u9fff]+(?:['’-][^\W_\u4e00-\u9fff]+)*|[^\w\s]|_")


def split_words(text: str) -> list[str]:
    """Lower-case tokens of a text: words, single Chinese characters, other single characters."""
    return _TOKEN.findall(text.lower())


def characters(text: str) -> list[str]:
    """Every character but white space is a token, as in sums."""
    return list("".join(text.split()))


def number_row(text: str) -> str:
    """A row of numbers as it is typed, with blanks for commas and semicolons, and 0 to 9 for the digits of any script."""
    return _SEPARATOR.sub(" ", "".join(str(unicodedata.decimal(character, character)) for character in text))


def _symbols(text: str) -> list[str]:
    return split_words(number_row(text))


def _capitals(text: str) -> list[str]:
    return characters(_SEPARATOR.sub(" ", text).upper())


@dataclass(frozen=True)
class Vocabulary:
    """An ordered list of tokens; a token's index in it is its id.

    Attributes:
        tokens: all tokens, id 0 first.
        pad, start, end, unknown: ids of the special ones; `end` and `unknown` are None where a task does not need them.
        split: how a text that somebody types falls into tokens.
    """

    tokens: tuple[str, ...]
    pad: int = 0
    start: int = 1
    end: int | None = None
    unknown: int | None = None
    split: Callable[[str], list[str]] = split_words

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {token: i for i, token in enumerate(self.tokens)}

    def encode(self, text: str) -> list[int]:
        """The ids of a text's tokens; case does not matter.

        Raises:
            TextError: for a token that is not in the vocabulary, if the vocabulary has no `unknown`.
        """
        ids = []
        for token in self.split(text):
            token_id = self._ids.get(token, self.unknown)
            if token_id is None:
                known = [t for i, t in enumerate(self.tokens) if i != self.pad]
                shown = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
                raise TextError("“{token}” is not among the symbols of this model; it knows {known}", token=token, known=shown)
            ids.append(token_id)
        return ids

    def ids(self, tokens: Iterable[str]) -> list[int]:
        """The ids of these very tokens; `encode` is for what people type. Raises KeyError for one that is not there."""
        return [self._ids[token] for token in tokens]

    def unknown_words(self, text: str) -> list[str]:
        """The tokens of a text that the vocabulary lacks, in order."""
        return [token for token in self.split(text) if token not in self._ids]

    def decode(self, ids: Iterable[int]) -> list[str]:
        return [self.tokens[i] for i in ids]


def end_of(vocabulary: Vocabulary) -> int:
    """The end token of a vocabulary of words, which always has one."""
    assert vocabulary.end is not None
    return vocabulary.end


def before_end(ids: Sequence[int], end: int | None) -> tuple[int, ...]:
    """The ids before the first end token, which is left out; all of them where there is none."""
    return tuple(ids[: ids.index(end)] if end in ids else ids)


def through_end(ids: Sequence[int], end: int | None) -> tuple[int, ...]:
    """The same ids, and the end token if it is there."""
    return tuple(ids[: len(before_end(ids, end)) + 1])


def letters(vocab: int) -> Vocabulary:
    """The symbols of a task of letters: 0 is padding, then A, B, …; they may be typed without blanks, and small."""
    return Vocabulary(("<pad>", *ascii_uppercase[: vocab - 1]), pad=0, start=1, split=_capitals)


def letters_after_start(vocab: int) -> Vocabulary:
    """The same with a start token, which is no letter: A is 2."""
    return Vocabulary((*SPECIAL[:2], *ascii_uppercase[: vocab - 2]), pad=0, start=1, split=_capitals)


def numbers(vocab: int) -> Vocabulary:
    """The symbols of the number tasks: 0 is padding, all others are written as they are."""
    return Vocabulary(("<pad>", *(str(i) for i in range(1, vocab))), pad=0, start=1, split=_symbols)
