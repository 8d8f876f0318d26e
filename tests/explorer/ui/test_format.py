"""Pins how numbers and tokens are written."""

import pytest

from explorer.i18n import lookup
from explorer.ui.format import count_words, plain, size_words, without_html


@pytest.mark.parametrize(("count", "words"), [(999, "999 B"), (1000, "1.0 kB"), (123_456, "123 kB"), (5 * 10**12, "5000 GB")])
def test_sizes_in_words(count, words):
    assert size_words(count) == words


@pytest.mark.parametrize(("count", "words"), [(7, "7"), (2_400_000, "2.4 million"), (3 * 10**12, "3.0 trillion")])
def test_counts_in_words(count, words):
    assert count_words(count) == words


@pytest.mark.parametrize(
    ("count", "words"),
    [(9_999, "9999"), (24_000, "2.4 万"), (2_400_000, "240 万"), (3 * 10**8, "3.0 亿"), (5 * 10**12, "5.0 万亿")],
)
def test_counts_in_chinese_go_by_ten_thousands(count, words, monkeypatch):
    monkeypatch.setattr(lookup, "_language_source", lambda: "zh_CN")
    assert count_words(count) == words


def test_a_token_in_markdown_is_no_html_and_is_escaped_once():
    assert plain("<unk> *a*") == "\\<unk> \\*a\\*"
    assert without_html("**b** <unk>") == "**b** \\<unk>"
    assert without_html(f"“{plain('<unk>')}”") == "“\\<unk>”"
