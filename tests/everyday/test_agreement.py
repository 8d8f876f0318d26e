"""Pins which noun a French determiner agrees with."""

import pytest

from everyday.french.agreement import agreement


@pytest.mark.parametrize(
    ("determiner", "following", "source", "found"),
    [
        ("ma", "voiture rouge ?", "do you like my red car", ("voiture", True, 5)),
        ("mon", "chien rouge ?", "do you like my red dog", ("chien", False, 5)),
        ("ma", "grande maison", "she sees my big house", ("maison", True, 4)),
        ("la", "voiture rouge", "my sister likes the red car", ("voiture", True, 5)),
        ("mon", "amie", "my friend", None),  # before a vowel the form shows no gender
        ("la", "vois bien", "i see her", None),  # a pronoun
        ("les", "chiens", "the dogs", None),
        ("ma", "voiture", "my dog", None),
        ("ma", "", "my", None),
    ],
)
def test_the_noun_that_a_determiner_agrees_with(determiner, following, source, found):
    assert agreement(determiner, following.split(), source.split()) == found
