"""The words of a translator: where those of both languages lie, and after which step one rotation lays them on each other."""

from collections.abc import Sequence

import numpy as np

from everyday.dictionary import DictionaryEntry, dictionary
from explorer.model_on_screen.forward import ModelChoice, model_of
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from transformer_core.analysis.word_map import (
    Shares,
    WordMaps,
    decoder_vectors,
    output_vectors,
    shares,
    source_vectors,
    word_maps,
)

FRAMES = 41  # of the way from one language as it is to where it is turned: between two of them the view draws straight lines
_FEWEST = 100  # entries: fewer say little, and are fewer than most widths
_MOST_STEPS = 9  # that are measured

Ids = tuple[int, ...]


def entries_of(shown: ShownModel) -> tuple[DictionaryEntry, ...]:
    """Returns the entries of the dictionary whose words this model has; none of a model that does not translate everyday
    sentences, or knows only a few words."""
    if (language := shown.translation) is None or shown.cfg.d_model < 2:
        return ()
    source, target = set(language.source_words), set(language.target_words)
    known = (each for each in dictionary(language.language) if each.english in source and each.translation in target)
    entries = tuple(known)
    return entries if len(entries) >= _FEWEST else ()


def maps_of(shown: ShownModel) -> WordMaps:
    """Lays out the words of the model on screen, at its step."""
    return _maps(shown.choice.whole, *_ids(shown))


def shares_of(shown: ShownModel) -> Shares:
    """Measures the model on screen, at its step."""
    return _shares(shown.choice.whole, *_ids(shown))


def read_again_of(shown: ShownModel) -> Shares | None:
    """Measures the same with the table in which the decoder looks up what it has written; None if it is the output layer."""
    if shown.cfg.tie_embeddings != "none":
        return None
    return _shares(shown.choice.whole, *_ids(shown), of_decoder=True)


def course_of(shown: ShownModel) -> dict[int, Shares]:
    """Measures the model after kept steps of its learning, among them the first, the last and that on screen; while it is still
    learning, that alone is at hand."""
    learning = shown.learning
    steps = _some(learning.steps, learning.step) if learning.is_final else [learning.step]
    ids = _ids(shown)
    return {step: _shares(shown.model.choice_at(step), *ids) for step in steps}


def _some(steps: Sequence[int], shown: int) -> list[int]:
    """Thins steps out to _MOST_STEPS, and that on screen."""
    places = np.unique(np.linspace(0, len(steps) - 1, min(len(steps), _MOST_STEPS)).round().astype(int))
    return sorted({*(steps[place] for place in places), shown})


def _ids(shown: ShownModel) -> tuple[Ids, Ids]:
    entries, ids = entries_of(shown), shown.vocabulary.ids
    return tuple(ids([each.english for each in entries])), tuple(ids([each.translation for each in entries]))


@shared_cache(2**24)  # a drag to and fro of the steps
def _maps(choice: ModelChoice, source: Ids, target: Ids) -> WordMaps:
    model = model_of(choice)
    return word_maps(source_vectors(model, source), output_vectors(model, target), FRAMES)


@shared_cache(2**18)
def _shares(choice: ModelChoice, source: Ids, target: Ids, of_decoder: bool = False) -> Shares:
    model = model_of(choice)
    rows = decoder_vectors if of_decoder else output_vectors
    return shares(source_vectors(model, source), rows(model, target))


__all__ = ["FRAMES", "course_of", "entries_of", "maps_of", "read_again_of", "shares_of"]
