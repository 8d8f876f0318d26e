"""Sources of a given length, for visitors who choose a length instead of typing a sentence."""

from collections.abc import Sequence
from functools import lru_cache

from explorer.inference.settings import DEFAULTS, MAX_TOKENS
from explorer.inference.shown_model import WORDS
from explorer.model_store.store import StoredModel
from transformer_core.data.corpora import CORPORA

_SPECIAL = 4  # in a vocabulary of words, smaller ids are special tokens


def lengths(stored: StoredModel | None) -> Sequence[int]:
    """The possible lengths, in tokens, of a model's sources, shortest first; None stands for random weights."""
    if stored is None:
        return range(1, MAX_TOKENS + 1)
    if stored.in_words:
        return sorted(_by_length(stored.task))
    most = min(stored.cfg.max_len, stored.cfg.longest_tgt) - 1
    return range(1, min(most, MAX_TOKENS) + 1)


def of_length(stored: StoredModel | None, length: int) -> str:
    """A source of that many tokens: from the model's own corpus (or one of the nearest length there), or made of words or
    numbers that it knows."""
    if stored is None:
        words = [*DEFAULTS["src"].split(), *WORDS.tokens[_SPECIAL:]]
        return " ".join(words[i % len(words)] for i in range(length))
    if stored.in_words:
        by_length = _by_length(stored.task)
        return by_length[min(by_length, key=lambda each: (abs(each - length), each))]
    symbols = stored.vocabulary.tokens[1:]
    return " ".join(symbols[i * 3 % len(symbols)] for i in range(length))


@lru_cache(maxsize=16)
def _by_length(task: str) -> dict[int, str]:
    """One sentence of a corpus for every length, as one would type it: its example, or else the first in the corpus."""
    corpus = CORPORA[task]()
    between = "" if " " not in corpus.example else " "  # Chinese and sums are written without blanks
    found = {len(source): between.join(source) for source in reversed(list(corpus.by_source))}
    return found | {len(corpus.vocabulary.encode(corpus.example)): corpus.example}
