"""One attention of the model on screen: its recorded stages, and its weights with their tokens."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from explorer.model_on_screen.forward import ForwardPass, ModelChoice, model_of
from transformer_core import MultiHeadAttention
from transformer_core.analysis.attention_map import AttentionMap, allowed_pairs
from transformer_core.analysis.cutting import HeadCut, Instead, cut_pairs
from transformer_core.model.scores import AdditiveScore, ConcatLinearScore
from transformer_core.model.stages import AttentionKind, SublayerPath, attention_path, penalises, rotates


@dataclass(frozen=True, eq=False)
class ShownAttention:
    """One of the three attentions of a layer (from 0), on the sequences on screen."""

    choice: ModelChoice
    forward: ForwardPass
    kind: AttentionKind
    layer: int
    src_tokens: tuple[str, ...]
    tgt_tokens: tuple[str, ...]
    labels: tuple[str, ...]  # to be written after each of tgt_tokens

    @property
    def path(self) -> SublayerPath:
        return attention_path(self.kind, self.layer)

    def stage(self, name: str) -> np.ndarray:
        """Returns a recorded stage, such as "q" (head, query, d_k) or "scores" (head, query, key)."""
        return self.forward[self.path.stage(name)]

    @cached_property
    def map(self) -> AttentionMap:
        return AttentionMap.from_stages(self.forward, self.kind, self.layer, self.src_tokens, self.tgt_tokens, self.labels)

    def allowed(self, head: int) -> np.ndarray:
        """Returns the pairs that one head may attend to. Shape: -> (query, key) booleans"""
        return allowed_pairs(self.stage("masked_scores")[head : head + 1])

    def cut_pairs(self, head: int) -> np.ndarray:
        """Returns the pairs of a head that are cut. Shape: -> (query, key) booleans"""
        queries, keys = self.map.allowed.shape
        return cut_pairs(self.choice.cfg, self.choice.cuts.made, self.path, queries, keys)[head].numpy()

    def instead_of(self, head: int) -> Instead | None:
        """Returns what takes the place of a head's output; None if the head is whole."""
        cuts = self.choice.cuts
        return cuts.instead if HeadCut(self.kind, self.layer, head) in cuts.made else None

    @property
    def turns(self) -> bool:
        """True if queries and keys are turned by their positions."""
        return rotates(self.choice.cfg, self.path.part)

    @property
    def penalties(self) -> np.ndarray | None:
        """What ALiBi adds to the scores; None in an attention without it. Shape: (head, query, key)"""
        return self.stage("penalties") if penalises(self.choice.cfg, self.path.part) else None

    @property
    def score(self) -> AdditiveScore | ConcatLinearScore | None:
        """The module that computes the scores; None if they are plain products of q and k."""
        module = model_of(self.choice).get_submodule(self.path.module)
        assert isinstance(module, MultiHeadAttention)
        return module.score if isinstance(module.score, (AdditiveScore, ConcatLinearScore)) else None

    @property
    def score_name(self) -> str:
        """The scoring function, a value of `TransformerConfig.score`."""
        return self.choice.cfg.score
