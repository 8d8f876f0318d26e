"""Sentences for which beam search finds a more probable answer than greedy decoding."""

import math
import random
from collections.abc import Iterator, Sequence

import torch

from everyday.translation import TRANSLATIONS, Translation
from explorer.model_on_screen.decoding import beams
from explorer.model_on_screen.forward import ModelChoice, model_of
from explorer.model_on_screen.shared_cache import shared_cache
from transformer_core.data.batch import padded_rows
from transformer_core.data.corpora import everyday_vocabulary
from transformer_core.data.vocabulary import through_end
from transformer_core.model.decoding import decode_steps

Greedy = tuple[tuple[int, ...], float]  # an answer, and the sum of its log-probabilities in nats

_WANTED = 3
_ROUNDS, _PER_ROUND = 5, 24
_LENGTHS = range(3, 9)
_MARGIN = 1e-3  # nats by which the beam's answer must be more probable
# Sentences whose likeliest first word begins several answers, which share its probability: "you", "please"; "the" in Chinese.
_PROMISING = (
    "what is your name", "please help me", "who are they", "anna loves it", "new books", "excuse me how are you",
    "please learn french", "very nice teachers", "you are happy", "are you tired", "do you like my red car", "is she happy",
    "you are very clever", "are you hungry", "where are you", "can you help me", "she is very tall", "paul does not see it",
    "where is the phone", "the tall teacher", "you love the boat", "the cake and the tea",
)  # fmt: skip


@shared_cache(2**20)
def sentences_that_differ(choice: ModelChoice, name: str, steps: int, width: int, penalty: float) -> tuple[str, ...]:
    """Finds up to three sentences for which the beam's best answer is right, and more probable than the greedy one.

    `name`: of the translation. A greedy answer of probability 0.5 or more cannot be beaten: no beam is tried there.
    """
    translation = TRANSLATIONS[name]
    words = everyday_vocabulary(translation)
    sentences: list[str] = []
    for texts in _candidates(translation):
        sources = [tuple(words.encode(text)) for text in texts]
        for i, (answer, score) in _least_certain(greedy_answers(choice, sources, words.start, steps, words.end)):
            right = {(*words.ids(right_answer), words.end) for right_answer in translation.answers(words.decode(sources[i]))}
            best = beams(choice, sources[i], (words.start,), steps, width, penalty, words.end, dropped=0)[0].hypotheses[0]
            if best.tokens != answer and best.score > score + _MARGIN and best.tokens in right:
                sentences.append(texts[i])
                if len(sentences) == _WANTED:
                    return tuple(sentences)
    return tuple(sentences)


def _candidates(translation: Translation) -> Iterator[list[str]]:
    """Yields batches of distinct sentences."""
    yield [text for text in _PROMISING if translation.answers(text.split())]
    generator, known = random.Random(2017), set(_PROMISING)
    for _round in range(_ROUNDS):
        drawn = [translation.suitable_sentence(generator, generator.choice(_LENGTHS)) for _ in range(_PER_ROUND)]
        texts = [text for text in dict.fromkeys(drawn) if text is not None and text not in known]
        known.update(texts)
        yield texts


def _least_certain(answers: Sequence[Greedy]) -> list[tuple[int, Greedy]]:
    """Returns the answers less likely than not with their indices, the least likely first."""
    return sorted(((i, each) for i, each in enumerate(answers) if each[1] < math.log(0.5)), key=lambda placed: placed[1][1])


def greedy_answers(
    choice: ModelChoice, sources: Sequence[Sequence[int]], start: int, steps: int, end: int | None
) -> list[Greedy]:
    """Decodes many sources greedily in one batch."""
    if not sources:
        return []
    model = model_of(choice)
    src = padded_rows(sources, model.cfg.pad_id)
    taken = []  # the log-probability of each step's token, (sources, 1)
    for step in decode_steps(model, src, start, steps, end_id=end):
        taken.append(step.log_probabilities.double().gather(-1, step.tokens[:, -1:]))
    own = torch.cat(taken, dim=1).tolist()
    answers = [through_end(row, end) for row in step.tokens[:, 1:].tolist()]
    return [(answer, sum(logs[: len(answer)])) for answer, logs in zip(answers, own, strict=True)]
