"""Runs that have been replaced by newer ones: their plans and histories, without their models."""

from dataclasses import dataclass, replace

from explorer.training import limits
from explorer.training.plan import TrainingPlan
from explorer.training.run import TrainingRun
from explorer.training.run_history import RunHistory


@dataclass(frozen=True)
class PastRun:
    """A run, numbered among its owner's: its plan, and its history up to now or to its end."""

    number: int
    plan: TrainingPlan
    history: RunHistory

    @property
    def nbytes(self) -> int:
        return self.history.loss.nbytes + sum(snapshot.nbytes for snapshot in self.history.snapshots)


class PastRuns:
    """The past runs of every owner, a few each, within a total limit. Called with the scheduler's lock held."""

    def __init__(self) -> None:
        self._kept: dict[str, list[PastRun]] = {}  # by owner; the owner who added a run most recently comes last

    def add(self, run: TrainingRun) -> None:
        """Keeps a run's history for its owner, unless it is empty; the oldest make room for it."""
        history = run.history()
        if not len(history.loss):
            return
        kept = self._kept.pop(run.owner, [])
        kept.append(PastRun(self._next(kept), replace(run.plan, resume_from=None), history))
        self._kept[run.owner] = kept[-limits.PAST_RUNS :]
        while len(self._kept) > 1 and sum(each.nbytes for own in self._kept.values() for each in own) > limits.PAST_BYTES:
            del self._kept[next(iter(self._kept))]

    def of(self, owner: str) -> list[PastRun]:
        """An owner's past runs, oldest first."""
        return list(self._kept.get(owner, ()))

    def with_now(self, run: TrainingRun | None, owner: str) -> list[PastRun]:
        """The same, followed by the current run."""
        kept = self.of(owner)
        history = run.history() if run is not None else None
        if run is not None and history is not None and len(history.loss):
            kept.append(PastRun(self._next(kept), run.plan, history))
        return kept

    @staticmethod
    def _next(kept: list[PastRun]) -> int:
        return kept[-1].number + 1 if kept else 1
