"""What the story says of its pictures, computed from them: arrays and words in, a sentence out. It claims what they show."""

from collections.abc import Sequence

import numpy as np

from explorer.words import _


def strongest_link(weights: np.ndarray) -> tuple[int, int, int]:
    """The head, and the two different places, between which the most attention goes.

    Shape: (head, word, word)
    """
    others = weights * ~np.eye(weights.shape[-1], dtype=bool)
    head, asks, asked = np.unravel_index(others.argmax(), weights.shape)
    return int(head), int(asks), int(asked)


def one_look(weights: np.ndarray, words: Sequence[str]) -> str:
    """What the word with the strongest link takes, and from where."""
    if len(words) == 1:
        return _("A word that stands alone has only itself to look at.")
    head, asks, asked = strongest_link(weights)
    said = _("“{word}” takes {share:.0%} of what it gathers from “{other}”: the thicker the line, the more.")
    return said.format(word=words[asks], share=float(weights[head, asks, asked]), other=words[asked])


def most_views(weights: np.ndarray) -> int:
    """The word whose heads look at the most different words. Shape: (head, query, key)"""
    favourites = weights.argmax(axis=2)  # (head, query)
    return int(np.argmax([len(set(column)) for column in favourites.T]))


def views(weights: np.ndarray, words: Sequence[str], place: int) -> str:
    """Where each head looks from one word."""
    favourites: dict[int, list[int]] = {}
    for head, favourite in enumerate(weights[:, place].argmax(axis=1).tolist()):
        favourites.setdefault(favourite, []).append(head)
    if len(favourites) == 1:
        (favourite,) = favourites
        return _("From “{word}” all of them look most at “{other}”.").format(word=words[place], other=words[favourite])
    looks = [
        _("“{other}” (head {heads})").format(heads=", ".join(map(str, heads)), other=words[favourite])
        for favourite, heads in favourites.items()
    ]
    return _("From “{word}” they look most at {looks}.").format(word=words[place], looks=", ".join(looks))


def order(positions: bool, answers: Sequence[str]) -> str:
    """What became of the same words in another order."""
    same = len(set(answers)) == 1
    if positions and not same:
        return _("The same words in another order, and another answer: every word is handed in with its **position**.")
    if positions:
        return _("The same words in another order, and here the answer is the same.")
    if same:
        return _("Without positions the model cannot tell the two apart: it says the very same to both.")
    return _("Even without positions the two answers differ here.")


def crossing(weights: np.ndarray, says: Sequence[str], reads: Sequence[str]) -> str:
    """Where one head looks before each word that it says; lines cross where the two languages order their words otherwise.

    Shape: weights (query, key), one row for each of `says`.
    """
    favourites = weights.argmax(axis=1).tolist()
    for first in range(len(favourites) - 1):
        if favourites[first] > favourites[first + 1]:
            a, b = first, first + 1
            words = _("Just before “{a}” it looks at “{x}”, before “{b}” at “{y}”: the lines **cross**.")
            return words.format(a=says[a], x=reads[favourites[a]], b=says[b], y=reads[favourites[b]])
    return _("Its strongest looks go through the sentence in order: no two neighbours cross here.")


def pronoun(weights: np.ndarray, words: Sequence[str], it: int, answer: Sequence[str]) -> str:
    """Whether the row of “it” gives its noun, by the model's own answer, the most of all words, on average over the heads.

    Shape: (head, query, key)
    """
    row = weights[:, it].mean(axis=0)
    favourite = int(row.argmax())
    noun = answer[-1] if answer else ""
    shares = {"word": words[it], "share": float(row[favourite]), "other": words[favourite]}
    if words[favourite] == noun:
        return _("On average over the heads, “{word}” takes most, {share:.0%}, from “{other}”: it has found its noun.").format(
            **shares
        )
    return _("On average over the heads, “{word}” takes most, {share:.0%}, from “{other}”, which is not the answer.").format(
        **shares
    )


def aligned(weights: np.ndarray) -> float:
    """The share of attention on the very number that is to be said next, in a row that is said again.

    Shape: (head, query, key): query i is to say what stands in place i + 1.
    """
    places = np.arange(weights.shape[1])
    return float(weights[:, places, places + 1].mean())


def learned(first: float, last: float, exact: float, seconds: float) -> str:
    """What training has changed."""
    if last > first:
        said = _(
            "At first {first:.0%} of its attention lay on the number to be said, in the end {last:.0%}; after {s:.1f} "
            "seconds of compute it gets {exact:.1%} of new rows right."
        )
    else:
        said = _(
            "The attention on the number to be said did not grow, from {first:.0%} to {last:.0%}; after {s:.1f} seconds of "
            "compute it gets {exact:.1%} of new rows right."
        )
    return said.format(first=first, last=last, s=seconds, exact=exact)


def peeking(whole: tuple[float, float], broken: tuple[float, float]) -> str:
    """What became of a model that may see what it is to say: each (probability of the right token, share of rows right)."""
    if broken[0] >= whole[0] and broken[1] < whole[1]:
        said = _(
            "In training it is {sure:.1%} sure of the right number, with the mask {less:.1%}; but left alone it gets "
            "{broken:.0%} of the rows right, not {whole:.0%}: **it had cheated**."
        )
    else:
        said = _("Left alone it gets {broken:.0%} of the rows right, with the mask {whole:.0%}: this run shows no cheating.")
    return said.format(sure=broken[0], less=whole[0], broken=broken[1], whole=whole[1])


def ahead(weights: np.ndarray) -> tuple[int, float]:
    """The head that looks most at words that are yet to be said, and how much of its attention lies there.

    Shape: (head, query, key)
    """
    shares = np.triu(weights, 1).sum(axis=(1, 2)) / weights.shape[1]
    return int(shares.argmax()), float(shares.max())
