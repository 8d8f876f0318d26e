"""Jobs as tasks of a Ray cluster, which may be other machines. Ray is needed for nothing else here, and imported only then."""

import os
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import TypeVar

from transformer_core.errors import InputError

Job = TypeVar("Job")
Result = TypeVar("Result")
_ROOT = Path(__file__).parents[2]  # the folder that holds this package


def run(
    work: Callable[[Job], Result], jobs: Sequence[Job], address: str, cpus: int, lost: Callable[[Job, str], Result]
) -> Generator[Result, None, None]:
    """Yields what `work` makes of each job, as they finish, on the cluster at `address`: "auto" finds one that runs on this
    machine, and "local" begins one of its own. A task that is lost with its process or its machine is tried once more; `lost`
    is what is said of it then. All machines have this package, at the same place or installed.

    Raises:
        InputError: where Ray is not installed, or no cluster answers.
    """
    os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # asked when it is imported
    try:
        import ray
    except ImportError as error:
        raise InputError(
            "EXPLORER_CLUSTER is set, and Ray is not installed: pip install -r requirements-cluster.txt, or unset it"
        ) from error
    own = {"include_dashboard": False} if address == "local" else {}
    try:
        ray.init(
            address, log_to_driver=False, logging_level="ERROR", runtime_env={"env_vars": {"PYTHONPATH": str(_ROOT)}}, **own
        )
    except Exception as error:  # of no kind of its own: some are bare exceptions
        raise InputError("no Ray cluster answers at {address}: {error}", address=address, error=str(error)) from error

    def run(job: Job) -> Result:
        return work(job)

    task = ray.remote(num_cpus=cpus, max_retries=1)(run)
    waiting = {task.remote(job): job for job in jobs}
    try:
        while waiting:
            (done,), _others = ray.wait(list(waiting), num_returns=1)
            job = waiting.pop(done)
            try:
                yield ray.get(done)
            except ray.exceptions.RayError as error:
                yield lost(job, f"{type(error).__name__}: {error}")
    finally:
        for left in waiting:
            ray.cancel(left, force=True)
        ray.shutdown()
