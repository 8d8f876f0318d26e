"""Pins: a share that is not all does not read 100 %, nor one that is not nothing 0 %, in whatever sentence it stands."""

import numpy as np
import pytest

from explorer.i18n import _, n_, share_text


@pytest.mark.parametrize(
    ("share", "digits", "text"),
    [
        (0.0, 0, "0%"), (0.0004, 0, "< 0.1%"), (0.004, 0, "0.4%"), (0.126, 0, "13%"), (0.994, 0, "99%"), (0.9962, 0, "99.6%"),
        (0.9997, 0, "> 99.9%"), (1.0, 0, "100%"), (1 - 2e-16, 0, "100%"), (0.9962, 1, "99.6%"), (0.9996, 1, "> 99.9%"),
        (1.0, 1, "100.0%"), (3e-6, 2, "< 0.01%"), (-0.002, 0, "-0%"), (1.004, 0, "100%"), (1.2, 0, "120%"),
    ],
)  # fmt: skip
def test_a_share_is_rounded_to_all_or_nothing_only_where_it_is_that(share, digits, text):
    assert share_text(share, digits) == text


def test_shares_that_add_up_do_not_contradict_each_other():
    """A weight of 0.9962 was told as 100 % beside 0.2, 0.2 and 0.1 %."""
    weights = np.array([0.9962, 0.0018, 0.0016, 0.0004], dtype=np.float32)
    assert [share_text(each) for each in weights] == ["99.6%", "0.2%", "0.2%", "< 0.1%"]


def test_every_message_says_shares_so():
    said = _("“{query}” gives {share:.0%} to “{key}”, {n:,} times").format(
        query="a", share=np.float32(0.9962), key="{b}", n=1234
    )
    assert said == "“a” gives 99.6% to “{b}”, 1,234 times" and type(said) is str
    assert n_("{n} row: {share:.1%}", "{n} rows: {share:.1%}", 2).format(n=2, share=0.9996, other=3) == "2 rows: > 99.9%"
    assert _("{target:.0%} of {n}").format(target=0.99, n=7) == "99% of 7"
    assert _("{0} and {1!r}").format("a", "b") == "a and 'b'"
    with pytest.raises(KeyError):
        _("{share:.0%} of {n}").format(share=0.5)
