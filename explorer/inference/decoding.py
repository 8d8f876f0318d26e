"""What a model generates, step by step, as numpy arrays, cached by everything that determines it."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from cachetools import LRUCache, cached

from explorer.inference.forward import ModelChoice, Random, model_of
from explorer.inference.shown_model import ShownModel
from transformer_core.analysis.attention_map import token_labels
from transformer_core.data.corpora import CORPORA
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


@cached(LRUCache(64), lock=threading.Lock())
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


@cached(LRUCache(64), lock=threading.Lock())
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
    """The answer that the source on screen should get.

    With random weights it is the typed target. A stored model's task knows it; for a sentence that is not in the corpus it is
    the typed target, and without one, what the model generates, which merely stands in for it.
    """
    start, end = shown.tgt[0], shown.vocabulary.end
    if shown.stored is None or end is None:
        return TeacherForcing(shown.tgt, shown.batch(0, 0)[2])
    right = tuple(shown.vocabulary.encode(typed)) if typed.strip() else _looked_up(shown, shown.stored.task)
    if not right:
        return TeacherForcing(shown.tgt, (*shown.tgt[1:], end), known=False)
    return TeacherForcing((start, *right), (*right, end))


def _looked_up(shown: ShownModel, task: str) -> tuple[int, ...]:
    """The answer to the source in the corpus of its task; empty if it is not in there."""
    if task not in CORPORA or (corpus := CORPORA[task]()).vocabulary != shown.vocabulary:
        return ()
    found = corpus.by_source.get(tuple(shown.vocabulary.decode(shown.src)))
    return tuple(shown.vocabulary.tokens.index(word) for word in found.tgt) if found else ()


def untrained(shown: ShownModel) -> tuple[ModelChoice, bool]:
    """The same sizes with random weights, and whether these are what this model's training started from: its file may name
    the seed of its run."""
    weights = shown.choice.weights
    seed = weights.seed if isinstance(weights, Random) else shown.stored.facts.get("seed") if shown.stored else None
    if isinstance(seed, int) and 0 <= seed < 2**31:
        return ModelChoice(shown.cfg, Random(seed)), True
    return ModelChoice(shown.cfg, Random(0)), False


def token_texts(shown: ShownModel, ids: Sequence[int]) -> list[str]:
    """The tokens of ids; a model from a file may generate ids beyond the vocabulary, written `#12`."""
    known = shown.vocabulary.tokens
    return [known[i] if i < len(known) else f"#{i}" for i in ids]


def labels(shown: ShownModel, ids: Sequence[int]) -> list[str]:
    """Position and token."""
    return list(token_labels(token_texts(shown, ids)))


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
        if word.lower() not in tokens:
            raise InputError("Forced tokens: this model has no token “{word}”. Choose another one.", word=word[:40])
        forced[int(step) - 1] = tokens.index(word.lower())
    return forced


def write_forced(forced: dict[int, int], shown: ShownModel) -> str:
    return " ".join(f"{step + 1}={token_texts(shown, [token])[0]}" for step, token in sorted(forced.items()))
