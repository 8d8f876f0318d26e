"""Sources of a given length, for whoever asks for a length instead of typing a sentence."""

from collections.abc import Sequence
from functools import lru_cache

from explorer.inference.settings import DEFAULTS, MAX_TOKENS
from explorer.inference.shown_model import WORDS
from explorer.model_store.store import StoredModel
from transformer_core.data.corpora import CORPORA

_SPECIAL = 4  # ids of a vocabulary of words below this one are no words


def lengths(stored: StoredModel | None) -> Sequence[int]:
    """The lengths, in tokens, of the sources that there are for a model, shortest first; None stands for random weights."""
    if stored is None:
        return range(1, MAX_TOKENS + 1)
    if stored.in_words:
        return sorted(_by_length(stored.task))
    most = min(stored.cfg.max_len, stored.cfg.longest_tgt) - 1
    return range(1, min(most, MAX_TOKENS) + 1)


def of_length(stored: StoredModel | None, length: int) -> str:
    """A source of so many tokens: of a model's own corpus, where it has one of that length or else of the nearest, or of words
    or numbers that it knows."""
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
    """One sentence of a corpus for every length, as it is typed: its example, or else the first that the corpus has."""
    corpus = CORPORA[task]()
    between = "" if " " not in corpus.example else " "  # Chinese and sums are written without blanks
    found = {len(source): between.join(source) for source in reversed(list(corpus.by_source))}
    return found | {len(corpus.vocabulary.encode(corpus.example)): corpus.example}
