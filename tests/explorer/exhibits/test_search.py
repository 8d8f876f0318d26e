"""Pins the one search: names, questions and terms, by their words and by what else people call them, in both languages."""

import pytest

from explorer.exhibits.reference import search
from explorer.exhibits.reference.search import NAMED, Place
from explorer.i18n import speaking
from explorer.ui.navigation import CONTENTS
from tests.pages.helpers import PARTS

PEEK = ("break_it", "How does it cheat without the causal mask?")
ORDER = ("positions", "Does the model notice the order of words without positions?")
CACHE = ("decoding", "What does a KV cache keep from step to step?")
BY_HEART = ("sentences", "Has it learned a rule, or the examples by heart?")
COUNT = ("shapes", "How many parameters has this model, and where are they?")
UNKNOWN = ("look_closer", "What does it do with a word that it has never seen?")
FASTER = ("shapes", "What does a longer sentence cost?")
NORM = ("norms", "Why layer norm, and not batch norm?")
SHIFT = ("decoding", "What does the decoder read while it learns, and what in use?")
HEADS = ("heads", "Does the number of heads change the number of parameters?")

TYPED = {
    "later words": (PEEK, "causal_mask"), "cheat": (PEEK, "causal_mask"), "peeking": (PEEK, "causal_mask"),
    "shifted right": (SHIFT, "teacher_forcing"), "cache": (CACHE, "kv_cache"), "caches": (CACHE, "kv_cache"),
    "K/V cache": (CACHE, "kv_cache"), "unknown word": (UNKNOWN, "unknown_word"), "memorise": (BY_HEART, "held_out"),
    "memorized": (BY_HEART, "held_out"), "overfitting": (BY_HEART, "held_out"), "how many weights": (COUNT, "parameter"),
    "RNN": (FASTER, "recurrent_layer"), "batchnorm": (NORM, "batch_norm"), "Batch-Norm": (NORM, "batch_norm"),
    "how does it know the order": (ORDER, "positional_encoding"), "order": (ORDER, "positional_encoding"),
    "temperature": (("decoding", "What would it write if it rolled dice?"), "temperature"),
    "GPU": (("training", "How does attention form while a model learns?"), None),
    "do parameters depend on the number of heads": (HEADS, None),
    "warmup": (("break_it", "What happens without warm-up?"), "warm_up"),
    "label smoothing": (("break_it", "What does label smoothing change?"), "label_smoothing"),
    "why does it make mistakes": (("decoding", "Why does it make mistakes?"), "loss"),
    "ChatGPT": (("story", "Is this ChatGPT, and does it understand what it says?"), None),
    "what is a lesson": (("story", "What happens in a lesson?"), "step"),
    "word it does not know": (UNKNOWN, "unknown_word"),
}  # fmt: skip
CHINESE = {
    "偷看": (PEEK, "causal_mask"), "后面的词": (PEEK, "causal_mask"), "缓存": (CACHE, "kv_cache"),
    "生词": (UNKNOWN, "unknown_word"),
    "没见过的词": (UNKNOWN, "unknown_word"), "背下来": (BY_HEART, "held_out"), "参数有多少": (COUNT, "parameter"),
    "循环神经网络": (FASTER, "recurrent_layer"), "批归一化": (NORM, "batch_norm"), "顺序": (ORDER, "positional_encoding"),
    "模型怎么知道词的顺序": (ORDER, "positional_encoding"), "RNN": (FASTER, "recurrent_layer"), "cache": (CACHE, "kv_cache"),
    "右移": (SHIFT, "teacher_forcing"), "batchnorm": (NORM, "batch_norm"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "language", "question", "term"),
    [
        (typed, language, *expected)
        for language, table in (("en", TYPED), ("zh_CN", CHINESE))
        for typed, expected in table.items()
    ],
)
def test_what_a_newcomer_types_finds_the_question_and_the_term(typed, language, question, term):
    found = search.find(typed, language)
    questions = [(each.page, each.words) for _rank, each in found.questions]
    assert question in questions[:6] and len(questions) < 10
    assert term is None or term in [each.key for _rank, each in found.terms][:3]


def test_the_question_that_says_the_word_comes_first_and_the_term_that_is_called_so():
    assert search.find("cheat", "en").questions[0][1].words == PEEK[1]
    rank, term = search.find("mask", "en").terms[0]
    assert rank == NAMED and term.key == "mask"


@pytest.mark.parametrize("typed", ["", "   ", "*", "zebra", "<b>x</b>", "熊猫", "a" * 3000, "熊猫" * 2000])
def test_nothing_is_found_where_nothing_is_called_so(typed):
    assert not any(search.find(typed, "zh_CN"))


def test_pages_and_parts_are_found_by_their_titles_and_hidden_ones_are_not():
    assert (NAMED, Place("masks", "")) in search.find("Masks", "en").places
    assert (NAMED, Place("what_matters", "logit_lens")) in search.find("logit lens", "en").places
    everywhere = [place for typed in ("host", "For the host") for _rank, place in search.find(typed, "en").places]
    assert "host" not in [place.page for place in everywhere]


def test_the_titles_of_parts_are_those_of_the_pages():
    assert {page: [*search.part_titles(page)] for page in CONTENTS} == {
        page: [part for part in parts if part] for page, parts in PARTS.items()
    }
    with speaking("zh_CN"):
        assert search.part_title(Place("layers", "dropout")) and search.part_title(Place("layers", "")) == ""
