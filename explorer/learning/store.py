"""The models that pages can open: in memory, in the folder that copies of the app share, and shipped with the app."""

import hashlib
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cachetools import LRUCache

from explorer import limits
from explorer.learning.learned_model import LearnedModel, OpenedFile, of_file, of_learned
from explorer.learning.opened_models import OpenedModels
from transformer_core import SHIPPED_MODELS
from transformer_core.errors import InputError
from transformer_core.training import learned
from transformer_core.training.checkpoint import CheckpointError
from transformer_core.training.folder import ModelFolder, default_folder, usual_folder
from transformer_core.training.learned import Learned
from transformer_core.training.learning_plan import LearningPlan

_log = logging.getLogger(__name__)
_FILES = 256  # files whose content is remembered


@dataclass(frozen=True)
class _Known:
    """The content of a file: the id of its model, and the step from which its training can be resumed."""

    id: str
    resumes_after: int | None


class ModelStore:
    """The models of all sessions. Memory and folders are limited: the least recently used go first."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder`: None for the app's own."""
        self._memory: OrderedDict[str, LearnedModel] = OrderedDict()
        self._files: LRUCache[bytes, _Known | CheckpointError] = LRUCache(_FILES)  # by their digests
        self._lock = threading.Lock()
        self._folder = ModelFolder(_own_folder() if folder is None else folder, limits.FOLDER_BYTES)
        opened = self._folder.subfolder("opened", limits.OPENED_BYTES)
        self._opened = OpenedModels(opened) if limits.OPENED_BYTES else None
        self._alone: dict[str, str] = {}  # opened models that are in memory alone, and who brought them
        self._box = ModelFolder(SHIPPED_MODELS)
        self._folder_fails = False
        self._told: LRUCache[str, bool] = LRUCache(_FILES)  # models whose files could not be read: logged once

    @property
    def folder(self) -> Path:
        """Where models are kept; other files of the app lie in folders in it."""
        return self._folder.path

    def __contains__(self, model_id: str) -> bool:
        """True if the model is here; its file is not read."""
        with self._lock:
            found = self._memory.get(model_id)
        return (found is not None and not self._is_deleted(found)) or self._is_in_a_folder(model_id)

    def _is_deleted(self, model: LearnedModel) -> bool:
        """Returns whether a model in memory was opened, and its file has gone meanwhile: deleted here or at another copy."""
        was_opened = model.learned is None or model.learned.key != model.id
        return was_opened and self._opened is not None and model.id not in self._alone and not self._opened.keep(model.id)

    def _is_in_a_folder(self, model_id: str) -> bool:
        if not _is_key(model_id):
            return False
        return model_id in self._folder or model_id in self._box or (self._opened is not None and model_id in self._opened)

    def get(self, model_id: str) -> LearnedModel | None:
        """Returns the model of this id: from a file that somebody has opened, or of the settings with this key."""
        with self._lock:
            found = self._memory.get(model_id)
            if found is not None:
                self._memory.move_to_end(model_id)
        if found is not None and not self._is_deleted(found):
            return found
        if not _is_key(model_id):
            return None
        read = self._read(self._folder, model_id) or self._read(self._box, model_id)
        model = of_learned(read) if read is not None else self._read_opened(model_id)
        if model is None:
            self._forget(model_id)
            return None
        return self._remember(model)

    def _forget(self, model_id: str) -> None:
        with self._lock:
            self._memory.pop(model_id, None)
            self._alone.pop(model_id, None)

    def learned_by(self, plans: Iterable[LearningPlan]) -> LearnedModel | None:
        """Returns the model of the first of these plans that has one."""
        return next((model for plan in plans if (model := self.get(plan.key)) is not None), None)

    def add(self, data: bytes, maker: str = "") -> LearnedModel:
        """Checks and keeps a file. Raises CheckpointError with one clear sentence.

        Args:
            maker: the token of the browser that brings it, which may delete it; "" if nobody may.
        """
        return self.open(data, maker).model

    def open(self, data: bytes, maker: str = "") -> OpenedFile:
        """Does the same, and returns what else the file holds. A file is parsed once as long as its model is kept: a page that
        shows it opens it in every rerun.
        """
        digest = hashlib.sha256(data).digest()
        with self._lock:
            known = self._files.get(digest)
        if isinstance(known, CheckpointError):
            raise known.with_traceback(None)
        if known is not None and (kept := self.get(known.id)) is not None:
            return OpenedFile(kept, known.resumes_after)
        try:
            opened = of_file(data)
        except CheckpointError as error:
            self._note(digest, error)
            raise
        self._keep_opened(opened, maker)
        model = self._remember(opened.model)
        self._note(digest, _Known(model.id, opened.resumes_after))
        return OpenedFile(model, opened.resumes_after)

    def _keep_opened(self, opened: OpenedFile, maker: str) -> None:
        """Keeps an opened file in the folder, so that links to it work everywhere, or else in memory alone."""
        model_id, folder = opened.model.id, self._opened
        is_kept = (
            folder is not None
            and len(opened.alone) <= limits.OPENED_BYTES
            and self._writes(lambda: folder.put(model_id, opened.alone, maker))
        )
        with self._lock:
            if is_kept:
                self._alone.pop(model_id, None)
            else:
                self._alone.setdefault(model_id, maker)

    def is_made_by(self, model_id: str, maker: str) -> bool:
        """Returns whether a model is here that this browser has brought: it may delete it."""
        if not _is_key(model_id) or not maker or model_id not in self:
            return False
        if model_id in self._alone:
            return self._alone[model_id] == maker
        return self._opened is not None and self._opened.is_made_by(model_id, maker)

    def delete(self, model_id: str, maker: str) -> None:
        """Deletes a model, if this browser has brought it: here, in the folder, and so at all other copies. Raises InputError
        where the folder cannot be written.
        """
        if not self.is_made_by(model_id, maker):
            return
        try:
            if self._opened is not None:
                self._opened.remove(model_id)
        except OSError as error:
            raise InputError("The file of this model cannot be deleted: {error}", error=str(error)) from error
        self._forget(model_id)

    def _note(self, digest: bytes, known: "_Known | CheckpointError") -> None:
        with self._lock:
            self._files[digest] = known

    def put(self, model: Learned) -> LearnedModel:
        """Keeps a model that has just been learned, in memory and, if it can be written, in the folder."""
        self._writes(lambda: self._folder.write(model.key, learned.to_bytes(model)))
        return self._remember(of_learned(model))

    def _writes(self, write: Callable[[], None]) -> bool:
        """Writes into a folder, and returns whether that can be done; if not, the log says so once."""
        try:
            write()
        except OSError as error:
            if not self._folder_fails:
                _log.warning("models cannot be kept in %s, only in memory: %s", self.folder, error)
            self._folder_fails = True
            return False
        return True

    @property
    def nbytes(self) -> int:
        """The bytes of the models in memory."""
        with self._lock:
            return sum(each.nbytes for each in self._memory.values())

    def rest(self) -> None:
        """Drops from memory the models that can be read again."""
        with self._lock:
            known = list(self._memory)
        there = [model_id for model_id in known if self._is_in_a_folder(model_id)]
        with self._lock:
            for model_id in there:
                self._memory.pop(model_id, None)

    def forget_memory(self) -> None:
        """Drops all models from memory."""
        with self._lock:
            self._memory.clear()
            self._alone.clear()

    def _read(self, folder: ModelFolder, key: str) -> Learned | None:
        try:
            return folder.get(key)
        except CheckpointError as error:
            self._tell("the learned model %s in %s is damaged, and is learned again: %s", key, folder, error)
        except OSError as error:
            self._tell("the learned model %s in %s cannot be read: %s", key, folder, error)
        return None

    def _read_opened(self, model_id: str) -> LearnedModel | None:
        """Reads a model that somebody opened from a file, here or at another copy; checks it like a file opened now."""
        if self._opened is None:
            return None
        try:
            if (data := self._opened.read(model_id)) is None:
                return None
            if (found := of_file(data).model).id == model_id:
                return found
            _log.warning("the file %s in %s is not the one that was opened, and is removed", model_id, self._opened.path)
        except CheckpointError as error:
            self._tell("the file %s in %s is damaged, and is removed: %s", model_id, self._opened, error)
        except OSError as error:
            self._tell("the file %s in %s cannot be read: %s", model_id, self._opened, error)
            return None
        with suppress(OSError):
            self._opened.remove(model_id)
        return None

    def _tell(self, words: str, key: str, folder: ModelFolder | OpenedModels, error: Exception) -> None:
        with self._lock:
            is_new = key not in self._told
            self._told[key] = True
        if is_new:  # every rerun of its page asks for it
            _log.warning(words, key, folder.path, error)

    def _remember(self, model: LearnedModel) -> LearnedModel:
        with self._lock:
            model = self._memory.setdefault(model.id, model)  # equal models are one
            self._memory.move_to_end(model.id)
            while sum(each.nbytes for each in self._memory.values()) > limits.MODEL_BYTES and len(self._memory) > 1:
                given_up, _model = self._memory.popitem(last=False)
                self._alone.pop(given_up, None)
        return model


def _is_key(text: str) -> bool:
    """True if this can be a file's name: ids come from links."""
    return len(text) == 16 and all(letter in "0123456789abcdef" for letter in text)


def _own_folder() -> Path:
    """The folder of EXPLORER_MODELS; if that names none, logs this and returns the usual one."""
    try:
        return default_folder()
    except InputError as error:
        _log.error("EXPLORER_MODELS: %s. Learned models are kept in %s.", error, folder := usual_folder())
        return folder
