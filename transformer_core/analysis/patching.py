"""Activation patching: one vector of a model's run on one sentence is put into its run on another, to see what it decides.

A patch is an edit of one stage at one position. Where the answers to the two sentences part, the log-odds of the one answer's
token against the other's say how much of the difference the patch restores.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from transformer_core.analysis.residual_stream import sublayers
from transformer_core.model.config import TransformerConfig
from transformer_core.model.decoding import decode_steps
from transformer_core.model.intervened import IntervenedModel
from transformer_core.model.stages import FEED_FORWARD, SublayerPath, embedding_stage, norm_stage
from transformer_core.model.trace import Edit, Trace
from transformer_core.model.transformer import Transformer

LEAST = 0.1  # nats: a smaller difference of the log-odds is none to be shared out


@dataclass(frozen=True)
class Pair:
    """Two sources of as many tokens, or two texts of a decoder alone, and where the model's answers to them part.

    Attributes:
        first, second: the ids of the sources, or of the texts, start token first.
        given: what the decoder has read there, start token first: the same for both. Of a decoder alone, with what it has gone
            on behind its text; it may be nothing.
        one, other: the tokens with which the answers to the first and to the second go on.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    given: tuple[int, ...]
    one: int
    other: int


def pair_of(first: Sequence[int], second: Sequence[int], answer: Sequence[int], other_answer: Sequence[int]) -> Pair | None:
    """Two sources with the answers of the model, start token first, or two texts with what follows them; None where the answers
    do not part.

    Raises:
        ValueError: for sources of unlike lengths: their places could not be told to be the same.
    """
    if len(first) != len(second):
        raise ValueError(f"a patch needs sources of as many tokens, not of {len(first)} and {len(second)}")
    for place, (one, other) in enumerate(zip(answer, other_answer, strict=False)):
        if one != other:
            return Pair(tuple(first), tuple(second), tuple(answer[:place]), one, other)
    return None


def stream_stages(cfg: TransformerConfig, stack: str) -> list[str]:
    """The residual stream of a stack: what enters its first layer, and the state after each layer."""
    name = "residual" if cfg.norm == "pre" else norm_stage(pre=False)
    layers = [SublayerPath(stack, layer, FEED_FORWARD).stage(name) for layer in range(cfg.n_layers)]
    return [embedding_stage(stack, "sum"), *layers]


def output_stages(cfg: TransformerConfig, stack: str) -> list[str]:
    """The outputs of the sublayers of a stack, in the model's order."""
    return [SublayerPath(stack, layer, part).stage("output") for layer in range(cfg.n_layers) for part in sublayers(cfg, stack)]


def patch(vectors: Tensor, places: Sequence[int]) -> Edit:
    """The edit by which row i of a batch gets the vector of its own place, `places[i]`, as far as the sequences are so long.
    Further rows stay as they are.

    Shape: vectors (length, d_model); the stage (batch, length, d_model)
    """

    def edit(x: Tensor) -> Tensor:
        x = x.clone()
        for row, place in zip(x, places, strict=False):
            if place < len(row):
                row[place] = vectors[place]
        return x

    return edit


@dataclass(frozen=True, eq=False)
class Restored:
    """The share of the difference between two runs that each vector restores, by itself.

    Shape: encoder (stage, src), decoder (stage, given)

    Attributes:
        encoder, decoder: 0: as the second sentence alone; 1: as the first. NaN where the two differ by less than LEAST.
        first, second: the log-odds without a patch, in nats: how much more probable one answer's token is than the other's.
    """

    encoder: np.ndarray
    decoder: np.ndarray
    first: float
    second: float

    @property
    def is_measurable(self) -> bool:
        return abs(self.first - self.second) >= LEAST


@torch.no_grad()
def restored(model: Transformer, pair: Pair, encoder: Sequence[str], decoder: Sequence[str]) -> Restored:
    """(log-odds with the patch − those of the second) / (those of the first − those of the second), for every place of these
    stages of the encoder and of the decoder. It is not clipped: a patch may do harm, or more than the whole first sentence.

    The model must be in eval mode.
    """
    with Trace() as donor:
        first = float(_log_odds(model(*_read(model, pair.first, pair.given)), pair))
    with Trace():
        second = float(_log_odds(model(*_read(model, pair.second, pair.given)), pair))
    of_encoder, of_decoder = (
        np.array([_shares(model, pair, stage, donor[stage][0], first) for stage in stages]) for stages in (encoder, decoder)
    )
    return Restored(of_encoder, of_decoder, first, second)


def _shares(model: Transformer, pair: Pair, stage: str, vectors: Tensor, first: float) -> np.ndarray:
    """All places of one stage at once: a row of the batch each, and a last one without a patch. Shape: -> (place,)"""
    n = len(vectors)
    src, given = (ids.expand(n + 1, -1) for ids in _read(model, pair.second, pair.given))
    *patched, second = _log_odds(IntervenedModel(model, {stage: patch(vectors, range(n))})(src, given), pair).tolist()
    if abs(first - second) < LEAST:
        return np.full(n, np.nan)
    shares: np.ndarray = (np.array(patched) - second) / (first - second)
    return shares


def _read(model: Transformer, words: Sequence[int], given: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Source and decoder input; of a decoder alone, its text goes before what is given, and there is no source.
    Shape: -> (1, src), (1, tgt)"""
    src, tgt = (words, given) if model.cfg.has_encoder else ((), (*words, *given))
    return torch.tensor([src], dtype=torch.long), torch.tensor([tgt])


def _log_odds(logits: Tensor, pair: Pair) -> Tensor:
    """The log-odds of the next token: ln p(one) − ln p(other). Shape: (batch, given, vocab) -> (batch,), nats"""
    last = logits[:, -1].double()
    return last[:, pair.one] - last[:, pair.other]


@torch.no_grad()
def patched(model: Transformer, pair: Pair, stage: str, place: int) -> IntervenedModel:
    """The model with one vector put in for good: that of its own run on the first source, or text."""
    with Trace() as donor:
        model(*_read(model, pair.first, pair.given))
    return IntervenedModel(model, {stage: patch(donor[stage][0], [place])})


def answer(model: Transformer, words: Sequence[int], start: int, steps: int, end: int | None = None) -> tuple[int, ...]:
    """The greedy answer of a model to a source: the start token first, up to the end token where it is reached. Of a decoder
    alone, what follows its text."""
    if model.cfg.has_encoder:
        *_, last = decode_steps(model, torch.tensor([words]), start, steps, end_id=end)
        return tuple(last.tokens[0].tolist())
    *_, last = decode_steps(model, torch.empty(1, 0, dtype=torch.long), tuple(words), steps, end_id=end)
    return tuple(last.tokens[0, len(words) :].tolist())
