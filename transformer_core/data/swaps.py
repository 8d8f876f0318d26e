"""Words that could take the place of a word: those that the task's own sentences have there."""

from collections.abc import Sequence

from transformer_core.data.corpus import Corpus


def words_in_place(corpus: Corpus, words: Sequence[str], place: int) -> list[str]:
    """The words that sentences of this length have at a place instead of this sentence's, those of the most similar sentences
    first: of those with the most words in common at all other places. Words that are alike in this stand in alphabetical order.
    """
    own = words[place]
    most: dict[str, int] = {}
    for source in corpus.by_source:
        if len(source) == len(words) and (word := source[place]) != own:
            same = sum(one == other for one, other in zip(source, words, strict=True))
            most[word] = max(most.get(word, 0), same)
    return sorted(most, key=lambda word: (-most[word], word))
