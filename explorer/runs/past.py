"""Runs that others have taken the place of: what they were to do and what became of them, without their models."""

from dataclasses import dataclass, replace

from explorer.runs import limits
from explorer.runs.history import History
from explorer.runs.run import Plan, Run


@dataclass(frozen=True)
class PastRun:
    """A run of a window, by its number there: its plan, and its history up to now or to its end."""

    number: int
    plan: Plan
    history: History

    @property
    def nbytes(self) -> int:
        return self.history.loss.nbytes + sum(snapshot.nbytes for snapshot in self.history.snapshots)


class Past:
    """The past runs of every window, a few of each, within a bound for all. Called with its scheduler's lock held."""

    def __init__(self) -> None:
        self._kept: dict[str, list[PastRun]] = {}  # by the window's name, the one that added a run last at the end

    def add(self, run: Run) -> None:
        """Keeps a run's history for its owner, if there is anything to tell; the oldest go for it."""
        history = run.history()
        if not len(history.loss):
            return
        kept = self._kept.pop(run.owner, [])
        kept.append(PastRun(self._next(kept), replace(run.plan, begin=None), history))
        self._kept[run.owner] = kept[-limits.PAST_RUNS :]
        while len(self._kept) > 1 and sum(each.nbytes for own in self._kept.values() for each in own) > limits.PAST_BYTES:
            del self._kept[next(iter(self._kept))]

    def of(self, owner: str) -> list[PastRun]:
        """A window's past runs, the oldest first."""
        return list(self._kept.get(owner, ()))

    def with_now(self, run: Run | None, owner: str) -> list[PastRun]:
        """The same, and behind them the run that is there now."""
        kept = self.of(owner)
        history = run.history() if run is not None else None
        if run is not None and history is not None and len(history.loss):
            kept.append(PastRun(self._next(kept), run.plan, history))
        return kept

    def hand_over(self, owner: str, to: str) -> None:
        """A window that was loaded anew has another name."""
        if kept := self._kept.pop(owner, None):
            self._kept[to] = kept

    @staticmethod
    def _next(kept: list[PastRun]) -> int:
        return kept[-1].number + 1 if kept else 1
