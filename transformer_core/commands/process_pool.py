"""Jobs over processes of this machine. Where one dies, only its job is lost: `concurrent.futures` would give up all of them."""

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar, cast

Job = TypeVar("Job")
Result = TypeVar("Result")
_LIVES = 2  # tries of a job: once more when its process dies


def run(
    work: Callable[[Job], Result], jobs: Sequence[Job], count: int, lost: Callable[[Job, str], Result]
) -> Generator[Result, None, None]:
    """Yields what `work` makes of each job, as they finish, in `count` processes at most. `lost` is what is said of a job whose
    process has died twice. Closing the generator ends all processes; so does Ctrl-C, which they leave to this one."""
    waiting = deque((job, _LIVES) for job in jobs)
    workers = [_Worker(work) for _n in range(min(count, len(jobs)))]
    try:
        while waiting or any(worker.busy for worker in workers):
            for worker in workers:
                if waiting and not worker.busy:
                    worker.give(*waiting.popleft())
            busy = {worker.pipe: worker for worker in workers if worker.busy}
            for pipe in wait(list(busy)):
                worker = busy[cast(Connection, pipe)]
                job, lives = worker.given
                try:
                    yield worker.take()
                except EOFError:
                    workers[workers.index(worker)] = _Worker(work)
                    code = worker.end()
                    if lives > 1:
                        waiting.appendleft((job, lives - 1))
                    else:
                        yield lost(job, f"its process ended twice, the last time with code {code}")
    finally:
        for worker in workers:
            worker.end()


class _Worker(Generic[Job, Result]):
    """A process that does one job after another.

    Attributes:
        given: the job that it was given last, with its lives; busy: whether it is still at it.
    """

    def __init__(self, work: Callable[[Job], Result]) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, its_end = context.Pipe()
        self.process = context.Process(target=_serve, args=(its_end, work), daemon=True)
        self.process.start()
        its_end.close()  # so that its death ends the pipe
        self.given: tuple[Job, int]
        self.busy = False

    def give(self, job: Job, lives: int) -> None:
        self.given, self.busy = (job, lives), True
        with suppress(BrokenPipeError):  # it has died: the pipe says so to whoever waits at it
            self.pipe.send(job)

    def take(self) -> Result:
        """Raises EOFError where it has died."""
        try:
            result: Result = self.pipe.recv()
        except OSError as error:  # also in the midst of what it sent
            raise EOFError from error
        self.busy = False
        return result

    def end(self) -> int | None:
        """Ends it, and gives its exit code."""
        self.process.terminate()
        self.process.join()
        self.pipe.close()
        return self.process.exitcode


def _serve(pipe: "Connection[Any, Any]", work: Callable[[Any], Any]) -> None:
    """Runs in the process: one job after another, until nobody gives any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            pipe.send(work(pipe.recv()))
        except (EOFError, BrokenPipeError):
            return
