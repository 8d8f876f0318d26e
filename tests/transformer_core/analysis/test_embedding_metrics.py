"""Pins: the lengths of the waves that positions are encoded with, against the paper's."""

import math

import numpy as np
import pytest

from tests.transformer_core.helpers import config, perturbed_model
from transformer_core.analysis.embedding_metrics import embedded, wave_lengths
from transformer_core.analysis.normalization import embedding_sums
from transformer_core.model.embedding import frequencies


@pytest.mark.parametrize("stacks", ["both", "decoder"])
def test_what_is_read_first_is_the_source_or_the_target_of_a_decoder_alone(stacks):
    model = perturbed_model(config(stacks=stacks, position="learned"))
    side = model.src_embedding if stacks == "both" else model.tgt_embedding
    stages = embedded(model, [5, 3, 16])
    expected = (side.table.weight[[5, 3, 16]] * math.sqrt(66) + side.positions[:3]).detach().numpy()
    np.testing.assert_allclose(stages["sum"], expected, rtol=1e-6)
    assert [*stages] == ["tokens", "scaled", "positions", "sum"]
    (padded,) = embedding_sums(model, [[5, 3, 16]], 4)
    np.testing.assert_array_equal(padded[:3], stages["sum"])


@pytest.mark.teaches(point="A2")
def test_wavelengths_run_from_2_pi_up_towards_base_times_2_pi():
    lengths = wave_lengths(22)
    assert lengths.shape == (11,)
    assert lengths[0] == pytest.approx(2 * math.pi)
    assert lengths[-1] == pytest.approx(2 * math.pi * 10_000 ** (20 / 22))
    np.testing.assert_allclose(lengths[1:] / lengths[:-1], 10_000 ** (2 / 22))
    assert frequencies(13).shape == (7,)
    # After one wavelength a pair is back where it was.
    np.testing.assert_allclose(np.sin(frequencies(22).numpy() * lengths), 0, atol=1e-12)
    assert wave_lengths(22, base=100.0)[-1] == pytest.approx(2 * math.pi * 100 ** (20 / 22))
