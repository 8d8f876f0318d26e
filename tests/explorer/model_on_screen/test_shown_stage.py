"""The numbers of a stage are those of the forward pass on screen, masked where they are masked, with their tokens."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shown_model import show_model
from explorer.model_on_screen.shown_stage import MOST_COLUMNS, MOST_NUMBERS, MOST_TOKENS, PROBABILITIES, beginning, shown_stage
from transformer_core.model.stages import LOGITS, MEMORY, SublayerPath, attention_path, embedding_stage

SHOWN = show_model(ModelSettings(step=0, d_model=12, n_heads=3, d_ff=14, n_layers=2, src="the red cat", tgt="le chat"))
SRC, TGT = tuple(SHOWN.src_labels), tuple(SHOWN.tgt_labels)


@pytest.mark.parametrize("name", list(SHOWN.forward().values))
def test_every_stage_can_be_shown_with_its_own_numbers(name):
    stage, value = shown_stage(SHOWN, name), SHOWN.forward()[name]
    assert stage.axes == SHOWN.forward().axes[name] and stage.whole == value.shape[-2:]
    if stage.axes[-1] == "vocab":
        return
    expected = value if value.ndim == 3 else value[None]
    open_cells = ~np.isnan(stage.values)
    np.testing.assert_array_equal(stage.values[open_cells], expected[open_cells])
    assert not np.isinf(stage.values).any()
    masked = name.rpartition(".")[2] in ("masked_scores", "weights") and ".self_attn." in name and name.startswith("decoder")
    assert (~open_cells).any() == masked


def test_a_mask_hides_what_a_word_may_not_attend_to():
    path = attention_path("decoder", 1)
    for name in ("masked_scores", "weights"):
        stage = shown_stage(SHOWN, path.stage(name))
        np.testing.assert_array_equal(np.isnan(stage.values), np.broadcast_to(~np.tri(3, dtype=bool), (3, 3, 3)))
    assert not np.isnan(shown_stage(SHOWN, path.stage("scores")).values).any()


def test_rows_and_columns_bear_the_tokens_that_they_stand_for():
    def labels(name):
        stage = shown_stage(SHOWN, name)
        return stage.rows, stage.columns

    assert labels(embedding_stage("encoder", "sum")) == labels(MEMORY) == (SRC, ())
    assert labels(SublayerPath("decoder", 0, "feed_forward").stage("hidden")) == (TGT, ())
    for kind, query, key in (("encoder", SRC, SRC), ("decoder", TGT, TGT), ("cross", TGT, SRC)):
        path = attention_path(kind, 1)
        assert labels(path.stage("weights")) == (query, key)
        assert labels(path.stage("q")) == (query, ()) and labels(path.stage("k")) == (key, ())


def test_of_a_vocabulary_the_tokens_with_the_largest_numbers_are_shown():
    logits = SHOWN.forward()[LOGITS]
    stage = shown_stage(SHOWN, LOGITS)
    ids = SHOWN.vocabulary.ids(stage.columns)
    assert len(ids) == MOST_TOKENS == len(set(ids))
    np.testing.assert_array_equal(stage.values[0], logits[:, ids])
    best = logits.max(axis=0)
    assert list(best[ids]) == sorted(best, reverse=True)[:MOST_TOKENS]


def test_probabilities_are_the_softmax_of_the_logits_and_only_shares_have_a_scale_up_to_1():
    stage = shown_stage(SHOWN, PROBABILITIES)
    expected = torch.tensor(SHOWN.forward()[LOGITS]).softmax(dim=-1).numpy()
    np.testing.assert_allclose(stage.values[0], expected[:, SHOWN.vocabulary.ids(stage.columns)], rtol=1e-5)
    names = [PROBABILITIES, *SHOWN.forward().values]
    shares = {name for name in names if shown_stage(SHOWN, name).is_share}
    weights = {attention_path(kind, layer).stage("weights") for kind in ("encoder", "decoder", "cross") for layer in (0, 1)}
    assert shares == {PROBABILITIES} | weights


@pytest.mark.parametrize(
    ("sizes", "shown"),
    [
        ((1, 6, 88), (6, 88)),
        ((1, 128, 2048), (128, 256)),
        ((16, 128, 128), (64, 64)),
        ((16, 128, 32), (128, 32)),
        ((8, 127, 128), (127, 64)),
    ],
)
def test_a_picture_is_bounded(sizes, shown):
    rows, columns = beginning(*sizes)
    assert (rows, columns) == shown
    assert sizes[0] * rows * columns <= MOST_NUMBERS and columns <= MOST_COLUMNS


def test_the_largest_stage_is_sent_in_part():
    large = show_model(
        ModelSettings(step=0, d_model=32, n_heads=16, d_ff=512, n_layers=1, input="lengths", src_len=128, tgt_len=127)
    )
    stage = shown_stage(large, attention_path("encoder", 0).stage("weights"))
    assert stage.values.shape == (16, 64, 64) and stage.whole == (128, 128) and len(stage.rows) == len(stage.columns) == 64
    np.testing.assert_array_equal(stage.values, large.attention("encoder", 0).map.weights[:, :64, :64])


def test_there_is_no_other_stage():
    with pytest.raises(KeyError):
        shown_stage(SHOWN, attention_path("cross", 2).stage("q"))
    with pytest.raises(KeyError):
        shown_stage(replace(SHOWN), "nonsense")
