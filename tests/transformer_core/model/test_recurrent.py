"""The recurrent encoder-decoder, against a cell written out by hand."""

import numpy as np
import pytest
import torch

from transformer_core.errors import InputError
from transformer_core.model.masks import padding_mask
from transformer_core.model.recurrent import Recurrent, RecurrentConfig, attend, greedy_answers

SRC = torch.tensor([[1, 5, 3, 9, 2], [1, 4, 4, 0, 0], [1, 7, 0, 0, 0]])  # of lengths 5, 3 and 2
TGT = torch.tensor([[1, 2, 3], [1, 6, 6], [1, 8, 0]])
BOTH = pytest.mark.parametrize("attention", [False, True])


def model_with(attention: bool, seed: int = 0) -> Recurrent:
    """With every parameter perturbed: a bias that is left out shows."""
    model = Recurrent(RecurrentConfig(10, 9, width=6, attention=attention), torch.Generator().manual_seed(seed))
    generator = torch.Generator().manual_seed(seed + 1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn(parameter.shape, generator=generator)
    return model


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def cell(lstm: torch.nn.LSTM, x: np.ndarray, h: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Hochreiter & Schmidhuber's cell, with the forget gate of Gers et al. (2000). Shape: all (width,)"""
    w_x, w_h, b_x, b_h = (each.detach().double().numpy() for each in lstm._flat_weights)
    i, f, g, o = np.split(w_x @ x + b_x + w_h @ h + b_h, 4)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def by_hand(model: Recurrent, src: list[int], tgt: list[int]) -> np.ndarray:
    """The logits of one row without padding, word by word. Shape: -> (tgt, tgt_vocab)"""
    tables = [each.weight.detach().double().numpy() for each in (model.src_embedding, model.tgt_embedding)]
    h = c = np.zeros(model.cfg.width)
    memory = []
    for word in src:
        h, c = cell(model.encoder, tables[0][word], h, c)
        memory.append(h)
    logits = []
    for word in tgt:
        h, c = cell(model.decoder, tables[1][word], h, c)
        said = h
        if model.combine is not None:
            scores = np.array([h @ each for each in memory])
            weights = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
            context = weights @ np.array(memory)
            said = np.tanh(model.combine.weight.detach().double().numpy() @ np.concatenate([context, h]))
        logits.append(model.output.weight.detach().double().numpy() @ said + model.output.bias.detach().double().numpy())
    return np.array(logits)


@BOTH
def test_it_computes_what_the_formulas_say(attention):
    model = model_with(attention)
    logits = model(SRC, TGT)
    assert logits.shape == (3, 3, 9)
    for row, length in enumerate((5, 3, 2)):
        expected = by_hand(model, SRC[row, :length].tolist(), TGT[row].tolist())
        assert np.allclose(logits[row].detach().numpy(), expected, atol=1e-5)


@BOTH
def test_padding_behind_a_source_changes_nothing(attention):
    model = model_with(attention)
    alone = model(SRC[1:2, :3], TGT[1:2])
    assert torch.allclose(model(SRC, TGT)[1:2], alone, atol=1e-6)
    wider = torch.cat([SRC, torch.zeros(3, 4, dtype=torch.int64)], dim=1)
    assert torch.allclose(model(wider, TGT), model(SRC, TGT), atol=1e-6)


@BOTH
def test_every_parameter_gets_a_gradient(attention):
    model = model_with(attention)
    model(SRC, TGT).square().sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None and parameter.grad.abs().max() > 0, name


def test_without_attention_the_answer_depends_on_the_last_state_alone():
    model = model_with(attention=False)
    memory, state = model.encode(SRC)
    mask = padding_mask(SRC, 0)
    logits, _state = model.decode(TGT, state, memory, mask)
    others, _state = model.decode(TGT, state, torch.randn_like(memory), mask)
    assert torch.equal(logits, others)
    assert state[0].shape == (1, 3, 6)


def test_no_weight_falls_on_padding():
    h, memory = torch.randn(3, 2, 6), torch.randn(3, 5, 6)
    changed = memory.masked_fill(padding_mask(SRC, 0)[:, 0, 0, :, None].logical_not(), 100.0)
    assert torch.equal(attend(h, memory, padding_mask(SRC, 0)), attend(h, changed, padding_mask(SRC, 0)))


@BOTH
def test_it_writes_step_by_step_what_it_predicts_when_given_its_own_words(attention):
    model = model_with(attention)
    written = greedy_answers(model, SRC, start_id=1, steps=6)
    given = torch.cat([torch.ones(3, 1, dtype=torch.int64), written[:, :-1]], dim=1)
    logits = model(SRC, given)
    logits[..., 0] = -torch.inf  # padding is no answer
    assert torch.equal(logits.argmax(dim=-1), written)


def test_weights_come_from_the_generator_and_no_global_number_is_drawn():
    before = torch.get_rng_state()
    one, same, other = (
        Recurrent(RecurrentConfig(10, 9, 6, True), torch.Generator().manual_seed(seed)).encoder.weight_hh_l0
        for seed in (3, 3, 4)
    )
    assert torch.equal(one, same) and not torch.equal(one, other)
    assert torch.equal(before, torch.get_rng_state())


def test_a_row_without_words_is_refused():
    with pytest.raises(InputError, match="at least one"):
        model_with(False)(torch.zeros(1, 3, dtype=torch.int64), TGT[:1])
