"""Trained models that pages can open, kept as the bytes of their checkpoints."""

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from explorer.runs import limits
from explorer.words import _
from transformer_core import Transformer, TransformerConfig, checkpoint


@dataclass(frozen=True)
class StoredModel:
    """A trained model. `id` is a digest of its content: the same model has the same address."""

    id: str
    cfg: TransformerConfig
    facts: dict[str, Any]
    data: bytes

    @property
    def name(self) -> str:
        """`copy · 260 steps · 99.0 % exact`"""
        words = [str(self.facts.get("task", _("uploaded")))]
        if isinstance(steps := self.facts.get("steps"), int):
            words.append(_("{n:,} steps").format(n=steps))
        if isinstance(exact := self.facts.get("exact_match"), float):
            words.append(_("{share:.1%} exact").format(share=exact))
        return " · ".join(words)


class Shelf:
    """Shared by all sessions; when it is full, the models that were opened longest ago go."""

    def __init__(self) -> None:
        self._models: OrderedDict[str, StoredModel] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, data: bytes) -> StoredModel:
        """Checks and keeps a checkpoint. Raises CheckpointError with one clear sentence."""
        loaded = checkpoint.from_bytes(data)
        stored = StoredModel(hashlib.sha256(data).hexdigest()[:16], loaded.model.cfg, loaded.facts, data)
        with self._lock:
            self._models[stored.id] = stored
            self._models.move_to_end(stored.id)
            while sum(len(model.data) for model in self._models.values()) > limits.MODEL_BYTES and len(self._models) > 1:
                self._models.popitem(last=False)
        return stored

    def get(self, model_id: str) -> StoredModel | None:
        with self._lock:
            if model_id in self._models:
                self._models.move_to_end(model_id)
            return self._models.get(model_id)

    def load(self, model_id: str) -> Transformer:
        """The model itself, in eval mode. Raises KeyError for one that is gone."""
        stored = self.get(model_id)
        if stored is None:
            raise KeyError(model_id)
        return checkpoint.from_bytes(stored.data).model
