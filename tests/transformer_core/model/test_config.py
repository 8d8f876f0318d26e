"""Pins: what a configuration refuses and in which words, that it can be a cache key, and the presets' numbers."""

import json
from dataclasses import FrozenInstanceError, asdict, replace

import pytest

from tests.transformer_core.helpers import config
from transformer_core import PRESETS, TransformerConfig
from transformer_core.errors import InputError


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"d_model": 64, "n_heads": 6}, "d_model 64 cannot be split over 6 heads; try 4 or 8"),
        ({"d_model": 64, "n_heads": 65}, "d_model 64 cannot be split over 65 heads; try 64"),
        ({"d_model": 7, "n_heads": 3}, "d_model 7 cannot be split over 3 heads; try 1 or 7"),
        ({"d_model": 90, "n_heads": 7}, "d_model 90 cannot be split over 7 heads; try 6 or 9"),
        ({"d_model": 0}, "d_model must be a whole number of at least 1, not 0"),
        ({"n_heads": -2}, "n_heads must be a whole number of at least 1, not -2"),
        ({"n_layers": 1.5}, "n_layers must be a whole number of at least 1, not 1.5"),
        ({"d_ff": "13"}, "d_ff must be a whole number of at least 1, not '13'"),
        ({"max_len": True}, "max_len must be a whole number of at least 1, not True"),
        ({"src_vocab": None}, "src_vocab must be a whole number of at least 1, not None"),
        ({"dropout": 1}, "dropout must be at least 0 and below 1, not 1"),
        ({"dropout": -0.1}, "dropout must be at least 0 and below 1, not -0.1"),
        ({"dropout": float("nan")}, "dropout must be at least 0 and below 1, not nan"),
        ({"dropout": "0.1"}, "dropout must be at least 0 and below 1, not '0.1'"),
        ({"norm_eps": 0.0}, "norm_eps must lie between 0 and 1, not 0.0"),
        ({"norm_eps": "small"}, "norm_eps must lie between 0 and 1, not 'small'"),
        ({"norm": "both"}, "norm must be one of 'post', 'pre', not 'both'"),
        ({"tie_embeddings": "src"}, "tie_embeddings must be one of 'none', 'output', 'all', not 'src'"),
        ({"causal": 1}, "causal must be one of True, False, not 1"),
        ({"final_norm": "no"}, "final_norm must be one of None, True, False, not 'no'"),
        (
            {"tie_embeddings": "all"},
            'tie_embeddings "all" needs vocabularies of the same size, not 19 and 17; try "output"',
        ),
        (
            {"tie_embeddings": "all", "stacks": "decoder", "src_vocab": 17},
            'tie_embeddings "all" needs a source embedding, which a decoder alone has not; try "output"',
        ),
        ({"stacks": "encoder"}, "stacks must be one of 'both', 'decoder', not 'encoder'"),
        ({"pad_id": 17, "stacks": "decoder"}, "pad_id 17 is not in a vocabulary of 17 ids; try 0"),
        ({"pad_id": 17}, "pad_id 17 is not in a vocabulary of 17 ids; try 0"),
        ({"pad_id": -1}, "pad_id -1 is not in a vocabulary of 17 ids; try 0"),
        ({"layer_norm": "batch"}, "layer_norm must be one of 'standard', 'unbiased_std', not 'batch'"),
        ({"position": None}, "position must be one of 'sinusoidal', 'learned', 'none', 'rotary', 'alibi', not None"),
        ({"score": "cosine"}, "score must be one of 'scaled_dot', 'dot', 'additive', 'concat_linear', not 'cosine'"),
        ({"residual": 1}, "residual must be one of True, False, not 1"),
        ({"cross_attention": "no"}, "cross_attention must be one of True, False, not 'no'"),
        ({"embedding_scale": 8.0}, "embedding_scale must be one of True, False, not 8.0"),
        ({"activation": "tanh"}, "activation must be one of 'relu', 'gelu', not 'tanh'"),
        ({"tgt_max_len": 0}, "tgt_max_len must be a whole number of at least 1, not 0"),
        (
            {"layer_norm": "unbiased_std", "d_model": 1, "n_heads": 1},
            'layer_norm "unbiased_std" divides by d_model - 1, which is 0 here; try d_model 2',
        ),
    ],
)
def test_refusals_name_both_numbers_and_the_nearest_choice(changes, message):
    with pytest.raises(ValueError) as caught:
        config(**changes)
    assert str(caught.value) == message


def test_every_suggested_number_of_heads_can_be_built():
    for d_model in range(1, 70):
        for n_heads in range(1, 80):
            try:
                config(d_model=d_model, n_heads=n_heads)
            except ValueError as error:
                suggestions = [int(word) for word in str(error).split("try ")[1].split(" or ")]
                assert suggestions
                for suggestion in suggestions:
                    assert config(d_model=d_model, n_heads=suggestion).d_k * suggestion == d_model
                    between = range(min(suggestion, n_heads) + 1, max(suggestion, n_heads))
                    assert not any(d_model % heads == 0 for heads in between), "there is a nearer choice"


