"""Sentences about the story's pictures: functions of arrays and words, which claim no more than is shown."""

from collections.abc import Sequence

import numpy as np

from explorer.i18n import _
from transformer_core.analysis.attention_metrics import attention_ahead
from transformer_core.analysis.pronoun import AnswersChanged


def strongest_link(weights: np.ndarray, query: int | None = None) -> tuple[int, int, int]:
    """Returns head, query and key of the largest weight between two different words; with a `query`, of its largest.

    Shape: (head, word, word)
    """
    others = weights * ~np.eye(weights.shape[-1], dtype=bool)
    if query is not None:
        others = others * (np.arange(len(others[0])) == query)[:, None]
    head, at, key = np.unravel_index(others.argmax(), weights.shape)
    return int(head), int(at), int(key)


def one_look(weights: np.ndarray, words: Sequence[str], link: tuple[int, int, int]) -> str:
    """Says where a word looks; link: its head, query and key."""
    if len(words) == 1:
        return _("A word that stands alone can only look at itself.")
    head, query, key = link
    return _("“{word}” gives {share:.0%} of its attention to “{other}”: the thicker the line, the larger the share.").format(
        word=words[query], share=float(weights[head, query, key]), other=words[key]
    )


def most_views(weights: np.ndarray) -> int:
    """Returns the word whose heads look at the most different words. Shape: (head, query, key)"""
    favourites = weights.argmax(axis=2)  # (head, query)
    return int(np.argmax([len(set(column)) for column in favourites.T]))


def views(weights: np.ndarray, words: Sequence[str], place: int) -> str:
    """Says where each head looks from one word."""
    favourites: dict[int, list[int]] = {}
    for head, favourite in enumerate(weights[:, place].argmax(axis=1).tolist()):
        favourites.setdefault(favourite, []).append(head)
    if len(favourites) == 1:
        (favourite,) = favourites
        return _("From “{word}”, all of them look most at “{other}”.").format(word=words[place], other=words[favourite])
    looks = [
        _("“{other}” ({k} of {n} heads)").format(k=len(heads), n=len(weights), other=words[favourite])
        for favourite, heads in favourites.items()
    ]
    return _("From “{word}”, they look most at {looks}.").format(word=words[place], looks=_(", ").join(looks))


def order(positions: bool, answers: Sequence[str]) -> str:
    """Says how another order of the same words changed the answers."""
    same = len(set(answers)) == 1
    if positions and not same:
        return _("The same words in another order get another translation: each word enters with its **position**.")
    if positions:
        return _("Here the same words in another order get the same translation.")
    if same:
        return _("Without positions the model cannot tell the two sentences apart: both get the same translation.")
    return _("Even without positions the two translations differ here.")


def crossing(weights: np.ndarray, predicted: Sequence[str], source: Sequence[str]) -> str:
    """Says where it looks most just before it writes two neighbouring words, if those lines cross; else that none do.

    Shape: weights (query, key), one row for each of `predicted`.
    """
    favourites = weights.argmax(axis=1).tolist()
    for first in range(len(favourites) - 1):
        if favourites[first] > favourites[first + 1]:
            a, b = first, first + 1
            words = _("Just before it writes “{a}” it looks at “{x}”, before “{b}” at “{y}”: the lines **cross**.")
            return words.format(a=predicted[a], x=source[favourites[a]], b=predicted[b], y=source[favourites[b]])
    return _("Its largest weights go through the sentence in order: no two neighbouring lines cross here.")


def brought(source: str, word: str, whole: float, other: str, lone: float) -> str:
    """Says what a look brings: `word`, the likeliest with it, and `other`, the likeliest without it, with their
    probabilities."""
    sentence = _(
        "What the look at “{source}” brings: the next word is “{word}” with {whole:.0%}; without it, in any head or layer, "
        "“{other}” with {lone:.0%}."
    )
    if other == word:
        sentence = _(
            "The next word is “{word}” with {whole:.0%}; without the look at “{source}”, in any head or layer, it still is, "
            "with {lone:.0%}."
        )
    return sentence.format(word=word, source=source, whole=whole, other=other, lone=lone)


def without_line(before: str, after: str) -> str:
    """Says what the model writes without a look."""
    sentence = _("It writes “{after}” instead of “{before}”.")
    if before == after:
        sentence = _("The answer stays “{before}”: it did not need this look.")
    return sentence.format(before=before, after=after)


