"""Pins the glossary: the same terms in every language, each in two sentences, with a place that shows it."""

import re

import pytest

from explorer import glossary, i18n
from explorer.exhibits.reference.questions import QUESTIONS

ENDS = {i18n.ENGLISH: r"(?<=[.?!”)]) (?=[A-Z“(\d])", "zh_CN": r"(?<=[。？！])"}
PLACES = {(each.page, each.part) for each in QUESTIONS} | {(each.page, "") for each in QUESTIONS}


def forms(language: str) -> list[str]:
    return [form.casefold() for each in glossary.terms(language) for form in (each.term, *each.also)]


def test_every_language_has_the_same_terms_at_the_same_places():
    english, *others = (glossary.terms(language) for language in i18n.LANGUAGES)
    assert len(english) > 100
    for other in others:
        assert [(each.key, each.see, bool(each.formula)) for each in other] == [
            (each.key, each.see, bool(each.formula)) for each in english
        ]


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_a_term_has_two_sentences_and_a_place_and_a_form_one_meaning(language):
    for each in glossary.terms(language):
        assert each.place in PLACES, each.key
        sentences = [part for part in re.split(ENDS[language], each.words) if part]
        assert len(sentences) == 2, (each.key, sentences)
    assert len(set(forms(language))) == len(forms(language))


@pytest.mark.parametrize(("language", "said"), [(i18n.ENGLISH, "counted from 0"), ("zh_CN", "从 0 数起")])
def test_heads_and_layers_are_said_to_be_counted_from_0(language, said):
    assert {each.key for each in glossary.terms(language) if said in each.words} >= {"head", "layer"}


def test_the_pseudo_locale_has_the_english_terms_with_its_marks():
    marked, english = glossary.terms(i18n.PSEUDO), glossary.terms(i18n.ENGLISH)
    assert [each.key for each in marked] == [each.key for each in english]
    assert all(each.words.startswith("⟦") and each.term.startswith("⟦") for each in marked)


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_what_people_type_finds_one_term_and_is_no_form_of_another(language):
    sought = [each.casefold() for term in glossary.terms(language) for each in term.sought]
    assert len(sought) > 80 and len(set(sought)) == len(sought)
    assert not set(sought) & set(forms(language)), "found by its form already"
