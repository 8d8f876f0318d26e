"""Pins the questions that are asked before one looks: the model decides each, and its new case, among the choices."""

import pytest

from explorer import i18n
from explorer.rooms import outcomes
from explorer.rooms.script import ELSE, bank

LANGUAGES = ("en", "zh_CN")


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_choice_of_each_question_and_of_its_new_case_is_what_the_model_does(language):
    questions = bank(language)
    assert 10 <= len(questions) <= 15
    by_rule = {}
    for step in questions:
        assert step.asked is not None and step.new is not None and len(step.because) >= 3, step.title
        for case in (step.asked, step.new):
            found = outcomes.at_once(case, language).found
            meant = [choice for choice in case.choices if choice.means == found]
            assert len(meant) == 1 or (not meant and any(choice.means == ELSE for choice in case.choices)), (step.title, found)
            by_rule.setdefault((step.title, found if step.answer == "pronoun" else bool(meant)), []).append(found)
            assert "{" not in case.question.format(**outcomes.at_once(case, language).values)
    assert {step.answer for step in questions} == {"looks", "cut", "given", "pronoun"}


def test_no_place_in_the_list_is_right_more_often_than_half():
    for language in LANGUAGES:
        places = []
        for step in bank(language):
            for case in (step.asked, step.new):
                found = outcomes.at_once(case, language).found
                places.append(outcomes.choice_of(case, found))
        assert max(places.count(place) for place in set(places)) <= len(places) / 2, (language, places)


def test_both_languages_are_read_and_others_get_english():
    assert len(bank("en")) == len(bank("zh_CN")) and bank("fr") == bank("en")
    assert set(LANGUAGES) <= set(i18n.LANGUAGES)
