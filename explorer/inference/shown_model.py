"""The model on screen and its two input sequences, as described by the shared settings."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch

from explorer import server
from explorer.inference.forward import ForwardPass, ModelChoice, Random, Stored, forward_pass, generated
from explorer.inference.settings import MAX_TOKENS, ModelSettings
from explorer.inference.shown_attention import ShownAttention
from explorer.model_store.store import StoredModel
from transformer_core import TASKS, CopyTask, TransformerConfig, Vocabulary
from transformer_core.analysis.attention_map import token_labels
from transformer_core.data.vocabulary import words
from transformer_core.errors import InputError
from transformer_core.model.accounting import count_by_formula
from transformer_core.model.stages import AttentionKind

WORDS = words()


@dataclass(frozen=True)
class ShownModel:
    """A model and its two input sequences.

    Attributes:
        src, tgt: ids of the source and of the decoder's input (start token first).
        unknown: typed words that the vocabulary lacks.
        stored: the stored model, or None for random weights.
        last: the label of the last position, if it is neither the end token nor the last word of the source.
    """

    choice: ModelChoice
    vocabulary: Vocabulary
    src: tuple[int, ...]
    tgt: tuple[int, ...]
    unknown: tuple[str, ...] = ()
    stored: StoredModel | None = None
    last: int | None = None

    @property
    def cfg(self) -> TransformerConfig:
        return self.choice.cfg

    @property
    def src_labels(self) -> list[str]:
        return self.labels(self.src)

    @property
    def tgt_labels(self) -> list[str]:
        return self.labels(self.tgt)

    def labels(self, ids: Sequence[int]) -> list[str]:
        return list(token_labels(self.vocabulary.decode(ids)))

    def batch(self, pad_src: int, pad_tgt: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Source, decoder input and labels, each followed by padding; the labels are the input, shifted by one position."""
        pad = (self.vocabulary.pad,)
        ends = self.src[-1] if self.vocabulary.end is None else self.vocabulary.end
        last = ends if self.last is None else self.last
        return self.src + pad_src * pad, self.tgt + pad_tgt * pad, (*self.tgt[1:], last) + pad_tgt * pad

    def forward(self, pad_src: int = 0, pad_tgt: int = 0) -> ForwardPass:
        """The traced forward pass, with this much padding after each sequence. Raises InputError for input that a model from a
        file cannot read: it may have fewer ids or positions than expected."""
        pad = (self.vocabulary.pad,)
        return forward_pass(self.choice, self.src + pad_src * pad, self.tgt + pad_tgt * pad)

    def attention(self, kind: AttentionKind, layer: int, padding: tuple[int, int] = (0, 0)) -> ShownAttention:
        """One of the three attentions of a layer (from 0), with this much padding after source and target."""
        decode = self.vocabulary.decode
        src, tgt, _label = self.batch(*padding)
        return ShownAttention(self.choice, self.forward(*padding), kind, layer, tuple(decode(src)), tuple(decode(tgt)))

    @cached_property
    def parameters(self) -> int:
        return count_by_formula(self.cfg)


def show_model(settings: ModelSettings) -> ShownModel:
    """The model that these settings describe. Raises InputError, one sentence, if it cannot be shown."""
    if settings.model is not None:
        stored = server.model_store().get(settings.model)
        if stored is None:
            raise InputError("The trained model in this link is no longer on this server. Choose another one in the sidebar.")
        return _stored_model(settings, stored)
    choice = ModelChoice(settings.config(len(WORDS)), Random(settings.seed))
    if settings.input == "lengths":
        generator = torch.Generator().manual_seed(settings.seed)
        src, tgt = (_random_words(length, generator) for length in (settings.src_len, settings.tgt_len))
        return ShownModel(choice, WORDS, src, (WORDS.start, *tgt))
    src, tgt = _source(WORDS.encode(settings.src)), _target(WORDS.encode(settings.tgt))
    unknown = tuple(dict.fromkeys(WORDS.unknown_words(f"{settings.src} {settings.tgt}")))
    return ShownModel(choice, WORDS, src, (WORDS.start, *tgt), unknown)


def _stored_model(settings: ModelSettings, stored: StoredModel) -> ShownModel:
    """A stored model with a source of its own vocabulary; its decoder is given the right answer if the task has a rule for it,
    and what the model generates for a sentence of words."""
    vocabulary, choice = stored.vocabulary, ModelChoice(stored.cfg, Stored(stored.id))
    most = min(stored.cfg.max_len, stored.cfg.longest_tgt) - 1
    if stored.in_words:
        src = _source(vocabulary.encode(settings.src), most)
        unknown = tuple(dict.fromkeys(vocabulary.unknown_words(settings.src)))
        answer = generated(choice, src, vocabulary, min(most, 2 * len(src) + 4))
        return ShownModel(choice, vocabulary, src, answer, unknown, stored)
    src = _source(vocabulary.encode(settings.numbers), most)
    if src[0] != vocabulary.start:
        src = (vocabulary.start, *src)
    if len(src) == 1:
        return ShownModel(choice, vocabulary, src, src, stored=stored)
    rule = TASKS[stored.task]() if stored.task in TASKS else CopyTask()
    *answer, last = rule.answer(torch.tensor([src[1:]]))[0].tolist() if isinstance(rule, CopyTask) else src[1:]
    return ShownModel(choice, vocabulary, src, (vocabulary.start, *answer), stored=stored, last=last)


def _source(ids: Sequence[int], most: int = MAX_TOKENS) -> tuple[int, ...]:
    most = min(most, MAX_TOKENS)
    if not ids:
        raise InputError("The source sentence is empty. Type at least one word in the sidebar.")
    if len(ids) > most:
        raise InputError(
            "The source sentence has {n:,} tokens; up to {most} can be shown. Shorten it in the sidebar.", n=len(ids), most=most
        )
    return tuple(ids)


def _target(ids: Sequence[int]) -> tuple[int, ...]:
    if not ids:
        raise InputError("The target sentence is empty. Type at least one word in the sidebar.")
    if len(ids) > MAX_TOKENS:
        raise InputError(
            "The target sentence has {n:,} tokens; up to {most} can be shown. Shorten it in the sidebar.",
            n=len(ids), most=MAX_TOKENS,
        )  # fmt: skip
    return tuple(ids)


def _random_words(length: int, generator: torch.Generator) -> tuple[int, ...]:
    """Random words of the vocabulary, drawn with a seed; never a special token."""
    return tuple(torch.randint(4, len(WORDS), (length,), generator=generator).tolist())
