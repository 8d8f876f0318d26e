"""The files of the models that people have opened, in a folder that copies of the app share, and which browser brought each."""

import hashlib
from contextlib import suppress
from pathlib import Path

from transformer_core.training.folder import SUFFIX, ModelFolder

_MAKER = ".maker"


class OpenedModels:
    """Files that open at every copy, until the browser that brought one deletes it, or others need the room.

    Beside a file stands a digest of its browser's token: the folder does not reveal tokens. Who brings a file that is there
    already gets no say in it.
    """

    def __init__(self, folder: ModelFolder) -> None:
        self._folder = folder
        self.path = folder.path

    def __contains__(self, model_id: str) -> bool:
        return model_id in self._folder

    def read(self, model_id: str) -> bytes | None:
        """Returns a file; None if there is none of this id. It counts as used now."""
        return self._folder.read(model_id)

    def keep(self, model_id: str) -> bool:
        """Returns whether a file is still there. It counts as used now."""
        return self._folder.keep(model_id)

    def put(self, model_id: str, data: bytes, maker: str) -> None:
        """Keeps a file. Raises OSError where the folder cannot be written.

        Args:
            maker: the token of the browser that brings it; "" if nobody may delete it.
        """
        is_new = model_id not in self._folder
        self._folder.write(model_id, data)
        if is_new and maker:
            self._maker(model_id).write_text(_digest(maker))
        for each in self.path.glob(f"*{_MAKER}"):  # of files that gave way
            if not each.with_suffix(SUFFIX).exists():
                each.unlink(missing_ok=True)

    def is_made_by(self, model_id: str, maker: str) -> bool:
        """Returns whether this browser has brought a file that is there."""
        with suppress(OSError):
            return model_id in self._folder and self._maker(model_id).read_text() == _digest(maker)
        return False

    def remove(self, model_id: str) -> None:
        """Deletes a file. Raises OSError where the folder cannot be written."""
        self._folder.remove(model_id)
        self._maker(model_id).unlink(missing_ok=True)

    def _maker(self, model_id: str) -> Path:
        return self.path / (model_id + _MAKER)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()[:32]
