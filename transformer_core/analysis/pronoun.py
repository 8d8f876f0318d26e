"""The pronoun “it” on held-out sentences: where its attention rests, and how the answer changes without."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from transformer_core.analysis.alignment import head_weights
from transformer_core.analysis.links import without_links
from transformer_core.data.batch import Batch
from transformer_core.data.corpus import Corpus
from transformer_core.model.decoding import greedy_decode
from transformer_core.model.intervened import IntervenedModel
from transformer_core.model.trace import Trace
from transformer_core.model.transformer import Transformer

IT = {"pronoun-en": "it", "pronoun-zh": "它"}  # the pronoun, by the task


@torch.no_grad()
def pronoun_share(model: Transformer, corpus: Corpus, it: str, count: int = 500) -> dict[str, np.ndarray]:
    """Encoder self-attention: the weight that the query `it` gives to the noun it refers to, and to all other words together.

    Shape: -> {"noun", "elsewhere"}, each (layer, head); "even" is the weight of a word in uniform attention.
    """
    examples = corpus.held_out["source"][:count]
    batch = corpus.rows(examples)
    with Trace(only=["weights"]) as trace:
        model(batch.src, batch.tgt)
    weights = head_weights(trace, "encoder", model.cfg.n_layers).numpy()
    noun, even = [], []
    for n, example in enumerate(examples):
        noun.append(weights[:, :, n, example.src.index(it), example.origin[-1]])
        even.append(1 / len(example.src))
    share = np.mean(noun, axis=0)
    return {"noun": share, "elsewhere": 1 - share, "even": np.full(share.shape, np.mean(even))}


@dataclass(frozen=True)
class AnswersChanged:
    """The number of `n` answers that change when something is cut in every head of every layer.

    Attributes:
        link: “it” may not attend to its noun.
        look: no word of the answer may attend to the noun, which is in the answer.
        noun: no word may attend to the noun, neither of the source nor of the answer.
        it: no word may attend to “it”.
    """

    n: int
    link: int
    look: int
    noun: int
    it: int


def answers_changed(model: Transformer, corpus: Corpus, it: str, count: int = 500) -> AnswersChanged:
    """On so many held-out sentences, or on all there are."""
    examples = corpus.held_out["source"][:count]
    batch, start = corpus.rows(examples), corpus.vocabulary.start

    def answers(each: Transformer) -> Tensor:
        return greedy_decode(each, batch.src, start, batch.labels.size(1))

    def changed(each: Transformer) -> int:
        return int((answers(each) != before).any(dim=1).sum())

    def every(word: Tensor) -> Tensor:
        return word[:, None, :].expand(-1, longest, -1)  # from every query

    def hidden(word: Tensor) -> IntervenedModel:
        return without_links(without_links(model, "encoder", every(word)), "cross", every(word))

    before, longest = answers(model), max(batch.src.size(1), batch.tgt.size(1))
    noun = _at(batch, [example.origin[-1] for example in examples])
    pronoun = _at(batch, [example.src.index(it) for example in examples])
    link = without_links(model, "encoder", pronoun[:, :, None] & noun[:, None, :])
    look = without_links(model, "cross", every(noun))
    return AnswersChanged(len(examples), *map(changed, (link, look, hidden(noun), hidden(pronoun))))


def _at(batch: Batch, places: Sequence[int | None]) -> Tensor:
    """One word of each source. Shape: -> (batch, src) booleans"""
    return torch.arange(batch.src.size(1)) == torch.tensor(places)[:, None]
