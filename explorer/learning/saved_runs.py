"""Saves runs in a folder, so that the browsers that started them can resume them after the server has ended."""

import hashlib
import logging
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from explorer import limits
from explorer.learning import run_file
from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.learning.snapshots import Packed
from transformer_core.training import folder
from transformer_core.training.checkpoint import CheckpointError, read_facts, read_header
from transformer_core.training.cost import count_by_formula
from transformer_core.training.trainer import moment_names
from transformer_core.training.whole_file import write_whole

_log = logging.getLogger(__name__)
_HEADER = 2**20  # bytes of a file's header, at most


@dataclass(frozen=True)
class SavedRun:
    """A run that was cut off: its task's name, and the step that it goes on from."""

    file: Path
    task: str
    step: int


class SavedRuns:
    """Saves runs at once and then every few seconds, until they are stopped or forgotten. Runs that a former server has left
    are offered to their owners. A file's name holds a digest of the owner's token: the folder does not reveal tokens."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._runs: set[TrainingRun] = set()
        self._written: dict[TrainingRun, Packed | None] = {}  # the state in each run's file; None: its beginning
        self._before: dict[TrainingRun, Path] = {}  # the file that a run was resumed from
        self._lock = threading.Lock()  # around these three
        self._writing = threading.Lock()  # while a run is saved: what is older must not replace what is newer
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        self._fails = False

    def follow(self, run: TrainingRun, resumed: SavedRun | None = None) -> None:
        """Saves a run from now on, the first time before this returns. The file that it `resumed` from is kept until it has one
        of its own."""
        parameters = count_by_formula(run.plan.cfg)
        if 4 * (1 + len(moment_names(run.plan.recipe))) * parameters > limits.RUN_FILE_BYTES:
            return
        with self._writing, self._lock:
            self._runs.add(run)
            if resumed is not None:
                self._before[run] = resumed.file
            if self._thread is None and not self._closing.is_set():
                self._thread = threading.Thread(target=self._work, name="training-saves", daemon=True)
                self._thread.start()
        self._save(run)

    def follows(self, run: TrainingRun) -> bool:
        """Returns whether a run is under way and saved from time to time."""
        with self._lock:
            return run in self._runs

    def of(self, owner: str) -> list[SavedRun]:
        """An owner's runs that were cut off, the newest first."""
        files = list(self._path.glob(f"{_digest(owner)}-*{folder.SUFFIX}"))
        with self._lock:  # after listing the files: a run is in `_runs` before it has one
            here = {self._file(run) for run in self._runs} | {*self._before.values()}
        by_time = [(_used(file), _read(file)) for file in files if file not in here]
        return [run for _time, run in sorted(by_time, key=lambda each: each[0], reverse=True) if run is not None]

    def plan(self, run: SavedRun) -> TrainingPlan:
        """The plan that resumes a run. Raises CheckpointError, OSError."""
        return run_file.resumed(run.file.read_bytes())

    def forget(self, run: SavedRun) -> None:
        """Removes the file of a run that was cut off."""
        with suppress(OSError):  # in a folder that has become read-only, it stays
            run.file.unlink(missing_ok=True)

    def save(self) -> None:
        """Saves the runs that have got further, and removes the files of those that cannot go further."""
        with self._lock:
            runs = list(self._runs)
        for run in runs:
            self._save(run)

    def stop(self) -> None:
        """Saves all runs a last time. To be called before they are stopped."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()
            self.save()

    def _work(self) -> None:
        while not self._closing.wait(limits.RUNS_EVERY):
            self.save()

    def _save(self, run: TrainingRun) -> None:
        with self._writing:
            try:
                self._bring_up_to_date(run)
            except Exception:  # it concerns this run alone, and is tried again
                _log.exception("run %s could not be saved", run.id)

    # Called with `_writing` held:

    def _bring_up_to_date(self, run: TrainingRun) -> None:
        goes_further, state = run.goes_further, run.saved
        try:
            if not goes_further:
                self._file(run).unlink(missing_ok=True)
                self._drop_before(run)
            elif run not in self._written or self._written[run] is not state:
                self._put(run, state)
        except OSError as error:
            if not self._fails:
                _log.warning("runs cannot be saved in %s, and will not outlive the server: %s", self._path, error)
            self._fails = True
        if not goes_further or run.forgotten:
            with self._lock:
                self._runs.discard(run)
                self._before.pop(run, None)
                self._written.pop(run, None)

    def _put(self, run: TrainingRun, state: Packed | None) -> None:
        data = run_file.resumable(run.plan, state)
        self._path.mkdir(parents=True, exist_ok=True)
        write_whole(self._file(run), data)
        self._written[run] = state
        self._drop_before(run)
        folder.shrink(self._path, limits.RUNS_BYTES)

    def _drop_before(self, run: TrainingRun) -> None:
        before = self._before.get(run)
        if before is not None:
            before.unlink(missing_ok=True)
            with self._lock:  # not before the file is gone, or else `of` would offer it
                del self._before[run]

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
    """Reads the header of a file; None if it is damaged, or gone."""
    try:
        with file.open("rb") as opened:
            length = opened.read(8)
            data = length + opened.read(min(int.from_bytes(length, "little"), _HEADER))
        facts = read_facts(read_header(data)["__metadata__"]["facts"])
        return SavedRun(file, str(facts["task"]), int(facts["steps"]))
    except (CheckpointError, OSError, LookupError, TypeError, ValueError):
        return None
