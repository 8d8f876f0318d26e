"""Pins: what is too large to be shown is refused before it is computed, with the nearest source that is not."""

from dataclasses import replace

import pytest
import torch

from explorer import limits, resources
from explorer.model_on_screen import cut_costs, forward, rollouts, swaps
from explorer.model_on_screen.forward import ModelChoice, Random, forward_pass
from explorer.model_on_screen.settings import RANGES, ModelSettings
from explorer.model_on_screen.shown_model import show_model
from explorer.model_on_screen.view_limits import (
    affordable,
    check_measurement,
    check_pass_size,
    check_passes,
    operations_of,
    rows_at_once,
    shorter,
)
from transformer_core import Transformer, TransformerConfig, checkpoint
from transformer_core.analysis.accounting import activation_bytes
from transformer_core.analysis.patching import Pair
from transformer_core.errors import InputError
from transformer_core.training.checkpoint import CheckpointError
from transformer_core.training.cost import forward_flops

DEEP = TransformerConfig(src_vocab=11, tgt_vocab=11, d_model=64, n_heads=64, d_ff=16, n_layers=32)  # a file of 6 MB
SMALL = TransformerConfig(src_vocab=11, tgt_vocab=11, d_model=12, n_heads=3, d_ff=14, n_layers=2)
ROW = "1 " + "5 3 8 " * 42  # 127 numbers


def stored(cfg: TransformerConfig, seed: int) -> str:
    return resources.model_store().add(checkpoint.to_bytes(Transformer(cfg, torch.Generator().manual_seed(seed)))).id


@pytest.fixture
def no_model_runs(monkeypatch):
    def runs(*_given, **_more):
        raise AssertionError("a model runs")

    monkeypatch.setattr(forward, "Transformer", None)
    monkeypatch.setattr(Transformer, "forward", runs)


def test_what_fills_too_much_is_refused_before_it_runs(no_model_runs, monkeypatch):
    assert activation_bytes(DEEP, 1, 127, 127) > 5 * limits.FORWARD_BYTES
    with pytest.raises(InputError, match=r"127 and 127 tokens fills 1,5\d\d MB .* up to 300 MB"):
        forward_pass(ModelChoice(DEEP, Random(0)), (1,) * 127, (1,) * 127)
    with pytest.raises(CheckpointError, match=r"up to 128 tokens, fills 1,5\d\d MB .* up to 300 MB"):
        stored(DEEP, 1)
    with monkeypatch.context() as during:
        during.setattr(limits, "FORWARD_BYTES", 10**12)
        settings = ModelSettings(model=stored(DEEP, 2), numbers=ROW)
    with pytest.raises(InputError, match="127 and 126 tokens") as refused:
        show_model(settings)
    (shorter_row,) = refused.value.nearest["numbers"]
    assert ROW.startswith(shorter_row)
    assert len(show_model(replace(settings, numbers=shorter_row)).src) == len(shorter_row.split()) > 40
    with pytest.raises(InputError):
        show_model(replace(settings, numbers=shorter_row + " 5"))


def test_all_that_the_sidebar_can_choose_has_room():
    most = {name: int(RANGES[name][1]) for name in ("d_model", "n_heads", "n_layers", "d_ff")}
    for score in ("scaled_dot", "additive"):
        cfg = replace(ModelSettings(**most, score=score).config(900))
        check_pass_size(cfg, int(RANGES["src_len"][1]), int(RANGES["tgt_len"][1]) + 1)


