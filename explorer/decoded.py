"""What a model says by itself, step by step, as numpy: cached by everything that determines it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
import torch

from explorer.state import ModelKey, View, model_of, token_labels
from explorer.words import _
from transformer_core.data.corpora import CORPORA
from transformer_core.model.decoding import BeamSearch, Sampling, beam_search, decode_steps, pruned

Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Said:
    """One step of one sentence.

    Shape: logits, log_probabilities (nats), probabilities, sampling_probabilities (tgt_vocab,)

    Attributes:
        given: the decoder's input at this step, start token first; token: what it says then.
    """

    given: tuple[int, ...]
    token: int
    logits: np.ndarray
    log_probabilities: np.ndarray
    probabilities: np.ndarray
    sampling_probabilities: np.ndarray
    forced: bool


@st.cache_data(max_entries=64, show_spinner=False)
def answer(
    key: ModelKey,
    src: tuple[int, ...],
    start: int,
    steps: int,
    sampling: Sampling | None = None,
    seed: int = 0,
    forced: Pairs = (),
    end: int | None = None,
) -> list[Said]:
    """Decoding from `start`, one entry per step. `forced` holds pairs of a step (from 0) and a token."""
    said = decode_steps(
        model_of(key), torch.tensor([src]), start, steps, sampling=sampling, generator=torch.Generator().manual_seed(seed),
        forced=dict(forced), end_id=end,
    )  # fmt: skip
    entries = []
    for step in said:
        *given, token = step.tokens[0].tolist()
        entries.append(
            Said(
                tuple(given), token, step.logits[0].numpy(), step.log_probabilities[0].numpy(), step.probabilities[0].numpy(),
                step.sampling_probabilities[0].numpy(), step.forced,
            )
        )  # fmt: skip
    return entries


@st.cache_data(max_entries=64, show_spinner=False)
def beams(
    key: ModelKey,
    src: tuple[int, ...],
    start: int,
    steps: int,
    width: int,
    penalty: float,
    end: int | None = None,
    dropped: int = 3,
) -> tuple[BeamSearch, int]:
    """A beam search with the best `dropped` of what it dropped in every step, and how many candidates it looked at in all."""
    search = beam_search(model_of(key), torch.tensor([src]), start, steps, width, end_id=end, penalty=penalty)
    return pruned(search, dropped), sum(len(level.token) for level in search.levels)


def most_steps(view: View, most: int) -> int:
    """So many steps can be taken: as many as asked for, unless the model knows fewer places."""
    return min(most, view.cfg.longest_tgt)


@dataclass(frozen=True)
class Lesson:
    """What a teacher hands the decoder, and what it should say then; `known`: whether that is the right answer indeed."""

    given: tuple[int, ...]
    labels: tuple[int, ...]
    known: bool = True


def lesson(view: View, typed: str = "") -> Lesson:
    """The answer that the source on screen should get.

    With random weights it is the target that was typed. A trained model's task tells it; for a sentence of words that is not in
    the corpus it is what was typed, and without that what the model says itself, which then only stands in for it.
    """
    start, end = view.tgt[0], view.vocabulary.end
    if view.stored is None or end is None:
        return Lesson(view.tgt, view.batch(0, 0)[2])
    right = tuple(view.vocabulary.encode(typed)) if typed.strip() else _looked_up(view, view.stored.task)
    return Lesson((start, *right), (*right, end)) if right else Lesson(view.tgt, (*view.tgt[1:], end), known=False)


def _looked_up(view: View, task: str) -> tuple[int, ...]:
    """The answer to the source in the corpus of its task; empty where it is not there."""
    if task not in CORPORA or (corpus := CORPORA[task]()).vocabulary != view.vocabulary:
        return ()
    found = corpus.by_source.get(tuple(view.vocabulary.decode(view.src)))
    return tuple(view.vocabulary.tokens.index(word) for word in found.tgt) if found else ()


def untrained(view: View) -> tuple[ModelKey, bool]:
    """The same sizes with random weights, and whether they are those that this model's training began with: its file may name
    the seed of its run."""
    seed = view.stored.facts.get("seed") if view.stored is not None else view.key.seed
    if isinstance(seed, int) and 0 <= seed < 2**31:
        return ModelKey(view.cfg, int(seed)), True
    return ModelKey(view.cfg, 0), False


def words(view: View, ids: Sequence[int]) -> list[str]:
    """The tokens of ids; a model from a file may say ids that the vocabulary of its source lacks."""
    known = view.vocabulary.tokens
    return [known[i] if i < len(known) else _("id {i}").format(i=i) for i in ids]


def labels(view: View, ids: Sequence[int]) -> list[str]:
    """Position and token."""
    return token_labels(words(view, ids))


def read_forced(text: str, view: View) -> dict[int, int]:
    """Tokens forced by hand, typed as `2=chat 4=le`: step (from 1) and token. Raises ValueError with what to type instead."""
    forced = {}
    for pair in text.split():
        step, _sign, word = pair.partition("=")
        if not (step.isdecimal() and int(step) >= 1 and word):
            raise ValueError(_("“{pair}” names no step and token; type for instance 2={word}").format(
                pair=pair[:40], word=words(view, [view.cfg.tgt_vocab - 1])[0]))  # fmt: skip
        tokens = words(view, range(view.cfg.tgt_vocab))
        if word.lower() not in tokens:
            raise ValueError(_("“{word}” is not among the tokens of this model").format(word=word[:40]))
        forced[int(step) - 1] = tokens.index(word.lower())
    return forced


def write_forced(forced: dict[int, int], view: View) -> str:
    return " ".join(f"{step + 1}={words(view, [token])[0]}" for step, token in sorted(forced.items()))
