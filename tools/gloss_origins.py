"""Fills in the column `from` of the tables of glosses: the English words that each word of a translation may stand for.

    python -m tools.gloss_origins [--pairs 60000]

To be run anew whenever the languages of `everyday` change; `tests/everyday/test_glosses.py` says when.
"""

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import everyday
from everyday.translation import TRANSLATIONS, Pair, Translation

_TABLES = {"french": "everyday-fr", "chinese": "everyday-zh"}
_LEXICA = Path(everyday.__file__).parent / "lexica"


def word_pairs(translation: Translation, pairs: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yields words of drawn translations, each with the English word that it stands for.

    Of several words that come from one English word, as "la musique" from "music", the one stands for it that comes from it
    most often.
    """
    generator = random.Random(seed)
    drawn = [translation.draw(generator) for _ in range(pairs)]
    counts: defaultdict[str, Counter[str | None]] = defaultdict(Counter)
    for pair in drawn:
        for word, origin in zip(pair.target, pair.origins, strict=True):
            counts[word][None if origin is None else pair.source[origin]] += 1
    for pair in drawn:
        for at, origin in _main_words(pair, counts):
            yield pair.target[at], pair.source[origin]


def _main_words(pair: Pair, counts: Mapping[str, Counter[str | None]]) -> Iterator[tuple[int, int]]:
    """Yields the place of the main word for each English word, and the place of that."""
    for origin in {origin for origin in pair.origins if origin is not None}:
        english = pair.source[origin]

        def share(at: int, english: str = english) -> float:
            counted = counts[pair.target[at]]
            return counted[english] / counted.total()

        yield max((at for at, each in enumerate(pair.origins) if each == origin), key=share), origin


def main() -> None:
    """Writes the tables."""
    parser = argparse.ArgumentParser(description="Fills in which English words each word of a translation may stand for.")
    parser.add_argument("--pairs", type=int, default=60_000, help="drawn sentences of each language (default: 60,000)")
    pairs = parser.parse_args().pairs
    for language, name in _TABLES.items():
        origins: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for word, english in word_pairs(TRANSLATIONS[name], pairs, seed=2017):
            origins[word][english] += 1
        file = _LEXICA / language / "glosses.tsv"
        _header, *rows = (line.split("\t")[:2] for line in file.read_text(encoding="utf-8").splitlines())
        lines = ["word\tenglish\tfrom"]
        lines += ["\t".join([word, gloss, " ".join(sorted(origins[word])) or "-"]) for word, gloss in rows]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
