"""The quality of a translator where several answers are right: on sentences it never saw, and against their probabilities."""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from everyday.holdout import HOLD_OUTS, HoldOut
from everyday.translation import Translation
from everyday.words import ADJECTIVES, NOUNS, VERBS
from transformer_core.analysis.alignment import head_weights
from transformer_core.analysis.answer_distribution import answer_kl
from transformer_core.analysis.evaluation_metrics import share_interval
from transformer_core.data.batch import padded_rows
from transformer_core.data.corpora import everyday_vocabulary, example_of
from transformer_core.data.draws import Example
from transformer_core.data.vocabulary import Vocabulary, end_of
from transformer_core.model.beam_search import beam_decode
from transformer_core.model.trace import Trace
from transformer_core.model.transformer import Transformer

Words = tuple[str, ...]

STEPS = 40  # tokens of an answer, its end included; the longest right ones are half as long
_ROWS = 64  # sources per pass
_DRAWS = 400_000  # sentences drawn in search of what is held out

# Nouns, adjectives and verbs in all their forms; "be", "do" and others that come with verbs are none.
CONTENT_WORDS = frozenset(ADJECTIVES) | {
    form
    for forms in (
        *((noun.english, noun.plural) for noun in NOUNS.values()),
        *((verb.english, verb.third, verb.ing, verb.past) for verb in VERBS.values() if verb.english != "do"),
    )
    for form in forms
    if form
}


@dataclass(frozen=True)
class Answer:
    """`probability` is the model's, of the whole answer with its end."""

    words: Words
    probability: float


@dataclass(frozen=True)
class Share:
    """The number of `n` answers that are right."""

    right: int
    n: int

    @property
    def share(self) -> float:
        return self.right / self.n

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval (Wilson, 1927)."""
        return share_interval(self.share, self.n)


def held_out_examples(translation: Translation, count: int, seed: int) -> dict[HoldOut, list[Example]]:
    """`count` different sources of every kind that is held out, as they are drawn: frequent ones come first. Of a kind that a
    small language hardly has, there may be fewer."""
    generator = random.Random(seed)
    by_kind: dict[HoldOut, dict[Words, Example]] = {kind: {} for kind in HOLD_OUTS}
    for _ in range(_DRAWS):
        pair = translation.draw(generator)
        if pair.held_out is not None and len(by_kind[pair.held_out]) < count:
            by_kind[pair.held_out].setdefault(pair.source, example_of(pair))
            if all(len(examples) == count for examples in by_kind.values()):
                break
    return {kind: list(examples.values()) for kind, examples in by_kind.items()}


def decoded_answers(model: Transformer, vocabulary: Vocabulary, sources: Sequence[Words], width: int) -> list[list[Answer]]:
    """The answers of a beam search of this width to each source, the most probable first; a width of 1 is greedy decoding.
    Empty where no answer came to its end.

    The model must be in eval mode.
    """
    steps = min(STEPS, model.cfg.longest_tgt)
    decoded: list[list[Answer]] = [[] for _ in sources]
    for places in _alike([len(source) for source in sources]):
        src = padded_rows([vocabulary.ids(sources[place]) for place in places], vocabulary.pad)
        for place, answers in zip(
            places, beam_decode(model, src, vocabulary.start, steps, width, end_of(vocabulary)), strict=True
        ):
            decoded[place] = [Answer(tuple(vocabulary.decode(ids)), float(np.exp(score))) for ids, score in answers]
    return decoded


def share_right(translation: Translation, sources: Sequence[Words], decoded: Sequence[Sequence[Answer]]) -> Share:
    """In how many sources the first answer found is one of the right ones."""
    right = [bool(each) and each[0].words in translation.answers(source) for source, each in zip(sources, decoded, strict=True)]
    return Share(sum(right), len(right))


def divergences(model: Transformer, translation: Translation, sources: Iterable[Words]) -> np.ndarray:
    """KL(grammar ‖ model) in nats over the complete answers of each source that has several: exact, for all right answers are
    scored under the model. 0 only where the model gives each its probability, and nothing to any wrong one.

    Shape: -> (ambiguous source,)
    """
    several = ((source, answers) for source in sources if len(answers := translation.answers(source)) > 1)
    vocabulary = everyday_vocabulary(translation)
    return np.array([answer_kl(model, vocabulary, source, answers) for source, answers in several])


@torch.no_grad()
def aligned_attention(
    model: Transformer,
    vocabulary: Vocabulary,
    examples: Sequence[Example],
    counts: Callable[[str], bool] = lambda word: True,
) -> np.ndarray:
    """Cross-attention under teacher forcing: the weight on the source word that the next word translates, averaged over all
    words of the answers that translate one which `counts`. NaN where there is none.

    Shape: -> (layer, head), 0 to 1. The model must be in eval mode.
    """
    total, n = np.zeros((model.cfg.n_layers, model.cfg.n_heads)), 0
    for places in _alike([len(example.src) for example in examples]):
        rows = [examples[place] for place in places]
        src = padded_rows([vocabulary.ids(example.src) for example in rows], vocabulary.pad)
        tgt = padded_rows([[vocabulary.start, *vocabulary.ids(example.tgt)] for example in rows], vocabulary.pad)
        with Trace(only=["weights"]) as trace:
            model(src, tgt)
        aligned = [
            (row, query, key)
            for row, example in enumerate(rows)
            for query, key in enumerate(example.origin)
            if key is not None and counts(example.src[key])
        ]
        weights = head_weights(trace, "cross", model.cfg.n_layers).numpy()
        total += sum(weights[:, :, row, query, key] for row, query, key in aligned)
        n += len(aligned)
    return total / n if n else np.full_like(total, np.nan)


def _alike(lengths: Sequence[int]) -> list[list[int]]:
    """The places of these lengths in groups for one pass, those of like length together."""
    order = sorted(range(len(lengths)), key=lambda place: lengths[place])
    return [order[first : first + _ROWS] for first in range(0, len(order), _ROWS)]
