"""A toy language with several right answers, drawn with repeats: "a red car" is "une auto rouge" or "une voiture rouge"."""

import itertools
import random
from dataclasses import replace

from transformer_core.data.corpus import Example, SampledCorpus
from transformer_core.data.vocabulary import Vocabulary

NOUNS = {"car": {("voiture",): 0.7, ("auto",): 0.3}, "moon": {("lune",): 1.0}, "mother": {("mère",): 0.6, ("ma", "maman"): 0.4}}
COLOURS = {"red": "rouge", "black": "noir", "dark": "noir foncé"}
VOCABULARY = Vocabulary(
    ("<pad>", "<start>", "<end>", "<unk>", *"a and auto black car dark et foncé lune ma maman moon mother mère noir".split(),
     *"red rouge une voiture".split()), 0, 1, 2, 3,
)  # fmt: skip
SENTENCES = [
    tuple(("a " + " and a ".join(phrases)).split())
    for n in (1, 2)
    for phrases in itertools.product([*NOUNS, *(f"{colour} {noun}" for colour in COLOURS for noun in NOUNS)], repeat=n)
]


def distribution(src):
    """Every right answer with its probability, the most probable first; a noun is translated alike wherever it stands."""
    found = {}
    nouns = [word for word in NOUNS if word in src]
    for chosen in itertools.product(*(NOUNS[noun].items() for noun in nouns)):
        said = dict(zip(nouns, chosen, strict=True))
        answer, probability = [], 1.0
        for phrase in " ".join(src).removeprefix("a ").split(" and a "):
            *colours, noun = phrase.split()
            answer += ["et"] * bool(answer) + ["une", *said[noun][0], *(w for c in colours for w in COLOURS[c].split())]
        for _, share in said.values():
            probability *= share
        found[tuple(answer)] = probability
    return dict(sorted(found.items(), key=lambda each: -each[1]))


def sample(generator: random.Random):
    """Short sentences often. Dark cars are held out, and every sentence with two of the same."""
    src = generator.choice(SENTENCES[:12] if generator.random() < 0.8 else SENTENCES)
    answers = distribution(src)
    (tgt,) = generator.choices([*answers], [*answers.values()])
    reason = "adjective-noun" if "dark car" in " ".join(src) else "source" if src[1:].count(src[-1]) == 2 else None
    return Example(src, tgt, (None,) * len(tgt)), reason


def sample_with_answers(generator: random.Random):
    example, reason = sample(generator)
    return replace(example, answers=distribution(example.src)), reason


def toy(draws: int = 2000, **changes) -> SampledCorpus:
    given = {"vocabulary": VOCABULARY, "example": "a red car", "longest": (7, 11), "sample": sample}
    return SampledCorpus(**(given | {"draws": draws, "distribution": distribution} | changes))
