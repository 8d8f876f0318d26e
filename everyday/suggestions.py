"""Suggests known words for an unknown one, and lists all words by kind."""

from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from functools import cache

from everyday.english import WORDS
from everyday.words import (
    ADJECTIVES,
    ADVERBS,
    DEMONSTRATIVES,
    NAMES,
    NOUNS,
    NUMBERS,
    PHRASES,
    PLACES,
    POSSESSIVES,
    PREPOSITIONS,
    PRONOUNS,
    QUANTITIES,
    TIMES,
    VERBS,
)  # fmt: skip

_MOST = 3  # how many words like it are named
_NEARNESS = 0.76  # of spelling: one wrong letter in five, not in four
_LONG = 6  # letters from which on a word may be another unknown one, misspelt: nobody is told "sleep" (lie) for "lime"
_NUMERALS = ("five", "ten")

# Words that are in the grammar, the nearest first: words like them that are not.
_LIKE = """
horse cow dog: zebra donkey pony goat sheep pig deer elephant giraffe camel bull hippo rhino
cat dog horse: lion tiger bear wolf fox monkey leopard panda kangaroo animal pet crocodile gorilla | cat: kitten | dog: puppy
mouse rabbit: rat hamster squirrel hedgehog bat
bird fish: chicken duck hen goose parrot eagle owl penguin pigeon bee butterfly dove crow
fish bird: shark whale dolphin salmon tuna turtle frog snake octopus crab lobster lizard
mouse bird: spider ant mosquito insect worm bug
apple banana: orange pear grape lemon strawberry cherry peach melon watermelon pineapple fruit mango plum tomato
rice egg apple: potato carrot onion vegetable salad bean corn pea mushroom garlic cucumber cabbage
bread rice: pizza pasta noodle spaghetti soup sandwich hamburger burger toast dumpling food meal
meat bread: breakfast lunch dinner supper | meat fish egg: beef pork ham sausage bacon steak lamb turkey
cake chocolate: cookie biscuit pie candy dessert icecream ice-cream honey jam sugar pudding pancake donut
cheese milk: butter yogurt yoghurt cream salt | water tea milk: juice lemonade soda cola coke beer wine alcohol
man woman: person human adult | child boy girl: kid teenager toddler pupil youth | man boy: guy gentleman king prince
woman girl: lady queen princess
friend: buddy mate pal neighbour neighbor boyfriend girlfriend colleague classmate partner guest
mom mother: mum mommy mummy mama ma | dad father: daddy papa pa | mother woman: wife grandmother grandma granny aunt auntie
father man: husband grandfather grandpa grandad uncle | mother father: parent parents | brother sister: cousin sibling twin
son brother: nephew grandson | daughter sister: niece | family: relative grandparent | doctor: nurse dentist vet surgeon
teacher: professor tutor trainer coach | student: learner schoolboy schoolgirl
teacher doctor: lawyer engineer scientist farmer driver policeman policewoman police officer chef waiter waitress singer
teacher doctor: dancer
teacher doctor: actor actress artist writer author soldier pilot worker boss manager president secretary
house room: flat apartment building hotel castle tower cottage hut villa bedroom office
shop: store supermarket market mall bakery bookstore | restaurant: cafe café bar pub canteen
city street: town village place capital | street: road way path avenue square bridge highway corner
france china: country germany italy spain england america japan usa russia canada india korea europe africa asia australia uk
paris london: berlin rome beijing shanghai tokyo madrid york moscow boston
school: university college class classroom kindergarten lesson homework library museum | hospital: clinic pharmacy
station: airport stop port | park: cinema theatre theater church stadium
garden park: yard field farm forest wood woods zoo playground meadow | sea river: lake ocean beach pool coast island waterfall
mountain: hill rock valley volcano desert | room kitchen bathroom: toilet floor wall cellar hall balcony stairs roof shower
car bus train: truck taxi vehicle plane airplane lorry van helicopter cab | bike: bicycle motorbike motorcycle scooter
train: tram subway metro underground | boat: ship ferry canoe yacht
table chair bed: sofa couch desk shelf lamp cupboard carpet furniture bench | door window: gate entrance exit curtain
cup: glass bottle plate bowl mug knife fork spoon pot pan dish | key: lock keyboard
bag box: suitcase backpack basket wallet purse pocket package parcel present gift luggage
shoe bag: shirt t-shirt dress skirt coat jacket hat cap sock glove scarf sweater boot sneaker umbrella clothes trousers pants
shoe bag: jeans | book letter: newspaper magazine dictionary notebook paper page text message email mail novel pen pencil
story: tale news poem joke fairytale | picture: photo photograph painting drawing image map mirror
movie: film video show tv television series cartoon | phone computer: laptop tablet camera radio clock telephone machine robot
song music: piano guitar violin concert band melody | ball: football toy doll game tennis basketball balloon soccer
money: cash dollar euro coin price ticket card | flower tree: rose grass plant leaf tulip bush
sun sky: cloud rain snow wind weather storm rainbow air | moon star: earth world planet space
name: word number address surname | today now: tomorrow tonight soon later then afternoon noon
yesterday: ago before last past | day today: week month year weekend daily
always often sometimes: usually rarely seldom mostly ever again once | red: pink purple | blue: violet turquoise
black white: grey gray brown dark | yellow: golden gold blond blonde | big: large huge great giant enormous fat wide heavy
small: little tiny short thin light mini | tall big: high | beautiful: pretty lovely handsome cute wonderful gorgeous ugly
good: well better best delicious tasty okay right
good nice: excellent amazing awesome perfect fantastic favorite favourite super cool
bad: terrible awful horrible evil wrong worse worst | nice good: kind friendly polite gentle
happy: glad cheerful pleased joyful proud excited lucky | sad: unhappy upset lonely depressed scared afraid worried bored
angry: mad furious annoyed | tired: sleepy exhausted | sick: ill unwell | clever: smart intelligent wise stupid
interesting: exciting boring important | fast: quick rapid | slow: late lazy | hot: warm spicy | cold: freezing chilly
old: ancient elderly | new: modern fresh | expensive: cheap costly dear | clean: tidy | dirty: messy broken
strong: powerful weak brave | funny: silly crazy strange weird | see: notice seen
like love: enjoy prefer adore hate dislike miss hug kiss | want need: wish hope would must should
know understand: think believe remember forget mean guess thought knew known believed | find: lose discover lost
look: search stare | eat: bite taste feed | drink: sip | buy: sell pay get order rent | read: spell
learn: study practise practice teach taught | take: bring carry hold give put catch grab keep steal throw send
open: start begin | close: shut finish end | listen: hear | watch look: observe | help: support save
speak: talk say tell ask answer call discuss | cook: bake make prepare boil | drive: ride fly travel
sleep: rest dream wake nap lie | run walk: jump climb move hurry | go come: leave arrive visit enter return
sing dance: perform | work: build fix repair use try | play: win | laugh cry: smile shout scream | live: stay dwell
have: own wear had | can: could may might | is are: been being become | want: gonna wanna | swim: dive | ate eat: eaten
drank drink: drunk | took take: taken | wrote write: written | went go: gone | have: having | spoke speak: spoken
drove drive: driven | understand: understood | sang sing: sung | swam swim: swum | and: but or because | too: also either
very: really quite extremely | in on: into inside onto near between over above behind next by | under: below beneath
to: for towards until | with: without | not: n't | his her: its | my: mine | your: yours | her: hers | our: ours
their: theirs | many some: any few several all each more most both | a: another | the: teh | what who where: which whose
five: six seven eight nine | ten: eleven twelve twenty hundred thousand million | one: first single zero | i: myself
you: yourself u ya | it: something nothing anything thing | he she: someone somebody anyone everybody everyone nobody
anna mary: lisa emma sarah julia laura maria kate susan alice lucy
tom paul: john peter james david michael jack max ben bob tim
french english chinese: german spanish italian japanese russian korean language latin arabic portuguese
hello hi: hey greetings | goodbye: bye cheers | thanks: thx thankyou | yes: yeah ok sure yep | no: nope nah | sorry: pardon
please: pls plz | men women children: people folk
"""


