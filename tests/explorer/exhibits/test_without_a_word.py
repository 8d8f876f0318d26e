"""Pins the attention that source words get to the mean of what the model recorded."""

import numpy as np
import pytest

from explorer.exhibits.what_matters.without_a_word import ALL_LAYERS, erasure_attention
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shown_model import show_model
from tests.explorer.exhibits.helpers import model_of, run_of


def test_attention_is_averaged_over_heads_and_over_all_layers_or_one():
    run = run_of(model_of())
    layers = [run.stages[f"decoder.{layer}.cross_attn.weights"] for layer in range(2)]
    for layer, heads in enumerate(layers):
        np.testing.assert_allclose(erasure_attention(run, layer), sum(heads) / 3, rtol=1e-5)
    np.testing.assert_allclose(erasure_attention(run, ALL_LAYERS), sum(map(sum, layers)) / 6, rtol=1e-5)


def test_a_layer_that_the_model_lacks_is_the_first_and_a_model_may_lack_them_all():
    shown = show_model(ModelSettings())
    for layer, fitted in ((ALL_LAYERS, ALL_LAYERS), (1, 1), (9, 0), (-2, 0)):
        assert erasure_attention.fitted(shown, {"erasure_layer": layer}) == {"erasure_layer": fitted}
    with pytest.raises(ValueError, match="no cross-attention"):
        erasure_attention.of(show_model(ModelSettings(cross_attention=False, step=0)), 0)
