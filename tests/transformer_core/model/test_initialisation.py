"""Pins: a model's weights are drawn once, by the model; nothing is drawn that is thrown away, nor for a file that is loaded."""

import math
import threading

import pytest
import torch
from torch import nn

from tests.transformer_core.helpers import config, generator, perturbed_model, token_ids
from transformer_core import Transformer, checkpoint
from transformer_core.model import transformer
from transformer_core.model.embedding import sinusoidal_encoding
from transformer_core.model.initialisation import Embedding, LayerNorm, Linear, uninitialised
from transformer_core.model.transformer import shapes_only

SWITCHES = [
    {},
    {"position": "learned", "pad_id": 2},
    {"tie_embeddings": "all", "tgt_vocab": 19, "score": "additive"},
    {"tie_embeddings": "output", "norm": "pre", "layer_norm": "unbiased_std", "score": "concat_linear"},
    {"attention_bias": False, "cross_attention": False, "position": "none"},
]


@pytest.fixture
def no_drawing(monkeypatch):
    def draw(*_, **__):
        raise AssertionError("something was drawn")

    monkeypatch.setattr(nn.Linear, "reset_parameters", draw)
    monkeypatch.setattr(nn.Embedding, "reset_parameters", draw)
    monkeypatch.setattr(nn.LayerNorm, "reset_parameters", draw)


@pytest.mark.parametrize("switches", SWITCHES)
def test_a_seed_means_the_same_weights_as_ever(switches, no_drawing):
    """Put together here anew: matrices from the generator in the order of their names in the model, all else known."""
    cfg, draws = config(**switches), generator(5)
    model = Transformer(cfg, generator(5))
    for name, parameter in model.named_parameters():
        if parameter.ndim == 1:
            assert (parameter == (1.0 if name.endswith("norm.weight") else 0.0)).all()
            continue
        bound = math.sqrt(6 / sum(parameter.shape))
        expected = torch.empty(parameter.shape).uniform_(-bound, bound, generator=draws)
        if name.endswith("table.weight"):
            expected[cfg.pad_id] = 0.0
        assert torch.equal(parameter, expected), name
    for embedding, length in ((model.src_embedding, cfg.max_len), (model.tgt_embedding, cfg.longest_tgt)):
        if cfg.position == "sinusoidal":
            assert torch.equal(embedding.positions, sinusoidal_encoding(length, cfg.d_model))


@pytest.mark.parametrize("switches", SWITCHES)
def test_a_model_from_a_file_draws_nothing_and_says_the_same(switches, no_drawing, monkeypatch):
    model = perturbed_model(config(**switches))
    data, ids = checkpoint.to_bytes(model), token_ids(model.cfg)
    monkeypatch.setattr(transformer, "draw_weights", None)
    loaded = checkpoint.from_bytes(data).model
    for name, value in model.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], value), name
    assert torch.equal(loaded(*ids), model(*ids))


def test_shapes_alone_draw_nothing(no_drawing):
    model = shapes_only(config(d_model=6_600_000, d_ff=10**9, max_len=10**6))
    assert {parameter.device.type for parameter in model.parameters()} == {"meta"}


def test_a_layer_by_itself_has_weights_of_its_own():
    torch.manual_seed(3)
    ours = Linear(5, 7), Embedding(11, 3, padding_idx=2), LayerNorm(6)
    torch.manual_seed(3)
    theirs = nn.Linear(5, 7), nn.Embedding(11, 3, padding_idx=2), nn.LayerNorm(6)
    for own, expected in zip(ours, theirs, strict=True):
        for name, value in expected.state_dict().items():
            assert torch.equal(own.state_dict()[name], value)
        assert repr(own) == repr(expected)


def test_blank_holds_for_its_thread_alone_and_ends_with_an_error(monkeypatch):
    drawn = []
    monkeypatch.setattr(nn.Linear, "reset_parameters", lambda self: drawn.append(self.in_features))

    with pytest.raises(KeyError), uninitialised():
        Linear(2, 2)
        other = threading.Thread(target=Linear, args=(3, 3))
        other.start()
        other.join()
        raise KeyError
    Linear(4, 4)
    assert drawn == [3, 4]
