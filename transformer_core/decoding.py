"""From a trained model to an answer: one token at a time, each the most probable."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from transformer_core.transformer import Transformer


@dataclass(frozen=True)
class DecodingStep:
    """One step of decoding.

    Shape: tokens (batch, so far) with the newest last, probabilities (batch, tgt_vocab) it was chosen from
    """

    tokens: Tensor
    probabilities: Tensor


@torch.no_grad()
def greedy_steps(model: Transformer, src: Tensor, start_id: int, steps: int) -> Iterator[DecodingStep]:
    """Yields `steps` steps; the encoder runs once, the decoder once per step on all tokens so far (section 3.1).

    The model must be in eval mode.

    Shape: src (batch, src)
    """
    if steps < 1:
        raise ValueError(f"decoding needs at least 1 step, not {steps}")
    src_mask = model.src_mask(src)
    memory = model.encode(src, src_mask)
    tokens = torch.full((src.size(0), 1), start_id, dtype=torch.long, device=src.device)
    for _ in range(steps):
        logits = model.decode(tokens, memory, src_mask)[:, -1]  # (batch, tgt_vocab)
        tokens = torch.cat([tokens, logits.argmax(dim=-1, keepdim=True)], dim=1)  # (batch, so far + 1)
        yield DecodingStep(tokens, logits.softmax(dim=-1))


def greedy_decode(model: Transformer, src: Tensor, start_id: int, steps: int) -> Tensor:
    """Shape: src (batch, src) -> (batch, 1 + steps), the start token first"""
    *_, last = greedy_steps(model, src, start_id, steps)
    return last.tokens
