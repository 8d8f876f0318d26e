"""Decoding, greedy or by sampling; by beam search: `beam_search.py`.

In training the decoder is given the target, shifted right (section 3.1); here it is given what it has generated so far.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from transformer_core.errors import InputError
from transformer_core.model.cache import next_logits_of
from transformer_core.model.transformer import Transformer

Start = int | Sequence[int]  # the start token, or all tokens that an answer begins with, start token first


@dataclass(frozen=True)
class Sampling:
    """The options of sampling the next token: first the temperature, then top-k, then top-p on what is left.

    Attributes:
        temperature: logits are divided by it; below 1, likely tokens become likelier, above 1, all become more alike.
        top_k: only the k most probable tokens are kept. None: all.
        top_p: only the fewest most probable tokens that reach this probability together are kept (the nucleus). None: all.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None

    def __post_init__(self) -> None:
        if not 0 < self.temperature < math.inf:
            raise InputError("the temperature must be above 0 and finite, not {value}", value=self.temperature)
        if self.top_k is not None and self.top_k < 1:
            raise InputError("top_k must be at least 1, not {value}", value=self.top_k, nearest={"top_k": (1,)})
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise InputError("top_p must be above 0 and at most 1, not {value}", value=self.top_p)


@dataclass(frozen=True)
class DecodingStep:
    """One step of decoding.

    Shape: tokens (batch, length so far), the newest last; all other tensors (batch, tgt_vocab)

    Attributes:
        probabilities, logits, log_probabilities (nats): the model's own.
        sampling_probabilities: what the newest token was chosen by: 1 for one token when greedy; after temperature, top-k and
            top-p when sampled.
        forced: whether it was given instead.
    """

    tokens: Tensor
    probabilities: Tensor
    logits: Tensor
    log_probabilities: Tensor
    sampling_probabilities: Tensor
    forced: bool = False


def without_padding(logits: Tensor, pad_id: int) -> Tensor:
    """The same logits, with -inf for padding: it only fills rows, and is no answer. Shape: (..., vocab) -> (..., vocab)"""
    masked = logits.clone()
    masked[..., pad_id] = -math.inf
    return masked


def sampling_probabilities(logits: Tensor, sampling: Sampling) -> Tensor:
    """The probability of each token to be sampled. Of equal logits, the smaller id ranks first.

    Shape: (batch, vocab) -> (batch, vocab), float64, rows add up to 1

    Raises:
        InputError: for a top_k larger than the vocabulary.
    """
    vocab = logits.size(-1)
    _check_top_k(sampling.top_k, vocab)
    scaled = logits.double() / sampling.temperature
    if sampling.top_k is None and (sampling.top_p is None or sampling.top_p >= 1):
        return scaled.softmax(dim=-1)  # to rank a large vocabulary takes most of a step
    probabilities, order = scaled.softmax(dim=-1).sort(dim=-1, descending=True, stable=True)
    if sampling.top_k is not None:
        probabilities[..., sampling.top_k :] = 0.0
        probabilities /= probabilities.sum(dim=-1, keepdim=True)
    if sampling.top_p is not None and sampling.top_p < 1:
        before = probabilities.cumsum(dim=-1) - probabilities  # a token is kept while those before it have not reached top_p
        # Rounding must not admit one token too many: a sum that should equal top_p may fall just short of it.
        probabilities = probabilities.where(before < sampling.top_p * (1 - 1e-12), 0.0)
        probabilities /= probabilities.sum(dim=-1, keepdim=True)
    return torch.zeros_like(probabilities).scatter(-1, order, probabilities)


