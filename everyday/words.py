"""The English words of everyday sentences: their forms, and the kinds that decide what they go with."""

from dataclasses import dataclass, field

from everyday.tables import Row, read


@dataclass(frozen=True)
class Noun:
    """A noun; `plural` is None for what cannot be counted, `kinds` are some of NOUN_KINDS."""

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
    """An adjective.

    Attributes:
        kinds: colour; living (said of people and animals only); thing (never said of them); state (never before a noun).
        said_of: the nouns, or kinds of nouns, that it makes sense of; empty: any that its own kinds allow.
        suitable_for: the nouns that it is said of in sentences that may be shown to anyone.
    """

    english: str
    kinds: frozenset[str]
    said_of: frozenset[str] = field(repr=False, compare=False)
    suitable_for: frozenset[str] = field(repr=False, compare=False)


@dataclass(frozen=True)
class Verb:
    """A verb; `past` and `ing` are None for states, which are said in the present only.

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


# What a noun can be; audible: one listens to it; inside: one can be in it; surface: on or under it; goal: one goes there. What
# is bought, found, taken or wanted is a thing, food or drink.
NOUN_KINDS = frozenset(
    """person kin job animal food drink readable audible watchable openable thing song vehicle inside surface goal sky language
    abstract""".split()
)
NOUNS = {
    row.text("english"): Noun(row.text("english"), row.optional("plural"), frozenset(row.words("kinds", NOUN_KINDS)))
    for row in read("english/nouns", "english plural kinds")
}
_NOUNS_AND_KINDS = NOUNS.keys() | NOUN_KINDS
ADJECTIVES = {
    row.text("english"): Adjective(
        row.text("english"),
        frozenset(row.words("kinds", {"colour", "living", "thing", "state"})),
        frozenset(row.words("said_of", _NOUNS_AND_KINDS)),
        frozenset(row.words("suitable_for", _NOUNS_AND_KINDS)),
    )
    for row in read("english/adjectives", "english kinds said_of suitable_for")
}


def _verb(row: Row) -> Verb:
    objects = frozenset(row.words("objects", NOUN_KINDS | {"all"}))
    return Verb(
        row.text("english"),
        row.text("third"),
        row.optional("ing"),
        row.optional("past"),
        NOUN_KINDS if "all" in objects else objects,
        frozenset(row.words("kinds", {"optional", "place", "goal", "person", "asked"})),
        row.optional("particle"),
    )


VERBS = {row.text("english"): _verb(row) for row in read("english/verbs", "english third ing past objects kinds particle")}

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
