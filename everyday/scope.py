"""The part of the everyday language that sentences are drawn from, and which of its words go together."""

from dataclasses import dataclass
from functools import cached_property

from everyday.words import ADJECTIVES, NOUNS, VERBS, Adjective, Noun, Verb


@dataclass(frozen=True)
class Scope:
    """The part of the language that sentences are drawn from.

    Attributes:
        pronouns, singular, plural: pronouns, and the determiners of one and of several; the frequent ones several times.
        kinds: kinds of sentences, each with its weight.
        tenses: those of actions, each with its weight.
        additions: whether clauses have places, company, times and adverbs, and phrases numbers, owners and quantities.
        sensible: the share of words that are chosen to go with each other; the others are any words.
    """

    nouns: tuple[Noun, ...]
    adjectives: tuple[Adjective, ...]
    verbs: tuple[Verb, ...]
    pronouns: tuple[str, ...]
    singular: tuple[str, ...]
    plural: tuple[str, ...]
    kinds: tuple[tuple[str, float], ...]
    tenses: tuple[tuple[str, float], ...]
    additions: bool = True
    sensible: float = 0.97

    @cached_property
    def by_kind(self) -> dict[str, tuple[Noun, ...]]:
        kinds = sorted({kind for noun in self.nouns for kind in noun.kinds})
        return {kind: tuple(noun for noun in self.nouns if kind in noun.kinds) for kind in kinds}

    def of(self, *kinds: str) -> tuple[Noun, ...]:
        """Returns the nouns of these kinds, one kind after the other."""
        return tuple(noun for kind in kinds for noun in self.by_kind.get(kind, ()))

    @cached_property
    def living(self) -> tuple[Noun, ...]:
        return self.of("person", "animal")


_OFTEN = "see like love have want need eat drink go know help understand".split()  # verbs that are said four times as often
EVERYDAY = Scope(
    nouns=tuple(NOUNS.values()),
    adjectives=tuple(ADJECTIVES.values()),
    verbs=(*VERBS.values(), *(VERBS[verb] for verb in _OFTEN for _ in range(3))),
    pronouns=tuple("i i i i you you you you he he he she she she it we we they they".split()),
    singular=(*["the"] * 9, *["a"] * 8, *["my"] * 4, *"this this this that that your your his her our their".split()),
    plural=(*["the"] * 7, *["my"] * 3, *"these those your his her our their".split()),
    kinds=(
        ("action", 36), ("quality", 15), ("phrases", 12), ("pointing", 7), ("being", 6), ("identity", 5), ("there", 5),
        ("command", 5), ("where", 4), ("fixed", 3), ("prefaced", 3), ("common", 4), ("asking", 2), ("description", 1),
    ),
    tenses=(
        ("present", 48), ("progressive", 15), ("past", 13), ("can", 10), ("want", 8), ("need", 3), ("like", 5), ("love", 2),
    ),
)  # fmt: skip
SMALL = Scope(
    nouns=tuple(NOUNS[noun] for noun in "cat dog bird boy girl apple house book car flower".split()),
    adjectives=tuple(ADJECTIVES[adjective] for adjective in "red black white big small new good".split()),
    verbs=tuple(VERBS[verb] for verb in "see like eat want have".split()),
    pronouns=("i", "you", "he", "she", "we"),
    singular=("the", "the", "a", "a", "my", "this"),
    plural=(),
    kinds=(("action", 1),),
    tenses=(("present", 1),),
    additions=False,
    sensible=1.0,  # a rare pair of words would bring a form that no other sentence has
)


def goes_with(adjective: Adjective, noun: Noun) -> bool:
    """True if this adjective makes sense of this noun."""
    if noun.kinds & {"language", "abstract"}:
        return adjective.english in _OF_STORIES
    if "sky" in noun.kinds:
        return adjective.english in _OF_THE_SKY
    if adjective.said_of:
        return noun.english in adjective.said_of or bool(noun.kinds & adjective.said_of)
    if "colour" in adjective.kinds:
        return "person" not in noun.kinds and ("goal" not in noun.kinds or "thing" in noun.kinds)
    if "living" in adjective.kinds:
        return noun.alive
    return not ("thing" in adjective.kinds and noun.alive)


_OF_STORIES = frozenset("good bad new old beautiful long funny nice interesting sad".split())
_OF_THE_SKY = frozenset("big red blue white yellow beautiful hot black small".split())
