"""Greedy, sampled and beam-searched answers of a model, step by step, as cached numpy arrays."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from explorer.model_on_screen.forward import ModelChoice, model_of
from explorer.model_on_screen.incremental import measure
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.view_limits import rows_at_once
from transformer_core import Transformer, TransformerConfig
from transformer_core.analysis.answer_distribution import answer_log_probabilities
from transformer_core.analysis.attention_map import token_labels
from transformer_core.analysis.beam_tree import pruned
from transformer_core.data.vocabulary import through_end
from transformer_core.errors import InputError
from transformer_core.model.beam_search import BeamSearch, beam_search
from transformer_core.model.decoding import Sampling, decode_steps, draw_answers

Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class GeneratedStep:
    """One decoding step of one sentence.

    Shape: logits, log_probabilities (nats), probabilities, sampling_probabilities (tgt_vocab,)

    Attributes:
        given: the decoder's input at this step, start token first; token: what is generated.
        sampling_probabilities: after temperature, top-k and top-p.
        forced: whether the token was forced by hand.
    """

    given: tuple[int, ...]
    token: int
    logits: np.ndarray
    log_probabilities: np.ndarray
    probabilities: np.ndarray
    sampling_probabilities: np.ndarray
    forced: bool


@dataclass(frozen=True)
class DecodingOptions:
    """The options of decoding; `forced` holds pairs of a step (from 0) and a token. Greedy without `sampling`."""

    steps: int
    sampling: Sampling | None
    seed: int
    forced: Pairs

    def generated(self, shown: ShownModel, choice: ModelChoice) -> "list[GeneratedStep]":
        """Decodes the source on screen with a model. Raises InputError if its tokens do not fit."""
        return generated_steps(
            choice, shown.src, shown.start, self.steps, self.sampling, self.seed, self.forced, end=shown.vocabulary.end
        )


@shared_cache(128 * 2**20)
def generated_steps(
    choice: ModelChoice,
    src: tuple[int, ...],
    start: tuple[int, ...],
    steps: int,
    sampling: Sampling | None = None,
    seed: int = 0,
    forced: Pairs = (),
    end: int | None = None,
) -> list[GeneratedStep]:
    """Decodes behind `start`, one entry per step. `forced` holds pairs of a step (from 0) and a token."""
    entries = []
    for step in decode_steps(
        model_of(choice),
        torch.tensor([src]),
        start,
        steps,
        sampling=sampling,
        generator=torch.Generator().manual_seed(seed),
        forced=dict(forced),
        end_id=end,
    ):
        *given, token = step.tokens[0].tolist()
        entries.append(
            GeneratedStep(
                tuple(given),
                token,
                step.logits[0].numpy(),
                step.log_probabilities[0].numpy(),
                step.probabilities[0].numpy(),
                step.sampling_probabilities[0].numpy(),
                step.forced,
            )
        )
    return entries


Answer = tuple[int, ...]
APART = 10**6  # distance between the seeds of consecutive draws: more than the visitor can choose from


@dataclass(frozen=True)
class Drawing:
    """The options of sampling whole answers of a source. An answer that ends holds its end token."""

    src: tuple[int, ...]
    start: tuple[int, ...]
    steps: int
    sampling: Sampling
    seed: int
    end: int | None = None


@dataclass(frozen=True)
class Drawn:
    """The counts of the answers drawn so far, the most frequent first; `count`: how many draws are planned."""

    counts: Mapping[Answer, int]
    count: int

    @property
    def n(self) -> int:
        return sum(self.counts.values())

    @property
    def progress(self) -> tuple[int, int]:
        return self.n, self.count


def sampled_answers(choice: ModelChoice, how: Drawing, count: int, seconds: float) -> Drawn:
    """Draws up to `count` answers in batches, until the time runs out (see `incremental.measure`)."""
    several = draws_at_once(choice.cfg, how, count)
    keys = [("drawn", choice, how, first, min(several, count - first)) for first in range(0, count, several)]
    lots = measure(seconds, keys, lambda key: _drawn(model_of(choice), how, *key[3:]))
    rows = [answer for lot in lots if lot is not None for answer in lot]
    return Drawn(dict(Counter(rows).most_common()), count)


def draws_at_once(cfg: TransformerConfig, how: Drawing, count: int) -> int:
    """Returns how many answers are drawn in one batch, so that other threads get their turn."""
    steps = 1 if cfg.causal else how.steps  # without the causal mask the decoder reads all words again at each step
    return max(1, min(count, rows_at_once(cfg, 1, how.steps) // steps))


def _drawn(model: Transformer, how: Drawing, first: int, n: int) -> list[Answer]:
    """Draws `n` answers from number `first` on; each batch has random numbers of its own."""
    luck = torch.Generator().manual_seed(how.seed + APART * first)
    drawn = draw_answers(model, torch.tensor([how.src]), how.start, how.steps, n, how.sampling, luck, how.end)
    return [through_end(row, how.end) for row in drawn.tolist()]


@shared_cache(2**22)
def answer_probabilities(
    choice: ModelChoice, src: tuple[int, ...], start: Answer, answers: tuple[Answer, ...], sampling: Sampling | None
) -> np.ndarray:
    """Computes the probabilities with which a model says, or draws, whole answers. Shape: (answers,)"""
    probabilities: np.ndarray = np.exp(answer_log_probabilities(model_of(choice), src, start, answers, sampling))
    return probabilities


def many_probabilities(
    choice: ModelChoice, src: Answer, start: Answer, answers: Sequence[Answer], sampling: Sampling | None, seconds: float
) -> list[np.ndarray | None]:
    """Computes `answer_probabilities` in batches: some sentences have thousands of answers. See `incremental.measure`."""
    longest = max(map(len, answers), default=1)
    several = max(1, rows_at_once(choice.cfg, 1, longest))
    lots = [tuple(answers[i : i + several]) for i in range(0, len(answers), several)]
    keys = [("probabilities", choice, src, start, lot, sampling) for lot in lots]
    return measure(seconds, keys, lambda key: answer_probabilities(choice, src, start, key[4], sampling))


@shared_cache(2**26)
def beams(
    choice: ModelChoice,
    src: tuple[int, ...],
    start: Answer,
    steps: int,
    width: int,
    penalty: float,
    end: int | None = None,
    dropped: int = 3,
) -> tuple[BeamSearch, int]:
    """Runs a beam search.

    Returns it with the `dropped` best dropped candidates of every step, and the number of candidates compared.
    """
    search = beam_search(model_of(choice), torch.tensor([src]), start, steps, width, end_id=end, penalty=penalty)
    return pruned(search, dropped), sum(len(level.token) for level in search.levels)


def most_steps(cfg: TransformerConfig, most: int, start: Sequence[int] = (0,)) -> int:
    """Returns how many steps to take behind `start`: `most`, unless the model has fewer positions."""
    return max(1, min(most, cfg.longest_tgt - len(start) + 1))


@dataclass(frozen=True)
class TeacherForcing:
    """The decoder's input in training and its labels; `known`: whether they are a right answer."""

    given: tuple[int, ...]
    labels: tuple[int, ...]
    known: bool = True


