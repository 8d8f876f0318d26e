"""Pins: the stages that are written down are those which a real pass records, in its order, for every switch."""

import pytest
import torch

from tests.transformer_core.helpers import any_configuration, perturbed_model
from transformer_core import Trace, Transformer, TransformerConfig
from transformer_core.analysis.stage_list import list_stages
from transformer_core.model.config import CHOICES

# Sizes that differ from each other, so that a swapped axis fails.
BATCH, SRC, TGT = 2, 7, 5


MANY = [any_configuration(seed) for seed in range(60)]


def recorded(cfg, batch=BATCH, src_len=SRC, tgt_len=TGT):
    trace = Trace()
    lengths = src_len if cfg.has_encoder else 0, tgt_len
    src, tgt = (torch.ones(batch, length, dtype=torch.long) for length in lengths)
    with torch.inference_mode(), trace:
        perturbed_model(cfg)(src, tgt)
    return [(stage.name, stage.axes, stage.shape) for stage in trace.stages.values()]


def written(cfg, batch=BATCH, src_len=SRC, tgt_len=TGT):
    stages = list_stages(cfg, batch, src_len, tgt_len)
    assert all(stage.value is None for stage in stages)
    return [(stage.name, stage.axes, stage.shape) for stage in stages]


def test_the_random_configurations_throw_every_switch_every_way():
    for name, choices in CHOICES.items():
        assert {getattr(cfg, name) for cfg in MANY} == set(choices)


@pytest.mark.parametrize("cfg", MANY)
def test_what_is_written_down_is_what_a_pass_records(cfg):
    assert written(cfg) == recorded(cfg)


@pytest.mark.parametrize("sizes", [(1, 1, 1), (3, 1, 6), (1, 30, 1), (4, 12, 19)])
def test_for_every_length_and_batch(sizes):
    cfg = TransformerConfig(19, 17, d_model=66, n_heads=3, d_ff=13, n_layers=2, max_len=40)
    assert written(cfg, *sizes) == recorded(cfg, *sizes)


@pytest.mark.parametrize(("src_len", "tgt_len"), [(41, 5), (7, 24), (41, 24)])
def test_a_sequence_that_is_too_long_is_refused_in_the_words_of_the_pass(src_len, tgt_len):
    cfg = TransformerConfig(19, 17, d_model=66, n_heads=3, d_ff=13, n_layers=1, max_len=40, tgt_max_len=23)
    with pytest.raises(ValueError) as of_the_pass:
        recorded(cfg, BATCH, src_len, tgt_len)
    with pytest.raises(ValueError) as of_the_list:
        list_stages(cfg, BATCH, src_len, tgt_len)
    assert str(of_the_list.value) == str(of_the_pass.value)


def test_nothing_is_built(monkeypatch):
    def build(*_, **__):
        raise AssertionError("a model was built")

    monkeypatch.setattr(Transformer, "__init__", build)
    monkeypatch.setattr(torch, "empty", build)
    cfg = TransformerConfig(11, 11, d_model=10**9, n_heads=10**3, d_ff=10**10, n_layers=2, max_len=10**6)
    assert list_stages(cfg, 10**3, 10**5, 10**6)[-1].shape == (10**3, 10**6, 11)
