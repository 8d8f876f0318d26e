"""A run to call an exhibit's numbers with: a model whose sizes all differ, and no parameter at a round number."""

from typing import Any

import numpy as np
import torch

from tests.transformer_core.helpers import config, perturbed_model, token_ids
from transformer_core.analysis.run import Run
from transformer_core.data.vocabulary import Vocabulary
from transformer_core.model.transformer import Transformer


def model_of(**changes: Any) -> Transformer:
    return perturbed_model(config(**changes), 3)


def run_of(model: Transformer) -> Run:
    """A run on 7 source tokens and 5 target tokens, the last of them padding."""
    src, tgt = (ids[0].tolist() for ids in token_ids(model.cfg))
    tokens = tuple(f"w{i}" for i in range(max(model.cfg.src_vocab, model.cfg.tgt_vocab)))
    return Run(model, Vocabulary(tokens, pad=model.cfg.pad_id), src, tgt, [*tgt[1:], 2])


def weights(model: Transformer, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Matrix and bias of a linear map, as torch keeps them. Shape: (out, in), (out,)"""
    linear = model.get_submodule(name)
    assert isinstance(linear, torch.nn.Linear)
    return linear.weight.detach().numpy(), linear.bias.detach().numpy()
