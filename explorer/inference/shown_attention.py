"""One attention of the model on screen: its recorded stages, and its weights with their tokens."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from explorer.inference.forward import ForwardPass, ModelChoice, model_of
from transformer_core import MultiHeadAttention
from transformer_core.analysis.attention_map import AttentionMap
from transformer_core.model.attention import AdditiveScore, ConcatLinearScore
from transformer_core.model.stages import AttentionKind, SublayerPath, attention_path


@dataclass(frozen=True, eq=False)
class ShownAttention:
    """One of the three attentions of a layer (from 0), on the source and the decoder's input on screen."""

    choice: ModelChoice
    forward: ForwardPass
    kind: AttentionKind
    layer: int
    src_tokens: tuple[str, ...]
    tgt_tokens: tuple[str, ...]
    labels: tuple[str, ...]  # what is to be said after each of tgt_tokens

    @property
    def path(self) -> SublayerPath:
        return attention_path(self.kind, self.layer)

    def stage(self, name: str) -> np.ndarray:
        """A recorded stage, such as "q" (head, query, d_k) or "scores" (head, query, key)."""
        return self.forward[self.path.stage(name)]

    @cached_property
    def map(self) -> AttentionMap:
        return AttentionMap.from_stages(self.forward, self.kind, self.layer, self.src_tokens, self.tgt_tokens, self.labels)

    @property
    def score(self) -> AdditiveScore | ConcatLinearScore | None:
        """The module that computes the scores, unless they are plain products of q and k."""
        module = model_of(self.choice).get_submodule(self.path.module)
        assert isinstance(module, MultiHeadAttention)
        return module.score

    @property
    def score_name(self) -> str:
        """The scoring function: a value of `TransformerConfig.score`."""
        return self.choice.cfg.score