def decode_steps(
    model: Transformer,
    src: Tensor,
    start: Start,
    steps: int,
    *,
    sampling: Sampling | None = None,
    generator: torch.Generator | None = None,
    forced: Mapping[int, int] | None = None,
    end_id: int | None = None,
    memory: Tensor | None = None,
) -> Iterator[DecodingStep]:
    """Yields up to `steps` steps; the encoder runs once, the decoder once per step (section 3.1), on what is new: the keys and
    values of the tokens before it are kept. Without a causal mask, and where stages are edited, it runs on all tokens so far.

    The model must be in eval mode.

    Shape: src (batch, src)

    Args:
        start: what each answer begins with; of a decoder alone that may be long. Steps count from its end.
        sampling: how to sample; None takes the most probable token (greedy).
        generator: the source of random numbers (on the CPU); needed for sampling. One number is drawn per sequence and step,
            even where a token is forced, so that a forced token changes what follows only by what it is.
        forced: step (from 0) -> token that is generated there, whatever the model predicts.
        end_id: after this token, a sequence is continued with padding; when all sequences have ended, decoding stops.
        memory: what the decoder is given of the source, (batch, src, d_model), or (1, src, d_model) where all sequences answer
            the same source; None: what the encoder makes of `src`.

    Raises:
        InputError: at once, for arguments that are out of range.
    """
    forced = dict(forced or {})
    vocab = model.cfg.tgt_vocab
    beginning = beginning_of(start)
    check_limits(vocab, beginning, end_id, steps)
    if sampling is not None and generator is None:
        raise InputError("sampling needs a generator; give one with a seed")
    if sampling is not None:
        _check_top_k(sampling.top_k, vocab)
    for step, token in forced.items():
        if not 0 <= step < steps:
            raise InputError("a token is forced at step {step}; choose one of the steps 0 to {last}", step=step, last=steps - 1)
        if not 0 <= token < vocab:
            raise InputError(
                "the forced token {token} is not among the {vocab} tokens of the vocabulary, 0 to {last}",
                token=token,
                vocab=vocab,
                last=vocab - 1,
            )

    @torch.no_grad()
    def generate() -> Iterator[DecodingStep]:
        src_mask = model.src_mask(src)
        next_logits = next_logits_of(model, model.encode(src, src_mask) if memory is None else memory, src_mask)
        tokens = torch.tensor(beginning, device=src.device).repeat(src.size(0), 1)  # (batch, so far)
        over = torch.zeros_like(tokens[:, :1], dtype=torch.bool)  # (batch, 1)
        for i in range(steps):
            logits = next_logits(tokens, None)  # (batch, tgt_vocab)
            if sampling is None:
                chosen = without_padding(logits, model.cfg.pad_id).argmax(dim=-1, keepdim=True)  # (batch, 1)
                probabilities = torch.zeros_like(logits).scatter(-1, chosen, 1.0)
            else:
                probabilities = sampling_probabilities(without_padding(logits, model.cfg.pad_id), sampling)
                uniform = torch.rand(src.size(0), 1, generator=generator, dtype=torch.float64).to(src.device)
                chosen = _draw(probabilities, uniform)
            if i in forced:
                chosen = torch.full_like(chosen, forced[i])
            tokens = torch.cat([tokens, chosen.masked_fill(over, model.cfg.pad_id)], dim=1)  # (batch, so far + 1)
            yield DecodingStep(tokens, logits.softmax(dim=-1), logits, logits.log_softmax(dim=-1), probabilities, i in forced)
            over = over | (chosen == end_id) if end_id is not None else over
            if over.all():
                return

    return generate()


