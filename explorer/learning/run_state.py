"""The state of a run: running, paused or over, and how people change it."""

import threading

from explorer.learning.run_history import OVER, Status
from explorer.learning.slow_motion import Clock
from transformer_core.errors import WordedError


class RunState:
    """The status of a run, and the buttons that change it. A run that is over stays so, unless it goes back to a step.

    Attributes:
        watched: whether it trains in slow motion.
        resting: whether it takes no steps, whatever its status, because nobody has it on screen.
    """

    def __init__(self, watched: bool) -> None:
        self.watched = watched
        self.resting = False
        self._clock = Clock()
        self._lock = threading.Lock()
        self._status = Status.RUNNING
        self._message: WordedError | None = None  # why it failed, or why the server stopped it
        self._single_steps = 0
        self._pause_at: int | None = None

    @property
    def status(self) -> Status:
        return self._status

    @property
    def over(self) -> bool:
        return self._status in OVER

    @property
    def given_up(self) -> bool:
        """Returns whether it was stopped from outside, by a person or by the server."""
        return self._status is Status.STOPPED and self._message is None

    def play(self) -> None:
        self._switch(Status.RUNNING)

    def pause(self) -> None:
        self._switch(Status.PAUSED)

    def stop(self) -> None:
        self._switch(Status.STOPPED)

    def rest(self, resting: bool = True) -> None:
        """Begins to rest, or stops resting."""
        with self._lock:
            self.resting = resting
            self._clock.stop()

    def step_once(self) -> None:
        """Takes one step, then pauses again."""
        with self._lock:
            if not self.over:
                self._status, self._pause_at = Status.PAUSED, None
                self._single_steps += 1

    def wants_work(self) -> bool:
        """Returns whether it has steps to take now."""
        with self._lock:
            return self._wants_work()

    def _wants_work(self) -> bool:
        return not (self.over or self.resting) and (self._status is Status.RUNNING or self._single_steps > 0)

    def _switch(self, status: Status) -> None:
        with self._lock:
            if not self.over:
                self._status, self._single_steps, self._pause_at = status, 0, None
                self._clock.stop()

    def _fail(self, message: WordedError) -> None:
        """Called with the lock held."""
        if not self.over:
            self._status, self._message, self._single_steps = Status.FAILED, message, 0
