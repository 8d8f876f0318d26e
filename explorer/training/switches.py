"""What may be asked of a run, and what follows from it: whether it is to be trained."""

import threading

from explorer.training.pace import Clock
from explorer.training.run_history import OVER, Status
from transformer_core.errors import WordedError


class Switches:
    """Status and switches of a run. What ends it is for good, unless it goes back to a step.

    Attributes:
        watched: whether its steps are taken so slowly that one can watch them.
        resting: whether nobody has it on screen, so that it takes no steps, whatever its status says.
    """

    def __init__(self, watched: bool) -> None:
        self.watched = watched
        self.resting = False
        self._clock = Clock()
        self._lock = threading.Lock()
        self._status = Status.RUNNING
        self._message: WordedError | None = None  # why it failed, or was stopped by the server
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
        """Whether it was ended from outside, by a person or by the server."""
        return self._status is Status.STOPPED and self._message is None

    def play(self) -> None:
        self._switch(Status.RUNNING)

    def pause(self) -> None:
        self._switch(Status.PAUSED)

    def stop(self) -> None:
        self._switch(Status.STOPPED)

    def rest(self, resting: bool = True) -> None:
        """Rests from now on, or no longer."""
        with self._lock:
            self.resting = resting
            self._clock.stand()

    def step_once(self) -> None:
        """One step, then pause again."""
        with self._lock:
            if not self.over:
                self._status, self._pause_at = Status.PAUSED, None
                self._single_steps += 1

    def wants_work(self) -> bool:
        """Whether it is to be trained."""
        with self._lock:
            return self._wants_work()

    def _wants_work(self) -> bool:
        return not (self.over or self.resting) and (self._status is Status.RUNNING or self._single_steps > 0)

    def _switch(self, status: Status) -> None:
        with self._lock:
            if not self.over:
                self._status, self._single_steps, self._pause_at = status, 0, None
                self._clock.stand()

    def _fail(self, message: WordedError) -> None:
        """Called with the lock held."""
        if not self.over:
            self._status, self._message, self._single_steps = Status.FAILED, message, 0
