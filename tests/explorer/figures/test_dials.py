"""Pins: a hand points from the middle of its dial to its position's dot, and the open mark has the same height; between the
hands of a query and a key lies the shorter way from one to the other."""

import numpy as np
import pytest

from explorer.figures import dials as dials_module
from tests.explorer.figures.helpers import as_drawn, checked

dials, turned_pairs = checked(dials_module.dials), checked(dials_module.turned_pairs)
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


def pointing(*degrees):
    """Hands that point there. Shape: (hand, 2)"""
    return np.stack([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], axis=-1)


@pytest.mark.parametrize(
    ("query", "key", "between"), [(100, 40, 60), (40, 100, 60), (10, 350, 20), (200, 350, 150), (30, 30, 0)]
)
def test_two_hands_and_the_shorter_way_between_them(query, key, between):
    tips, start = np.stack([pointing(query, key)] * 2), np.stack([pointing(query - key, 0)] * 2)
    figure = turned_pairs(tips, start, query=7, key=5, last=30, names=["fast <b>", "slow"], foot=["below"])
    row, q, k, *dials_drawn = figure.data
    assert len(row.x) == 31 and (q.x[0], k.x[0]) == (row.x[7], row.x[5])
    for i, middle in enumerate((0, dials_module._BESIDE)):
        query_then, key_then, sector_then, sector, query_now, key_now = dials_drawn[6 * i : 6 * i + 6]
        for hands, tips_of, arc in (((query_then, key_then), start[i], sector_then), ((query_now, key_now), tips[i], sector)):
            for hand, tip in zip(hands, tips_of, strict=True):
                np.testing.assert_allclose([hand.x, hand.y], [[middle, middle + tip[0]], [0, tip[1]]], atol=1e-6)
            edge = np.stack([np.array(arc.x) - middle, arc.y], axis=-1)[1:-1] / dials_module._SECTOR
            np.testing.assert_allclose(edge[[0, -1]], tips_of[::-1], atol=1e-5)
            length = np.linalg.norm(np.diff(edge, axis=0), axis=-1).sum()
            assert np.degrees(length) == pytest.approx(between, abs=0.2)
    texts, product = [each.text for each in figure.layout.annotations], f"{np.cos(np.radians(between)):.2f}".replace("-", "−")
    assert texts.count(f"angle {between}°") == texts.count(f"product {product}") == 2 and "below" in texts
    alt = figure.layout.meta["alt"]
    assert f"slow, {between}° between them, product {product}" in alt and "query at position 7, key at position 5" in alt


def test_the_letters_of_two_hands_on_one_another_stand_apart():
    figure = turned_pairs(*[pointing(30, 30)[None]] * 2, query=3, key=3, last=30, names=["fast"], foot=[])
    q, k = (next(each for each in figure.layout.annotations if each.text == letter) for letter in "qk")
    assert np.hypot(q.x - k.x, q.y - k.y) > 0.4


def test_each_dial_of_two_hands_has_a_name():
    with pytest.raises(ValueError, match="1 names for 2 dials"):
        turned_pairs(*[np.stack([pointing(1, 0)] * 2)] * 2, query=1, key=0, last=9, names=["fast"], foot=[])
