"""The models that pages can open: in memory, in the folder of this machine, and in the box that comes with the app."""

import hashlib
import logging
import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from pathlib import Path

from cachetools import LRUCache

from explorer.model_store.learned_model import LearnedModel, OpenedFile, of_file, of_learned
from explorer.training import limits
from transformer_core import BOX
from transformer_core.training.checkpoint import CheckpointError
from transformer_core.training.folder import ModelFolder, default_folder
from transformer_core.training.learned import Learned

_log = logging.getLogger(__name__)
_FILES = 256  # of which it is remembered what they hold


@dataclass(frozen=True)
class _Known:
    """What a file holds: the id of its model, and the step from which its training can be resumed."""

    id: str
    resumes_after: int | None


class ModelStore:
    """Shared by all sessions. Memory and folder are limited: what has not been used for longest goes first."""

    def __init__(self, folder: Path | None = None) -> None:
        self._memory: OrderedDict[str, LearnedModel] = OrderedDict()
        self._files: LRUCache[bytes, _Known | CheckpointError] = LRUCache(_FILES)  # by their digests
        self._lock = threading.Lock()
        self._folder = ModelFolder(folder or default_folder(), limits.FOLDER_BYTES)
        self._box = ModelFolder(BOX)
        self._folder_fails = False

    def __contains__(self, model_id: str) -> bool:
        """Whether it is here, without reading it."""
        with self._lock:
            if model_id in self._memory:
                return True
        return _is_key(model_id) and (model_id in self._folder or model_id in self._box)

    def get(self, model_id: str) -> LearnedModel | None:
        """The model of this id: of a file that somebody has opened, or of the settings with this key."""
        with self._lock:
            if model_id in self._memory:
                self._memory.move_to_end(model_id)
                return self._memory[model_id]
        found = self._read(self._folder, model_id) or self._read(self._box, model_id)
        return None if found is None else self._remember(of_learned(found))

    def add(self, data: bytes) -> LearnedModel:
        """Checks and keeps a file. Raises CheckpointError with one clear sentence."""
        return self.open(data).model

    def open(self, data: bytes) -> OpenedFile:
        """The same, with what else it holds. A file is parsed once, as long as its model is kept: a page that shows it comes
        back to it in every rerun."""
        digest = hashlib.sha256(data).digest()
        with self._lock:
            known = self._files.get(digest)
        if isinstance(known, CheckpointError):
            raise known.with_traceback(None)
        if known is not None and (kept := self.get(known.id)) is not None:
            return OpenedFile(kept, known.resumes_after)
        try:
            found = of_file(data)
        except CheckpointError as error:
            self._note(digest, error)
            raise
        model = self._remember(found.model)
        self._note(digest, _Known(model.id, found.resumes_after))
        return replace(found, model=model)

    def _note(self, digest: bytes, known: "_Known | CheckpointError") -> None:
        with self._lock:
            self._files[digest] = known

    def put(self, model: Learned) -> LearnedModel:
        """Keeps a model that has just been learned, in memory and, where that can be written, in the folder."""
        try:
            self._folder.put(model)
        except OSError as error:
            if not self._folder_fails:
                _log.warning("learned models cannot be kept in %s, only in memory: %s", self._folder.path, error)
            self._folder_fails = True
        return self._remember(of_learned(model))

    def forget_memory(self) -> None:
        """Drops all that is in memory."""
        with self._lock:
            self._memory.clear()

    def _read(self, folder: ModelFolder, key: str) -> Learned | None:
        if not _is_key(key):
            return None
        try:
            return folder.get(key)
        except CheckpointError as error:
            _log.warning("the learned model %s in %s is damaged, and is learned again: %s", key, folder.path, error)
        except OSError as error:
            _log.warning("the learned model %s in %s cannot be read: %s", key, folder.path, error)
        return None

    def _remember(self, model: LearnedModel) -> LearnedModel:
        with self._lock:
            model = self._memory.setdefault(model.id, model)  # equal models are one
            self._memory.move_to_end(model.id)
            while sum(each.nbytes for each in self._memory.values()) > limits.MODEL_BYTES and len(self._memory) > 1:
                self._memory.popitem(last=False)
        return model


def _is_key(text: str) -> bool:
    """Whether this can be the name of a file: ids come from links."""
    return len(text) == 16 and all(letter in "0123456789abcdef" for letter in text)
