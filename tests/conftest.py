"""Where tests keep models, and who runs what, where they run two at a time (`pytest -n 2`)."""

import gc
import os
import shutil
import sys
import tempfile

import pytest

BROWSER = "tests/browser/"
EACH_ALONE = "tests/benchmarks/test_each_runs.py"  # its tests share nothing, and take long
# One of the two halves of the browser's tests. All that opens the story is in it, as each server trains the story's model;
# and no test that is run every time, so that those have one server.
BESIDE = (
    "test_tour",
    "test_pictures",
    "test_settings",
    "test_story",
    "test_look_closer",
    "test_arithmetic",
    "test_first_screen",
)


def pytest_configure(config):
    """What tests learn is kept in a folder of their own, and what was learned on this machine before is not there."""
    config.models = tempfile.mkdtemp(prefix="models-")
    os.environ["EXPLORER_MODELS"] = config.models
    os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported, as the app does


def pytest_unconfigure(config):
    """A thread that still computed when Python ends would abort the process."""
    if resources := sys.modules.get("explorer.resources"):
        resources.stop()
    shutil.rmtree(config.models, ignore_errors=True)


def pytest_itemcollected(item):
    """What needs programs that not everybody has takes long as well."""
    if any(item.get_closest_marker(name) for name in ("nginx", "cluster")):
        item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """Where NOTHING_SKIPPED is 1, a test that skips has failed, unless it needs a graphics card."""
    report = yield
    if report.skipped and os.environ.get("NOTHING_SKIPPED") == "1" and not item.get_closest_marker("gpu"):
        report.outcome, report.longrepr = "failed", f"skipped, which NOTHING_SKIPPED forbids: {report.longrepr[2]}"
    return report


@pytest.fixture(autouse=True)
def nothing_goes_on_learning():
    """A page without a browser is never closed: what it has begun to learn would go on beside all other tests."""
    yield
    if resources := sys.modules.get("explorer.resources"):
        resources.learning().stop()


@pytest.fixture(autouse=True)
def folders_may_take_their_time(monkeypatch):
    """A busy machine may take longer over a file than the app waits for an address."""
    if files := sys.modules.get("transformer_core.training.files"):
        monkeypatch.setattr(files, "_SILENCE", 600.0)


@pytest.fixture(autouse=True)
def the_script_of_a_page_is_not_the_program():
    """A script that a test runs takes the place of `__main__`, where it stays; a process begun later would run it first."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """A file's tests follow one another and share its fixtures; those of the browser are two halves, each with a server."""
    from xdist.scheduler import LoadScopeScheduling

    class BrowsersFirst(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.split("::")[0]
            if file == EACH_ALONE:
                return nodeid
            return f"{BROWSER}{file[len(BROWSER) : -3] in BESIDE}" if file.startswith(BROWSER) else file

    config.option.loadscopereorder = False  # as they were collected
    return BrowsersFirst(config, log)


def pytest_collection_finish():
    """All modules and tests stay to the end: the garbage collector need not go through them, nor through the rest so often."""
    gc.freeze()
    gc.set_threshold(10_000)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Two at a time, what takes longest comes first, so that both end together: the browser, the pages, and then all else."""
    if hasattr(config, "workerinput"):
        longest = (BROWSER, "tests/pages/")
        items.sort(key=lambda item: [not item.nodeid.startswith(folder) for folder in longest])
