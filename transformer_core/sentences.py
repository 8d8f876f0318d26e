"""Sentences to learn from: toy grammars, every sentence with its answer and the word that each answer word comes from.

Two languages in one vocabulary, as in the paper (section 5.1). The corpora are finite and fixed: which sentences are kept for
testing does not depend on any run's seed.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import torch
from torch import Tensor

from transformer_core.vocabulary import Vocabulary


@dataclass(frozen=True)
class Example:
    """A sentence, its answer, and for every answer word the place of the source word that it comes from (None: of none)."""

    src: tuple[str, ...]
    tgt: tuple[str, ...]
    origin: tuple[int | None, ...]


@dataclass(frozen=True)
class Corpus:
    """All sentences of a task as ids.

    Attributes:
        example: a sentence to begin with, as it is typed.

    Shape: src (sentences, longest), tgt (sentences, longest + 1) with the start token first, labels the same with the end token
        last; the first `train` rows are for training, the rest is held out.
    """

    vocabulary: Vocabulary
    example: str
    examples: tuple[Example, ...]
    src: Tensor
    tgt: Tensor
    labels: Tensor
    train: int

    @cached_property
    def by_source(self) -> dict[tuple[str, ...], Example]:
        """Every example under its sentence."""
        return {example.src: example for example in self.examples}


def _corpus(draw: Callable[[random.Random], Example], wanted: int, example: str) -> Corpus:
    """So many different examples; one in ten is held out."""
    generator = random.Random(2017)
    found: dict[tuple[str, ...], Example] = {}
    while len(found) < wanted:
        drawn = draw(generator)
        found.setdefault(drawn.src, drawn)
    examples = tuple(found.values())
    words = sorted({word for each in examples for word in (*each.src, *each.tgt)})
    vocabulary = Vocabulary(("<pad>", "<start>", "<end>", "<unk>", *words), 0, 1, 2, 3)
    ids = {word: i for i, word in enumerate(vocabulary.tokens)}
    src = _padded([[ids[word] for word in each.src] for each in examples])
    tgt = _padded([[1, *(ids[word] for word in each.tgt)] for each in examples])
    labels = _padded([[*(ids[word] for word in each.tgt), 2] for each in examples])
    return Corpus(vocabulary, example, examples, src, tgt, labels, wanted - wanted // 10)


def _padded(rows: list[list[int]]) -> Tensor:
    longest = max(map(len, rows))
    return torch.tensor([row + [0] * (longest - len(row)) for row in rows])


# --- English to French: adjectives change place, and the noun's gender decides other words. ---------------------------------


def _table(text: str) -> dict[str, tuple[str, ...]]:
    """One row per line part: an English word, and what belongs to it."""
    return {row.split()[0]: tuple(row.split()[1:]) for row in text.replace("\n", "|").split("|") if row.strip()}


# English, French, gender.
_NOUNS = _table("""
cat chat m | dog chien m | boy garçon m | girl fille f | woman femme f | fish poisson m | horse cheval m | mouse souris f
rabbit lapin m | king roi m | queen reine f | house maison f | car voiture f | book livre m | table table f | flower fleur f
door porte f | apple pomme f | boat bateau m | garden jardin m | mountain montagne f | bread pain m | key clé f | bed lit m
chair chaise f | glass verre m | bottle bouteille f | letter lettre f | bag sac m | cup tasse f
""")
_WHO = list(_NOUNS)[:11]  # a subject is somebody who can do something
# English, masculine, feminine; French puts some before the noun, most behind it.
_BEFORE = _table("""
big grand grande | small petit petite | good bon bonne | old vieux vieille | beautiful beau belle | new nouveau nouvelle
bad mauvais mauvaise
""")
_AFTER = _table("""
red rouge rouge | white blanc blanche | black noir noire | green vert verte | blue bleu bleue | cold froid froide
round rond ronde | heavy lourd lourde
""")
_ARTICLES = _table("the le la | a un une | this ce cette | my mon ma | your ton ta")
_VERBS = _table("""
sees voit | eats mange | likes aime | finds trouve | takes prend | watches regarde | wants veut | carries porte | buys achète
knows connaît | loses perd | sells vend | follows suit | draws dessine
""")


def _noun_phrase(generator: random.Random, at: int, nouns: Sequence[str]) -> tuple[list[str], list[tuple[str, int]]]:
    """English words, and French words each with the place of its English word; `at` is where the phrase begins."""
    article, noun = generator.choice(list(_ARTICLES)), generator.choice(nouns)
    before = generator.choice([None, *_BEFORE] if generator.random() < 0.5 else [None])
    after = generator.choice([None, *_AFTER] if generator.random() < 0.6 else [None])
    french, gender = _NOUNS[noun]
    feminine = gender == "f"
    english = [word for word in (article, before, after, noun) if word]
    place = {word: at + i for i, word in enumerate(english)}
    said = [(_ARTICLES[article][feminine], place[article])]
    if before:
        said.append((_BEFORE[before][feminine], place[before]))
    said.append((french, place[noun]))
    if after:
        said.append((_AFTER[after][feminine], place[after]))
    return english, said


def _french(generator: random.Random) -> Example:
    subject, said = _noun_phrase(generator, 0, _WHO)
    verb = generator.choice(list(_VERBS))
    said.append((_VERBS[verb][0], len(subject)))
    thing, more = _noun_phrase(generator, len(subject) + 1, list(_NOUNS))
    said += more
    return Example((*subject, verb, *thing), tuple(word for word, _ in said), tuple(place for _, place in said))


# --- Pronouns: what "it" is hangs on the last word. ------------------------------------------------------------------------

_PEOPLE = "she he mary john anna peter".split()
_POURED = "poured moved tipped emptied let".split()
_STUFF = "water milk tea sand juice soup oil rice".split()
_VESSELS = "pitcher cup bottle glass bowl bucket jug pot jar tank pan vase".split()
_WALKERS = "dog cat horse child cow sheep goat duck robot snail".split()
_WAYS = "street river road field bridge valley square track".split()
_THINGS = "trophy book ball lamp violin doll radio coat clock statue".split()
_HOLDERS = "suitcase bag box drawer basket trunk car shelf".split()


def _pronoun(generator: random.Random) -> Example:
    kind = generator.randrange(3)
    if kind == 0:  # the vessel that is filled, or the one that is emptied
        one, other = generator.sample(_VESSELS, 2)
        last, it = generator.choice([("full", other), ("empty", one)])
        head = [
            generator.choice(_PEOPLE),
            generator.choice(_POURED),
            generator.choice(_STUFF),
            "from",
            "the",
            one,
            "into",
            "the",
        ]
        words = [*head, other, "until", "it", "was", last]
    elif kind == 1:  # the one who goes, or where he goes
        one, other = generator.choice(_WALKERS), generator.choice(_WAYS)
        last, it = generator.choice([("tired", one), ("wide", other), ("slow", one), ("wet", other)])
        verb = generator.choice(["cross", "reach", "leave"])
        words = ["the", one, "did", "not", verb, "the", other, "because", "it", "was", "too", last]
    else:  # what is put away, or where it should go
        one, other = generator.choice(_THINGS), generator.choice(_HOLDERS)
        last, it = generator.choice([("big", one), ("small", other), ("large", one), ("narrow", other)])
        words = [
            "the",
            one,
            "does",
            "not",
            generator.choice(["fit", "go"]),
            "into",
            "the",
            other,
            "because",
            "it",
            "is",
            "too",
            last,
        ]
    return Example(tuple(words), ("the", it), (words.index(it) - 1, words.index(it)))


_VESSELS_ZH = "壶 杯 瓶 碗 桶 罐 盆 锅 缸 盒".split()
_STUFF_ZH = "水 奶 茶 沙 油 米 汤 酒".split()
_WALKERS_ZH = "狗 猫 马 牛 羊 鸡 鸭 孩".split()
_WAYS_ZH = "街 河 路 田 桥 沟".split()
_THINGS_ZH = "书 球 灯 琴 钟 衣".split()
_HOLDERS_ZH = "箱 包 柜 篮 袋".split()


def _pronoun_zh(generator: random.Random) -> Example:
    kind = generator.randrange(3)
    if kind == 0:
        one, other = generator.sample(_VESSELS_ZH, 2)
        last, it = generator.choice([("满", other), ("空", one)])
        who, stuff, verb = generator.choice("她他我你"), generator.choice(_STUFF_ZH), generator.choice("倒装")
        words = [who, "把", stuff, "从", one, *f"里{verb}到", other, *"里直到它", last, "了"]
    elif kind == 1:
        one, other = generator.choice(_WALKERS_ZH), generator.choice(_WAYS_ZH)
        last, it = generator.choice([("累", one), ("宽", other), ("慢", one), ("湿", other)])
        words = ["那", one, "没", generator.choice("过到"), "那", other, *"因为它太", last, "了"]
    else:
        one, other = generator.choice(_THINGS_ZH), generator.choice(_HOLDERS_ZH)
        last, it = generator.choice([("大", one), ("小", other), ("长", one), ("窄", other)])
        words = ["那", one, *generator.choice(["放不", "进不"]), "进", "那", other, *"因为它太", last, "了"]
    return Example(tuple(words), (it,), (words.index(it),))


@cache
def translate_fr() -> Corpus:
    """English to French: "the red cat sees a big house" is "le chat rouge voit une grande maison"."""
    return _corpus(_french, 20_000, "the red cat sees a big house")


@cache
def pronoun_en() -> Corpus:
    """What is "it"? "she poured water from the pitcher into the cup until it was full": "the cup"."""
    return _corpus(_pronoun, 8_000, "she poured water from the pitcher into the cup until it was full")


@cache
def pronoun_zh() -> Corpus:
    """The same in Chinese, a character a token."""
    return _corpus(_pronoun_zh, 3_000, "她把水从壶里倒到杯里直到它满了")


CORPORA: dict[str, Callable[[], Corpus]] = {
    "translate-fr": translate_fr,
    "pronoun-en": pronoun_en,
    "pronoun-zh": pronoun_zh,
}
