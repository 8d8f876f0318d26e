"""Pins that every part of the positions, masks and shapes pages opens for models that only a file can hold, or says why not."""

import pytest
import torch

from explorer import runs
from tests.pages.helpers import app, go, turn
from tests.pages.test_bad_input import ODD_MODELS
from transformer_core import Transformer, TransformerConfig, checkpoint

PARTS = {
    "positions": ("Counters and rotation", "Without positions"),
    "masks": ("Blocked rows", "The triangle", "A batch"),
    "shapes": ("Parameters", "The notes' printout", "Cost and length"),
}


@pytest.mark.parametrize("case", ["odd and narrow", "one symbol", "short positions", "fewer target symbols", "another filler"])
def test_the_parts_open_for_odd_models_or_decline_in_one_sentence(case):
    sizes = {"src_vocab": 11, "tgt_vocab": 11, "d_model": 24, "n_heads": 3, "d_ff": 40, "n_layers": 2} | ODD_MODELS[case]
    model = Transformer(TransformerConfig(**sizes), torch.Generator().manual_seed(1))
    at = app({"model": runs.shelf().add(checkpoint.to_bytes(model)).id})
    for page, parts in PARTS.items():
        go(at, page)
        for part in parts:
            turn(at, part=part)
            assert not at.exception, (part, at.exception[0].message)
            assert len([*at.error, *at.warning]) <= 1
