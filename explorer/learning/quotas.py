"""Limits on the number, the memory and the resting time of runs: which are refused, make room, or are forgotten."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator

from explorer import limits
from explorer.learning.run import TrainingRun
from transformer_core.errors import InputError


def check_quota(run: TrainingRun, others: Collection[TrainingRun]) -> None:
    """Raises InputError when the server, or the run's owner, has as many runs as allowed.

    `others`: the unfinished runs. Resting ones do not count: they make room.
    """
    awake = [other for other in others if not other.resting]
    if len(awake) >= limits.MAX_RUNS:
        raise InputError("Unfinished runs on this server: {n}, which is the limit. Try again in a minute.", n=limits.MAX_RUNS)
    if sum(other.owner == run.owner for other in awake) >= limits.RUNS_PER_BROWSER:
        raise InputError(
            "Unfinished runs of this browser: {n}, which is the limit. Stop one of them, or wait until one is done.",
            n=limits.RUNS_PER_BROWSER,
        )


def runs_to_evict(run: TrainingRun, others: Collection[TrainingRun]) -> list[TrainingRun]:
    """Resting runs that must go when this run begins, because its owner or the server would have too many; the longest unseen
    come first. Raises InputError if there are too many runs that do not rest."""
    check_quota(run, others)
    left = left_first(others)
    own = [other for other in left if other.owner == run.owner]
    own = own[: _surplus(sum(other.owner == run.owner for other in others) + 1, limits.RUNS_PER_BROWSER)]
    rest = [other for other in left if other not in own]
    return own + rest[: _surplus(len(others) - len(own) + 1, limits.MAX_RUNS)]


def runs_to_forget_for_memory(run: TrainingRun, others: Iterable[TrainingRun]) -> list[TrainingRun] | None:
    """Runs to forget so that there is memory for this run: the oldest of those that are over, then resting ones. None if that
    is not enough. A run that is alone always has memory."""
    held, found = list(others), []
    useless = [*(other for other in held if other.over), *left_first(other for other in held if not other.over)]
    while held and sum(other.plan.bytes for other in [run, *held]) > limits.TRAINING_BYTES:
        if not useless:
            return None
        held.remove(useless[0])
        found.append(useless.pop(0))
    return found


def unseen(runs: Iterable[TrainingRun], is_open: Callable[[str], bool]) -> Iterator[TrainingRun]:
    """Runs that no window shows. Marks the others as just seen."""
    for run in runs:
        if any(is_open(viewer) for viewer in list(run.viewers)):
            run.last_seen = time.monotonic()
        else:
            yield run


def outdated(runs: Iterable[TrainingRun]) -> list[TrainingRun]:
    """Runs that have rested for as long as they may, and those that are too many at rest."""
    left = left_first(runs)
    too_many, others = left[: (n := _surplus(len(left), limits.RESTING_RUNS))], left[n:]
    return too_many + [run for run in others if time.monotonic() - run.last_seen > limits.GRACE + limits.REST]


def left_first(runs: Iterable[TrainingRun]) -> list[TrainingRun]:
    """Resting runs, the longest unseen first."""
    return sorted((run for run in runs if run.resting), key=lambda run: run.last_seen)


def _surplus(there: int, most: int) -> int:
    return max(0, there - most)
