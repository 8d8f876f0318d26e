"""The English words of everyday sentences: their forms, and what they are, which decides what they go with."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Noun:
    """`plural` is None for what cannot be counted. `kinds` says what it is: see NOUNS."""

    english: str
    plural: str | None
    kinds: frozenset[str]

    @property
    def counted(self) -> bool:
        return self.plural is not None

    @property
    def alive(self) -> bool:
        return bool(self.kinds & {"person", "animal"})


@dataclass(frozen=True)
class Adjective:
    """`kinds`: colour; living (said of people and animals only); thing (never said of them); state (never before a noun)."""

    english: str
    kinds: frozenset[str]


@dataclass(frozen=True)
class Verb:
    """`past` and `ing` are None for states, which are said in the present only.

    Attributes:
        objects: kinds of nouns that it acts on; empty: it takes no object.
        particle: the word between the verb and its object, as in "listen to".
        kinds: optional (the object may be left out); place (needs a place: live); goal (goes to one: go, come); person (acts on
            people by name and pronoun as well); asked (its object is "what").
    """

    english: str
    third: str
    ing: str | None
    past: str | None
    objects: frozenset[str]
    kinds: frozenset[str]
    particle: str | None = None


def _rows(table: str) -> list[list[str]]:
    return [row.split() for row in table.replace("\n", "|").split("|") if row.strip()]


def _kinds(text: str) -> frozenset[str]:
    return frozenset() if text == "-" else frozenset(text.split(","))


# Singular, plural, kinds: person, kin, job, animal, food, drink, readable, audible (one listens to it), openable, thing,
# watchable, song, vehicle, inside (one can be in it), surface (one can be on or under it), goal (one goes there), sky,
# language, abstract. What is bought, found, taken or wanted is a thing, food or drink.
NOUNS = {
    singular: Noun(singular, None if plural == "-" else plural, _kinds(kinds))
    for singular, plural, kinds in _rows("""
man men person | woman women person | boy boys person | girl girls person | child children person | baby babies person
friend friends person,kin | teacher teachers person,job | student students person,job | doctor doctors person,job
mother mothers person,kin | father fathers person,kin | mom moms person,kin | dad dads person,kin
brother brothers person,kin | sister sisters person,kin | son sons person,kin | daughter daughters person,kin
family families person,kin
cat cats animal | dog dogs animal | bird birds animal | fish fish animal,food | horse horses animal | mouse mice animal
rabbit rabbits animal | cow cows animal
apple apples food | banana bananas food | egg eggs food | cake cakes food | bread - food | rice - food | cheese - food
meat - food | chocolate - food | water - drink,inside | milk - drink | tea - drink | coffee - drink
house houses thing,inside,goal | car cars thing,vehicle,inside | book books thing,readable | letter letters thing,readable
story stories readable,audible,abstract | song songs audible,song,abstract | music - audible,abstract
movie movies abstract,watchable
table tables thing,surface | chair chairs thing,surface | bed beds thing,surface,inside | door doors thing,openable
window windows thing,openable | box boxes thing,openable,inside,surface | bag bags thing,openable,inside
cup cups thing,inside | key keys thing | flower flowers thing | tree trees thing,surface | ball balls thing
picture pictures thing,watchable | phone phones thing | computer computers thing | shoe shoes thing | bike bikes thing,vehicle
bus buses thing,vehicle,inside | train trains thing,vehicle,inside | boat boats thing,vehicle,inside,surface | money - thing
garden gardens inside,goal | park parks inside,goal | school schools inside,goal | city cities inside,goal
kitchen kitchens inside,goal | room rooms inside,goal | bathroom bathrooms inside,goal | street streets surface
shop shops inside,goal | restaurant restaurants inside,goal | station stations inside,goal | hospital hospitals inside,goal
river rivers inside,goal | sea - inside,goal | mountain mountains surface
sun - sky | moon - sky | sky - sky | star stars sky
name names abstract | french - language | english - language | chinese - language
""")
}
ADJECTIVES = {
    english: Adjective(english, _kinds(kinds))
    for english, kinds in _rows("""