Entry = tuple[str, ...]  # a word with its other forms, the base first


def similar_words(word: str, known: Collection[str] = WORDS) -> list[str]:
    """Returns up to three known words, the nearest in meaning or else in spelling first; none for a known word."""
    word = word.lower()
    if word in known:
        return []
    if word.isdecimal():
        return [number for number in _NUMERALS if number in known]
    return _among(known, _meant(word)) or _among(known, (near for other in _spelt_like(word) for near in _meant(other)))


def _spelt_like(word: str) -> list[str]:
    unknown = _table() if len(word) >= _LONG else ()
    return get_close_matches(word, WORDS, _MOST, _NEARNESS) or get_close_matches(word, unknown, 1, _NEARNESS)


def _among(known: Collection[str], words: Iterable[str]) -> list[str]:
    """The first of these words that are known; where none is, others of their kind."""
    near = list(dict.fromkeys(words))
    kind = (other for word in near for other in _of_its_kind(word))
    found = [word for word in near if word in known] or [word for word in dict.fromkeys(kind) if word in known]
    return found[:_MOST]


def _meant(word: str) -> list[str]:
    """Words of the grammar for a word: itself, those like it, or those like what it is a form of, first in that form."""
    if word in _bases():
        return _near(word)
    base, ending = _inflected().get(word, ("", ""))
    near = _near(base) if base else []
    return [*(_in_form(each, ending) for each in near), *near]


