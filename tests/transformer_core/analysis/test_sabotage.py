"""Pins that a sabotage breaks the one part that it names, and that its number convicts it and clears the others."""

import math

import pytest
import torch
from torch.testing import assert_close

from tests.transformer_core.helpers import config, perturbed_model, token_ids
from transformer_core import Trace
from transformer_core.analysis.fault_evidence import Evidence, examine
from transformer_core.analysis.sabotage import SABOTAGES, SUSPECTS, Sabotage, sabotaged
from transformer_core.data.batch import Batch
from transformer_core.model.transformer import Transformer

WORDS, END = (3, 4), 2
FIRST = {  # the first stage that differs from the whole model's
    1: "encoder.0.self_attn.masked_scores",
    2: "encoder.embedding.positions",
    3: "encoder.embedding.tokens",
    4: "decoder.embedding.tokens",
    5: "encoder.0.self_attn.norm_in",
    6: "encoder.1.feed_forward.norm_in",
    7: "decoder.0.self_attn.norm_in",
    8: "decoder.1.feed_forward.norm_in",
    9: "encoder.0.self_attn.residual",
    10: "encoder.1.self_attn.residual",
    11: "decoder.0.self_attn.residual",
    12: "decoder.1.cross_attn.residual",
    13: "encoder.0.self_attn.k",
    14: "decoder.0.self_attn.k",
    15: "decoder.0.cross_attn.k",
    16: "decoder.1.cross_attn.k",
    17: "encoder.0.self_attn.output",
    18: "encoder.0.self_attn.output",
    19: "decoder.0.self_attn.output",
    20: "decoder.1.cross_attn.scores",
}
CONVICTS = {  # of each kind, whether its number says that this part is broken
    "padding": lambda number: number > 0.05,
    "positions": lambda number: number == 0,
    "start": lambda number: number > 0.1,
    "norm": lambda number: number > 1.5,
    "residual": lambda number: number < 0.01,
    "keys": lambda number: number > 0.1,
    "layer": lambda number: number == 0,
    "even": lambda number: number > 0.99,
}


def rows(model: Transformer) -> Batch:
    """Rows of which some are padded, with the words that are exchanged in one of them."""
    src, tgt = token_ids(model.cfg, batch=5)
    src[0, :2] = torch.tensor(WORDS)
    tgt[:, 0] = 1
    labels = tgt.roll(-1, 1)
    labels[:, -1] = END
    labels[0, -2:] = torch.tensor([END, model.cfg.pad_id])  # it is one shorter
    return Batch(src, tgt, labels)


@pytest.fixture(scope="module")
def whole() -> Transformer:
    return perturbed_model(config(norm="pre", tie_embeddings="none", attention_bias=True), 3)


def evidence(whole: Transformer, sabotage: Sabotage) -> Evidence:
    return examine(whole, sabotaged(whole, sabotage, WORDS, END).eval(), rows(whole))


@pytest.mark.parametrize("number", SABOTAGES)
def test_only_what_it_names_is_broken_and_the_whole_model_stays(whole: Transformer, number: int) -> None:
    batch = rows(whole)
    before = whole(batch.src, batch.tgt)
    found = evidence(whole, SABOTAGES[number])
    assert found.first[0] == FIRST[number] and found.first[1] > 0.01
    assert_close(whole(batch.src, batch.tgt), before, rtol=0, atol=0)


@pytest.mark.parametrize("number", SABOTAGES)
def test_its_number_convicts_it_and_clears_all_others(whole: Transformer, number: int) -> None:
    guilty, speaks = SABOTAGES[number].suspect, evidence(whole, SABOTAGES[number]).speaks
    convicted = {suspect for suspect in SUSPECTS if suspect.kind != "words" and CONVICTS[suspect.kind](speaks[suspect])}
    norms = {suspect for suspect in convicted if suspect.kind == "norm"}  # weights at random: vectors keep no lengths
    assert convicted - norms == ({guilty} if guilty.kind not in ("words", "norm") else set())
    assert guilty in norms or guilty.kind != "norm"


def test_a_skipped_layer_is_a_layer_that_is_not_there(whole: Transformer) -> None:
    batch = rows(whole)
    shorter = perturbed_model(whole.cfg, 3)
    del shorter.decoder[0]
    assert_close(sabotaged(whole, SABOTAGES[19], WORDS, END)(batch.src, batch.tgt), shorter(batch.src, batch.tgt))


def test_even_attention_gives_open_words_the_same_weight_and_padding_none(whole: Transformer) -> None:
    batch = rows(whole)
    with Trace(only=["weights"]) as trace:
        sabotaged(whole, SABOTAGES[20], WORDS, END)(batch.src, batch.tgt)
    weights = trace["decoder.1.cross_attn.weights"][-1]  # a row with two tokens of padding
    assert_close(weights[..., :-2], torch.full_like(weights[..., :-2], 1 / 5))
    assert (weights[..., -2:] == 0).all()


def test_exchanged_words_are_read_one_for_the_other(whole: Transformer) -> None:
    batch = rows(whole)
    exchanged = batch.src.clone()
    exchanged[batch.src == WORDS[0]], exchanged[batch.src == WORDS[1]] = WORDS[1], WORDS[0]
    assert_close(sabotaged(whole, SABOTAGES[3], WORDS, END)(batch.src, batch.tgt), whole(exchanged, batch.tgt))


def test_begun_with_the_end_token(whole: Transformer) -> None:
    batch = rows(whole)
    other = batch.tgt.clone()
    other[:, 0] = END
    assert_close(sabotaged(whole, SABOTAGES[4], WORDS, END)(batch.src, batch.tgt), whole(batch.src, other))


def test_a_whole_model_beside_itself_differs_nowhere(whole: Transformer) -> None:
    found = examine(whole, whole, rows(whole))
    assert found.first == ("logits", 0.0)
    assert all(one == other for one, other in found.lengths.values())
    open_keys = torch.tensor([7, 7, 7, 7, 5], dtype=torch.float32).log2()  # of the rows' sources
    queries = (rows(whole).src != 0).sum(1)
    assert found.spreads["encoder.0.self_attn"].even == pytest.approx(float((open_keys * queries).sum() / queries.sum()))
    assert all(spread.on_padding == (0.0, 0.0) for spread in found.spreads.values())
    assert math.isnan(found.speaks[SABOTAGES[3].suspect])
