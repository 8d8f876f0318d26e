"""Runs that were under way when the server ended: their states in a folder, for the browsers that had started them."""

import hashlib
import json
import logging
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from explorer.training import limits, run_file
from explorer.training.plan import TrainingPlan
from explorer.training.run import TrainingRun
from explorer.training.run_history import Status
from explorer.training.snapshots import State
from transformer_core.model.accounting import count_by_formula
from transformer_core.training import folder
from transformer_core.training.checkpoint import CheckpointError, read_header
from transformer_core.training.trainer import moment_names

_log = logging.getLogger(__name__)
_HEADER = 2**20  # bytes of a file's header, at most


@dataclass(frozen=True)
class SavedRun:
    """A run that was cut off: what it was learning, by the task's name, and the step it goes on from."""

    file: Path
    task: str
    step: int


class SavedRuns:
    """Saves the runs that it is given, every few seconds, as long as they are not over. What is left of a former server is
    offered to its owner. In a file's name, the owner is a digest of the browser's token: who reads the folder does not learn
    that."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._runs: dict[TrainingRun, State | None] = {}  # with the state that is in its file
        self._before: dict[TrainingRun, Path] = {}  # the file that it went on from
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        self._fails = False

    def follow(self, run: TrainingRun, goes_on: SavedRun | None = None) -> None:
        """Saves a run from now on. The state of the one that it `goes_on` from is kept until it has one of its own."""
        parameters = count_by_formula(run.plan.cfg)
        if 4 * (1 + len(moment_names(run.plan.recipe))) * parameters > limits.RUN_FILE_BYTES:
            return
        with self._lock:
            self._runs[run] = None
            if goes_on is not None:
                self._before[run] = goes_on.file
            if self._thread is None and not self._closing.is_set():
                self._thread = threading.Thread(target=self._work, name="training-saves", daemon=True)
                self._thread.start()

    def of(self, owner: str) -> list[SavedRun]:
        """The runs of an owner that were cut off, the newest first."""
        with self._lock:
            here = {self._file(run) for run in self._runs} | {*self._before.values()}
        files = [file for file in self._path.glob(f"{_digest(owner)}-*{folder.SUFFIX}") if file not in here]
        found = [(_used(file), _read(file)) for file in files]
        return [run for _time, run in sorted(found, key=lambda each: each[0], reverse=True) if run is not None]

    def plan(self, run: SavedRun) -> TrainingPlan:
        """The plan that goes on from it. Raises CheckpointError, OSError."""
        return run_file.resumed(run.file.read_bytes())

    def forget(self, run: SavedRun) -> None:
        """Removes it."""
        with suppress(OSError):  # in a folder that has become read-only, it stays
            run.file.unlink(missing_ok=True)

    def save(self) -> None:
        """Saves what has got further, and removes the files of runs that are over."""
        with self._lock:
            runs = dict(self._runs)
        for run, before in runs.items():
            try:
                if run.over and run.status is not Status.FAILED:
                    self._file(run).unlink(missing_ok=True)
                    self._drop_before(run)
                elif (state := run.saved) is not None and state is not before:
                    self._put(run, state)
            except OSError as error:
                if not self._fails:
                    _log.warning("runs cannot be saved in %s, and will not outlive the server: %s", self._path, error)
                self._fails = True
            if run.over:
                with self._lock:
                    self._runs.pop(run, None)
                    self._before.pop(run, None)

    def stop(self) -> None:
        """Saves what is under way a last time; call it before the runs are stopped."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()
            self.save()

    def _work(self) -> None:
        while not self._closing.wait(limits.RUNS_EVERY):
            try:
                self.save()
            except Exception:  # it concerns one run, and is tried again
                _log.exception("a run could not be saved")

    def _put(self, run: TrainingRun, state: State) -> None:
        data = run_file.resumable(run.plan, state)
        self._path.mkdir(parents=True, exist_ok=True)
        folder.write_whole(self._file(run), data)
        self._drop_before(run)
        folder.shrink(folder.LocalFiles(self._path), limits.RUNS_BYTES)
        with self._lock:
            if run in self._runs:
                self._runs[run] = state

    def _drop_before(self, run: TrainingRun) -> None:
        with self._lock:
            before = self._before.pop(run, None)
        if before is not None:
            before.unlink(missing_ok=True)

    def _file(self, run: TrainingRun) -> Path:
        return self._path / f"{_digest(run.owner)}-{run.id}{folder.SUFFIX}"


def _digest(owner: str) -> str:
    return hashlib.sha256(owner.encode()).hexdigest()[:32]


def _used(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:  # it has just been removed
        return 0


def _read(file: Path) -> SavedRun | None:
    """What a file says of itself; None for one that is damaged, or gone."""
    try:
        with file.open("rb") as opened:
            length = opened.read(8)
            data = length + opened.read(min(int.from_bytes(length, "little"), _HEADER))
        facts = json.loads(read_header(data)["__metadata__"]["facts"])
        return SavedRun(file, str(facts["task"]), int(facts["steps"]))
    except (CheckpointError, OSError, LookupError, TypeError, ValueError):
        return None
