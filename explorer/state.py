"""What the shared knobs say, and the model and the traced run that follow from it.

Models and runs are shared by all sessions and never changed: a model is in eval mode, an array read-only. They are cached by
everything that determines them, and limited by the memory they take, because one workshop may ask for hundreds.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import streamlit as st
import torch
from cachetools import LRUCache, cached

from explorer import server
from explorer.controls import Knobs, knobs
from explorer.model_store.store import StoredModel
from explorer.words import _
from transformer_core import (
    TASKS,
    CopyTask,
    MultiHeadAttention,
    Trace,
    Transformer,
    TransformerConfig,
    Vocabulary,
    greedy_decode,
)
from transformer_core.data.vocabulary import words
from transformer_core.model.accounting import count_by_formula
from transformer_core.model.attention import AdditiveScore, ConcatLinearScore

WORDS = words()
MAX_TOKENS = 128
MAX_PARAMETERS = 100_000_000
_MEGABYTE = 2**20

# The three attentions of figure 1: name -> where in the model.
ATTENTIONS = {"encoder": ("encoder", "self_attn"), "decoder": ("decoder", "self_attn"), "cross": ("decoder", "cross_attn")}


class CannotShow(ValueError):
    """What was asked for cannot be shown; the message says what to do instead."""


@dataclass(frozen=True)
class ModelKey:
    """All that determines a model's weights. `trained` is the id of a stored model, whose sizes `cfg` then are."""

    cfg: TransformerConfig
    seed: int
    trained: str | None = None


def token_labels(tokens: Sequence[str]) -> list[str]:
    """Position and token: `3 the`, `3 · 8`. The position keeps equal words apart."""
    return [f"{i} · {token}" if token.isdigit() else f"{i} {token}" for i, token in enumerate(tokens)]


@dataclass(frozen=True, eq=False)
class TracedRun:
    """Every stage of one forward pass on one pair of sequences, as read-only numpy arrays without the batch axis."""

    values: dict[str, np.ndarray]
    axes: dict[str, tuple[str, ...]]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.values[name]

    @property
    def bytes(self) -> int:
        return sum(value.nbytes for value in self.values.values())


def _model_bytes(model: Transformer) -> int:
    return sum(parameter.nbytes for parameter in model.parameters())


@cached(LRUCache(600 * _MEGABYTE, getsizeof=_model_bytes), lock=threading.Lock())
def model_of(key: ModelKey) -> Transformer:
    """The model in eval mode. Shared: never change it."""
    if key.trained is not None:
        return server.model_store().load(key.trained)
    return Transformer(key.cfg, torch.Generator().manual_seed(key.seed)).eval()


@cached(LRUCache(400 * _MEGABYTE, getsizeof=lambda run: run.bytes), lock=threading.Lock())
def run_of(key: ModelKey, src: tuple[int, ...], tgt: tuple[int, ...]) -> TracedRun:
    """One traced forward pass of one source and one decoder input."""
    trace = Trace()
    with torch.inference_mode():
        model_of(key)(torch.tensor([src]), torch.tensor([tgt]), trace=trace)
    values, axes = {}, {}
    for name, stage in trace.stages.items():
        batched = stage.axes[0] == "batch"
        value = trace[name].numpy()
        values[name] = value[0] if batched else value
        values[name].flags.writeable = False
        axes[name] = stage.axes[1:] if batched else stage.axes
    return TracedRun(values, axes)


