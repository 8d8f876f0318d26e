"""Trained models that pages can open, kept as the bytes of their checkpoints."""

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from explorer.i18n import _
from explorer.training import limits
from explorer.training.task_titles import TASK_TITLES
from transformer_core import SHIPPED, Transformer, TransformerConfig, Vocabulary, checkpoint
from transformer_core.data.corpora import CORPORA
from transformer_core.data.vocabulary import numbers


@dataclass(frozen=True)
class StoredModel:
    """A trained model. `id` is the name of one that comes with the app, or a digest: equal models have equal ids."""

    id: str
    cfg: TransformerConfig
    facts: dict[str, Any]
    data: bytes

    @property
    def name(self) -> str:
        """`copy · 260 steps · 99.0 % exact`, in the visitor's language."""
        words = [_(TASK_TITLES[self.task]) if self.task in TASK_TITLES else self.task or _("uploaded")]
        if isinstance(steps := self.facts.get("steps"), int):
            words.append(_("{n:,} steps").format(n=steps))
        if isinstance(exact := self.facts.get("exact_match"), float):
            words.append(_("{share:.1%} exact").format(share=exact))
        return " · ".join(words)

    @property
    def task(self) -> str:
        """The name of the task that it has learned; "" if its file does not say."""
        return str(self.facts.get("task", ""))

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens of its ids: those of its task, or else plain numbers."""
        if self.task in CORPORA and len(words := CORPORA[self.task]().vocabulary) == self.cfg.src_vocab == self.cfg.tgt_vocab:
            return words
        return numbers(self.cfg.src_vocab)

    @property
    def in_words(self) -> bool:
        """Whether it reads sentences of words, which have an end token."""
        return self.vocabulary.end is not None


def _stored(data: bytes, name: str = "") -> StoredModel:
    """The model alone: the state of training is left out, and the digest is that of the weights and facts."""
    loaded = checkpoint.from_bytes(data)
    if loaded.training is not None:
        data = checkpoint.to_bytes(loaded.model, loaded.facts)
    return StoredModel(name or hashlib.sha256(data).hexdigest()[:16], loaded.model.cfg, loaded.facts, data)


class ModelStore:
    """Shared by all sessions; when it is full, the least recently opened models are dropped. The app's own stay."""

    def __init__(self) -> None:
        self._models: OrderedDict[str, StoredModel] = OrderedDict()
        self._lock = threading.Lock()
        self.shipped = {path.stem: _stored(path.read_bytes(), path.stem) for path in SHIPPED}

    def add(self, data: bytes) -> StoredModel:
        """Checks and keeps a checkpoint. Raises CheckpointError with one clear sentence."""
        stored = _stored(data)
        with self._lock:
            self._models[stored.id] = stored
            self._models.move_to_end(stored.id)
            while sum(len(model.data) for model in self._models.values()) > limits.MODEL_BYTES and len(self._models) > 1:
                self._models.popitem(last=False)
        return stored

    def get(self, model_id: str) -> StoredModel | None:
        if model_id in self.shipped:
            return self.shipped[model_id]
        with self._lock:
            if model_id in self._models:
                self._models.move_to_end(model_id)
            return self._models.get(model_id)

    def forget_uploads(self) -> None:
        """Drops all models except those that come with the app."""
        with self._lock:
            self._models.clear()

    def load(self, model_id: str) -> Transformer:
        """The model itself, in eval mode. Raises KeyError for one that was dropped."""
        stored = self.get(model_id)
        if stored is None:
            raise KeyError(model_id)
        return checkpoint.from_bytes(stored.data).model
