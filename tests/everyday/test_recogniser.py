"""Which sentences are read, how they are read, and what is no sentence: all by hand. Drawn sentences come back as drawn."""

import random

import pytest

from everyday import drawing
from everyday.english import WORDS, english
from everyday.recogniser import LONGEST, subject_end, trees
from everyday.sentence import (
    Action,
    Asking,
    Being,
    Clause,
    Description,
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
from everyday.words import ADJECTIVES, NOUNS, VERBS, Adjective

ACTIONS = """
i love you | she loves him | anna sees tom | we like music | they have a cat | he has two sisters | my father drives a car
the old woman reads a long letter | the cats drink milk | i eat an apple | you know my mother | the boy listens to me
tom looks at the sky | he does not see us | i do not like fish | we do not understand | the dog does not eat bread
do you like chocolate | does she speak french | do your friends live here | does tom 's brother work at the hospital
i am eating | he is reading a book | they are not sleeping | are you listening to music | is the baby crying
the children are playing in the garden | she took my keys | we did not find the house | did you see the star | i can swim
he can not help you | can i drink water | can your sister drive | i want to sleep | she wants to buy a house
we do not want to go | do you want to dance | i need to learn chinese | does he need to work | i like to read
they like swimming | he does not like dancing | do you like cooking | i love singing very much | she loves to sing
i like you a lot | anna always eats an apple | we never drink coffee | he is often reading | i can always help you
he sometimes helps his mother and his father | i see you and your brother | my brother and sister see a bird
the cat and the dog sleep on the bed | tom and i live in london | i love paris | i live with my mother
i live in paris with my family | he plays with anna at school | he plays at school with anna | they go to school every day
i go home now | she came here yesterday | we walked to the station | he runs in the park | they swim in the sea
we went to paris with our friends yesterday | today i am working at home | every day he reads the books | i like cats too
what do you see | what does he like to eat | what are you looking at | what is he doing | what did they buy
where do you live | why are you laughing | when does the bus come | where did you find my phone | who is singing
who has my keys | who did not eat | who can swim | do not you like my house | did not he see it | can not she come
i want three red apples please | please can you help me | i have a cup of tea | i want a coffee please
my mother goes to work | we drank two hot cups of coffee
"""
COMMANDS = """
come here | open the door please | please close the window | do not eat my apple | listen to your mother | look at me
go to school | help | help me please | run home | drink some water | be happy | eat your bread now
"""
BEING = """
i am happy | the house is very old | my mother and my father are tired | she is not hungry | are you thirsty | is it too hot
the dogs are big and strong | he is so clever | tom is never sad | the shop is open | it is cold today | she was sick
we were busy yesterday | is not he funny | why is she angry | he is a teacher | they are my friends | you are a good doctor
you are doctors | is anna your sister | my name is tom | it is me | we are not students | he was my teacher | i am at home
the cat is under the table | the keys are not here | are they in the kitchen | is your brother at school
who is in the garden | i am with anna | she is with her friend in the park | we were in france with them
mom is in the kitchen | where were you yesterday | when were you in london | paris is beautiful | the fish are old
the fish is old | anna 's mother 's house is big | my two very old cats are here
"""
OTHERS = """
this is my book | that is not good | are these your keys | is this anna | those are very beautiful
this is my mother and father | there is a cat in the garden | there are two birds and a dog | is there water
there is not a table here | are there many cars | where is my book | where are tom and anna | who is he | who are your friends
what is this | what are those | who is that man | what is her name | a red apple | my mother and my father | cat
small red car | some cold water please | anna 's old dog | you and i | very old and slow | beautiful | too cold
the beautiful small house | her brother 's three cars | hello | thank you very much | what is your name | good morning mom
hello anna | thank you my friend | how are you | yes i am happy | no thank you | excuse me where is the station
sorry i do not understand | hello my name is paul
an apple | my two very old cats | my mom 's cat please | she sees tom | she did not eat | do you listen to me | what do you want
she likes swimming | does she want to swim | do not run please | be nice | anna and i are with her in the car
yesterday i was so happy | i am always a doctor | she can go home too | are those my cats | there are not two cats here
where are your cat and dog | who is she | what are these | hello are not you happy | who has my cat
do not you like to sing | can you help me please | please help me | she loves singing | she needs to go to paris
two cups of tea
"""
NO_SENTENCES = """
he eat | she like me | they eats | i is happy | you is here | he are tired | the cats is big | a cats | an cat | a apple
these book | this cats | those dog | many water | a milk | many tea | two cat | one cats | three milk | a bread | many cat
the my house | my the house | some two cats | me like you | i see he | him is here | i love she | us are happy | with i
he plays with they | i saw they | he does eats | does he eats | he did ate | did he ate | he do not eat | he not eat
i am eat | he eating | is he eat | he is eats | i can eats | can he eats | i want eat | i want to eats | she want to go
he likes swim | i want swimming | i am see you | she is love him | i am want milk | i have see it | i like you very
i very like you | you do like what | i live | do you live | he needs | i find | she closes | he sleeps the cat | i swim you
i listen music | he looks to me | i go school | i go to home | he is to school | i am in school home | i live at paris
there are a cat | there is two cats | there is my cat | there is the dog | this are my books | these is my book
where my book is | where is | who are he | what is | the hungry dog | a busy man | a old and house | the very house
old the house | house old | a red blue green car | and cats | cat dog | cats and | he is and happy | he is teacher
they are a teacher | he is teachers | i am french | a sun | my moon | yesterday i eat | i ate now | he sleeps yesterday
now he slept | i never do not eat | not i am happy | no please he eat | happy is he too very | be | do not | to eat | can
what | please please me | an | very | two | not | the | of | cup of cats | anna 's | 's book | cats 's milk | a friends 's car
happy anna | my anna | the paris | two tom | a french | the english | i and | is | are you | was she | who | he was eating
i do | yes he eat | good morning the | how are they your
"""


def texts(table: str) -> list[str]:
    return [text for row in table.split("\n") for text in row.split(" | ") if text]


def words(text: str) -> list[str]:
    return text.lower().replace("'s", " 's").split()


def tree(text: str) -> Sentence:
    (only,) = trees(words(text))
    return only


def test_what_people_say_is_a_sentence() -> None:
    said = texts(ACTIONS + COMMANDS + BEING + OTHERS)
    assert [" ".join(word.text for word in english(tree(text))) for text in said] == said


def test_known_words_do_not_make_a_sentence() -> None:
    for text in texts(NO_SENTENCES):
        assert set(text.split()) <= set(WORDS), text
        assert trees(text.split()) == [], text


ME, YOU, SHE, IT = (Pronoun(word) for word in ("i", "you", "she", "it"))
FISH, CAT, BROTHER, SISTER, TEACHER = (NOUNS[noun] for noun in ("fish", "cat", "brother", "sister", "teacher"))
HERE, IN_PARIS = Place(None, "here"), Place("in", "paris")


def doing(verb: str, *objects: NounPhrase | Pronoun | Name, **more: str) -> Action:
    return Action(VERBS[verb], objects=objects, **more)  # type: ignore[arg-type]


def adjectives(*names: str) -> tuple[Adjective, ...]:
    return tuple(ADJECTIVES[name] for name in names)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Possessive or pronoun, degree or "also", tense or verb, adjective or verb.
        ("I see her", Clause((ME,), doing("see", SHE))),
        ("I see her cat", Clause((ME,), doing("see", NounPhrase(CAT, determiner="her")))),
        ("I am too old", Clause((ME,), Quality(adjectives("old"), "too"))),
        ("I am old too", Clause((ME,), Quality(adjectives("old")), also=True)),
        ("I want a cat", Clause((ME,), doing("want", NounPhrase(CAT, determiner="a")))),
        ("I want to eat", Clause((ME,), doing("eat", tense="want"))),
        ("I like swimming", Clause((ME,), Action(VERBS["swim"], "like", gerund=True))),
        ("closed", Description(Quality(adjectives("closed")))),
        # A determiner that counts for two nouns, where it can.
        (
            "my brother and sister",
            Phrases((NounPhrase(BROTHER, determiner="my"), NounPhrase(SISTER, shared=True))),
        ),
        (
            "Anna's brother and sister",
            Phrases((NounPhrase(BROTHER, owner=Name("anna")), NounPhrase(SISTER, shared=True))),
        ),
        ("a cat and milk", Phrases((NounPhrase(CAT, determiner="a"), NounPhrase(NOUNS["milk"])))),
        ("a tea and milk", Phrases((NounPhrase(NOUNS["tea"], determiner="a"), NounPhrase(NOUNS["milk"])))),
        ("a cat and dogs", Phrases((NounPhrase(CAT, determiner="a"), NounPhrase(NOUNS["dog"], True)))),
        ("two cats and dogs", Phrases((NounPhrase(CAT, True, number="two"), NounPhrase(NOUNS["dog"], True, shared=True)))),
        ("my cat and Anna", Phrases((NounPhrase(CAT, determiner="my"), Name("anna")))),
        # One fish, or several.
        ("I see the fish", Clause((ME,), doing("see", NounPhrase(FISH, determiner="the")))),
        ("I see many fish", Clause((ME,), doing("see", NounPhrase(FISH, True, "many")))),
        ("I like fish", Clause((ME,), doing("like", NounPhrase(FISH, True)))),
        ("the fish are here", Clause((NounPhrase(FISH, True, "the"),), Being(), place=HERE)),
        ("fish", Phrases((NounPhrase(FISH, True),))),
        # Place, company and their order; what is looked at is no place.
        (
            "I live in Paris with Anna",
            Clause((ME,), doing("live"), company=Name("anna"), place=IN_PARIS, place_first=True),
        ),
        ("I live with Anna in Paris", Clause((ME,), doing("live"), company=Name("anna"), place=IN_PARIS)),
        ("look at the cat", Clause((), doing("look", NounPhrase(CAT, determiner="the")))),
        ("look at the cat here", Clause((), doing("look", NounPhrase(CAT, determiner="the")), place=HERE)),
        # Questions.
        ("where are you", Where((YOU,))),
        ("where were you", Clause((YOU,), Being(), question=True, asked="where", past=True)),
        ("where is Anna today", Clause((Name("anna"),), Being(), question=True, asked="where", time="today")),
        ("who is she", Asking("who", (SHE,))),
        ("who is here", Clause((Pronoun("who"),), Being(), question=True, place=HERE)),
        ("what is that", Asking("what", "that")),
        ("what is your name", Fixed("what is your name")),
        ("is this my cat", Pointing("this", (NounPhrase(CAT, determiner="my"),), question=True)),
        (
            "is this cat here",
            Clause((NounPhrase(CAT, determiner="this"),), Being(), question=True, place=HERE),
        ),
        ("is she not here", None),
        ("is not she here", Clause((SHE,), Being(), negated=True, question=True, place=HERE)),
        ("is there a cat there", There((NounPhrase(CAT, determiner="a"),), Place(None, "there"), question=True)),
        # What somebody is; politeness; what stands in front.
        ("you are a teacher", Clause((YOU,), Identity(NounPhrase(TEACHER, determiner="a")))),
        ("it is her", Clause((IT,), Identity(SHE))),
        ("please come here", Clause((), doing("come"), place=HERE, please=True, please_first=True)),
        ("come here please", Clause((), doing("come"), place=HERE, please=True)),
        ("very good", Fixed("very good")),
        ("hello teacher", Fixed("hello", NounPhrase(TEACHER))),
        ("hello I am here", Prefaced(Fixed("hello"), Clause((ME,), Being(), place=HERE))),
        ("yes please", Prefaced(Fixed("yes"), Fixed("please"))),
    ],
)
def test_how_a_sentence_is_read(text: str, expected: Sentence | None) -> None:
    assert trees(words(text)) == ([expected] if expected else [])


