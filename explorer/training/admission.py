"""Whether the server takes on another run."""

from collections.abc import Collection

from explorer.training import limits
from explorer.training.run import TrainingRun
from transformer_core.errors import InputError


def check_room(run: TrainingRun, others: Collection[TrainingRun]) -> None:
    """Raises InputError when the server, or the run's owner, has as many as allowed. `others`: the unfinished runs."""
    if len(others) >= limits.MAX_RUNS:
        raise InputError("Unfinished runs on this server: {n}, which is the limit. Try again in a minute.", n=limits.MAX_RUNS)
    if sum(other.owner == run.owner for other in others) >= limits.RUNS_PER_SESSION:
        raise InputError(
            "Unfinished runs of this browser: {n}, which is the limit. Stop one of them, or wait until one is done.",
            n=limits.RUNS_PER_SESSION,
        )
