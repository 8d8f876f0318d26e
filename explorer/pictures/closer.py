"""Look closer: where each word of an answer looks as it is written, and what every single look brings."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from explorer.i18n import current_language
from explorer.model_on_screen.decoding import token_texts
from explorer.model_on_screen.forward import ModelChoice, model_of
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.written_answer import gloss_of
from explorer.pictures.registry import picture
from explorer.pictures.start import SentenceChoices, asked_with, refused, why_a_guess
from transformer_core.analysis.looks import looks
from transformer_core.errors import TextError

_LIKELIEST = 5  # next words that are drawn


@picture("look-closer")
def closer(shown: ShownModel, choices: SentenceChoices) -> dict[str, Any]:
    """The answer word by word, its end among them: the weights of each head of the last layer's cross-attention, the likeliest
    next words, and both without each link.

    `guess` and, for a sentence with unknown words, `refused` and `offered` as in the picture "start".
    """
    try:
        asked = asked_with(shown, choices.sentence)
    except TextError as error:
        return refused(error)
    rows = _rows(asked.choice, asked.src, asked.answer)
    named = [_named(asked, row) | {"without": [_named(asked, lone) for lone in row["without"]]} for row in rows]
    last = named[-1]["next"][0][0]  # the end of the answer, unless that was too long
    return {
        "sentence": choices.sentence,
        "source": token_texts(asked, asked.src),
        "answer": [*token_texts(asked, asked.answer[1:]), last],
        "end": "" if asked.vocabulary.end is None else token_texts(asked, (asked.vocabulary.end,))[0],
        "rows": named,
        "guess": why_a_guess(asked, choices.sentence),
    }


def _named(shown: ShownModel, row: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a row with words in the place of ids, and their glosses; "" for a word without one."""
    words = token_texts(shown, [word for word, _p in row["next"]])
    named = [[word, p] for word, (_id, p) in zip(words, row["next"], strict=True)]
    looks = np.mean(row["heads"], axis=0).tolist()
    glosses = [gloss_of(shown, word, looks, current_language()) for word in words]
    return {"heads": row["heads"], "next": named, "glosses": glosses}


@shared_cache(2**20)
def next_word(
    choice: ModelChoice, src: tuple[int, ...], tgt: tuple[int, ...], query: int, key: int
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the probabilities of the word that is written at a place, with its look at a word of the source, and without.

    Shape: (vocab,) each
    """
    found = looks(model_of(choice), torch.tensor(src), torch.tensor(tgt))
    return found.probabilities[query].numpy(), found.lone_probabilities[query, key].numpy()


@shared_cache(4 * 2**20)
def _rows(choice: ModelChoice, src: tuple[int, ...], tgt: tuple[int, ...]) -> list[dict[str, Any]]:
    found = looks(model_of(choice), torch.tensor(src), torch.tensor(tgt))
    whole = [_row(*each) for each in zip(found.weights, found.probabilities, strict=True)]
    lone = [
        [_row(*each) for each in zip(*of_row, strict=True)]
        for of_row in zip(found.lone_weights, found.lone_probabilities, strict=True)
    ]
    return [row | {"without": without} for row, without in zip(whole, lone, strict=True)]


def _row(weights: Tensor, probabilities: Tensor) -> dict[str, Any]:
    """Shape: weights (head, src), probabilities (vocab,)"""
    likeliest = probabilities.topk(_LIKELIEST)
    return {
        "heads": [[round(share, 4) for share in head] for head in weights.tolist()],
        "next": [(word, round(p, 7)) for word, p in zip(likeliest.indices.tolist(), likeliest.values.tolist(), strict=True)],
    }
