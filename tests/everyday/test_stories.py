"""Pins: mini stories are of everyday words, a held-out combination is never trained on, and the probabilities of the next word
are those of what is drawn."""

import math
import random
from collections import Counter
from fractions import Fraction

import pytest

from everyday.chinese.words import NAMES as CHINESE_NAMES
from everyday.chinese.words import NOUNS as CHINESE_NOUNS
from everyday.stories import END, WORD, Part, Stories, Story, _place, stories
from everyday.tables import Row, TableError
from everyday.words import ADJECTIVES, NAMES, NOUNS, NUMBERS

LANGUAGES = ("en", "zh")
OF_TWO_GENDERS = {"en": {"he": "she", "him": "her", "his": "her"}, "zh": {"他": "她"}}
DRAWN: dict[str, list[Story]] = {}


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> Stories:
    return stories(request.param)


def drawn(language: Stories) -> list[Story]:
    """Twenty thousand stories, always the same ones."""
    if language.language not in DRAWN:
        generator = random.Random(5)
        DRAWN[language.language] = [language.draw(generator) for _ in range(20_000)]
    return DRAWN[language.language]


# --- The stories. -------------------------------------------------------------------------------------------------------------


def test_there_are_ten_templates_and_more_of_three_to_five_sentences(language: Stories) -> None:
    assert len(language.templates) >= 10
    sentences = {story.tokens.count(".") + story.tokens.count("。") for story in drawn(language)}
    assert sentences == {3, 4, 5}
    assert max(len(story.tokens) for story in drawn(language)) == language.longest


def test_english_stories_are_of_the_lexicon_s_suitable_words() -> None:
    fillings = stories("en").fillings
    forms = {form for noun in NOUNS.values() for form in (noun.english, noun.plural)}
    known = {*forms, *NUMBERS, *ADJECTIVES, "paris", "london", "france"}
    assert {filling[WORD] for kind, of_kind in fillings.items() if kind != "person" for filling in of_kind} <= known
    assert {filling[WORD] for filling in fillings["person"]} >= set(NAMES)
    for filling in (filling for of_kind in fillings.values() for filling in of_kind if filling["adj"]):
        noun = NOUNS[filling[WORD]]
        assert {noun.english, *noun.kinds} & ADJECTIVES[filling["adj"]].suitable_for, filling


def test_chinese_nouns_are_the_lexicon_s_with_their_measure_words() -> None:
    measures = {
        said: {measure for _, words in noun.measure for measure in words}
        for noun in CHINESE_NOUNS.values()
        for _, (said, *_) in noun.said
    }
    fillings = stories("zh").fillings
    counted = [filling for of_kind in fillings.values() for filling in of_kind if "one" in filling]
    assert counted and all(filling["one"] in measures[filling[WORD]] for filling in counted)
    assert {filling[WORD] for filling in fillings["person"]} >= {CHINESE_NAMES[name] for name in NAMES}


def test_a_pronoun_is_of_the_gender_of_its_person(language: Stories) -> None:
    """Where all persons of a story are women, it says "she" alone, and "he" where all are men."""
    of_men = OF_TWO_GENDERS[language.language]
    men, women = (
        {filling[WORD] for filling in language.fillings["person"] if filling["he"] in he} for he in (of_men, of_men.values())
    )
    kin = {filling[WORD] for filling in language.fillings["kin"]}
    for story in drawn(language)[:3000]:
        words = set(story.tokens)
        pronouns = {token for token, kind in zip(story.tokens, story.kinds, strict=True) if kind == "pronoun"}
        if not words & (men | kin):
            assert pronouns <= set(of_men.values())
        if not words & (women | kin):
            assert pronouns <= set(of_men)


def test_what_is_repeated_came_before(language: Stories) -> None:
    for story in drawn(language)[:3000]:
        for i, kind in enumerate(story.kinds):
            assert kind != "repeated" or story.tokens[i] in story.tokens[:i]
    assert {"repeated", "pronoun", "other"} == {kind for story in drawn(language) for kind in story.kinds}


def test_two_slots_of_a_kind_stand_for_different_words(language: Stories) -> None:
    """The word of the first is told before the second is mentioned: only so is it known what the second cannot be."""
    for wording in (wording for wordings in language.templates.values() for wording in wordings):
        for slot, others in wording.slots.items():
            first = next(i for i, place in enumerate(wording.places) if isinstance(place, Part) and place.slot == slot)
            assert {Part(other, WORD) for other in others} <= set(wording.places[:first])


