"""Pins: the shapes that textbooks print, and the one that the encoder keeps."""

import pytest

from tests.transformer_core.helpers import config
from transformer_core import TransformerConfig
from transformer_core.analysis.accounting import stage_shapes


def shapes(cfg, *sizes):
    return {stage.name: stage.shape for stage in stage_shapes(cfg, *sizes)}


@pytest.mark.teaches(point="B1")
def test_two_sentences_of_four_words_at_width_512():
    found = shapes(TransformerConfig(11, 11, n_layers=2), 2, 4, 4)
    assert found["encoder.embedding.tokens"] == found["encoder.embedding.sum"] == (2, 4, 512)
    for place in ("encoder.0.self_attn", "encoder.1.self_attn", "decoder.0.self_attn", "decoder.1.cross_attn"):
        assert found[f"{place}.q"] == (2, 8, 4, 64)
        assert found[f"{place}.weights"] == (2, 8, 4, 4)
        assert found[f"{place}.output"] == (2, 4, 512)
    assert found["encoder.memory" if "encoder.memory" in found else "memory"] == (2, 4, 512)
    assert found["decoder.output"] == (2, 4, 512)
    assert found["logits"] == (2, 4, 11)
    assert shapes(TransformerConfig(11, 11, n_heads=1, n_layers=1), 2, 4, 4)["encoder.0.self_attn.weights"] == (2, 1, 4, 4)


def test_a_decoder_alone_has_the_stages_of_a_decoder_and_no_others():
    """Whatever the length of a source that it does not read."""
    alone, both = shapes(config(stacks="decoder"), 2, 7, 5), shapes(config(cross_attention=False), 2, 7, 5)
    assert alone == {name: shape for name, shape in both.items() if name.startswith(("decoder", "logits"))}
    assert alone == shapes(config(stacks="decoder"), 2, 0, 5)
    assert [*alone][:1] == ["decoder.embedding.tokens"] and [*alone][-2:] == ["decoder.output", "logits"]
    assert alone["decoder.1.self_attn.weights"] == (2, 3, 5, 5) and "memory" not in alone


@pytest.mark.teaches(point="C7")
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_the_encoder_keeps_its_shape_from_first_to_last(norm):
    stages = [stage for stage in stage_shapes(config(norm=norm), 2, 7, 5) if "src" in stage.axes and stage.axes[0] == "batch"]
    kept = [stage for stage in stages if stage.axes[-1] == "d_model"]
    assert {stage.shape for stage in kept} == {(2, 7, 66)}
    assert kept[0].name == "encoder.embedding.tokens" and kept[-1].name.endswith("memory")
    assert {stage.name.split(".")[-1] for stage in stages} - {stage.name.split(".")[-1] for stage in kept} == {
        "hidden",
        "active",
    }
