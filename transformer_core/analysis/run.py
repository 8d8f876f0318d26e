"""One run of a model: the model, the two sentences that it reads, and every number of the pass, by name."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import torch
from torch import nn

from transformer_core.analysis.attention_map import Stages, allowed_pairs
from transformer_core.analysis.residual_stream import sublayer_of
from transformer_core.data.vocabulary import Vocabulary
from transformer_core.errors import InputError
from transformer_core.model.config import TransformerConfig
from transformer_core.model.stages import (
    CROSS_ATTENTION,
    FEED_FORWARD,
    MEMORY,
    SELF_ATTENTION,
    AttentionKind,
    SublayerPath,
    attention_path,
    penalises,
    rotates,
    stacks_of,
)
from transformer_core.model.trace import Trace
from transformer_core.model.transformer import Transformer


class Run:
    """A model that reads a source and writes behind a target, the decoder's input.

    Attributes:
        src, tgt, labels: ids of the source, of the decoder's input, and of the words that are right behind each of its words.
        seed: that the model's weights were drawn with; 0 where they were learned.
    """

    def __init__(
        self,
        model: Transformer,
        vocabulary: Vocabulary,
        src: Sequence[int],
        tgt: Sequence[int],
        labels: Sequence[int] = (),
        *,
        original: Transformer | None = None,
        before: Transformer | None = None,
        seed: int = 0,
    ):
        self.model, self.vocabulary, self.src, self.tgt, self.labels = model, vocabulary, list(src), list(tgt), list(labels)
        self._original, self._before, self.seed = original, before, seed

    def like(self, src: Sequence[int], tgt: Sequence[int], labels: Sequence[int]) -> "Run":
        """Returns the same model's run on other sentences."""
        return Run(self.model, self.vocabulary, src, tgt, labels, original=self._original, before=self._before, seed=self.seed)

    @property
    def original(self) -> "Run":
        """The same sentences in the model without cuts, and without weights changed by hand."""
        return self if self._original is None else Run(self._original, self.vocabulary, self.src, self.tgt, self.labels)

    @property
    def before(self) -> "Run":
        """The same sentences in the model before its first step of learning; this run, where that is unknown."""
        return self if self._before is None else Run(self._before, self.vocabulary, self.src, self.tgt, self.labels)

    def padded(self, src: int, tgt: int) -> "Run":
        """Returns the run with so much padding behind both sentences; a decoder alone has no source to be padded."""
        pad = [self.vocabulary.pad]
        src = src if self.cfg.has_encoder else 0
        return self.like(self.src + src * pad, self.tgt + tgt * pad, self.labels + tgt * pad)

    def padded_first(self, n: int) -> "Run":
        """Returns the run with so much padding behind what is read first."""
        return self.padded(n, 0) if self.cfg.has_encoder else self.padded(0, n)

    def attention(self, kind: AttentionKind, layer: int) -> "Part":
        """Returns one of the three attentions of figure 1: "encoder", "decoder" or "cross". Raises InputError for a model
        without it."""
        if kind == "encoder" and not self.cfg.has_encoder:
            raise InputError("This model has no encoder.")
        if kind == "cross" and not self.cfg.cross_attention:
            raise InputError("This model has no cross-attention.")
        return Part(self, attention_path(kind, layer))

    @property
    def cfg(self) -> TransformerConfig:
        return self.model.cfg

    @cached_property
    def stages(self) -> Stages:
        """Every stage of one forward pass, without the axis of the batch."""
        with torch.inference_mode(), Trace() as trace:
            self.model(torch.tensor([self.src]), torch.tensor([self.tgt]))
        batched = {name: stage.axes[0] == "batch" for name, stage in trace.stages.items()}
        return {name: trace[name][0].numpy() if has else trace[name].numpy() for name, has in batched.items()}

    def part(self, stack: str, layer: int, name: str) -> "Part":
        """Returns one part of a layer, from 0: "self_attn", "cross_attn" or "feed_forward"."""
        return Part(self, SublayerPath(stack, layer, name))

    def ids(self, stack: str) -> list[int]:
        """The ids that pass through a stack."""
        return self.src if stack == "encoder" else self.tgt

    @property
    def first_stack(self) -> str:
        """The stack that reads first: the encoder, or a decoder alone."""
        return stacks_of(self.cfg)[0]

    @property
    def read(self) -> list[int]:
        """The ids that are read first: the source, or the text of a decoder alone."""
        return self.ids(self.first_stack)


class Part:
    """A part of a layer as it was in a run: `part["hidden"]` is one of its stages."""

    def __init__(self, run: Run, path: SublayerPath):
        self.run, self.path = run, path

    def __getitem__(self, stage: str) -> np.ndarray:
        return self.run.stages[self.path.stage(stage)]

    @property
    def input(self) -> np.ndarray:
        """The input of the part. Shape: (word, d_model)"""
        return sublayer_of(self.run.stages, self.run.cfg, self.path.stack, self.path.layer, self.path.part).reads

    @property
    def memory(self) -> np.ndarray:
        """The vectors from which an attention computes its keys and values. Shape: (key, d_model)"""
        return self.run.stages[MEMORY] if self.path.part == CROSS_ATTENTION else self.input

    @property
    def queries(self) -> list[int]:
        """The ids of the words that attend."""
        return self.run.ids(self.path.stack)

    @property
    def keys(self) -> list[int]:
        """The ids of the words that are attended to."""
        return self.run.src if self.path.part == CROSS_ATTENTION else self.queries

    @property
    def module(self) -> nn.Module:
        return self.run.model.get_submodule(self.path.module)

    def weights(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """The matrix and the bias of one of its linear maps, for x @ matrix + bias. Shape: (in, out), (out,)"""
        linear = self.module.get_submodule(name)
        assert isinstance(linear, nn.Linear)
        matrix = linear.weight.detach().numpy().T
        return matrix, np.zeros(matrix.shape[1], matrix.dtype) if linear.bias is None else linear.bias.detach().numpy()

    def projected(self, name: str) -> np.ndarray:
        """The queries "q", keys "k" or values "v" as their matrices make them: those that rotary positions turn, before that.
        Shape: (head, word, d_k)"""
        turned = name in ("q", "k") and rotates(self.run.cfg, self.path.part)
        return self[f"unrotated_{name}" if turned else name]

    @property
    def penalties(self) -> np.ndarray | None:
        """The summand of each head's scores in ALiBi; None in an attention without it. Shape: (head, query, key)"""
        return self["penalties"] if penalises(self.run.cfg, self.path.part) else None

    @property
    def allowed(self) -> np.ndarray:
        """The pairs that an attention may attend to. Shape: (query, key) booleans"""
        return allowed_pairs(self["masked_scores"])

    @property
    def allowed_by_head(self) -> np.ndarray:
        """The pairs that each head may attend to: fewer where links are cut in it. Shape: (head, query, key) booleans"""
        return np.stack([allowed_pairs(scores[None]) for scores in self["masked_scores"]])

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Runs the part of the model on other vectors, with the mask of the run. Shape: (word, d_model) -> (word, d_model)"""
        assert self.path.part in (FEED_FORWARD, SELF_ATTENTION)
        given = torch.tensor(x)[None]
        others = () if self.path.part == FEED_FORWARD else (given, torch.tensor(self.allowed)[None, None])
        with torch.inference_mode():
            output: np.ndarray = self.module(given, *others)[0].numpy()
        return output
