"""All limits of a server, in one place.

Those that somebody who runs one may want to turn are set by an environment variable, their name with the prefix EXPLORER_:
EXPLORER_MAX_ACTIVE=10. All of them stand in docs/operations.md.
"""

import os
from typing import TypeVar

Number = TypeVar("Number", int, float)


def _limit(name: str, default: Number, or_zero: bool = False) -> Number:
    """The default, or the environment's value. Raises ValueError if that is not a number above 0 (`or_zero`: nor 0)."""
    words = os.environ.get(f"EXPLORER_{name}", "").strip()
    try:
        value = type(default)(words) if words else default
    except ValueError:
        value = type(default)(-1)
    if not (0 < value < float("inf") or (or_zero and value == 0)):
        kind = "whole number" if isinstance(default, int) else "number"
        raise ValueError(f"EXPLORER_{name} must be a {kind} above 0{' or 0' if or_zero else ''}, not {words!r}")
    return value


ROOM_SCRIPT = os.environ.get("EXPLORER_ROOM_SCRIPT", "").strip()  # file with the script of a room; "": the app's own
PUBLIC_ADDRESS = os.environ.get("EXPLORER_PUBLIC_ADDRESS", "").strip()  # address of this server for phones; "": found out
COPIES = _limit("COPIES", 1)  # copies of the app behind one nginx; the host's page says how busy this one is
SCRIPT_SHARE = _limit("SCRIPT_SHARE", 0.05)  # seconds after which a script run lets the next one compute beside it
WORKERS = _limit("WORKERS", os.cpu_count() or 1)  # cores of this machine that train; pages are served besides
WORKER_PROCESSES = _limit("WORKER_PROCESSES", 1, or_zero=True)  # 1: each worker is a process; 0: a thread of the server
WORKER_NICE = _limit("WORKER_NICE", 5, or_zero=True)  # niceness of worker processes; 0: that of the pages
SAVE_EVERY = _limit("SAVE_EVERY", 2.0)  # seconds of training that may be lost when a worker ends, about
CLUSTER_WORKERS = _limit("CLUSTER_WORKERS", 64)  # cores of other machines that train besides, see `ray_workers`
CLUSTER_EVERY = _limit("CLUSTER_EVERY", 5.0)  # seconds between two looks for machines that have come or gone
CLUSTER_SILENCE = _limit("CLUSTER_SILENCE", 60.0)  # seconds without an answer, after which a core counts as lost
MAX_ACTIVE = _limit("MAX_ACTIVE", 32 * WORKERS)  # runs that train in turn, enough for a room of sixty; others wait in a queue
MAX_RUNS = _limit("MAX_RUNS", 200)  # unfinished runs on the server: active, waiting and paused
RUNS_PER_BROWSER = _limit("RUNS_PER_BROWSER", 4)  # unfinished runs of one browser
TRAINING_BYTES = _limit("TRAINING_BYTES", 3 * 2**30)  # bytes of all runs together, by estimate
PREPARE_NEIGHBOURS = _limit("PREPARE_NEIGHBOURS", 6, or_zero=True)  # models one setting away, trained while idle
MAX_MINUTES = _limit("MAX_MINUTES", 20.0)  # minutes of compute for one run
MAX_STEPS = _limit("MAX_STEPS", 20_000)  # steps of one run
MAX_PARAMETERS = _limit("MAX_PARAMETERS", 10_000_000)  # parameters of a model in training; Adam keeps four numbers for each
GRACE = _limit("GRACE", 40.0)  # seconds that a run goes on without a browser tab; then it ends, or rests
RESTING_RUNS = _limit("RESTING_RUNS", 30)  # runs at rest in memory; the longest unseen are dropped first
RUNS_BYTES = _limit("RUNS_BYTES", 512 * 2**20)  # bytes of the folder of runs that go on after a restart
FOLDER_BYTES = _limit("FOLDER_BYTES", 2 * 2**30)  # bytes of the folder of learned models; the longest unused are removed first
OPENED_BYTES = _limit("OPENED_BYTES", 512 * 2**20, or_zero=True)  # bytes of models opened from files, kept for links

# The same on every server.
SCRIPT_RUNS = 1  # script runs that compute at the same time
LIVE_THREADS = 2  # threads that compute pictures while a knob is dragged
LIVE_SOCKETS = 300  # windows connected at once for such pictures
WORKER_DEATHS = 3  # workers in a row that end while they train a run, after which the run fails
SLICE = 0.04  # seconds that a run trains before the next one's turn
CLUSTER_SLICE = 0.1  # the same on other machines: an order takes a few milliseconds to arrive
CLUSTER_ACTIVE = 16  # added to MAX_ACTIVE for each core of another machine
CLUSTER_LOOK = 10.0  # seconds that a look may take, after which the cluster counts as lost
MAX_TEST_ROWS = 1_000  # held-out sequences in each evaluation
MAX_STEP_TOKENS = 20_000  # tokens of one step: batch size times (source + target length)
MAX_LENGTH = 128  # tokens of a sequence that is shown, or learned from
MAX_STEP_SECONDS = 20.0  # seconds of one step with its share of the evaluations, by estimate
SNAPSHOTS = 256  # snapshots of one run, for its timeline
PICTURES = 128  # further snapshots of one run, for slow motion
SNAPSHOT_BYTES = 8 * 2**20  # bytes of the snapshots of one run
KEYFRAMES = 32  # states of one run, to resume from; steps between two of them are repeated
KEYFRAME_BYTES = 16 * 2**20  # bytes of these states
PAST_RUNS = 8  # past runs of one browser, whose histories are kept for comparison
PAST_BYTES = 256 * 2**20  # bytes of all past runs; those of the least active browser are dropped first
REST = 3600.0  # seconds that a run which a person began rests in memory: their computer may be asleep
TICK = 5.0  # seconds between two checks for runs whose browser tabs are gone
COURSE_BYTES = 6 * 2**20  # bytes of the weights of a run's kept steps in a file of its model
MODEL_BYTES = 300 * 2**20  # bytes of all stored models; the least recently opened are dropped first
RUN_FILE_BYTES = 32 * 2**20  # bytes of one file of a run that goes on after a restart: a larger run is not saved
RUNS_EVERY = 5.0  # seconds between two times that runs are saved
FORWARD_BYTES = 300 * 2**20  # bytes of all tensors of one forward pass that is shown
TURN_OPERATIONS = 20 * 10**9  # operations in one go, about half a second of a core
VIEW_OPERATIONS = 200 * 10**9  # operations behind one picture that is drawn unasked: seconds
MEASURE_OPERATIONS = 20 * 10**12  # operations of one measurement: some minutes
