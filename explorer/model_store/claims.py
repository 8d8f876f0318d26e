"""Which copy of the app is learning a model, said in the folder that all copies see, so that it is learned once."""

import json
import os
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cachetools import LRUCache

from explorer.model_store import processes
from transformer_core.training.folder import CLAIM, Files

_BEAT = 2.0  # seconds between two times that a claim says that its copy is alive
_DEAD = 5  # beats without news, after which it is not
_REMEMBERED = 256  # claims of others
_SETTLED = 0.1  # of a beat, after which all who found a claim dead at the same moment have written theirs


@dataclass
class _Held:
    """A claim of this copy: what stands in its file, and what tells how far the learning is (None before it has begun)."""

    data: bytes
    step: Callable[[], int | None] | None = None


@dataclass
class _Seen:
    """Another copy's claim: what stood in its file, and since when, by the clock of this process: other machines' clocks, and
    the times of files, may say anything. `lives`: whether its copy has been seen to change it."""

    data: bytes
    since: float
    lives: bool = False


class Claims:
    """The claims of this copy, and those of others as they were last seen. A claim is a file that is created by one of several
    who try, and changes as long as its copy is alive. Where the folder cannot keep it, everybody has it."""

    def __init__(self, files: Files, beat: float = _BEAT) -> None:
        self._files, self._beat, self._me = files, beat, secrets.token_hex(8)
        self._process = processes.name(os.getpid())
        self._beats = 0
        self._lock = threading.Lock()
        self._writing = threading.Lock()  # held while the file of a claim is changed, or removed
        self._held: dict[str, _Held] = {}  # by key
        self._seen: LRUCache[str, _Seen] = LRUCache(_REMEMBERED)  # likewise
        self._thread: threading.Thread | None = None

    def take(self, key: str) -> bool:
        """Whether this copy may learn a model, for no other that is alive does. Where not, call it again a little later."""
        if key in self._held:
            return True
        data = self._words(0)
        try:
            if not (self._files.create(key + CLAIM, data) or self._is_taken_over(key, data)):
                return False
        except OSError:  # nothing can be said there
            return True
        with self._lock:
            self._seen.pop(key, None)
            self._held[key] = _Held(data)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="model-claims", daemon=True)
                self._thread.start()
        return True

    def holds(self, key: str) -> bool:
        """Whether this copy has claimed a model."""
        return key in self._held

    def follow(self, key: str, step: Callable[[], int | None]) -> None:
        """From now on the claim says the step that the model has come to, and ends where there is none any more."""
        if (held := self._held.get(key)) is not None:
            held.step = step

    def leave(self, key: str) -> None:
        """The claim ends a little later, unless somebody in this copy follows a learning by then."""
        if (held := self._held.get(key)) is not None and held.step is None:
            held.step = lambda: None

    def release(self, key: str) -> None:
        """Others may learn it, or find it learned."""
        with self._writing:
            with self._lock:
                held = self._held.pop(key, None)
            if held is not None:
                try:
                    if self._files.read(key + CLAIM) == held.data:
                        self._files.remove(key + CLAIM)
                except OSError:  # then it is found dead
                    return

    def elsewhere(self, key: str) -> int | None:
        """The step that another copy had come to with this model when it was last seen; None where none is known to be at it: a
        claim may have been left by one that has ended."""
        with self._lock:
            seen = self._seen.get(key)
        if seen is None or not seen.lives or time.monotonic() - seen.since > _DEAD * self._beat:
            return None
        return int(_said(seen.data).get("step", 0))

    def _is_taken_over(self, key: str, data: bytes) -> bool:
        """Whether the copy whose claim this is has died, and this one has come in its place."""
        there = self._files.read(key + CLAIM)
        now, is_left = time.monotonic(), there is not None and processes.has_ended(str(_said(there).get("process")))
        with self._lock:
            if there is None or key in self._held:  # it has just been released, or taken by another thread of this copy
                self._seen.pop(key, None)
                return False
            seen = self._seen.get(key)
            if seen is None or seen.data != there:
                self._seen[key] = seen = _Seen(there, now, lives=seen is not None)
        if now - seen.since < _DEAD * self._beat and not is_left:
            return False
        self._files.write(key + CLAIM, data)
        time.sleep(_SETTLED * self._beat)
        return self._files.read(key + CLAIM) == data  # the last of those who wrote it has it

    def _words(self, step: int) -> bytes:
        self._beats += 1
        return json.dumps({"copy": self._me, "beat": self._beats, "step": step, "process": self._process}).encode()

    def _work(self) -> None:
        while True:
            time.sleep(self._beat)
            with self._lock:
                held = dict(self._held)
                if not held:
                    self._thread = None
                    return
            for key, claim in held.items():
                self._say(key, claim)

    def _say(self, key: str, claim: _Held) -> None:
        follows = claim.step
        step = 0 if follows is None else follows()
        if step is None:
            if claim.step is follows:  # or else it has just begun anew
                self.release(key)
            return
        with self._writing:
            if key not in self._held:  # it has just been released
                return
            try:
                if self._files.read(key + CLAIM) != claim.data:  # this copy stood still for so long that another took it over
                    with self._lock:
                        self._held.pop(key, None)
                    return
                data = self._words(step)
                self._files.write(key + CLAIM, data)
                claim.data = data
            except OSError:  # said again a little later
                return


def _said(data: bytes) -> dict[str, Any]:
    """What a claim says; nothing while it is being created."""
    try:
        said = json.loads(data)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
