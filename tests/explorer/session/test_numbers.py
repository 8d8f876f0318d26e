"""Pins how numbers are read that people type, or write into a link: with a point or a comma, where only one can be meant."""

import pytest

from explorer.session.numbers import as_number, is_of_two


@pytest.mark.parametrize(
    ("text", "number", "whole"),
    [
        ("7", 7, 7), ("-3", -3, -3), ("7.0", 7, 7), ("0.25", 0.25, None), ("1e3", 1000, 1000), ("", None, None),
        ("nan", None, None), ("inf", None, None), ("-inf", None, None), ("1e999", None, None), ("9" * 5000, None, None),
        ("abc", None, None), ("7 cats", None, None), ("0x10", None, None),
    ],
)  # fmt: skip
def test_a_number_is_read_where_it_is_one(text, number, whole):
    assert as_number(text, whole=False) == number
    assert as_number(text, whole=True) == whole
    assert isinstance(as_number(text, whole=True), int | None)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0,003", 0.003), ("0.003", 0.003), (",5", 0.5), (".5", 0.5), ("5,", 5), ("1,5e-4", 1.5e-4), ("-0,25", -0.25),
        ("12,25", 12.25), ("1234,567", 1234.567), ("1.234,5", 1234.5), ("1,234.5", 1234.5), ("1,234,567", 1234567),
        ("1.234.567,25", 1234567.25), ("1 234,5", 1234.5), ("1\u202f000", 1000), ("\uff10\uff0e\uff10\uff11", 0.01), ("−3", -3),
        ("1.000", 1.0), ("1,000", None), ("12,345", None), ("1,2,3", None), ("1,23,456", None), ("1.234,5.6", None),
        ("²", None), ("10²", None), ("½", None), (",", None), ("1 5", None), ("1,,5", None), ("1_000", None), ("12,34.5", None),
    ],
)  # fmt: skip
def test_a_decimal_comma_is_read_where_nothing_else_can_be_meant(text, number):
    assert as_number(text, whole=False) == number


@pytest.mark.parametrize(
    ("text", "number"), [("1,000", None), ("1.000", None), ("12.000", None), ("5,0", 5), ("1,000,000", 1000000), ("2,5", None)]
)
def test_a_whole_number_with_a_mark_before_three_digits_may_be_a_thousand_or_one(text, number):
    assert as_number(text, whole=True) == number
    assert is_of_two(text, whole=True) is (text in ("1,000", "1.000", "12.000"))
