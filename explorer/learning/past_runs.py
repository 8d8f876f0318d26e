"""Past runs, which newer ones have replaced: their histories, without their models."""

from collections.abc import Iterable
from dataclasses import replace

from explorer import limits
from explorer.learning.race import RacePlan
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import RunHistory, Status


class PastRuns:
    """The past runs of all owners, a few each, within a total limit. Called with the scheduler's lock held."""

    def __init__(self) -> None:
        self._kept: dict[str, list[RunHistory]] = {}  # by owner; the owner who added a run most recently comes last

    def add_run(self, run: TrainingRun) -> None:
        """Keeps a run's history for its owner, unless it is empty; the oldest make room for it."""
        now = _now(run)
        if run.pair is not None or not len(now.loss):
            return
        kept = self._kept.pop(run.owner, [])
        kept.append(replace(now, plan=replace(run.plan, resume_from=None)))
        self._kept[run.owner] = kept[-limits.PAST_RUNS :]
        while len(self._kept) > 1 and sum(each.nbytes for own in self._kept.values() for each in own) > limits.PAST_BYTES:
            del self._kept[next(iter(self._kept))]

    def of(self, owner: str) -> list[RunHistory]:
        """An owner's past runs, oldest first."""
        return list(self._kept.get(owner, ()))

    def with_now(self, run: TrainingRun | None, owner: str, here: Iterable[TrainingRun]) -> list[RunHistory]:
        """An owner's past runs and those still on the server (`here`), oldest first; then `run`, if it is somebody else's."""
        mine = [_now(each) for each in _alone(here, owner)]
        numbered = sorted((*self.of(owner), *mine), key=lambda each: each.number)
        if run is not None and run.owner != owner:
            numbered.append(replace(_now(run), number=numbered[-1].number + 1 if numbered else 1))
        return [each for each in numbered if len(each.loss)]

    def next_number(self, owner: str, here: Iterable[TrainingRun]) -> int:
        """The number of an owner's next run."""
        numbers = [each.number for each in self.of(owner)] + [each.number for each in _alone(here, owner)]
        return 1 + max(numbers, default=0)


def _alone(runs: Iterable[TrainingRun], owner: str) -> list[TrainingRun]:
    """An owner's runs, without those of ablations, which are compared as pairs only, and without races."""
    return [run for run in runs if run.owner == owner and run.pair is None and not isinstance(run.plan, RacePlan)]


def _now(run: TrainingRun) -> RunHistory:
    history = run.history()
    return replace(history, status=Status.PAUSED) if run.resting and not run.over else history
