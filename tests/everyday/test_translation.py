"""Language pairs: all right answers with their probabilities, against samples; sentences to learn from and to show."""

import random
from collections import Counter

import pytest

from everyday.choice import Draw
from everyday.recogniser import trees
from everyday.tokenizer import tokenize
from everyday.translation import END, TRANSLATIONS

EVERYDAY = [TRANSLATIONS[name] for name in ("everyday-fr", "everyday-zh")]
ALL = [*TRANSLATIONS.values()]
_AMBIGUOUS = (
    "do you like my red car",
    "we are hungry",
    "my friend is reading a book",
    "where is your mother",
    "they are not happy",
)


@pytest.mark.parametrize("translation", EVERYDAY, ids=lambda each: each.name)
def test_enumerated_probabilities_are_those_of_samples(translation) -> None:  # type: ignore[no-untyped-def]
    """A chi-squared test on 10,000 samples, over all sources; answers expected less than ten times count as one."""
    generator, chi_squared, freedom = random.Random(2017), 0.0, 0
    for text in _AMBIGUOUS:
        (tree,) = trees(text.split())
        expected = {answer: 2000 * p for answer, p in translation.answers(text.split()).items()}
        counts = Counter(tuple(word.text for word in translation.say(tree, Draw(generator))) for _ in range(2000))
        assert set(counts) <= set(expected)
        often = [answer for answer, n in expected.items() if n >= 10]
        pairs = [(counts[answer], expected[answer]) for answer in often]
        if (rest := 2000 - sum(n for _, n in pairs)) >= 10:
            pairs.append((2000 - sum(n for n, _ in pairs), rest))
        chi_squared += sum((seen - n) ** 2 / n for seen, n in pairs)
        freedom += len(pairs) - 1
    assert freedom >= 10
    assert chi_squared < freedom + 3.3 * (2 * freedom) ** 0.5  # exceeded about once in a thousand


@pytest.mark.parametrize("translation", ALL, ids=lambda each: each.name)
def test_draws_are_right_answers_of_known_words(translation) -> None:  # type: ignore[no-untyped-def]
    generator, vocabulary = random.Random(5), {*translation.source_words, *translation.target_words}
    for _ in range(400):
        pair = translation.draw(generator)
        answers = translation.answers(pair.source)
        assert pair.target in answers and sum(answers.values()) == pytest.approx(1)
        assert {*pair.source, *(word for answer in answers for word in answer)} <= vocabulary
        assert len(pair.origins) == len(pair.target)
        assert all(place is None or 0 <= place < len(pair.source) for place in pair.origins)


@pytest.mark.parametrize("translation", ALL, ids=lambda each: each.name)
def test_most_words_of_an_answer_come_from_somewhere(translation) -> None:  # type: ignore[no-untyped-def]
    generator = random.Random(6)
    origins = [place for _ in range(400) for place in translation.draw(generator).origins]
    assert origins.count(None) < 0.12 * len(origins)


@pytest.mark.parametrize("translation", ALL, ids=lambda each: each.name)
def test_the_next_word_follows_from_the_answers(translation) -> None:  # type: ignore[no-untyped-def]
    source = translation.example.split()
    answers = translation.answers(source)
    first = next(iter(answers))
    for at in range(len(first) + 1):
        truth = translation.next_words(source, first[:at])
        begun = {answer: p for answer, p in answers.items() if answer[:at] == first[:at]}
        total = sum(begun.values())
        for word, probability in truth.items():
            goes_on = sum(p for answer, p in begun.items() if (*answer, END)[at] == word)
            assert probability == pytest.approx(goes_on / total)
        assert sum(truth.values()) == pytest.approx(1)
    assert translation.next_words(source, ("nonsense",)) == {}


@pytest.mark.parametrize("translation", ALL, ids=lambda each: each.name)
def test_what_is_not_in_the_grammar_has_no_answers(translation) -> None:  # type: ignore[no-untyped-def]
    assert translation.answers("cat the sees".split()) == {} and translation.answers("zebra".split()) == {}
    assert translation.next_words("cat the sees".split(), ()) == {}


def right(name: str, source: str) -> set[str]:
    return {" ".join(answer) for answer in TRANSLATIONS[name].answers(source.split())}


@pytest.mark.parametrize("verb", ["like", "love", "want", "buy"])
def test_fish_may_be_food_or_several_fish_and_is_food_where_it_is_eaten(verb: str) -> None:
    answers = right("everyday-fr", f"she does not {verb} fish")
    assert any("poissons" in answer for answer in answers) and any(answer.endswith("poisson") for answer in answers)
    assert not any("poissons" in answer for answer in right("everyday-fr", "she does not eat fish"))


def test_what_one_asks_to_have_is_also_eaten_or_drunk() -> None:
    assert "我 能 不 能 喝 一 杯 茶 ？" in right("everyday-zh", "can i have a cup of tea")
    assert "我 能 要 一 杯 茶 吗 ？" in right("everyday-zh", "can i have a cup of tea")
    assert "我 能 吃 一 个 苹果 吗 ？" in right("everyday-zh", "can i have an apple")
    assert not any("吃" in answer for answer in right("everyday-zh", "can i have a cup of tea"))


@pytest.mark.parametrize(
    "source",
    ["this movie is not interesting", "are not you interesting", "it is not interesting and good", "he is never interesting"],
)
def test_in_chinese_what_is_not_interesting_has_no_interest(source: str) -> None:
    answers = right("everyday-zh", source)
    assert any("没 有意思" in answer for answer in answers) and any("不 有趣" in answer for answer in answers)
    assert not any("不 有意思" in answer for answer in answers)
    assert any("不 太 有意思" in answer for answer in right("everyday-zh", "this movie is not very interesting"))


@pytest.mark.parametrize("name", ["everyday-fr", "everyday-zh"])
def test_the_example_has_several_answers(name: str) -> None:
    answers = TRANSLATIONS[name].answers(TRANSLATIONS[name].example.split())
    assert len(answers) >= 4 and max(answers.values()) < 0.6


@pytest.mark.parametrize("length", [1, 4, 9])
def test_sentences_to_show_have_the_length_that_is_asked_for(length: int) -> None:
    generator = random.Random(9)
    for translation in EVERYDAY:
        text = translation.suitable_sentence(generator, length)
        assert text is not None and len(tokenize(text)) == length and translation.answers(tokenize(text))


@pytest.mark.slow
def test_sentences_to_show_are_written_as_people_write() -> None:
    generator = random.Random(10)
    shown = [EVERYDAY[0].suitable_sentence(generator, length) or "" for length in range(3, 9) for _ in range(60)]
    assert not [text for text in shown if " not " in text.replace("am not", "") or " 's" in text]
    assert any("n't" in text for text in shown) and any("'s" in text for text in shown)
    assert TRANSLATIONS["small-fr"].suitable_sentence(generator, 30) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["small-fr", "small-zh"])
def test_the_words_of_a_small_language_are_those_that_are_ever_drawn(name: str) -> None:
    translation, generator = TRANSLATIONS[name], random.Random(17)
    pairs = [translation.draw(generator) for _ in range(12_000)]
    assert {word for pair in pairs for word in pair.source} <= set(translation.source_words)
    assert {word for pair in pairs for word in pair.target} <= set(translation.target_words)