@pytest.mark.parametrize("typed", [False, True])
def test_the_nearest_source_is_the_longest_that_has_room(typed, monkeypatch):
    words, tgt = 20, 12
    settings = ModelSettings(src=" ".join(f"w{i}" for i in range(words)))

    def offered() -> str:
        return shorter(SMALL, words, tgt, settings, in_words=True, typed=typed).get("src", ("",))[0]

    def room_for(n: int) -> int:
        return activation_bytes(SMALL, 1, n, tgt if typed else -(-tgt * n // words))

    for n in (1, 7, 19):
        monkeypatch.setattr(limits, "FORWARD_BYTES", room_for(n))
        assert offered() == " ".join(f"w{i}" for i in range(n))
    monkeypatch.setattr(limits, "FORWARD_BYTES", room_for(1) - 1)
    assert offered() == ""
    monkeypatch.setattr(limits, "FORWARD_BYTES", activation_bytes(SMALL, 1, words, tgt))
    assert offered() == "", "it has room as it is"


def test_of_random_words_fewer_are_offered_on_both_sides(monkeypatch):
    monkeypatch.setattr(limits, "FORWARD_BYTES", activation_bytes(SMALL, 1, 10, 6))
    settings = ModelSettings(input="lengths", src_len=20, tgt_len=10)
    assert shorter(SMALL, 20, 11, settings, in_words=True, typed=True) == {"src_len": (10,), "tgt_len": (5,)}


def test_a_file_whose_model_has_no_room_for_long_sentences_is_refused(monkeypatch, no_model_runs):
    data = checkpoint.to_bytes(Transformer(SMALL))
    most = activation_bytes(SMALL, 1, 128, 128)
    monkeypatch.setattr(limits, "FORWARD_BYTES", most)
    model = resources.model_store().add(data)
    resources.model_store().forget_memory()
    monkeypatch.setattr(limits, "FORWARD_BYTES", most - 1)
    with pytest.raises(CheckpointError, match="fewer layers or heads"):
        resources.model_store().add(data)
    assert resources.model_store().get(model.id) is None


def test_too_many_passes_are_refused_with_the_longest_source_that_is_not(no_model_runs, monkeypatch):
    one = sum(forward_flops(SMALL, 1, 9, 7).values())
    monkeypatch.setattr(limits, "VIEW_OPERATIONS", 10 * one)
    check_passes(SMALL, 9, 7, lambda src: src + 1)
    monkeypatch.setattr(limits, "VIEW_OPERATIONS", 10 * one - 1)
    with pytest.raises(InputError, match=r"takes 10 passes .* Shorten the source from 9 tokens to 8, or"):
        check_passes(SMALL, 9, 7, lambda src: src + 1)
    with pytest.raises(InputError, match=r"the limit is [0-9,]+ billion\. Choose a smaller model\."):
        check_passes(SMALL, 9, 7, lambda src: 10**9)


def test_of_slow_models_fewer_rows_are_looked_at(monkeypatch):
    monkeypatch.setattr(limits, "VIEW_OPERATIONS", 20 * sum(forward_flops(SMALL, 1, 9, 7).values()))
    assert [affordable(SMALL, 9, 7, most, least) for most, least in ((100, 3), (15, 3), (100, 30))] == [20, 15, 30]


def test_what_the_parts_measure_on_the_sentence_is_refused_where_it_takes_too_long(monkeypatch):
    settings = ModelSettings(task="copy", step=0, d_model=16, n_heads=2, n_layers=1, d_ff=16)
    shown = show_model(settings)
    monkeypatch.setattr(limits, "VIEW_OPERATIONS", 1)
    cut_costs._worth.clear()
    with pytest.raises(InputError, match="passes through the model"):
        cut_costs.worth_of_words(shown)
    for kind in ("encoder", "decoder", "cross"):
        with pytest.raises(InputError, match="passes through the model"):
            rollouts.judged(shown, kind)
    pair = Pair(shown.src, (shown.src[0], *shown.src[1:][::-1]), shown.tgt[:2], 3, 4)
    with pytest.raises(InputError, match="passes through the model"):
        monkeypatch.setattr(limits, "MEASURE_OPERATIONS", 1)
        swaps.shares(shown.choice, pair, ("encoder.embedding.sum",), (), 1.0)


def test_a_long_measurement_is_refused_with_the_most_layers_and_the_largest_width_that_can_be_had(monkeypatch):
    def operations(cfg: TransformerConfig) -> int:
        return 100 * sum(forward_flops(cfg, 1, 9, 7).values())

    deep = replace(SMALL, d_model=72, n_layers=5)
    monkeypatch.setattr(limits, "MEASURE_OPERATIONS", operations(deep))
    check_measurement(deep, operations)
    monkeypatch.setattr(limits, "MEASURE_OPERATIONS", operations(replace(deep, n_layers=3)) + 1)
    with pytest.raises(InputError, match="Set the layers to 3, or d_model to 48") as refused:
        check_measurement(deep, operations)
    assert refused.value.nearest == {"n_layers": (3,), "d_model": (48,)}
    monkeypatch.setattr(limits, "MEASURE_OPERATIONS", 1)
    with pytest.raises(InputError, match=r"the limit is [0-9,]+ billion\. Choose a smaller model\."):
        check_measurement(deep, operations)


def test_rows_take_turns_by_their_operations(monkeypatch):
    monkeypatch.setattr(limits, "TURN_OPERATIONS", 4 * operations_of(SMALL, 9, 7) + 1)
    assert [rows_at_once(SMALL, 9, 7), rows_at_once(SMALL, 900, 700)] == [4, 1]