@dataclass(frozen=True)
class View:
    """What is on screen: a model, and the two sequences it reads.

    Attributes:
        src, tgt: ids of the source and of the decoder's input (start token first).
        unknown: typed words that the vocabulary lacks.
        stored: the trained model, or None for random weights.
        last: the label of the last position, where it is neither the end token nor the last word of the source.
    """

    key: ModelKey
    vocabulary: Vocabulary
    src: tuple[int, ...]
    tgt: tuple[int, ...]
    unknown: tuple[str, ...] = ()
    stored: "StoredModel | None" = None
    last: int | None = None

    @property
    def cfg(self) -> TransformerConfig:
        return self.key.cfg

    @property
    def src_labels(self) -> list[str]:
        return self.labels(self.src)

    @property
    def tgt_labels(self) -> list[str]:
        return self.labels(self.tgt)

    def labels(self, ids: Sequence[int]) -> list[str]:
        return token_labels(self.vocabulary.decode(ids))

    def batch(self, pad_src: int, pad_tgt: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Source, decoder's input and label, each with its padding behind it; the label is the input one place on."""
        pad = (self.vocabulary.pad,)
        ends = self.src[-1] if self.vocabulary.end is None else self.vocabulary.end
        last = ends if self.last is None else self.last
        return self.src + pad_src * pad, self.tgt + pad_tgt * pad, (*self.tgt[1:], last) + pad_tgt * pad

    def run(self, pad_src: int = 0, pad_tgt: int = 0) -> TracedRun:
        """The traced forward pass, with so many padding tokens behind each sequence."""
        pad = (self.vocabulary.pad,)
        try:
            return run_of(self.key, self.src + pad_src * pad, self.tgt + pad_tgt * pad)
        except ValueError as error:  # a model from a file may know fewer ids or places than the pages ask for
            st.error(str(error), icon=":material/tune:")
            st.stop()

    @cached_property
    def parameters(self) -> int:
        return count_by_formula(self.cfg)


def view() -> View:
    """What the knobs of this session describe; a request that cannot be met ends the page with one clear sentence."""
    try:
        return view_of(knobs())
    except ValueError as error:
        st.error(str(error), icon=":material/tune:")
        st.stop()


def config(chosen: Knobs, vocab: int) -> TransformerConfig:
    """The configuration that the shared knobs describe. Raises ValueError with what to do instead."""
    cfg = chosen.config(vocab)
    if (count := count_by_formula(cfg)) > MAX_PARAMETERS:
        raise CannotShow(
            _("This model would have {count:,} parameters; up to {most:,} fit here. Lower d_model, d_ff or the layers.").format(
                count=count, most=MAX_PARAMETERS
            )
        )
    return cfg


def view_of(chosen: Knobs) -> View:
    """What these knobs describe, whoever turned them. Raises ValueError with one sentence for what cannot be shown."""
    if chosen.model is not None:
        stored = server.model_store().get(chosen.model)
        if stored is None:
            raise CannotShow(
                _("That trained model is no longer on this server. Choose “random weights” in the sidebar, or train anew.")
            )
        return _trained_view(chosen, stored)
    cfg = config(chosen, len(WORDS))
    unknown: tuple[str, ...] = ()
    if chosen.by_length:
        generator = torch.Generator().manual_seed(chosen.seed)
        src, body = (_random_words(length, generator) for length in (chosen.src_len, chosen.tgt_len))
    else:
        src, body = (
            tuple(_checked(WORDS.encode(text), name)) for text, name in ((chosen.src, _("source")), (chosen.tgt, _("target")))
        )
        unknown = tuple(dict.fromkeys(WORDS.unknown_words(f"{chosen.src} {chosen.tgt}")))
    return View(ModelKey(cfg, chosen.seed), WORDS, src, (WORDS.start, *body), unknown)


def _trained_view(chosen: Knobs, stored: StoredModel) -> View:
    """A trained model reads what it knows to read; its decoder is given the right answer where its task has a rule for it, and
    what it says itself to a sentence of words."""
    vocabulary, key = stored.vocabulary, ModelKey(stored.cfg, 0, stored.id)
    most = min(stored.cfg.max_len, stored.cfg.longest_tgt) - 1
    if stored.in_words:
        src = tuple(_checked(vocabulary.encode(chosen.src), _("source"), most))
        unknown = tuple(dict.fromkeys(vocabulary.unknown_words(chosen.src)))
        return View(key, vocabulary, src, said(key, src, vocabulary, min(most, 2 * len(src) + 4)), unknown, stored)
    src = tuple(_checked(vocabulary.encode(chosen.numbers), _("source"), most))
    if src[0] != vocabulary.start:
        src = (vocabulary.start, *src)
    if len(src) == 1:
        return View(key, vocabulary, src, src, stored=stored)
    rule = TASKS[stored.task]() if stored.task in TASKS and not stored.in_words else CopyTask()
    *answer, last = rule.answer(torch.tensor([src[1:]]))[0].tolist() if isinstance(rule, CopyTask) else src[1:]
    return View(key, vocabulary, src, (vocabulary.start, *answer), stored=stored, last=last)


@cached(LRUCache(1024), key=lambda key, src, vocabulary, steps: (key, src, steps), lock=threading.Lock())
def said(key: ModelKey, src: tuple[int, ...], vocabulary: Vocabulary, steps: int) -> tuple[int, ...]:
    """What a model says to a source by greedy decoding: the start token and its words, up to the end token if there is one."""
    ids = greedy_decode(model_of(key), torch.tensor([src]), vocabulary.start, steps)[0].tolist()
    return tuple(ids[: ids.index(vocabulary.end)] if vocabulary.end in ids else ids)


def _checked(ids: list[int], name: str, most: int = MAX_TOKENS) -> list[int]:
    most = min(most, MAX_TOKENS)
    if not ids:
        raise CannotShow(_("The {name} sentence is empty. Type at least one word in the sidebar.").format(name=name))
    if len(ids) > most:
        message = _("The {name} sentence has {n:,} tokens; up to {most} can be shown. Shorten it in the sidebar.")
        raise CannotShow(message.format(name=name, n=len(ids), most=most))
    return ids


def _random_words(length: int, generator: torch.Generator) -> tuple[int, ...]:
    """So many words of the vocabulary, drawn with a seed; never a special token."""
    return tuple(torch.randint(4, len(WORDS), (length,), generator=generator).tolist())


def warm_up() -> None:
    """Runs the default model once, so that nobody waits for the first use of torch."""
    run_of(ModelKey(config(Knobs(), len(WORDS)), 0), (4, 5), (1, 4))


@dataclass(frozen=True)
class Site:
    """One of the three attentions in one layer: its recorded stages and the words for its axes."""

    view: View
    kind: str  # a key of ATTENTIONS
    layer: int
    pad_src: int = 0
    pad_tgt: int = 0

    @property
    def scope(self) -> str:
        stack, name = ATTENTIONS[self.kind]
        return f"{stack}.{self.layer}.{name}"

    def __getitem__(self, stage: str) -> np.ndarray:
        return self.view.run(self.pad_src, self.pad_tgt)[f"{self.scope}.{stage}"]

    @property
    def score(self) -> AdditiveScore | ConcatLinearScore | None:
        """What the model scores with, where it is not a plain product of q and k."""
        module = model_of(self.view.key).get_submodule(self.scope)
        assert isinstance(module, MultiHeadAttention)
        return module.score

    @property
    def allowed(self) -> np.ndarray:
        """(query, key), True = may attend: the same for every head."""
        return np.isfinite(self["masked_scores"]).all(axis=0)

    @property
    def queries(self) -> list[str]:
        """The words that ask, as they are; their labels have the position before them."""
        return self._tokens(encoder=self.kind == "encoder")

    @property
    def keys(self) -> list[str]:
        return self._tokens(encoder=self.kind != "decoder")

    @property
    def query_labels(self) -> list[str]:
        return token_labels(self.queries)

    @property
    def key_labels(self) -> list[str]:
        return token_labels(self.keys)

    def _tokens(self, encoder: bool) -> list[str]:
        ids, pad = (self.view.src, self.pad_src) if encoder else (self.view.tgt, self.pad_tgt)
        return self.view.vocabulary.decode(ids + pad * (self.view.vocabulary.pad,))

    @property
    def asks(self) -> str:
        return _("asks (query, encoder)") if self.kind == "encoder" else _("asks (query, decoder)")

    @property
    def asked(self) -> str:
        return _("is asked (key, decoder)") if self.kind == "decoder" else _("is asked (key, encoder)")

    @property
    def axes(self) -> dict[str, Any]:
        """What a matrix figure of this attention needs beside its values."""
        return {
            "rows": self.query_labels,
            "columns": self.key_labels,
            "row_title": self.asks,
            "column_title": self.asked,
            "valid": self.allowed,
        }

    @property
    def most_entropy(self) -> float:
        """Bits if every query looked at all it may see alike, averaged over the queries."""
        return float(np.log2(np.maximum(self.allowed.sum(axis=1), 1)).mean())

    def sentence(self, head: int) -> str:
        """The strongest link of a head, in words."""
        weights = self["weights"][head]
        query, key = map(int, np.unravel_index(weights.argmax(), weights.shape))
        words = _("the strongest link here: “{query}” takes {share:.0%} from “{key}”.")
        return words.format(query=self.query_labels[query], share=float(weights[query, key]), key=self.key_labels[key])
