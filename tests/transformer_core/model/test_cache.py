"""Pins: with kept keys and values a token at a time, the logits are those of a pass over all tokens."""

import pytest
import torch

from tests.transformer_core.helpers import BATCH, config, perturbed_model, token_ids
from transformer_core.model.cache import CachedDecoder


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"norm": "pre"},
        {"position": "learned"},
        {"position": "none"},
        {"position": "rotary", "cross_position": True},
        {"position": "alibi", "cross_position": True},
        {"score": "additive"},
        {"score": "dot"},
        {"cross_attention": False},
        {"residual": False},
        {"tie_embeddings": "output"},
        {"final_norm": True},
        {"stacks": "decoder"},
        {"stacks": "decoder", "norm": "pre", "tie_embeddings": "output"},
    ],
)
@torch.no_grad()
def test_a_token_at_a_time_or_all_at_once(changes):
    model = perturbed_model(config(**changes), seed=2).double()
    src, _ = token_ids(model.cfg)
    _, tgt = token_ids(model.cfg, tgt=20, seed=3)  # so many that attention takes its fused kernel as well
    tgt[1, 4] = model.cfg.pad_id  # a model may say padding, which is then masked
    src_mask = model.src_mask(src)
    memory = model.encode(src, src_mask)
    expected = model.decode(tgt, memory, src_mask)
    decoder = CachedDecoder(model, memory, src_mask)
    for i in range(20):
        logits = decoder.next_logits(tgt[:, i : i + 1])
        assert logits.shape == (BATCH, 17)
        torch.testing.assert_close(logits, expected[:, i], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "changes", [{}, {"stacks": "decoder"}, {"stacks": "decoder", "position": "learned"}, {"position": "rotary"}]
)
@pytest.mark.parametrize("pieces", [(20,), (4, 16), (1, 2, 17), (18, 1, 1)])
@torch.no_grad()
def test_several_tokens_at_once(changes, pieces):
    model = perturbed_model(config(**changes), seed=2).double()
    src, _ = token_ids(model.cfg)
    _, tgt = token_ids(model.cfg, tgt=20, seed=3)
    tgt[1, 2] = model.cfg.pad_id
    src_mask = model.src_mask(src)
    memory = model.encode(src, src_mask)
    expected = model.decode(tgt, memory, src_mask)
    decoder = CachedDecoder(model, memory, src_mask)
    for given in tgt.split(pieces, dim=1):
        logits = decoder.next_logits(given)
        torch.testing.assert_close(logits, expected[:, decoder.length - 1], rtol=0, atol=1e-12)
    assert decoder.length == 20


@torch.no_grad()
def test_it_has_as_many_positions_as_the_model():
    model = perturbed_model(config(max_len=3))
    src = torch.tensor([[4, 5]])
    decoder = CachedDecoder(model, model.encode(src), model.src_mask(src))
    for _ in range(3):
        decoder.next_logits(torch.tensor([[3]]))
    with pytest.raises(ValueError, match="a sequence of 4 tokens is longer than max_len 3"):
        decoder.next_logits(torch.tensor([[3]]))


def test_without_a_causal_mask_nothing_can_be_kept():
    model = perturbed_model(config(causal=False))
    with pytest.raises(ValueError, match="without a causal mask"):
        CachedDecoder(model, torch.zeros(1, 2, 66), torch.ones(1, 1, 1, 2, dtype=torch.bool))


@torch.no_grad()
def test_rows_that_answer_one_source_are_followed_in_any_order():
    model = perturbed_model(config(), seed=2).double()
    src, tgt = torch.tensor([[4, 5, 6, 7, 8, 9, 3]]), torch.tensor([[3, 4, 5, 6], [3, 9, 8, 7], [3, 2, 4, 6]])
    src_mask = model.src_mask(src)
    memory = model.encode(src, src_mask)
    decoder, rows = CachedDecoder(model, memory, src_mask), torch.tensor([2, 0, 2, 1])
    decoder.next_logits(tgt[:, :1]), decoder.next_logits(tgt[:, 1:2])
    decoder.follow(rows)
    tgt = torch.cat([tgt[rows, :2], torch.tensor([[5], [6], [7], [8]])], dim=1)
    expected = model.decode(tgt, memory.expand(4, -1, -1), src_mask)
    torch.testing.assert_close(decoder.next_logits(tgt[:, 2:]), expected[:, -1], rtol=0, atol=1e-12)


def test_rows_that_have_not_begun_are_not_followed():
    model, src = perturbed_model(config()), torch.tensor([[4, 5]])
    decoder = CachedDecoder(model, model.encode(src), model.src_mask(src))
    with pytest.raises(ValueError, match="have begun"):
        decoder.follow(torch.tensor([0]))
