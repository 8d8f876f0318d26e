"""How far a model that is learning has come by now, and how long it will still take."""

from dataclasses import dataclass

import numpy as np

from explorer import server
from transformer_core.errors import WordedError
from transformer_core.training.learning import last_step

_SHORTEST, _LONGEST = 0.1, 1.0  # seconds that a picture of it stands, where nobody else is learning
_LATER = 0.04  # of the time since it began, a picture stands for this share: most changes in the beginning
_CROWD = 4  # windows that watch at once before each is drawn less often


@dataclass(frozen=True)
class Progress:
    """How far a model has come: its newest step, the seconds since it began, and whether there is nothing to wait for any more
    (it is done, or cannot be begun); and what else is to be told of it."""

    step: int
    seconds: float
    over: bool
    note: WordedError | None = None

    @property
    def pause(self) -> float:
        """Seconds that a picture of it is to stand."""
        crowd = max(1, server.learning().watched // _CROWD)
        return max(_SHORTEST, min(_LATER * self.seconds, _LONGEST)) * crowd


def progress(key: str) -> Progress:
    """How far the model of this key has come by now."""
    demand = server.learning()
    if server.model_store().get(key) is not None or demand.refused(key) is not None:
        return Progress(0, 0.0, over=True)
    run = demand.run(key)
    newest = None if run is None else run.weights()
    return Progress(0 if newest is None else newest[0], demand.seconds(key), not demand.is_wanted(key), demand.note(key))


def seconds_left(key: str) -> tuple[int, bool] | None:
    """About how long it will still take: the steps that are left, at the pace so far; and whether that is known, or only the
    most that it can take. None before its first step."""
    run = server.learning().run(key)
    if run is None or (newest := run.weights()) is None or newest[0] == 0:
        return None
    so_far = run.learned()
    curve = np.empty((0, 3)) if so_far is None else so_far.curve
    left = last_step(run.plan, curve) - newest[0]
    known = run.plan.beyond is None or bool(len(curve) and curve[:, 1].max() >= run.plan.target)
    return max(1, round(server.learning().seconds(key) * left / newest[0])), known
