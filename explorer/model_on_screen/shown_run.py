"""The run on screen: a `Run` of the core whose model and stages come from the caches that all visitors share."""

from collections.abc import Hashable, Sequence
from dataclasses import replace

from explorer.model_on_screen.forward import Random, forward_pass, model_of
from explorer.model_on_screen.shown_model import ShownModel
from transformer_core import Transformer, TransformerConfig
from transformer_core.analysis.attention_map import Stages
from transformer_core.analysis.run import Run

Ids = Sequence[int]


class ShownRun(Run):
    """A run on screen. `key` determines all of its numbers."""

    def __init__(self, shown: ShownModel, src: Ids, tgt: Ids, labels: Ids):
        self._shown, self.vocabulary = shown, shown.vocabulary
        self.src, self.tgt, self.labels = list(src), list(tgt), list(labels)
        self.seed = shown.choice.weights.seed if isinstance(shown.choice.weights, Random) else 0
        self.key: Hashable = shown.choice, tuple(src), tuple(tgt), tuple(labels)

    def like(self, src: Ids, tgt: Ids, labels: Ids) -> "ShownRun":
        return ShownRun(self._shown, src, tgt, labels)

    @property
    def model(self) -> Transformer:  # type: ignore[override]
        return model_of(self._shown.choice)

    @property
    def cfg(self) -> TransformerConfig:
        return self._shown.cfg

    @property
    def stages(self) -> Stages:
        return forward_pass(self._shown.choice, tuple(self.src), tuple(self.tgt)).values

    @property
    def original(self) -> "ShownRun":
        return ShownRun(self._shown.original, self.src, self.tgt, self.labels)

    @property
    def before(self) -> "ShownRun":
        initial = self._shown.initial
        return self if initial is None else ShownRun(replace(self._shown, choice=initial), self.src, self.tgt, self.labels)


def run_of(shown: ShownModel) -> ShownRun:
    """Returns the run of the model on screen."""
    return ShownRun(shown, *shown.batch(0, 0))