def test_a_noun_phrase_with_everything() -> None:
    phrase = tree("my mother's friend's two very old and slow cats")
    mother = NounPhrase(NOUNS["mother"], determiner="my")
    friend = NounPhrase(NOUNS["friend"], owner=mother)
    cats = NounPhrase(CAT, True, number="two", owner=friend, adjectives=adjectives("old", "slow"), joined=True, very=True)
    assert phrase == Phrases((cats,))


def test_drawn_sentences_are_read_as_they_were_drawn() -> None:
    generator = random.Random(2017)
    for _ in range(4000):
        drawn = drawing.draw(generator)
        said = [word.text for word in english(drawn)]
        assert trees(said) == [drawn], " ".join(said)


def test_nothing_and_too_much_are_no_sentence() -> None:
    assert trees([]) == trees([""]) == trees(["", ""]) == trees(["cat", ""]) == []
    longest = words("my mother and my father are often at home with their old friend today")
    assert len(longest) == LONGEST and trees(longest) and trees([*longest, "too"]) == []
    assert trees(["very"] * 100_000) == []


@pytest.mark.parametrize(
    ("text", "at", "end"),
    [
        ("is not my brother 's friend happy", 2, 6),
        ("you and I swim", 0, 3),
        ("not happy", 1, 1),
        ("", 0, 0),
    ],
)
def test_where_a_subject_ends(text: str, at: int, end: int) -> None:
    assert subject_end(text.lower().split(), at) == end