@torch.no_grad()
def draw_answers(
    model: Transformer,
    src: Tensor,
    start: Start,
    steps: int,
    count: int,
    sampling: Sampling,
    generator: torch.Generator,
    end_id: int | None = None,
) -> Tensor:
    """Draws `count` answers to one source, as `decode_steps` does for a batch of so many copies of it. A prefix that
    several answers share is read once.

    The model must be in eval mode.

    Shape: src (1, src) -> (count, up to steps), without what it starts with, with padding behind the end token

    Raises:
        InputError: for arguments that are out of range.
    """
    vocab = model.cfg.tgt_vocab
    if src.ndim != 2 or src.size(0) != 1:
        raise InputError("answers are drawn for one sequence, of shape (1, src), not {shape}", shape=tuple(src.shape))
    beginning = beginning_of(start)
    check_limits(vocab, beginning, end_id, steps)
    _check_top_k(sampling.top_k, vocab)
    src_mask = model.src_mask(src)
    next_logits = next_logits_of(model, model.encode(src, src_mask), src_mask)
    prefixes = torch.tensor([beginning])  # (prefix, so far): each once
    parent = None  # of each prefix, among those of the step before
    prefix_of = torch.zeros(count, dtype=torch.long)  # the prefix of each answer
    over = torch.zeros(count, dtype=torch.bool)
    drawn = []
    for _ in range(steps):
        logits = without_padding(next_logits(prefixes, parent), model.cfg.pad_id)  # (prefix, vocab)
        probabilities = sampling_probabilities(logits, sampling)
        uniform = torch.rand(count, 1, generator=generator, dtype=torch.float64)
        chosen = _draw(probabilities[prefix_of], uniform)[:, 0].masked_fill(over, model.cfg.pad_id)  # (count,)
        drawn.append(chosen)
        over = over | (chosen == end_id) if end_id is not None else over
        if over.all():
            break
        # A prefix and its next token as one number: equal continuations become one prefix of the next step.
        continued, place = (prefix_of * vocab + chosen)[~over].unique(return_inverse=True)
        parent, prefix_of = continued // vocab, prefix_of.masked_scatter(~over, place).masked_fill(over, 0)
        prefixes = torch.cat([prefixes[parent], (continued % vocab)[:, None]], dim=1)
    return torch.stack(drawn, dim=1)


def _draw(probabilities: Tensor, uniform: Tensor) -> Tensor:
    """The token whose interval contains `uniform`, with all probabilities laid end to end from 0 to 1 (inverse transform).

    Shape: probabilities (batch, vocab), uniform (batch, 1) in [0, 1) -> (batch, 1)
    """
    ends = probabilities.cumsum(dim=-1)
    total = ends[:, -1:]
    last = (ends < total).sum(dim=-1, keepdim=True)  # rounding must not lead beyond the last token that can be sampled
    return torch.searchsorted(ends, uniform * total, right=True).minimum(last)


def greedy_decode(model: Transformer, src: Tensor, start: Start, steps: int) -> Tensor:
    """Shape: src (batch, src) -> (batch, start + steps), the start token first"""
    *_, last = decode_steps(model, src, start, steps)
    return last.tokens


def _check_top_k(top_k: int | None, vocab: int) -> None:
    if top_k is not None and top_k > vocab:
        raise InputError(
            "top_k {top_k} is larger than the vocabulary; choose at most {vocab}",
            top_k=top_k,
            vocab=vocab,
            nearest={"top_k": (vocab,)},
        )


def beginning_of(start: Start) -> list[int]:
    """All tokens that an answer begins with. Raises InputError for none."""
    beginning = [start] if isinstance(start, int) else list(start)
    if not beginning:
        raise InputError("decoding begins with a start token; give one")
    return beginning


def check_limits(vocab: int, beginning: Sequence[int], end_id: int | None, steps: int) -> None:
    """Raises InputError for no steps, and for tokens that are not in the vocabulary."""
    if steps < 1:
        raise InputError("decoding needs at least 1 step, not {steps}", steps=steps)
    for token in beginning:
        if not 0 <= token < vocab:
            raise InputError(
                "the start token {token} is not among the {vocab} tokens of the vocabulary, 0 to {last}",
                token=token,
                vocab=vocab,
                last=vocab - 1,
            )
    if end_id is not None and not 0 <= end_id < vocab:
        raise InputError(
            "the end token {token} is not among the {vocab} tokens of the vocabulary, 0 to {last}",
            token=end_id,
            vocab=vocab,
            last=vocab - 1,
        )
