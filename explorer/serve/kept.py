"""A process that is kept running: started again when it ends, and ended with all that it has started."""

import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

_LONGEST_PAUSE = 30.0  # seconds before a process is started again that keeps ending
_STABLE = 30.0  # seconds after which a process that ends counts as one that ended for the first time
_PATIENCE = 15.0  # seconds for a process that was asked to end


class Kept:
    """A process of the operating system.

    Attributes:
        starts: how often it was started.
    """

    def __init__(self, name: str, command: Sequence[str], environment: Mapping[str, str], folder: Path):
        self.name, self.starts = name, 0
        self._command, self._environment, self._folder = list(command), dict(environment), folder
        self._process: subprocess.Popen[bytes] | None = None
        self._pause = self._began = self._due = 0.0

    def start(self) -> None:
        """Raises OSError where it cannot be started."""
        # A session of its own: a Ctrl-C at the terminal is for us, who then end it in order.
        self._process = subprocess.Popen(
            self._command, cwd=self._folder, env=self._environment, stdin=subprocess.DEVNULL, start_new_session=True
        )
        self._began = time.monotonic()
        self.starts += 1

    @property
    def pid(self) -> int:
        return 0 if self._process is None else self._process.pid

    @property
    def runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def look(self) -> str | None:
        """Call often: starts it again where it has ended, at once the first time, and after longer and longer pauses where it
        keeps ending. Returns a sentence where there is something to tell."""
        now = time.monotonic()
        if self.runs:
            return None
        if self._process is not None:
            code, self._process = self._process.returncode, None
            self._pause = 0.0 if now - self._began > _STABLE or self.starts == 1 else min(2 * self._pause + 1, _LONGEST_PAUSE)
            self._due = now + self._pause
            when = f"in {self._pause:.0f} s" if self._pause else "now"
            return f"{self.name} has ended (exit code {code}) and is started again {when}"
        if now < self._due:
            return None
        try:
            self.start()
        except OSError as error:  # no memory, say: there may be some later
            self._due = now + _LONGEST_PAUSE
            return f"{self.name} cannot be started ({error}); once more in {_LONGEST_PAUSE:.0f} s"
        return None

    def ask_to_end(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def end(self, patience: float = _PATIENCE) -> None:
        """Waits until it has ended, and ends it by force where that takes too long."""
        if self._process is None:
            return
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
