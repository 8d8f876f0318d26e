"""A picture of a hundred sampled answers, beside the probabilities with which they should be drawn."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from explorer.figures.style import Figure
from explorer.figures.tally import tally
from explorer.i18n import _
from explorer.model_on_screen.decoding import (
    Answer,
    Drawing,
    Drawn,
    answer_probabilities,
    draws_at_once,
    many_probabilities,
    most_steps,
    sampled_answers,
)
from explorer.model_on_screen.right_answers import answer_text, truth_of
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.view_limits import check_passes
from explorer.pictures.next_word import MOST_STEPS, SamplingChoices, sampling_in
from explorer.pictures.registry import picture
from transformer_core.data.vocabulary import end_of
from transformer_core.errors import InputError
from transformer_core.model.decoding import Sampling

DRAWN = 100
ROWS = 10  # answers in the figure
_MOST_TOKENS = 10_000  # the largest vocabulary: every word of every answer ranks all tokens, which takes seconds


@dataclass(frozen=True)
class Right:
    """All right answers: their probabilities in the grammar (`truth`), and those with which the model draws them (`drawn`)."""

    answers: tuple[Answer, ...]
    truth: np.ndarray
    drawn: np.ndarray


@dataclass(frozen=True)
class SamplesSoFar:
    """The answers drawn so far, and what is known of the right ones.

    Attributes:
        right: None where the task does not know them, or while their probabilities are being computed.
        lots: how many lots of them have been computed, and how many there are.
    """

    drawn: Drawn
    right: Right | None
    lots: tuple[int, int]

    @property
    def progress(self) -> tuple[int, int]:
        (drawn, count), (known, lots) = self.drawn.progress, self.lots
        return drawn + known, count + lots


def refuse_too_many_tokens(shown: ShownModel) -> None:
    """Raises InputError for a vocabulary that is too large."""
    if shown.cfg.tgt_vocab > _MOST_TOKENS:
        raise InputError(
            "This part draws {n} answers, each word from the whole vocabulary. With the {tokens:,} tokens of this model, that "
            "would take too long; up to {most:,} are possible.",
            n=DRAWN,
            tokens=shown.cfg.tgt_vocab,
            most=_MOST_TOKENS,
        )


def is_fast(shown: ShownModel, choices: SamplingChoices) -> bool:
    """Returns whether all answers are drawn in one go, before other visitors have their turn."""
    return draws_at_once(shown.cfg, drawing_of(shown, choices), DRAWN) == DRAWN


def draw_more(shown: ShownModel, choices: SamplingChoices, left: Callable[[], float]) -> SamplesSoFar:
    """Draws answers while there are seconds `left`, and returns them with those drawn before. Raises InputError as
    `refuse_too_many_tokens` does.
    """
    refuse_too_many_tokens(shown)
    how = drawing_of(shown, choices)
    drawn = sampled_answers(shown.choice, how, DRAWN, left())
    return SamplesSoFar(drawn, *_right(shown, how.sampling, left()))


def listed(now: SamplesSoFar) -> tuple[Answer, ...]:
    """The answers in the figure: the most frequent, then right ones that were not drawn, the likeliest in the grammar first."""
    grammar = _grammar(now.right)
    counts = {**dict.fromkeys(grammar, 0), **now.drawn.counts}
    ranked = sorted(counts.items(), key=lambda each: (-each[1], -grammar.get(each[0], 0.0)))
    return tuple(answer for answer, _count in ranked[:ROWS])


@picture("samples")
def answers(shown: ShownModel, choices: SamplingChoices) -> Figure:
    """Draws how often each answer was drawn, and how often it should be. Raises InputError if that takes too long for one
    picture."""
    how = drawing_of(shown, choices)
    check_passes(shown.cfg, 1, how.steps, lambda _n: DRAWN * (1 if shown.cfg.causal else how.steps))
    return figure(shown, draw_more(shown, choices, lambda: math.inf), how.sampling)


def figure(shown: ShownModel, now: SamplesSoFar, sampling: Sampling) -> Figure:
    """Draws the same for what has been found so far."""
    names, grammar = listed(now), _grammar(now.right)
    own = _probabilities(shown, names, sampling)
    expected = {}
    if now.right is not None:
        expected[_("probability in the grammar")] = np.array([grammar.get(answer, np.nan) for answer in names])
    if np.isfinite(own).any():
        expected[_("probability of being drawn")] = own
    return tally(
        [answer_text(shown, answer) if _ended(shown, answer) else f"{answer_text(shown, answer)} …" for answer in names],
        np.array([now.drawn.counts.get(answer, 0) for answer in names]) / now.drawn.n,
        right=None if now.right is None else [answer in grammar for answer in names],
        expected=expected,
        drawn_title=_("drawn"),
        wrong_title=_("drawn, and wrong"),
    )


def drawing_of(shown: ShownModel, choices: SamplingChoices) -> Drawing:
    """Returns the options of the drawing."""
    end = shown.vocabulary.end
    steps = most_steps(shown.cfg, len(shown.tgt) if end is None else MOST_STEPS, shown.start)
    return Drawing(shown.src, shown.start, steps, sampling_in(shown, choices), choices.draw_seed, end)


def _right(shown: ShownModel, sampling: Sampling, seconds: float) -> tuple[Right | None, tuple[int, int]]:
    """All right answers, and `SamplesSoFar.lots`."""
    truth = truth_of(shown)
    if truth is None or not truth.answers:
        return None, (0, 0)
    words = shown.vocabulary
    answers = tuple((*words.ids(answer), end_of(words)) for answer in truth.answers)
    of_truth = np.array(list(truth.answers.values()))
    if not shown.cfg.causal:
        return Right(answers, of_truth, _unknown(answers)), (0, 0)
    lots = many_probabilities(shown.choice, shown.src, shown.start, answers, sampling, seconds)
    known = [each for each in lots if each is not None]
    right = Right(answers, of_truth, np.concatenate(known)) if len(known) == len(lots) else None
    return right, (len(known), len(lots))


def _grammar(right: Right | None) -> dict[Answer, float]:
    return {} if right is None else dict(zip(right.answers, right.truth.tolist(), strict=True))


def _probabilities(shown: ShownModel, answers: tuple[Answer, ...], sampling: Sampling) -> np.ndarray:
    """The probability with which the model draws each answer; NaN without a causal mask."""
    if not shown.cfg.causal:
        return _unknown(answers)
    return answer_probabilities(shown.choice, shown.src, shown.start, answers, sampling)


def _unknown(answers: tuple[Answer, ...]) -> np.ndarray:
    """NaN for each answer: without a causal mask, no single pass gives the probability with which it is drawn."""
    return np.full(len(answers), np.nan)


def _ended(shown: ShownModel, answer: Answer) -> bool:
    return shown.vocabulary.end is None or answer[-1] == shown.vocabulary.end
