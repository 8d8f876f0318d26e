"""Be the head: a visitor gives the weights of one row of the last layer's attention, and the model goes on with them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from torch import Tensor

from explorer import limits
from explorer.i18n import current_language
from explorer.model_on_screen.decoding import token_texts
from explorer.model_on_screen.given_rows import KINDS, Kind, given_row, goes_on, single_looks
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.written_answer import gloss_of
from explorer.pictures.registry import Ends, Longest, picture
from explorer.pictures.start import SentenceChoices, asked_with, refused, why_a_guess
from transformer_core.analysis.given_weights import SingleLooks, Wanted, content_places
from transformer_core.analysis.translation_metrics import CONTENT_WORDS
from transformer_core.errors import TextError

_LIKELIEST = 4  # next words that are drawn


@dataclass(frozen=True)
class LookChoices(SentenceChoices):
    """A row of the last layer's attention, and its weights, which are divided by their sum."""

    kind: Kind
    query: Annotated[int, Ends(0, limits.MAX_LENGTH)]
    weights: Annotated[tuple[Annotated[float, Ends(0, 1)], ...], Longest(limits.MAX_LENGTH)]


@picture("be-the-head")
def be_the_head(shown: ShownModel, choices: SentenceChoices) -> dict[str, Any]:
    """The answer with the model's own rows, and what each level asks for: `levels` holds the goals of the four.

    A goal: the row, the word that it should write, and what the row writes by itself. Of the third level, a goal is one row of
    the whole sentence, with the fewest words, half each, that write it (0: more than two). `guess`, `refused` and `offered` are
    those of the picture "start".
    """
    try:
        asked = asked_with(shown, choices.sentence)
    except TextError as error:
        return refused(error)
    cross, decoder = (single_looks(asked, kind) for kind in KINDS)
    words = token_texts(asked, cross.words)
    content = content_places(asked.vocabulary.decode(asked.src), CONTENT_WORDS)
    ends = asked.vocabulary.end is not None and cross.words[-1] == asked.vocabulary.end

    def goals(wanted: Sequence[Wanted]) -> list[dict[str, Any]]:
        return [_goal(asked, cross, each) for each in wanted]

    whole = [Wanted(query, word, ()) for query, word in enumerate(cross.words[: -1 if ends else None])]
    return {
        "sentence": choices.sentence,
        "source": token_texts(asked, asked.src),
        "answer": words,
        "end": words[-1] if ends else "",
        "rows": {kind: _rounded(each.weights) for kind, each in zip(KINDS, (cross, decoder), strict=True)},
        "next": [_named(asked, cross, query, cross.own[query]) for query in range(len(words))],
        "levels": [
            goals(cross.own_words(content)),
            goals(cross.other_words(content)),
            [goal | {"fewest": n} for goal, n in zip(goals(whole), cross.fewest, strict=False)],
            goals(decoder.words_again()),
        ],
        "guess": why_a_guess(asked, choices.sentence),
    }


@picture("be-the-head-look")
def look(shown: ShownModel, choices: LookChoices) -> dict[str, Any]:
    """Returns the likeliest words with these weights in this row, and how the model goes on behind the first."""
    asked = asked_with(shown, choices.sentence)
    probabilities = given_row(asked, choices.kind, choices.query, choices.weights)
    shares = choices.weights if choices.kind == "cross" else None
    rest = token_texts(asked, goes_on(asked, choices.query, int(probabilities.argmax())))
    return _named(asked, single_looks(asked, "cross"), choices.query, probabilities, shares) | {"rest": rest}


def _goal(asked: ShownModel, cross: SingleLooks, wanted: Wanted) -> dict[str, Any]:
    """Returns what is asked for, with glosses: that of a word is told by the source word that it comes from."""
    word, own = token_texts(asked, [wanted.word, cross.words[wanted.query]])
    at = next((query for query, each in enumerate(cross.words) if each == wanted.word), wanted.query)
    return {
        "query": wanted.query,
        "word": word,
        "gloss": _gloss(asked, cross, at, word),
        "own": own,
        "ownGloss": _gloss(asked, cross, wanted.query, own),
    }


def _gloss(asked: ShownModel, cross: SingleLooks, query: int, word: str, shares: Sequence[float] | None = None) -> str:
    looks = cross.weights[query].tolist() if shares is None else shares
    return gloss_of(asked, word, looks, current_language())


def _named(
    asked: ShownModel, cross: SingleLooks, query: int, probabilities: Tensor, shares: Sequence[float] | None = None
) -> dict[str, Any]:
    """Returns the likeliest words of a row and their glosses, "" for a word without one."""
    likeliest = probabilities.topk(_LIKELIEST)
    words = token_texts(asked, likeliest.indices.tolist())
    named = [[word, round(p, 7)] for word, p in zip(words, likeliest.values.tolist(), strict=True)]
    return {"next": named, "glosses": [_gloss(asked, cross, query, word, shares) for word in words]}


def _rounded(weights: Tensor) -> list[list[float]]:
    return [[round(share, 4) for share in row] for row in weights.tolist()]