def _near(base: str) -> list[str]:
    return _table().get(base, [base])


@cache
def _table() -> dict[str, list[str]]:
    """The words like it for each word of the table."""
    rows = (row.split(":") for row in _LIKE.replace("\n", "|").split("|") if row)
    return {word: near.split() for near, words in reversed(list(rows)) for word in words.split()}


@cache
def _bases() -> dict[str, None]:
    """All words that anything is known of, in a fixed order."""
    return dict.fromkeys((*WORDS, *_table()))


# Forms


@cache
def _inflected() -> dict[str, tuple[str, str]]:
    """For what English endings make of a word by rule, even if it is not said so ("swimmed"): the word and the ending."""
    return {form: (base, ending) for base in _bases() for ending in _endings(base) for form in _with(base, ending)}


def _endings(base: str) -> tuple[str, ...]:
    """Those that the word may have, by what the word nearest to it is."""
    nearest = _near(base)[0]
    if nearest in NOUNS:
        return ("s",)
    if nearest in VERBS:
        return ("ed", "ing", "s")
    return ("er", "est", "ly") if nearest in ADJECTIVES else ()


def _with(word: str, ending: str) -> Iterator[str]:
    """The word with the ending, as it may be spelt."""
    yield word + ending
    if ending == "s":
        yield word + "es"
    else:
        yield word + word[-1] + ending
    if word.endswith("e"):
        yield word[:-1] + ending
    if word.endswith("y"):
        yield word[:-1] + ("ies" if ending == "s" else "i" + ending)


def _in_form(word: str, ending: str) -> str:
    """The word with this ending as it is said: "mice" for "mouse" and s; itself if it has no such form."""
    if word in NOUNS and ending == "s":
        return NOUNS[word].plural or word
    if word in VERBS:
        verb = VERBS[word]
        return {"s": verb.third, "ed": verb.past, "ing": verb.ing}.get(ending) or word
    return word


# Kinds


@cache
def words_by_kind() -> dict[str, tuple[Entry, ...]]:
    """All words of the grammar, by kind; each with its other forms."""
    nouns: dict[str, list[Entry]] = {}
    for noun in NOUNS.values():
        nouns.setdefault(_kind_of_noun(noun.kinds), []).append(_forms(noun.english, noun.plural))
    adjectives = [adjective.english for adjective in ADJECTIVES.values() if "colour" not in adjective.kinds]
    colours = [adjective.english for adjective in ADJECTIVES.values() if "colour" in adjective.kinds]
    return {
        "people": tuple(nouns["people"]),
        "animals": tuple(nouns["animals"]),
        "food": tuple(nouns["food"]),
        "things": tuple(nouns["things"]),
        "places": (*nouns["places"], *_each(place for place in PLACES if place not in NOUNS)),
        "languages": tuple(nouns["languages"]),
        "adjectives": _each(adjectives),
        "colours": _each(colours),
        "verbs": tuple(_forms(verb.english, verb.third, verb.ing, verb.past) for verb in VERBS.values()),
        "names": _each(NAMES),
        "pronouns": tuple(_forms(subject, said) for subject, said in PRONOUNS.items()),
        "determiners": (("the",), ("a", "an"), *_each((*POSSESSIVES, *DEMONSTRATIVES, *QUANTITIES)), ("'s",)),
        "numbers": _each(NUMBERS),
        "time": _each((*TIMES, *ADVERBS)),
        "questions": _each(("what", "who", "where", "when", "why")),
        "helpers": (("be", "am", "is", "are", "was", "were"), ("do", "does", "did"), ("can",), ("not",)),
        "links": _each((*PREPOSITIONS, "with", "and", "very", "so", "too", "very much", "a lot", "please")),
        "phrases": _each(PHRASES),
    }


def _kind_of_noun(kinds: frozenset[str]) -> str:
    for sort, kind in _KINDS_OF_NOUNS.items():
        if sort in kinds:
            return kind
    return "things"


_KINDS_OF_NOUNS = {
    "person": "people", "animal": "animals", "food": "food", "drink": "food", "language": "languages", "goal": "places",
    "sky": "places", "thing": "things", "surface": "places",
}  # fmt: skip


def _forms(*forms: str | None) -> Entry:
    return tuple(dict.fromkeys(form for form in forms if form))


def _each(words: Iterable[str]) -> tuple[Entry, ...]:
    return tuple((word,) for word in words)


def _of_its_kind(word: str) -> Iterator[str]:
    """The other words of the same kind, in their base form."""
    for entries in words_by_kind().values():
        if any(word in entry for entry in entries):
            yield from (entry[0] for entry in entries)
