"""The last layer's attention by hand: the next word's probabilities where a row has other weights than the model's own.

All heads of the row get the same weights. No word of the last layer is read by another one behind its attention, so that such a
row changes the word that is written there, and no other. "Weights" are those of section 3.2.1, softmax(q · k / √d_k).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import torch
from torch import Tensor

from transformer_core.model.intervened import IntervenedModel
from transformer_core.model.stages import AttentionKind, attention_path
from transformer_core.model.trace import Trace
from transformer_core.model.transformer import Transformer

OWN = 0.8  # the least probability of the model's own word in a row that asks for something
SURE = 0.9  # and of a word that a look at one word alone is said to write
_AT_ONCE = 128  # passes in a batch


@torch.inference_mode()
def with_weights(model: Transformer, src: Tensor, tgt: Tensor, kind: AttentionKind, weights: Tensor) -> Tensor:
    """Returns the next word's probabilities, in each row, where that row of the last layer's attention is given.

    `kind`: "cross" or "decoder". Of the latter, rows whose later words get a weight are meaningless: no row may attend to them.

    Shape: src (src,), tgt (tgt,), weights (n, key) -> (n, tgt, vocab)
    """
    stage = attention_path(kind, model.cfg.n_layers - 1).stage("weights")
    found = []
    for some in weights.split(_AT_ONCE):

        def given(own: Tensor, some: Tensor = some) -> Tensor:
            return some[:, None, None, :].to(own).expand_as(own)  # (n, head, query, key)

        edited = IntervenedModel(model, {stage: given})
        found.append(edited(src.expand(len(some), -1), tgt.expand(len(some), -1)).softmax(-1))
    return torch.cat(found)


@dataclass(frozen=True)
class Wanted:
    """A word that a look at one word alone writes. `query`: the row in which; keys: each of the words that does."""

    query: int
    word: int
    keys: tuple[int, ...]


class SingleLooks:
    """The last layer's attention of one answer, and what every row writes where one word gets all of its weight.

    Attributes:
        words: ids of the answer, with its end: what the model itself writes, row by row.
        weights: its own, the mean of the heads. Shape: (query, key)
        own: its own probabilities of the next word. Shape: (query, vocab)
        alone: the same, with all weight on one word. Shape: (key, query, vocab)
    """

    @torch.inference_mode()
    def __init__(self, model: Transformer, src: Tensor, tgt: Tensor, kind: AttentionKind):
        self._given = model, src, tgt, kind
        stage = attention_path(kind, model.cfg.n_layers - 1).stage("weights")
        with Trace(only=["weights"]) as trace:
            logits = model(src[None], tgt[None])
        self.weights = trace[stage][0].mean(0)
        self.own = logits[0].softmax(-1)
        self.words: list[int] = self.own.argmax(-1).tolist()
        self.alone = with_weights(model, src, tgt, kind, torch.eye(self.weights.shape[1]))

    @property
    def looked_at(self) -> list[int]:
        """The word that each row looks at most."""
        return self.weights.argmax(-1).tolist()

    @property
    def written(self) -> list[list[int]]:
        """The word that each row writes where one word alone is looked at. Shape: (query, key)"""
        return self.alone.argmax(-1).T.tolist()

    def own_words(self, content: Collection[int]) -> list[Wanted]:
        """Returns the rows whose own word a look at one word alone brings: at that which the model looks at most, one of these
        places of the source. No look at another word writes it."""
        rows = enumerate(zip(self.words, self.looked_at, self.written, strict=True))
        return [
            Wanted(query, word, (key,))
            for query, (word, key, written) in rows
            if key in content and self._own_is_sure(query) and written.count(word) == 1
        ]

    def other_words(self, content: Collection[int]) -> list[Wanted]:
        """Returns the rows in which a look at another of these places writes what the model writes where it looks there itself.

        In the row itself, its own look alone writes its own word; one look alone writes the other word.
        """
        said: dict[int, set[int]] = {}  # of each place, what is written where the model looks there
        for query, key in enumerate(self.looked_at):
            if self.weights[query, key] >= 0.5:
                said.setdefault(key, set()).add(self.words[query])
        wanted = []
        for query, (own, place, written) in enumerate(zip(self.words, self.looked_at, self.written, strict=True)):
            if place not in content or not self._own_is_sure(query):
                continue
            for key in sorted(content):
                word = written[key]
                is_its = word in said.get(key, ()) and word != own and word not in said.get(place, ())
                if is_its and self.alone[key, query, word] >= SURE and written.count(word) == 1:
                    wanted.append(Wanted(query, word, (key,)))
        return wanted

    def words_again(self) -> list[Wanted]:
        """Returns the rows in which a look at one earlier word writes again what was written before: of the decoder's own
        attention, whose keys are the words so far, the start token first. A look at another one writes what is right there."""
        wanted = []
        for query, own in enumerate(self.words[:-1]):
            written, before = self.written[query][: query + 1], self.words[:query]
            back = self.alone[: query + 1, query, own].max()
            if self.own[query, own] < OWN or back < SURE:
                continue
            for word in dict.fromkeys(each for each in before if each != own):
                keys = tuple(key for key, each in enumerate(written) if each == word)
                is_sure = any(self.alone[key, query, word] >= SURE for key in keys)
                if is_sure and 2 * len(keys) <= query + 1:
                    wanted.append(Wanted(query, word, keys))
        return wanted

    @cached_property
    def fewest(self) -> list[int]:
        """The least number of words, half each, at which a row writes its own word; 0 where two are not enough."""
        model, src, tgt, kind = self._given
        pairs = list(combinations(range(self.weights.shape[1]), 2))
        eye = torch.eye(self.weights.shape[1])
        halves = [(eye[one] + eye[other]) / 2 for one, other in pairs]
        by_two = with_weights(model, src, tgt, kind, torch.stack(halves)).argmax(-1).T.tolist() if pairs else self.written
        both = zip(self.words, self.written, by_two, strict=True)
        return [1 if word in written else 2 if word in two else 0 for word, written, two in both]

    def _own_is_sure(self, query: int) -> bool:
        word, key = self.words[query], self.looked_at[query]
        return bool(self.own[query, word] >= OWN and self.alone[key, query, word] >= SURE)


def content_places(words: Sequence[str], content_words: Collection[str]) -> list[int]:
    """Returns the places of the nouns, adjectives and verbs in a sentence."""
    return [place for place, word in enumerate(words) if word in content_words]
