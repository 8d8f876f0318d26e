"""Pins: how a text becomes tokens and ids and comes back, and what is said of a word that is not known."""

import pytest

from transformer_core.data.vocabulary import Vocabulary, before_end, numbers, split_words, through_end


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The cat sees the dog.", "the cat sees the dog ."),
        ("I don't know the well-known man!", "i don't know the well-known man !"),
        ("it’s 12 o'clock", "it’s 12 o'clock"),
        ("我爱你", "我 爱 你"),
        ("I爱you, 3只cats", "i 爱 you , 3 只 cats"),
        ("snake_case -- it's", "snake _ case - - it's"),
        ("L'eau, été", "l'eau , été"),
        ("  \n\t ", ""),
        ("<pad>", "< pad >"),
        ("1 2\t3\n10", "1 2 3 10"),
    ],
)
def test_a_text_falls_into_words_chinese_characters_and_signs(text, tokens):
    assert split_words(text) == tokens.split()


def test_nothing_but_white_space_is_lost():
    text = "“Water”, she said: 从水壶到杯子 (2 cups)—it's £3.50_a…"
    assert "".join(split_words(text)) == "".join(text.lower().split())


def test_numbers_are_written_as_they_are():
    vocabulary = numbers(11)
    assert len(vocabulary) == 11
    assert (vocabulary.pad, vocabulary.start, vocabulary.end, vocabulary.unknown) == (0, 1, None, None)
    assert vocabulary.encode("1 10 3 3") == [1, 10, 3, 3]
    assert vocabulary.decode([0, 1, 10]) == ["<pad>", "1", "10"]
    assert vocabulary.encode("") == []


@pytest.mark.parametrize("row", ["3,4,5", "3, 4, 5", "3;4; 5", "3，4、5", "３，４；５", "3، 4؛ 5", "٣ ٤ ٥", ",3,,4,5,"])
def test_numbers_may_be_separated_by_commas_and_semicolons_of_any_script(row):
    assert numbers(11).encode(row) == [3, 4, 5]


def test_a_decimal_point_is_no_separator():
    with pytest.raises(ValueError, match=r"“\.” is not among the symbols"):
        numbers(11).encode("3.5")


@pytest.mark.parametrize("bad", ["11", "0", "cat", "-"])
def test_a_symbol_that_is_not_there_is_named_beside_those_that_are(bad):
    with pytest.raises(ValueError) as caught:
        numbers(11).encode(f"1 {bad} 2")
    assert str(caught.value) == f"“{bad}” is not among the symbols of this model; it knows 1, 2, 3, 4, 5, 6, 7, 8, 9, 10"


def test_a_long_list_of_symbols_is_cut():
    with pytest.raises(ValueError, match=r"it knows 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, …$"):
        numbers(30).encode("30")


def test_a_word_that_is_not_known_becomes_the_unknown_one():
    vocabulary = Vocabulary(("<pad>", "<start>", "<end>", "<unk>", "the", "sees"), 0, 1, 2, 3)
    ids = vocabulary.encode("The xylophone sees <pad>")
    assert vocabulary.decode(ids) == ["the", "<unk>", "sees", "<unk>", "<unk>", "<unk>"]
    assert vocabulary.pad not in ids, "special tokens cannot be typed"


def test_a_vocabulary_is_a_cache_key():
    tokens = ("<pad>", "a", "b")
    assert hash(Vocabulary(tokens)) == hash(Vocabulary(tokens))
    vocabulary = Vocabulary(tokens)
    vocabulary.encode("a")
    assert vocabulary == Vocabulary(tokens)


def test_tokens_are_looked_up_as_they_are():
    vocabulary = Vocabulary(("<pad>", "<start>", "<end>", "<unk>", "l'", "Anna", "-t-il"), 0, 1, 2, 3)
    assert vocabulary.ids(["Anna", "l'", "<end>", "-t-il"]) == [5, 4, 2, 6]
    with pytest.raises(KeyError):
        vocabulary.ids(["anna"])


@pytest.mark.parametrize(
    ("ids", "before", "through"),
    [([4, 5, 2, 6, 2], (4, 5), (4, 5, 2)), ([4, 5], (4, 5), (4, 5)), ([2], (), (2,)), ([], (), ())],
)
def test_an_answer_ends_at_its_first_end_token(ids, before, through):
    assert before_end(ids, 2) == before and through_end(ids, 2) == through
    assert before_end(ids, None) == through_end(ids, None) == tuple(ids), "where there is no end token, nothing is cut off"
