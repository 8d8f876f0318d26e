"""How much training one server takes on. All limits in one place."""

import os

WORKERS = max(1, os.cpu_count() or 1)  # threads that step runs, outside those that serve pages
SLICE = 0.04  # seconds a run is stepped before the next one has its turn
MAX_RUNS = 64  # runs that may be under way on the server
MAX_STEPS = 20_000  # of one run
MAX_TEST_ROWS = 1_000  # tried at each look
MAX_PARAMETERS = 10_000_000  # of a model in training; Adam keeps four numbers for each
MAX_STEP_TOKENS = 20_000  # batch size times (source + target length)
SNAPSHOTS = 256  # of one run, to look back at
SNAPSHOT_BYTES = 8 * 2**20
KEYFRAMES = 32  # whole states of one run, to go back to; between two of them its steps are taken once more
KEYFRAME_BYTES = 16 * 2**20
GRACE = 40.0  # seconds that a run outlives its last browser tab
MODEL_BYTES = 300 * 2**20  # of all stored models together; the longest unused go first
