"""Trees in English, and which word each word of a translation comes from."""

import random

import pytest

from everyday.drawing import EVERYDAY, LONGEST, SMALL, draw
from everyday.english import WORDS, Word, english, origins
from everyday.sentence import (
    Action,
    Asking,
    Being,
    Clause,
    Fixed,
    Identity,
    Name,
    NounPhrase,
    Phrases,
    Place,
    Pointing,
    Prefaced,
    Pronoun,
    Quality,
    Sentence,
    There,
    Where,
)
from everyday.words import ADJECTIVES, NOUNS, VERBS

ME, YOU, SHE = Pronoun("i"), Pronoun("you"), Pronoun("she")
CAT, APPLE, MOM = NOUNS["cat"], NOUNS["apple"], NOUNS["mom"]
RED, OLD, HAPPY = ADJECTIVES["red"], ADJECTIVES["old"], ADJECTIVES["happy"]


def _says(sentence: Sentence) -> str:
    return " ".join(word.text for word in english(sentence))


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        (Phrases((NounPhrase(APPLE, determiner="a"),)), "an apple"),
        (Phrases((NounPhrase(APPLE, determiner="a", adjectives=(RED,)),)), "a red apple"),
        (Phrases((NounPhrase(CAT, True, "my", "two", adjectives=(OLD,), very=True),)), "my two very old cats"),
        (Phrases((NounPhrase(CAT, owner=NounPhrase(MOM, determiner="my")),), please=True), "my mom 's cat please"),
        (Clause((SHE,), Action(VERBS["see"])), "she sees"),
        (Clause((SHE,), Action(VERBS["eat"], "past"), negated=True), "she did not eat"),
        (Clause((YOU,), Action(VERBS["listen"], objects=(ME,)), question=True), "do you listen to me"),
        (Clause((YOU,), Action(VERBS["want"], objects=(Pronoun("what"),)), question=True), "what do you want"),
        (Clause((SHE,), Action(VERBS["swim"], "like", gerund=True)), "she likes swimming"),
        (Clause((SHE,), Action(VERBS["swim"], "want"), question=True), "does she want to swim"),
        (Clause((YOU,), Action(VERBS["live"]), question=True, asked="where"), "where do you live"),
        (Clause((), Action(VERBS["run"]), negated=True, please=True), "do not run please"),
        (Clause((), Quality((ADJECTIVES["nice"],))), "be nice"),
        (
            Clause((Name("anna"), ME), Being(), place=Place("in", NounPhrase(NOUNS["car"], determiner="the")), company=SHE),
            "anna and i are with her in the car",
        ),
        (Clause((ME,), Quality((HAPPY,), "so"), past=True, time="yesterday", time_first=True), "yesterday i was so happy"),
        (Clause((ME,), Identity(NounPhrase(NOUNS["doctor"], determiner="a")), adverb="always"), "i am always a doctor"),
        (Clause((SHE,), Action(VERBS["go"], "can"), place=Place(None, "home"), also=True), "she can go home too"),
        (Pointing("those", (NounPhrase(CAT, True, "my"),), question=True), "are those my cats"),
        (There((NounPhrase(CAT, True, number="two"),), Place(None, "here"), negated=True), "there are not two cats here"),
        (Where((NounPhrase(CAT, determiner="your"), NounPhrase(NOUNS["dog"], shared=True))), "where are your cat and dog"),
        (Asking("who", (SHE,)), "who is she"),
        (Asking("what", "these"), "what are these"),
        (Fixed("good morning", NounPhrase(MOM)), "good morning mom"),
        (Prefaced(Fixed("hello"), Clause((YOU,), Quality((HAPPY,)), question=True, negated=True)), "hello are not you happy"),
        (
            Clause((Pronoun("who"),), Action(VERBS["have"], objects=(NounPhrase(CAT, determiner="my"),)), question=True),
            "who has my cat",
        ),
        (Clause((Pronoun("who"),), Action(VERBS["sing"], "progressive"), question=True), "who is singing"),
        (Clause((YOU,), Action(VERBS["sing"], "like"), question=True, negated=True), "do not you like to sing"),
        (Clause((YOU,), Action(VERBS["help"], "can", (ME,)), question=True, please=True), "can you help me please"),
        (Clause((), Action(VERBS["help"], objects=(ME,)), please=True, please_first=True), "please help me"),
        (Clause((SHE,), Action(VERBS["sing"], "love", gerund=True)), "she loves singing"),
        (Clause((SHE,), Action(VERBS["go"], "need"), place=Place("to", "paris")), "she needs to go to paris"),
        (Phrases((NounPhrase(NOUNS["cup"], True, number="two", of=NOUNS["tea"]),)), "two cups of tea"),
    ],
)
def test_it_says(sentence: Sentence, said: str) -> None:
    assert _says(sentence) == said


def test_words_of_a_translation_come_from_those_with_their_role() -> None:
    source = english(
        Clause((SHE,), Action(VERBS["see"], objects=(NounPhrase(APPLE, adjectives=(RED,)),)))
    )  # she sees red apple
    target = [
        Word("elle", "s0.noun"),
        Word("voit", "verb"),
        Word("la", "o0.det"),
        Word("pomme", "o0.noun"),
        Word("rouge", "o0.a0"),
        Word("pas", "not"),
    ]
    assert origins(source, target) == (0, 1, 3, 3, 2, None)


@pytest.mark.parametrize("scope", [EVERYDAY, SMALL], ids=["everyday", "small"])
def test_draws_are_short_and_of_known_words(scope: object) -> None:
    generator = random.Random(7)
    for _ in range(2000):
        words = english(draw(generator, scope))  # type: ignore[arg-type]
        assert 1 <= len(words) <= LONGEST and {word.text for word in words} <= set(WORDS)


def test_the_small_language_is_of_about_forty_words() -> None:
    generator = random.Random(7)
    words = {word.text for _ in range(4000) for word in english(draw(generator, SMALL))}
    assert 36 <= len(words) <= 44


def test_short_common_sentences_are_drawn_again_and_again() -> None:
    generator = random.Random(7)
    drawn = [_says(draw(generator)) for _ in range(20_000)]
    assert {"i love you", "where are you", "i am hungry"} <= set(drawn)
    assert len(set(drawn)) < 0.9 * len(drawn)
