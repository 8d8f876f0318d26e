"""Sentences of several lengths as one batch: padding, the shift by one, the masks, and what happens without them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from transformer_core.data.batch import padded_rows
from transformer_core.errors import InputError
from transformer_core.model.masks import causal_mask, padding_mask
from transformer_core.model.transformer import Transformer


@dataclass(frozen=True)
class PaddedSentences:
    """The input of one training step.

    Shape: src (batch, src), tgt, label (batch, tgt): ids;
        src_mask (batch, 1, 1, src), tgt_mask (batch, 1, tgt, tgt): booleans, True = may attend

    Attributes:
        tgt: the decoder's input, start token first; label: the same, shifted by one position, end token last.
        n_tokens: the number of labels that are not padding, over which the loss is averaged.
    """

    src: np.ndarray
    tgt: np.ndarray
    label: np.ndarray
    src_mask: np.ndarray
    tgt_mask: np.ndarray
    n_tokens: int


def make_batch(
    sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]], start: int, end: int | None, pad_id: int
) -> PaddedSentences:
    """Pads every sentence to the longest; splits each target into the decoder's input and its label (section 3.1).

    Without an `end` token the last id of a target is only predicted, never given: the label of `start a b c` is `a b c`.

    Raises:
        InputError: for no sentences, different numbers of sources and targets, or an empty sentence. For a decoder alone, all
            sources are empty.
    """
    if not sources or len(sources) != len(targets):
        raise InputError(
            "a batch needs as many targets as sources, at least one; not {sources} and {targets}",
            sources=len(sources),
            targets=len(targets),
        )
    if not all(map(len, targets)) or (any(map(len, sources)) and not all(map(len, sources))):
        raise InputError("every sentence of a batch needs at least one token")
    whole = [(start, *ids, *([] if end is None else [end])) for ids in targets]
    src = padded_rows(sources, pad_id)
    tgt, label = padded_rows([ids[:-1] for ids in whole], pad_id), padded_rows([ids[1:] for ids in whole], pad_id)
    tgt_mask = padding_mask(tgt, pad_id) & causal_mask(tgt.size(1))
    return PaddedSentences(
        src.numpy(),
        tgt.numpy(),
        label.numpy(),
        padding_mask(src, pad_id).numpy(),
        tgt_mask.numpy(),
        int((label != pad_id).sum()),
    )


@dataclass(frozen=True)
class PaddingLeak:
    """The change of the encoder's output at each position when random words replace the padding.

    Shape: each (batch, src), the largest change of any of its numbers

    Attributes:
        columns: with the columns of the padding masked, as in the model; rows: with its rows masked instead; nothing: no mask.
    """

    columns: np.ndarray
    rows: np.ndarray
    nothing: np.ndarray


@torch.inference_mode()
def padding_leak(model: Transformer, src: np.ndarray, seed: int = 0) -> PaddingLeak:
    """Replaces padding by random words, leaves the masks as they are, and measures what changes.

    Shape: src (batch, src), ids with `model.cfg.pad_id` as padding
    """
    cfg = model.cfg
    ids = torch.from_numpy(src)
    keep = padding_mask(ids, cfg.pad_id)  # (batch, 1, 1, src)
    words = [i for i in range(cfg.src_vocab) if i != cfg.pad_id] or [cfg.pad_id]
    drawn = torch.randint(len(words), ids.shape, generator=torch.Generator().manual_seed(seed))
    others = torch.where(ids == cfg.pad_id, torch.tensor(words)[drawn], ids)

    def reach(mask: torch.Tensor) -> np.ndarray:
        return (model.encode(ids, mask) - model.encode(others, mask)).abs().amax(dim=-1).numpy()

    return PaddingLeak(reach(keep), reach(keep.mT), reach(torch.ones_like(keep)))
