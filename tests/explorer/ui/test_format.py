"""Sizes and counts in words, and text that Markdown must show as it is."""

import pytest

from explorer.i18n import lookup
from explorer.ui.format import count_words, percent, plain, size_words, small, true_minus, without_html


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1_540_000, "1.5 MB"), (123_456_789, "123 MB"), (5 * 10**12, "5000 GB")],
)
def test_sizes(count, words):
    assert size_words(count) == words


@pytest.mark.parametrize(
    ("count", "words"), [(7, "7"), (2400, "2.4 thousand"), (2.4e6, "2.4 million"), (3e15, "3000 trillion")]
)
def test_counts(count, words):
    assert count_words(count) == words


@pytest.mark.parametrize(
    ("count", "words"),
    [(9_999, "9999"), (24_000, "2.4 万"), (2_400_000, "240 万"), (3 * 10**8, "3.0 亿"), (5 * 10**12, "5.0 万亿")],
)
def test_counts_in_chinese_go_by_ten_thousands(count, words, monkeypatch):
    monkeypatch.setattr(lookup, "_language_source", lambda: "zh_CN")
    assert count_words(count) == words


def test_a_token_is_no_markup():
    assert plain("<unk>") == "\\<unk>"
    assert plain("a*b_c`d`[e](f) $x$ \\n") == "a\\*b\\_c\\`d\\`\\[e\\](f) \\$x\\$ \\\\n"
    assert plain("Ein Haus. 高兴!") == "Ein Haus. 高兴!"


def test_a_token_in_markdown_is_escaped_once():
    assert without_html("**b** <unk>") == "**b** \\<unk>"
    assert without_html(f"“{plain('<unk>')}”") == "“\\<unk>”"


@pytest.mark.parametrize(
    ("probability", "text"),
    [(0.0, "0.00%"), (1.0, "100.00%"), (0.1234, "12.34%"), (3e-6, "< 0.01%"), (1 - 3e-6, "> 99.99%"), (1 - 2e-16, "100.00%")],
)
def test_what_is_neither_impossible_nor_certain_does_not_read_so(probability, text):
    assert percent(probability) == text


def test_negative_numbers_have_a_minus_sign_and_code_stays():
    said = true_minus("from -0.53 to 1e-05 (-2 … 3), step-by-step, `x[-1]`, 2026-11-23, -x, −1")
    assert said == "from −0.53 to 1e-05 (−2 … 3), step-by-step, `x[-1]`, 2026-11-23, -x, −1"


def test_what_rounding_leaves_reads_as_a_power_of_ten():
    assert [small(value) for value in (0, 3e-8, 0.004, 1.6)] == ["0", "3 × 10⁻⁸", "0.004", "2"]
    assert [small(value, 2) for value in (1.23e-10, 0.00016, 1.64)] == ["1.2 × 10⁻¹⁰", "0.00016", "1.6"]
