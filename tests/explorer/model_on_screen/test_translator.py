"""What is typed for a translator is read, or mended; its answers are judged by the language."""

import pytest

from everyday.translation import TRANSLATIONS
from explorer.model_on_screen.settings import vocabulary_of
from explorer.model_on_screen.translator import known_words, read, translation_of, verdict
from transformer_core.data.corpora import everyday_vocabulary
from transformer_core.errors import InputError

FRENCH, CHINESE, SMALL = (TRANSLATIONS[name] for name in ("everyday-fr", "everyday-zh", "small-fr"))


def test_case_punctuation_and_contractions_are_understood():
    assert read(FRENCH, "I DON’T like Anna's cat, do you?") == "i do not like anna 's cat do you".split()
    assert read(FRENCH, " \t") == []


def refusal(text: str, translation=FRENCH) -> InputError:
    with pytest.raises(InputError) as refused:
        read(translation, text)
    return refused.value


def test_an_unknown_word_is_named_with_words_like_it_and_sentences_that_can_be_read():
    error = refusal("My Zebra sleeps.")
    assert str(error) == "The model has never seen “zebra”. Words like it that it knows: horse, cow, dog."
    assert error.nearest == {"src": ("My horse sleeps.", "My cow sleeps.", "My dog sleeps.")}
    for sentence in error.nearest["src"]:
        assert read(FRENCH, sentence)


def test_a_part_of_another_word_is_not_replaced():
    assert refusal("a lion and a dandelion")
    error = refusal("zebra zebraish")
    assert all("catish" not in sentence and "horseish" not in sentence for sentence in error.nearest["src"])


def test_so_many_unknown_words_are_one_short_sentence():
    words = " ".join(f"xq{a}{b}" for a in "bcdfgh" for b in "bcdfgh")
    assert len(str(refusal(words))) < 250


def test_a_small_language_knows_its_own_words_only():
    assert "“milk”" in str(refusal("i like milk", SMALL))
    everyday, small = (
        {form for kind in known_words(each).values() for entry in kind for form in entry} for each in (FRENCH, SMALL)
    )
    assert small < everyday and "cat" in small and "milk" not in small
    assert all(known_words(SMALL).values()), "no empty kinds"
    for form in small:
        assert read(SMALL, form) == form.split()


@pytest.mark.parametrize(
    ("translation", "source", "answer", "text"),
    [
        (FRENCH, "do you see the water", "est-ce que tu vois l' eau ?", "est-ce que tu vois l'eau\u00a0?"),
        (CHINESE, "i have a cat", "我 有 一 只 猫", "我有一只猫"),
    ],
)
def test_an_answer_is_judged_and_written(translation, source, answer, text):
    right = verdict(translation, source.split(), answer.split())
    assert right.was_taught and right.is_right and right.text(right.answer) == text
    assert sum(right.right.values()) == pytest.approx(1)
    wrong = verdict(translation, source.split(), answer.split()[:-1])
    assert wrong.was_taught and not wrong.is_right
    guess = verdict(translation, "cat cat dog".split(), answer.split())
    assert not guess.was_taught and not guess.is_right


def test_only_models_of_a_language_pair_have_one():
    assert [translation_of(task, vocabulary_of(task)) for task in ("copy", "pronoun-en")] == [None, None]
    assert translation_of("everyday-fr", everyday_vocabulary(FRENCH)) is FRENCH
    assert translation_of("everyday-fr", everyday_vocabulary(CHINESE)) is None, "its ids mean something else"
    assert translation_of("", everyday_vocabulary(FRENCH)) is None
