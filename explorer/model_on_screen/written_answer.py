"""A translator's answer as it is written: after each kept step of its learning, and after each cut of a link."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from everyday.glosses import gloss_in
from explorer.i18n import ENGLISH, PSEUDO
from explorer.model_on_screen.cuts import Cuts
from explorer.model_on_screen.decoding import token_texts
from explorer.model_on_screen.shown_model import ShownModel
from transformer_core.analysis.cutting import LinkCut

FAINTEST = 0.05  # weights below are not drawn, and cannot be cut


@dataclass(frozen=True, eq=False)
class WrittenAnswer:
    """A greedy answer, and where the model looked as it wrote each word.

    Shape: weights (answer, src): cross-attention of the last layer, the mean of its heads
    """

    words: tuple[str, ...]
    weights: np.ndarray


def written_answer(shown: ShownModel) -> WrittenAnswer:
    """Returns the answer of a model with cross-attention, with its cuts."""
    own = replace(shown, text=replace(shown.text, tgt=shown.answer))
    words = token_texts(own, own.answer[1:])
    weights = own.attention("cross", own.cfg.n_layers - 1).map.weights.mean(axis=0)  # (tgt, src), the end of the answer last
    return WrittenAnswer(tuple(words), weights[: len(words)])


def answers_while_learning(shown: ShownModel) -> Mapping[int, WrittenAnswer]:
    """Returns the answer after each kept step, by the step."""
    return {step: written_answer(shown.at(step)) for step in shown.learning.steps}


def answers_without_links(shown: ShownModel) -> Mapping[tuple[int, int], WrittenAnswer]:
    """Returns the answer after each cut of one link, by its query and key; links are weights of `FAINTEST` or more."""
    queries, keys = np.nonzero(written_answer(shown).weights >= FAINTEST)
    links = [(int(query), int(key)) for query, key in zip(queries, keys, strict=True)]
    return {(query, key): answer_without_link(shown, query, key) for query, key in links}


def answer_without_link(shown: ShownModel, query: int, key: int) -> WrittenAnswer:
    """Returns the answer after a link of cross-attention is cut in all heads and layers."""
    cut = LinkCut("cross", None, None, query, key)
    return written_answer(replace(shown, choice=replace(shown.choice, cuts=Cuts((cut,)))))


def gloss_of(shown: ShownModel, word: str, looks: Sequence[float], reader: str) -> str:
    """Returns an English word for a word of the answer, by what the model looks at where it writes it; "" where none helps.

    Args:
        looks: the share of each word of the source; reader: the language of who reads it.
    """
    if shown.translation is None or reader not in (ENGLISH, PSEUDO):
        return ""
    return gloss_in(shown.translation.language, word, token_texts(shown, shown.src), looks, FAINTEST)


def glosses_of(shown: ShownModel, answer: WrittenAnswer, reader: str) -> tuple[str, ...]:
    """Returns the gloss of each word of an answer; none at all where a word has none.

    An untrained model also writes English words: beside them, the glosses of the others would be read as a translation.
    """
    looked = zip(answer.words, answer.weights.tolist(), strict=True)
    glosses = tuple(gloss_of(shown, word, looks, reader) for word, looks in looked)
    return glosses if all(glosses) else ()
