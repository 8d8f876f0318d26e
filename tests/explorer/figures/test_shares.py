"""Pins: bars are shares of the whole, and their names are text that stands above them, clear of every bar."""

import numpy as np
import pytest

from explorer.figures import shares as shares_module
from tests.explorer.figures.helpers import checked

shares = checked(shares_module.shares)
LABELS = ["embedding <b>", "attention", "norms & bias"]


@pytest.mark.parametrize("amounts", [(12_345, 6_000, 55), (7, 7, 1)])
def test_bars_are_the_shares_of_the_whole(amounts):
    (bars,) = shares(LABELS, amounts, title="share").data
    np.testing.assert_allclose(bars.x, 100 * np.array(amounts) / sum(amounts))
    np.testing.assert_allclose(sum(bars.x), 100)
    assert list(np.round(bars.y)) == [0, 1, 2]


def test_each_name_stands_between_its_bar_and_the_bar_above():
    figure = shares(LABELS, (12_345, 6_000, 55), title="share")
    (bars,) = figure.data
    for i, note in enumerate(figure.layout.annotations):
        assert note.y < bars.y[i] - bars.width / 2
        assert i == 0 or note.y > bars.y[i - 1] + bars.width / 2


def test_names_are_text_and_amounts_stand_beside_them():
    figure = shares(LABELS, (12_345, 6_000, 55), title="share")
    names = [note.text for note in figure.layout.annotations]
    assert names == ["embedding &lt;b&gt; · 12,345", "attention · 6,000", "norms &amp; bias · 55"]
    assert figure.layout.meta["alt"] == "embedding <b> · 12,345: 67.1%; attention · 6,000: 32.6%; norms & bias · 55: 0.3%"