def test_what_people_type_is_read(language: Stories) -> None:
    separator = "" if language.language == "zh" else " "
    assert all(language.tokenize(separator.join(story.tokens)) == [*story.tokens] for story in drawn(language)[:3000])
    typed = {"en": "Emma can't find her  XYZ, Tom.", "zh": "艾玛找不到 她的xy,汤姆."}[language.language]
    read = {"en": "emma can not find her xyz , tom .", "zh": "艾玛 找不到 她 的 x y ， 汤姆 。"}[language.language]
    assert language.tokenize(typed) == read.split()


def test_a_part_that_no_word_fills_in_is_told_with_its_line() -> None:
    row = Row("stories.tsv, line 2", {})
    assert _place("THING2.adj", row, {"thing": [{WORD: "ball", "adj": "red"}]}) == Part("THING2", "adj")
    for token in ("THING.one", "THING.adj", "FOOD"):
        with pytest.raises(TableError, match=rf"stories\.tsv, line 2: {token} cannot be filled in"):
            _place(token, row, {"thing": [{WORD: "ball", "adj": ""}]})


# --- What is held out. --------------------------------------------------------------------------------------------------------


def test_no_story_for_training_is_held_out(language: Stories) -> None:
    held = {story.tokens for story in drawn(language) if story.held_out}
    assert not held & {story.tokens for story in drawn(language) if not story.held_out}
    assert 0.08 < sum(story.held_out for story in drawn(language)) / len(drawn(language)) < 0.12


def test_a_combination_is_held_out_in_every_wording(language: Stories) -> None:
    food = language.fillings["food"][0]
    *others, last = language.fillings["person"]
    decided = []
    for person in others:
        meant = {"A": person, "B": last, "FOOD": food}
        told = [
            (wording, tuple(place if isinstance(place, str) else meant[place.slot][place.form] for place in wording.places))
            for wording in language.templates["hungry"]
        ]
        assert len(told) == 16
        decided.append({wording.is_held_out(tokens) for wording, tokens in told})
    assert all(len(each) == 1 for each in decided)


# --- The probability of the next word. ----------------------------------------------------------------------------------------


def test_the_probability_of_an_adjective_is_that_of_counting() -> None:
    """Two templates begin "emma can not find her": each is one of two ways, so both are equally probable."""
    fillings = stories("en").fillings

    def share(kind: str) -> Fraction:
        of_kind = [filling["adj"] for filling in fillings[kind]]
        return Fraction(of_kind.count("black"), len(of_kind))

    found = stories("en").next_words("emma can not find her".split())
    assert found["black"] == pytest.approx(float((share("thing") + share("pet")) / 2))
    assert found["expensive"] == pytest.approx(0.5 / len(fillings["thing"]))
    assert list(found.values()) == sorted(found.values(), reverse=True)


def test_the_probabilities_sum_to_one_and_name_what_comes(language: Stories) -> None:
    for story in drawn(language)[:25]:
        logarithms = []
        for at, token in enumerate([*story.tokens, END]):
            found = language.next_words(story.tokens[:at])
            assert sum(found.values()) == pytest.approx(1)
            logarithms.append(-math.log(found[token]))
        assert language.surprisals(story.tokens) == pytest.approx(logarithms)


def test_they_are_the_frequencies_of_what_is_drawn(language: Stories) -> None:
    """After every beginning that was drawn a hundred times or more: "emma and" among them, where Emma is not who follows."""
    counted: dict[tuple[str, ...], Counter[str]] = {}
    for story in drawn(language):
        for at in range(5):
            counted.setdefault(story.tokens[:at], Counter())[story.tokens[at]] += 1
    often = {beginning: following for beginning, following in counted.items() if following.total() >= 100}
    assert {("emma", "and"), ("艾玛", "和")} & often.keys()
    for beginning, following in often.items():
        n, expected = following.total(), language.next_words(beginning)
        assert following.keys() <= expected.keys()
        for token, probability in expected.items():
            assert abs(following[token] - n * probability) <= 5 * math.sqrt(n * probability * (1 - probability))


def test_what_is_judged_follows_with_certainty(language: Stories) -> None:
    for story in drawn(language)[:800]:
        surprisals = language.surprisals(story.tokens)
        judged = [surprisal for surprisal, kind in zip(surprisals, (*story.kinds, "other"), strict=True) if kind != "other"]
        assert judged == pytest.approx([0] * len(judged), abs=1e-9)


def test_no_story_goes_on_so() -> None:
    assert stories("en").next_words("the emma".split()) == {}
    first, second, end = stories("en").surprisals("emma emma".split())
    assert 0 < first < second == end == math.inf
