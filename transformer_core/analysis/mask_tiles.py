"""The masks of one pair of sequences as tiles that can be drawn."""

from collections.abc import Sequence

import numpy as np
import torch

from transformer_core.model.masks import causal_mask, padding_mask


def mask_tiles(src: Sequence[int], tgt: Sequence[int], pad_id: int, causal: bool) -> dict[str, np.ndarray]:
    """The masks of one pair of sequences, expanded to (query, key) so that they can be drawn.

    Returns:
        "source padding" (src, src), "causal" (tgt, tgt), "target" = causal & target padding (tgt, tgt), "cross" (tgt, src);
        booleans, True = may attend.
    """
    src_keep, tgt_keep = (padding_mask(torch.tensor([ids]), pad_id)[0, 0].numpy() for ids in (src, tgt))  # (1, key)
    lower = causal_mask(len(tgt))[0, 0].numpy() if causal else np.ones((len(tgt), len(tgt)), dtype=bool)
    return {
        "source padding": np.broadcast_to(src_keep, (len(src), len(src))),
        "causal": lower,
        "target": lower & tgt_keep,
        "cross": np.broadcast_to(src_keep, (len(tgt), len(src))),
    }
