"""Splits a typed French or Chinese answer into the tokens of a language: the inverse of `sentence_text`."""

from collections.abc import Collection

from transformer_core.errors import InputError

_WRITTEN = str.maketrans({"’": "'", "‘": "'", ".": " ", "!": " ", "。": " ", "！": " "})
_FIRST_CHINESE = "\u2e80"  # what comes before it in Unicode is written with blanks
_WIDE = {"?": "？", ",": "，"}


def answer_tokens(text: str, words: Collection[str]) -> list[str]:
    """Splits "aimes-tu l'eau ?" into aimes, -tu, l', eau, ? and 你喜欢汽车 into 你, 喜欢, 汽车: into as few words as possible.

    Case does not matter, nor do full stops; a blank always ends a word.

    Args:
        words: all words of the language.

    Raises:
        InputError: for what is no word of it.
    """
    known = {word.casefold(): word for word in sorted(words, reverse=True)}  # of forms that differ by case, the capital one
    known |= {plain: wide for plain, wide in _WIDE.items() if plain not in known and wide in known}
    known |= {wide: plain for plain, wide in _WIDE.items() if wide not in known and plain in known}
    read = []
    for piece in text.translate(_WRITTEN).split():
        read += _split(piece.casefold(), known)
    return [known[word] for word in read]


def _split(piece: str, known: Collection[str]) -> list[str]:
    """The fewest words that make up a piece without blanks; of equally few, those with the longer ones first."""
    longest = max(map(len, known), default=0)
    best: list[list[str] | None] = [None] * len(piece) + [[]]  # of what follows each place
    for place in reversed(range(len(piece))):
        for end in range(min(len(piece), place + longest), place, -1):
            rest, so_far = best[end], best[place]
            if rest is not None and piece[place:end] in known and (so_far is None or len(rest) + 1 < len(so_far)):
                best[place] = [piece[place:end], *rest]
    if (whole := best[0]) is None:
        raise InputError("“{word}” is no word of the model's answers. Choose another one.", word=_unknown(piece, known)[:40])
    return whole


def _unknown(piece: str, known: Collection[str]) -> str:
    """Removes the words that a piece begins with and that are written together with what follows."""
    joined = [word for word in known if word[-1] == "'" or word[-1] >= _FIRST_CHINESE]
    while begun := [word for word in joined if piece.startswith(word) and piece != word]:
        piece = piece[len(max(begun, key=len)) :]
    return piece