big - | small - | good - | bad - | old - | new thing | young living | beautiful - | long thing | tall - | red colour
blue colour | green colour | white colour | black colour | yellow colour | happy living | sad - | tired living | hot -
cold - | clever living | strong - | funny - | clean thing | dirty - | nice - | angry living | sick living | busy living,state
fast - | slow - | interesting thing | expensive thing | hungry living,state | thirsty living,state | open thing,state
closed thing,state
""")
}

# Base, third person, -ing, past, objects, kinds, particle. "all" stands for every kind of noun.
_ALL = frozenset().union(*(noun.kinds for noun in NOUNS.values()))
VERBS = {
    base: Verb(
        base,
        third,
        None if ing == "-" else ing,
        None if past == "-" else past,
        _ALL if objects == "all" else _kinds(objects),
        _kinds(kinds),
        *particle,
    )
    for base, third, ing, past, objects, kinds, *particle in _rows("""
see sees - saw all person | like likes - - all person | love loves - - all person | have has - - all - | want wants - - all -
need needs - - all person | know knows - - person,abstract,inside person,optional | find finds - found all person
eat eats eating ate food optional | drink drinks drinking drank drink optional | buy buys buying bought thing,food,drink -
read reads reading - readable optional | write writes writing wrote readable optional | take takes taking took thing,food -
open opens opening opened openable - | close closes closing closed openable -
watch watches watching watched person,animal,watchable,sky,vehicle person
look looks looking looked person,animal,watchable,sky,vehicle,thing person,optional at
listen listens listening listened audible,person person,optional to | learn learns learning learned language optional
help helps helping helped person,animal person,optional | understand understands - - language,person,abstract person,optional
speak speaks speaking spoke language optional | cook cooks cooking cooked food optional
drive drives driving drove vehicle optional
do does doing did - asked | sleep sleeps sleeping slept - - | run runs running ran - - | walk walks walking walked - -
sing sings singing sang song optional
dance dances dancing danced - - | swim swims swimming swam - - | work works working worked - - | play plays playing played - -
cry cries crying cried - - | laugh laughs laughing laughed - -
live lives living lived - place | go goes going went - goal | come comes coming came - goal
""")
}

NAMES = ("anna", "tom", "mary", "paul")
PLACE_NAMES = ("paris", "london", "france", "china")  # names as well: "I love Paris"
PRONOUNS = {"i": "me", "you": "you", "he": "him", "she": "her", "it": "it", "we": "us", "they": "them"}  # subject -> object
POSSESSIVES = {"my": "i", "your": "you", "his": "he", "her": "she", "our": "we", "their": "they"}  # -> whose
DEMONSTRATIVES = {"this": False, "that": False, "these": True, "those": True}  # -> whether of several
NUMBERS = ("one", "two", "three", "four", "five", "ten")
QUANTITIES = ("some", "many", "a lot of")
TIMES = ("today", "now", "yesterday", "every day")
ADVERBS = ("always", "often", "sometimes", "never")  # before the verb, behind "to be"
PREPOSITIONS = ("in", "on", "under", "at", "to", "from")
# Places without an article, each with the preposition of one who is there (None: none); "to" of one who goes there, or none.
PLACES = {
    "home": "at",
    "school": "at",
    "work": "at",
    "paris": "in",
    "london": "in",
    "france": "in",
    "china": "in",
    "here": None,
    "there": None,
}
WITHOUT_TO = frozenset({"home", "here", "there"})
GREETINGS = (
    "hello", "hi", "goodbye", "thank you", "thank you very much", "thanks", "good morning", "good evening", "good night",
    "sorry", "welcome", "happy birthday",
)  # fmt: skip
PREFACES = ("hello", "hi", "yes", "no", "sorry", "i am sorry", "excuse me", "thank you", "thanks", "good morning")
PHRASES = (
    *GREETINGS, "how are you", "what is your name", "how old are you", "where are you from", "what time is it",
    "nice to meet you", "let us go", "yes", "no", "please", "excuse me", "me too", "you too", "very good", "i am sorry",
    "i am fine", "i need help", "how are you today", "let us go home", "yes i do", "no i do not", "welcome home",
)  # fmt: skip
