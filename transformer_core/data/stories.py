"""Mini stories as token ids, for a decoder alone: it has no source, and says each next word."""

import random
import threading
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import torch
from torch import Tensor

from everyday.stories import KINDS, PRONOUNS, Kind, Stories, Story, stories
from transformer_core.data.batch import Batch
from transformer_core.data.corpus import Corpus
from transformer_core.data.draws import SEED, Example
from transformer_core.data.vocabulary import SPECIAL, Vocabulary, before_end, end_of

TRAINED = 20_000  # stories that training draws from; some stand there twice
HELD_OUT = 1_000  # different ones
_EXAMPLES = {"en": "emma can not find her blue book .", "zh": "艾玛找不到她的新书。"}
_JUDGED: frozenset[Kind] = frozenset({"repeated", "pronoun"})
_DRAWING = threading.Lock()


@dataclass(frozen=True)
class _Rows:
    """Shape: labels (story, longest), int16, with the end token; judged (story, longest) booleans"""

    labels: Tensor
    judged: Tensor


@dataclass(frozen=True)
class _Drawn:
    train: _Rows
    test: _Rows
    held_out: Sequence[Example]


@dataclass(frozen=True, eq=False)
class StoryCorpus(Corpus):
    """The mini stories of a language. They answer nothing: their sources have no tokens, shape (batch, 0). Drawing them takes a
    third of a second, and is done when the first row is asked for."""

    language: Stories

    @property
    def held_out(self) -> Mapping[str, Sequence[Example]]:
        """The stories themselves, as answers to nothing."""
        return {"source": self._drawn.held_out}

    @property
    def by_source(self) -> Mapping[tuple[str, ...], Example]:
        """Nothing: a story has no source."""
        return {}

    def answers(self, src: Sequence[str]) -> Sequence[tuple[str, ...]]:
        return []

    def batch(self, size: int, generator: torch.Generator, held_out: bool = False) -> Batch:
        """Rows of stories, each with the places that are judged: a name or a word that came before, and pronouns, which all
        follow from what has been said. Rows for training are padded to the longest of them.

        Shape: src (size, 0); tgt, labels and judged (size, story + 1)
        """
        if held_out:
            picked = torch.randperm(HELD_OUT, generator=generator)[:size]
            return self._batch(self._drawn.test, picked)
        picked = torch.randint(TRAINED, (size,), generator=generator)
        return self._batch(self._drawn.train, picked).trimmed(self.vocabulary.pad)

    @property
    def trained(self) -> Batch:
        """Every row for training, padded to the longest of the corpus."""
        return self._batch(self._drawn.train, torch.arange(TRAINED))

    def _batch(self, rows: _Rows, picked: Tensor) -> Batch:
        pad, labels = self.vocabulary.pad, rows.labels[picked].long()
        given = labels.roll(1, dims=1)
        given[:, 0] = self.vocabulary.start
        given = given.masked_fill(given == end_of(self.vocabulary), pad)
        return Batch(labels.new_empty(len(picked), 0), given, labels, judged=rows.judged[picked])

    def kinds(self, batch: Batch) -> Tensor:
        """The kind of each label, as its place in KINDS; of padding and of the end token that of "other".

        Shape: -> (batch, tgt)
        """
        assert batch.judged is not None
        repeated, pronoun, other = map(KINDS.index, ("repeated", "pronoun", "other"))
        judged = torch.where(torch.isin(batch.labels, self._pronouns), pronoun, repeated)
        return torch.where(batch.judged, judged, other)

    def surprisals(self, batch: Batch) -> Tensor:
        """The least loss that is possible: the negative logarithm of the probability of each label, given those before it, in
        nats; 0 for padding. Its mean is the entropy of the stories.

        Shape: -> (batch, tgt)
        """
        end = end_of(self.vocabulary)
        stories = (self.vocabulary.decode(before_end(row, end)) for row in batch.labels.tolist())
        found = [self.language.surprisals(story) for story in stories]
        return torch.tensor([row + [0.0] * (batch.labels.size(1) - len(row)) for row in found])

    @cached_property
    def _pronouns(self) -> Tensor:
        people = (*self.language.fillings["person"], *self.language.fillings["kin"])
        said = {filling[form] for filling in people for form in PRONOUNS & filling.keys()}
        return torch.tensor(self.vocabulary.ids(sorted(said)))

    @cached_property
    def _drawn(self) -> _Drawn:
        with _DRAWING:  # whoever asks meanwhile waits
            drawn: _Drawn = self.__dict__.get("_drawn") or self._draw()
            self.__dict__["_drawn"] = drawn  # before another one is let in
            return drawn

    def _draw(self) -> _Drawn:
        generator = random.Random(SEED)
        train: list[Story] = []
        test: dict[tuple[str, ...], Story] = {}
        while len(train) < TRAINED or len(test) < HELD_OUT:
            story = self.language.draw(generator)
            if story.held_out:
                test.setdefault(story.tokens, story)
            else:
                train.append(story)
        tested = [*test.values()][:HELD_OUT]
        held_out = [Example((), story.tokens, (None,) * len(story.tokens)) for story in tested]
        return _Drawn(self._rows(train[:TRAINED]), self._rows(tested), held_out)

    def _rows(self, drawn: Iterable[Story]) -> _Rows:
        ids, judged, width = array("h"), bytearray(), self.longest[1]
        for story in drawn:
            ids.extend([*self.vocabulary.ids(story.tokens), end_of(self.vocabulary)])
            ids.extend([self.vocabulary.pad] * (width - len(story.tokens) - 1))
            judged.extend(kind in _JUDGED for kind in story.kinds)
            judged.extend(bytes(width - len(story.kinds)))
        labels = torch.frombuffer(ids, dtype=torch.int16).view(-1, width)
        return _Rows(labels, torch.frombuffer(judged, dtype=torch.bool).view(-1, width))


@cache
def story_corpus(language: str) -> StoryCorpus:
    """The stories of a language, "en" or "zh"."""
    told = stories(language)
    vocabulary = Vocabulary((*SPECIAL, *told.words), 0, 1, 2, 3, told.tokenize)
    return StoryCorpus(vocabulary, _EXAMPLES[language], (0, told.longest + 1), told)
