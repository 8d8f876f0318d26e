"""The progress of a model that is learning, and the time it still needs."""

from dataclasses import dataclass

import numpy as np

from explorer import resources
from explorer.learning.slowness import BUSY
from transformer_core.errors import WordedError
from transformer_core.training.learning import last_step

_SHORTEST, _LONGEST = 0.1, 1.0  # seconds between pictures of it, if nobody else watches
_LATER = 0.04  # share of the time so far between pictures: most changes in the beginning
_CROWD = 4  # windows that watch at once before each is redrawn less often


@dataclass(frozen=True)
class Progress:
    """The newest step of a model, the seconds since it began, whether waiting is over (it is done, or was refused), and a
    message about its learning.
    """

    step: int
    seconds: float
    over: bool
    note: WordedError | None = None

    @property
    def pause(self) -> float:
        """Seconds until the next picture of it."""
        crowd = max(1, resources.learning().watched // _CROWD)
        return max(_SHORTEST, min(_LATER * self.seconds, _LONGEST)) * crowd


def progress(key: str) -> Progress:
    """Returns the progress of the model with this key."""
    demand = resources.learning()
    if resources.model_store().get(key) is not None or demand.refused(key) is not None:
        return Progress(0, 0.0, over=True)
    run = demand.run(key)
    newest = None if run is None else run.weights()
    return Progress(0 if newest is None else newest[0], demand.seconds(key), not demand.is_wanted(key), demand.note(key))


def is_slow() -> bool:
    """Returns whether learning takes much longer at present than on an idle computer."""
    return resources.training_scheduler().slowness.now() >= BUSY


def seconds_left(key: str) -> tuple[int, bool] | None:
    """Estimates the seconds that are left from the speed so far, and says whether the number of steps is known or only a
    maximum. None before the first step.
    """
    run = resources.learning().run(key)
    if run is None or (newest := run.weights()) is None or newest[0] == 0:
        return None
    so_far = run.learned()
    curve = np.empty((0, 3)) if so_far is None else so_far.curve
    left = last_step(run.plan, curve) - newest[0]
    known = run.plan.beyond is None or bool(len(curve) and curve[:, 1].max() >= run.plan.target)
    return max(1, round(resources.learning().seconds(key) * left / newest[0])), known