def favourite(weights: np.ndarray, query: int) -> int:
    """Returns the key with the largest share of a query, averaged over the heads. Shape: (head, query, key)"""
    return int(weights[:, query].mean(axis=0).argmax())


def pronoun(weights: np.ndarray, words: Sequence[str], it: int, answer: str) -> list[str]:
    """Says what the model answers, and which word gets the largest share of the attention of “it”. Shape: (head, query, key)"""
    key = favourite(weights, it)
    looks = _("“it” looks most, with {share:.0%}, at “{noun}”. Does the answer rest on that? Cut this link, and see.")
    return [
        _("Asked what “it” is, another model answers: “{answer}”.").format(answer=answer),
        looks.format(share=float(weights[:, it, key].mean()), noun=words[key]),
    ]


def without_link(noun: str, answer: str, same: bool, changed: AnswersChanged) -> list[str]:
    """Says what the model answers when “it” may not attend to its noun, here and in new sentences."""
    sentence = _("“it” cannot look at “{noun}” now, in any head or layer. The answer becomes “{answer}”.")
    if same:
        sentence = _("“it” cannot look at “{noun}” now, in any head or layer. The answer stays “{answer}”.")
    others = _("Of {n} other answers, {k} change without this look.")
    if same and not changed.link:
        others = _("Of {n} other answers, none changes either. **Looking is not always needing**: they rest on something else.")
    return [sentence.format(noun=noun, answer=answer), others.format(n=changed.n, k=changed.link)]


def without_look(noun: str, answer: str, same: bool, changed: AnswersChanged) -> list[str]:
    """Says what the model answers when no word of the answer may attend to the noun, here and in new sentences."""
    sentence = _("Where it writes, it cannot look at “{noun}” now; “it” still can. The answer becomes “{answer}”.")
    if same:
        sentence = _("Where it writes, it cannot look at “{noun}” now; “it” still can. The answer stays “{answer}”.")
    others = _("Of {n} other answers, {look} change without this look, and {link} without the one from “it”.")
    return [sentence.format(noun=noun, answer=answer), others.format(n=changed.n, look=changed.look, link=changed.link)]


def learned(first: float, last: float, exact: float, rows: int, seconds: float) -> str:
    """Says what training has changed: the attention to the number that is written next, from the `first` moment to the `last`,
    and `exact`, the share of `rows` new rows that come out right."""
    sentence = _(
        "On this row, its attention to the number it must write next did not grow: {first:.0%} at first, {last:.0%} at "
        "the end; after {s:.1f} seconds of computing, {exact:.1%} of {rows:,} new rows come out right."
    )
    if last > first:
        sentence = _(
            "On this row, at first {first:.0%} of its attention went to the number it must write next, at the end "
            "{last:.0%}; after {s:.1f} seconds of computing, {exact:.1%} of {rows:,} new rows come out right."
        )
    return sentence.format(first=first, last=last, s=seconds, exact=exact, rows=rows)


def peeking(baseline: tuple[float, float], ablated: tuple[float, float], rows: int) -> str:
    """Compares models with the mask and without, each given as (probability of the right token in training, share of new rows
    right)."""
    sentence = _(
        "On its own it gets {without:.0%} of {rows:,} new rows right, and with the mask {with_mask:.0%}: here it does no worse."
    )
    if ablated[0] >= baseline[0] and ablated[1] < baseline[1]:
        sentence = _(
            "In training it gives the right number a probability of {sure:.1%} (with the mask {less:.1%}). But on its own, "
            "where that number is not there yet, it gets {without:.0%} of {rows:,} new rows right, not {with_mask:.0%}."
        )
    elif ablated[1] < baseline[1]:
        sentence = _("On its own it gets {without:.0%} of {rows:,} new rows right, and with the mask {with_mask:.0%}.")
    return sentence.format(sure=ablated[0], less=baseline[0], without=ablated[1], with_mask=baseline[1], rows=rows)


def ahead(weights: np.ndarray) -> tuple[int, float]:
    """Returns the head that spends most attention on later positions, and that share of its attention.

    Shape: (head, query, key)
    """
    shares = attention_ahead(weights)
    return int(shares.argmax()), float(shares.max())