def teacher_forcing(shown: ShownModel, typed: str = "") -> TeacherForcing:
    """Returns the answer that the source on screen should get: the typed one, or else the right one.

    Where no right answer is known, the decoder's input stands in for it.
    """
    start, end = shown.tgt[0], shown.vocabulary.end
    if end is None or not shown.cfg.has_encoder:
        return TeacherForcing(shown.tgt, shown.batch(0, 0)[2])
    if typed.strip():
        right: Sequence[int] = shown.read_answer(typed)
    else:
        right = shown.tgt[1:] if shown.text.typed else shown.right_answer
    if not right:
        return TeacherForcing(shown.tgt, (*shown.tgt[1:], end), known=False)
    return TeacherForcing((start, *right), (*right, end))


def token_texts(shown: ShownModel, ids: Sequence[int]) -> list[str]:
    """Returns the tokens of ids; ids beyond the vocabulary, which a model from a file may generate, are written `#12`."""
    known = shown.vocabulary.tokens
    return [known[i] if i < len(known) else f"#{i}" for i in ids]


def labels(shown: ShownModel, ids: Sequence[int]) -> list[str]:
    """Returns position and token of each id."""
    return list(token_labels(token_texts(shown, ids)))


def positions(shown: ShownModel) -> list[str]:
    """Labels each position of the decoder's input with the word read and the word to be written: `1 le → chat`."""
    wanted = token_texts(shown, shown.batch(0, 0)[2])
    return [f"{read} → {written}" for read, written in zip(labels(shown, shown.tgt), wanted, strict=True)]


def read_forced(text: str, shown: ShownModel) -> dict[int, int]:
    """Parses forced tokens typed as `2=chat 4=le`: step (from 1) and token. Raises InputError that says what to type."""
    forced = {}
    tokens = token_texts(shown, range(shown.cfg.tgt_vocab))
    for pair in text.split():
        step, _sign, word = pair.partition("=")
        if not (step.isdecimal() and len(step) < 9 and int(step) >= 1 and word):
            raise InputError(
                "Forced tokens: “{pair}” is not a step and a token. Type, for instance, 2={word}.",
                pair=pair[:40],
                word=tokens[-1],
            )
        if (token := _place(word, tokens)) is None:
            raise InputError("Forced tokens: this model has no token “{word}”. Choose another one.", word=word[:40])
        forced[int(step) - 1] = token
    return forced


def _place(word: str, tokens: list[str]) -> int | None:
    """Returns the index of a word among tokens, tried as typed, in lower case and capitalised."""
    return next((tokens.index(form) for form in (word, word.lower(), word.capitalize()) if form in tokens), None)


def write_forced(forced: dict[int, int], shown: ShownModel) -> str:
    return " ".join(f"{step + 1}={token_texts(shown, [token])[0]}" for step, token in sorted(forced.items()))