def test_a_width_that_cannot_be_split_names_all_that_could_be_chosen_instead():
    with pytest.raises(InputError) as caught:
        config(d_model=90, n_heads=7)
    error = caught.value
    assert (error.values["d_model"], error.values["n_heads"]) == (90, 7)
    assert error.nearest["n_heads"][:3] == (6, 5, 9) and set(error.nearest["n_heads"]) == {
        h for h in range(1, 91) if 90 % h == 0
    }
    assert error.nearest["d_model"][:3] == (91, 84, 98) and set(error.nearest["d_model"]) == set(range(14, 513, 7))
    for name, choices in error.nearest.items():
        assert all(config(**{"d_model": 90, "n_heads": 7} | {name: choice}) for choice in choices)


@pytest.mark.parametrize(
    "changes",
    [
        {"norm": "both"},
        {"tie_embeddings": "all"},
        {"tie_embeddings": "all", "stacks": "decoder"},
        {"layer_norm": "unbiased_std", "d_model": 1, "n_heads": 1},
        {"pad_id": 17},
    ],
)
def test_every_nearest_choice_can_be_built(changes):
    with pytest.raises(InputError) as caught:
        config(**changes)
    assert caught.value.nearest
    for name, choices in caught.value.nearest.items():
        assert all(config(**changes | {name: choice}) for choice in choices)


def test_an_enormous_width_is_refused_without_a_search():
    with pytest.raises(ValueError, match=r"d_model 1000000000 cannot be split over 3 heads; try 2 or 4"):
        config(d_model=10**9, n_heads=3)


def test_frozen_and_a_cache_key():
    cfg = config()
    with pytest.raises(FrozenInstanceError):
        cfg.d_model = 12
    assert hash(cfg) == hash(config())
    assert {cfg: "found"}[config()] == "found"
    assert len({cfg, config(), config(norm="pre"), config(causal=False)}) == 3


def test_derived_sizes():
    cfg = config()
    assert (cfg.d_k, cfg.d_v) == (22, 22)
    assert [config(norm=norm).has_final_norm for norm in ("post", "pre")] == [False, True]
    assert [config(norm="pre", final_norm=False).has_final_norm, config(final_norm=True).has_final_norm] == [False, True]
    assert [config(tgt_vocab=19, tie_embeddings=t).has_output_bias for t in ("none", "output", "all")] == [True, False, False]


def test_a_decoder_alone_attends_to_itself_whatever_is_given():
    alone = config(stacks="decoder")
    assert alone == config(stacks="decoder", cross_attention=False) != config(cross_attention=False)
    assert (alone.has_encoder, alone.cross_attention) == (False, False) and config().has_encoder
    assert config(stacks="decoder", src_vocab=3, pad_id=16).pad_id == 16, "there are no ids of a source"


def test_a_configuration_of_before_has_both_stacks():
    before = asdict(config())
    del before["stacks"]
    assert TransformerConfig.from_dict(before) == config() == config(stacks="both")


@pytest.mark.parametrize(
    "cfg", [config(stacks="decoder"), config(norm="pre", final_norm=False, dropout=0.25, pad_id=3), *PRESETS.values()]
)
def test_goes_through_a_dict_and_through_json(cfg):
    assert TransformerConfig.from_dict(asdict(cfg)) == cfg
    assert TransformerConfig.from_dict(json.loads(json.dumps(asdict(cfg)))) == cfg


def test_a_dict_with_unknown_or_missing_names_is_refused():
    with pytest.raises(ValueError, match="unknown setting 'n_embd'"):
        TransformerConfig.from_dict(asdict(config()) | {"n_embd": 66})
    with pytest.raises(ValueError, match=r"incomplete settings: .*tgt_vocab"):
        TransformerConfig.from_dict({"src_vocab": 19})
    with pytest.raises(ValueError, match="cannot be split over 5 heads"):
        TransformerConfig.from_dict(asdict(config()) | {"n_heads": 5})


def test_the_defaults_are_the_papers():
    assert replace(PRESETS["paper_base"], tie_embeddings="none") == TransformerConfig(37_000, 37_000)


def test_tiny_fits_the_copy_task():
    cfg = PRESETS["tiny"]
    assert (cfg.src_vocab, cfg.tgt_vocab, cfg.d_model, cfg.n_heads, cfg.n_layers) == (11, 11, 64, 4, 1)
    assert (cfg.norm, cfg.dropout, cfg.pad_id) == ("pre", 0.0, 0)
