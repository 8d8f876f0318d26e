"""Beam search: the best few unfinished answers are followed at once (section 6.1)."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from transformer_core.errors import InputError
from transformer_core.model.cache import next_logits_of
from transformer_core.model.decoding import Start, beginning_of, check_limits, without_padding
from transformer_core.model.transformer import Transformer


@dataclass(frozen=True)
class BeamLevel:
    """All candidates of one step, kept and dropped: every unfinished answer of the level before, continued by every
    token but padding.

    Shape: each (candidate,), ordered by parent and token

    Attributes:
        token: the token it is continued by.
        log_probability: that token's own, given all before it, in nats.
        score: the sum of the log-probabilities from the start, in nats.
        parent: index, in the level before, of the candidate that it continues; 0 in the first level.
        kept: whether it is among the best.
        ended: whether its token is the end token: it is a finished answer, and not continued.
    """

    token: np.ndarray
    log_probability: np.ndarray
    score: np.ndarray
    parent: np.ndarray
    kept: np.ndarray
    ended: np.ndarray


@dataclass(frozen=True)
class Hypothesis:
    """One complete answer.

    Attributes:
        tokens: without what all answers start with, with the end token if there is one.
        score: sum of log-probabilities in nats; normalised: score divided by the length penalty.
        ended: whether it ends with the end token; otherwise the steps were used up.
        path: its index in each level of the tree.
    """

    tokens: tuple[int, ...]
    score: float
    normalised: float
    ended: bool
    path: tuple[int, ...]


@dataclass(frozen=True)
class BeamSearch:
    """The whole tree, level by level, and the answers found, the best first."""

    levels: tuple[BeamLevel, ...]
    hypotheses: tuple[Hypothesis, ...]


def length_penalty(length: int, strength: float) -> float:
    """((5 + length) / 6)^strength, by which a score is divided; the paper uses a strength of 0.6 (section 6.1)."""
    penalty: float = ((5 + length) / 6) ** strength
    return penalty


@dataclass(frozen=True)
class BeamStep:
    """One step of a search for each of many sources, which have `width` slots each; the score of an empty slot is -inf.

    Shape: own and total (batch, width, tgt_vocab), tokens (batch, width, so far); all others (batch, width), the best first

    Attributes:
        own, total: log-probability of each token after what the slots held before, and its sum from the start.
        parent: the slot that each continues.
        score: the sum of the log-probabilities from the start, in nats.
    """

    own: Tensor
    total: Tensor
    tokens: Tensor
    parent: Tensor
    score: Tensor
    ended: Tensor


@torch.no_grad()
def beam_steps(model: Transformer, src: Tensor, start: Start, steps: int, width: int, end_id: int | None) -> Iterator[BeamStep]:
    """Follows the `width` best unfinished answers to each source. A finished answer keeps its place in the beam, so the search
    continues with one fewer. Of equal scores the earlier candidate is kept.

    Shape: src (batch, src)
    """
    src_mask = model.src_mask(src).repeat_interleave(width, dim=0)
    memory = model.encode(src).repeat_interleave(width, dim=0)  # (batch * width, src, d_model)
    next_logits = next_logits_of(model, memory, src_mask)
    first_row = width * torch.arange(len(src), device=src.device)[:, None]
    slots, room = torch.arange(width, device=src.device), torch.full((len(src), 1), width, device=src.device)
    tokens = torch.tensor(beginning_of(start), device=src.device).repeat(len(src), width, 1)  # (batch, width, so far)
    score = torch.full((len(src), width), -math.inf, dtype=torch.float64, device=src.device)
    score[:, 0] = 0.0  # one beginning
    rows = None
    for _ in range(steps):
        logits = next_logits(tokens.flatten(0, 1), rows).unflatten(0, (-1, width))  # (batch, width, vocab)
        own = logits.double().log_softmax(dim=-1)
        total = without_padding(score[:, :, None] + own, model.cfg.pad_id)
        score, place = (each[:, :width] for each in total.flatten(1).sort(descending=True, stable=True))
        score = score.masked_fill(slots >= room, -math.inf)
        parent, token = place // logits.size(-1), place % logits.size(-1)
        tokens = torch.cat([tokens.gather(1, parent[:, :, None].expand_as(tokens)), token[:, :, None]], dim=-1)
        ended = (token == end_id) & (score != -math.inf) if end_id is not None else torch.zeros_like(token, dtype=torch.bool)
        yield BeamStep(own, total, tokens, parent, score, ended)
        room = room - ended.sum(dim=1, keepdim=True)
        score = score.masked_fill(ended, -math.inf)
        if (score == -math.inf).all():
            return
        rows = (first_row + parent).flatten()


def beam_search(
    model: Transformer,
    src: Tensor,
    start: Start,
    steps: int,
    width: int,
    *,
    end_id: int | None = None,
    penalty: float = 0.0,
) -> BeamSearch:
    """The whole tree of a beam search for one source (section 6.1: width 4).

    The model must be in eval mode.

    Shape: src (1, src)

    Args:
        penalty: strength of the length penalty by which the answers are ranked; 0 ranks them by their score alone.
    """
    vocab = model.cfg.tgt_vocab
    if src.ndim != 2 or src.size(0) != 1:
        raise InputError("beam search takes one sequence, of shape (1, src), not {shape}", shape=tuple(src.shape))
    if width < 1:
        raise InputError("a beam must be at least 1 wide, not {width}", width=width)
    if not 0 <= penalty < math.inf:
        raise InputError("the length penalty must be at least 0 and finite, not {value}", value=penalty)
    beginning = beginning_of(start)
    check_limits(vocab, beginning, end_id, steps)
    words = np.delete(np.arange(vocab), model.cfg.pad_id)  # the candidates of each parent: every token but padding
    levels: list[BeamLevel] = []
    done: list[Hypothesis] = []
    paths: dict[int, tuple[int, ...]] = {0: ()}  # of the slots that hold an unfinished answer
    for i, step in enumerate(beam_steps(model, src, beginning, steps, width, end_id)):
        before, paths = paths, {}
        first = {slot: n * len(words) for n, slot in enumerate(before)}  # of each parent's candidates, in this level
        own, total = (each[0, list(before)].cpu().numpy()[:, words].ravel() for each in (step.own, step.total))
        token, kept = np.tile(words, len(before)), np.zeros(len(total), dtype=bool)
        parents = np.repeat([path[-1] if path else 0 for path in before.values()], len(words))
        levels.append(BeamLevel(token, own, total, parents, kept, token == end_id))
        for slot in (step.score[0] != -math.inf).nonzero()[:, 0].tolist():
            parent, ended = int(step.parent[0, slot]), bool(step.ended[0, slot])
            tokens = step.tokens[0, slot, len(beginning) :].tolist()
            place = first[parent] + int(np.searchsorted(words, tokens[-1]))
            kept[place] = True
            path = (*before[parent], place)
            if ended or i + 1 == steps:
                score = float(step.score[0, slot])
                done.append(Hypothesis(tuple(tokens), score, score / length_penalty(len(tokens), penalty), ended, path))
            else:
                paths[slot] = path
    return BeamSearch(tuple(levels), tuple(sorted(done, key=lambda answer: -answer.normalised)))


def beam_decode(
    model: Transformer, src: Tensor, start: Start, steps: int, width: int, end_id: int
) -> list[list[tuple[tuple[int, ...], float]]]:
    """The finished answers of a beam search for each of many sources: tokens without the end token and the log-probability in
    nats, the most probable first. Answers that are unfinished after `steps` are left out.

    The model must be in eval mode.

    Shape: src (batch, src)
    """
    finished: list[list[tuple[tuple[int, ...], float]]] = [[] for _ in src]
    first = len(beginning_of(start))
    for step in beam_steps(model, src, start, steps, width, end_id):
        for row, slot in step.ended.nonzero().tolist():
            finished[row].append((tuple(step.tokens[row, slot, first:-1].tolist()), float(step.score[row, slot])))
    return [sorted(answers, key=lambda answer: -answer[1]) for answers in finished]
