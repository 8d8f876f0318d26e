"""Pins: a hand points from the middle of its dial to its position's dot, and the open mark has the same height."""

import numpy as np
import pytest

from explorer.figures import dials as dials_module
from tests.explorer.figures.helpers import as_drawn, checked

dials = checked(dials_module.dials)
ANGLES = np.outer(np.arange(8), [1.0, 0.1]).T  # (dial, position)
TIPS = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=2)


@pytest.mark.parametrize("at", [0, 3, 7])
def test_a_hand_and_its_twin(at):
    figure = dials(TIPS, at, names=["fast <b>", "slow"])
    for i, points in enumerate(TIPS):
        dots, twin, hand, tip, cosine, sine, _cosine_now, sine_now = figure.data[8 * i : 8 * i + 8]
        dial, level, _axis = figure.layout.shapes[3 * i : 3 * i + 3]
        middle = (dial.y0 + dial.y1) / 2
        np.testing.assert_allclose(dots.x, points[:, 0], atol=1e-6)
        np.testing.assert_allclose(np.array(dots.y) - middle, points[:, 1], atol=1e-6)
        np.testing.assert_allclose([hand.x[0], hand.y[0] - middle], 0, atol=1e-6)
        np.testing.assert_allclose([hand.x[1], hand.y[1] - middle], points[at], atol=1e-6)
        np.testing.assert_allclose([tip.x[0], tip.y[0] - middle], points[at], atol=1e-6)
        np.testing.assert_allclose([twin.x[0], twin.y[0] - middle], points[at] * [-1, 1], atol=1e-6)
        np.testing.assert_allclose(np.array([cosine.y, sine.y]).T - middle, points, atol=1e-6)
        assert level.y0 == level.y1 == pytest.approx(tip.y[0]) == pytest.approx(sine_now.y[0]) and level.x1 == sine_now.x[0]
    assert f"slow: the hand of position {at} has the sine {TIPS[1, at, 1]:.2f}" in figure.layout.meta["alt"]
    assert as_drawn(figure, "narrow").layout.annotations[0].font.size < figure.layout.annotations[0].font.size


def test_each_dial_has_a_name():
    with pytest.raises(ValueError, match="1 names for 2 dials"):
        dials(TIPS, 0, names=["fast"])
