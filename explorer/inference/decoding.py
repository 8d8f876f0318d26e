"""What a model generates, step by step, as numpy arrays, cached by everything that determines it."""

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from explorer.inference.forward import ModelChoice, model_of
from explorer.inference.once import once
from explorer.inference.shown_model import ShownModel
from transformer_core.analysis.answer_distribution import answer_log_probabilities
from transformer_core.analysis.attention_map import token_labels
from transformer_core.errors import InputError
from transformer_core.model.decoding import BeamSearch, Sampling, beam_search, decode_steps, pruned

Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class GeneratedStep:
    """One step of one sentence.

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
    """How an answer is generated; `forced` holds pairs of a step (from 0) and a token. Without `sampling` it is greedy."""

    steps: int
    sampling: Sampling | None
    seed: int
    forced: Pairs

    def generated(self, shown: ShownModel, choice: ModelChoice) -> "list[GeneratedStep]":
        """What a model generates for the source on screen. Raises InputError where its tokens do not fit."""
        return generated_steps(
            choice, shown.src, shown.tgt[0], self.steps, self.sampling, self.seed, self.forced, end=shown.vocabulary.end
        )


@once(128 * 2**20)
def generated_steps(
    choice: ModelChoice,
    src: tuple[int, ...],
    start: int,
    steps: int,
    sampling: Sampling | None = None,
    seed: int = 0,
    forced: Pairs = (),
    end: int | None = None,
) -> list[GeneratedStep]:
    """Decoding from `start`, one entry per step. `forced` holds pairs of a step (from 0) and a token."""
    entries = []
    for step in decode_steps(
        model_of(choice), torch.tensor([src]), start, steps, sampling=sampling, generator=torch.Generator().manual_seed(seed),
        forced=dict(forced), end_id=end,
    ):  # fmt: skip
        *given, token = step.tokens[0].tolist()
        entries.append(
            GeneratedStep(
                tuple(given), token, step.logits[0].numpy(), step.log_probabilities[0].numpy(), step.probabilities[0].numpy(),
                step.sampling_probabilities[0].numpy(), step.forced,
            )
        )  # fmt: skip
    return entries


@once(2**22)
def sampled_answers(
    choice: ModelChoice,
    src: tuple[int, ...],
    start: int,
    steps: int,
    sampling: Sampling,
    seed: int,
    count: int,
    end: int | None = None,
) -> Mapping[tuple[int, ...], int]:
    """Of `count` answers, all drawn at once, how often each occurs, the most frequent first; an answer that ends holds its end
    token."""
    taken = decode_steps(
        model_of(choice), torch.tensor([src]).expand(count, -1), start, steps, sampling=sampling,
        generator=torch.Generator().manual_seed(seed), end_id=end,
    )  # fmt: skip
    (last,) = deque(taken, maxlen=1)  # each step holds the probabilities of all tokens
    rows = [tuple(row[: row.index(end) + 1] if end in row else row) for row in last.tokens[:, 1:].tolist()]
    return dict(Counter(rows).most_common())


@once(2**22)
def answer_probabilities(
    choice: ModelChoice, src: tuple[int, ...], start: int, answers: tuple[tuple[int, ...], ...], sampling: Sampling | None
) -> np.ndarray:
    """With which probabilities a model says, or draws, whole answers. Shape: (answers,)"""
    return np.exp(answer_log_probabilities(model_of(choice), src, start, answers, sampling))


@once(2**26)
def beams(
    choice: ModelChoice,
    src: tuple[int, ...],
    start: int,
    steps: int,
    width: int,
    penalty: float,
    end: int | None = None,
    dropped: int = 3,
) -> tuple[BeamSearch, int]:
    """A beam search with the `dropped` best dropped candidates of every step, and the number of candidates compared."""
    search = beam_search(model_of(choice), torch.tensor([src]), start, steps, width, end_id=end, penalty=penalty)
    return pruned(search, dropped), sum(len(level.token) for level in search.levels)


def most_steps(shown: ShownModel, most: int) -> int:
    """The number of steps that can be taken: those asked for, unless the model has fewer positions."""
    return min(most, shown.cfg.longest_tgt)


@dataclass(frozen=True)
class TeacherForcing:
    """The decoder's input in training, and its labels; `known`: whether these are really the right answer."""

    given: tuple[int, ...]
    labels: tuple[int, ...]
    known: bool = True


def teacher_forcing(shown: ShownModel, typed: str = "") -> TeacherForcing:
    """The answer that the source on screen should get: what was typed, here or as the decoder's input, or else the right one;
    where that is not known, the decoder's input merely stands in for it."""
    start, end = shown.tgt[0], shown.vocabulary.end
    if end is None:
        return TeacherForcing(shown.tgt, shown.batch(0, 0)[2])
    if typed.strip():
        right: Sequence[int] = shown.read_answer(typed)
    else:
        right = shown.tgt[1:] if shown.typed else shown.right_answer
    if not right:
        return TeacherForcing(shown.tgt, (*shown.tgt[1:], end), known=False)
    return TeacherForcing((start, *right), (*right, end))


def token_texts(shown: ShownModel, ids: Sequence[int]) -> list[str]:
    """The tokens of ids; a model from a file may generate ids beyond the vocabulary, written `#12`."""
    known = shown.vocabulary.tokens
    return [known[i] if i < len(known) else f"#{i}" for i in ids]


def labels(shown: ShownModel, ids: Sequence[int]) -> list[str]:
    """Position and token."""
    return list(token_labels(token_texts(shown, ids)))


def positions(shown: ShownModel) -> list[str]:
    """Each position of the decoder's input: the word that is read there, and the one that is to be said, `1 le → chat`."""
    wanted = token_texts(shown, shown.batch(0, 0)[2])
    return [f"{read} → {said}" for read, said in zip(labels(shown, shown.tgt), wanted, strict=True)]


def read_forced(text: str, shown: ShownModel) -> dict[int, int]:
    """Tokens forced by hand, typed as `2=chat 4=le`: step (from 1) and token. Raises InputError with what to type instead."""
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
    """Where a word stands among tokens; in lower case where it does not as it is typed."""
    return next((tokens.index(form) for form in (word, word.lower(), word.capitalize()) if form in tokens), None)


def write_forced(forced: dict[int, int], shown: ShownModel) -> str:
    return " ".join(f"{step + 1}={token_texts(shown, [token])[0]}" for step, token in sorted(forced.items()))
