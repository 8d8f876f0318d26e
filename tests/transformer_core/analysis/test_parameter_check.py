"""Pins: five short formulas and a model as built, reconciled to the last parameter."""

import pytest

from tests.transformer_core.helpers import any_configuration
from transformer_core import PRESETS, TransformerConfig
from transformer_core.analysis.parameter_check import reconcile, total_by_formula
from transformer_core.model.transformer import shapes_only

MANY = [any_configuration(1000 + seed) for seed in range(20)]


@pytest.mark.teaches(point="E3")
@pytest.mark.parametrize("cfg", [*MANY, *PRESETS.values()])
def test_every_line_is_reconciled_to_zero(cfg):
    lines = reconcile(cfg)
    assert [line.rest for line in lines] == [0] * 4
    model = shapes_only(cfg)
    assert sum(line.built for line in lines) == sum(parameter.numel() for parameter in model.parameters())
    assert sum(line.by_formula for line in lines) == total_by_formula(cfg.d_model, cfg.tgt_vocab)
    for line in lines:
        assert all(term.amount for term in line.terms)
        assert eval(line.numbers.replace("·", "*").replace("²", "**2"), {"__builtins__": {}}) == line.by_formula


def test_the_random_configurations_reach_every_reason():
    reasons = {term.reason for cfg in MANY for line in reconcile(cfg) for term in line.terms}
    assert reasons == {
        "attentions", "no_encoder", "no_cross_attention", "no_attention_bias", "score_weights", "feed_forwards", "d_ff",
        "norms", "no_final_norms", "source_embedding", "output_matrix", "output_bias", "learned_positions",
    }  # fmt: skip


@pytest.mark.parametrize("vocab", [11, 37_000])
def test_the_formulas_of_the_base_model(vocab):
    cfg = TransformerConfig(vocab, vocab, norm="pre", tie_embeddings="all")
    lines = {line.name: line for line in reconcile(cfg)}
    assert {name: line.by_formula for name, line in lines.items()} == {
        "attention": 18_911_232,
        "feed-forward": 25_196_544,
        "norms": 32_768,
        "embedding": 512 * vocab,
    }
    assert total_by_formula(512, vocab) == 44_140_544 + 512 * vocab
    assert all(line.difference == 0 and not line.terms for line in lines.values()), "this is the model they describe"


def test_a_model_that_shares_nothing_says_why_it_has_more():
    lines = {line.name: line for line in reconcile(TransformerConfig(11, 13, norm="pre"))}
    assert {term.reason: term.amount for term in lines["embedding"].terms} == {
        "source_embedding": 11 * 512,
        "output_matrix": 13 * 512,
        "output_bias": 13,
    }
    alone = {line.name: line for line in reconcile(TransformerConfig(11, 13, norm="pre", stacks="decoder"))}
    assert {term.reason: term.amount for term in alone["embedding"].terms} == {"output_matrix": 13 * 512, "output_bias": 13}
    assert {term.reason: term.amount for term in alone["norms"].terms} == {
        "no_encoder": -(2 * 6 + 1) * 1024,
        "no_cross_attention": -6 * 1024,
    }
    post = {line.name: line for line in reconcile(TransformerConfig(11, 11, n_layers=2, d_ff=100, tie_embeddings="all"))}
    assert {term.amount for term in post["norms"].terms} == {-20 * 1024, -2 * 1024}
    assert [term.amount for term in post["feed-forward"].terms] == [
        -8 * (8 * 512**2 + 5 * 512),
        4 * ((2 * 512 * 100 + 612) - (8 * 512**2 + 5 * 512)),
    ]
