"""Who runs what, where tests run two at a time (`pytest -n 2`)."""

import pytest

BROWSER = "tests/browser/"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """A file's tests follow one another and share its fixtures; the browser's share one server and one Chromium."""
    from xdist.scheduler import LoadScopeScheduling

    class OneBrowser(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return BROWSER if nodeid.startswith(BROWSER) else nodeid.split("::")[0]

    config.option.loadscopereorder = False  # as they were collected
    return OneBrowser(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Two at a time, what takes longest comes first, so that both end together: the browser, the pages, and then all else."""
    if hasattr(config, "workerinput"):
        longest = (BROWSER, "tests/pages/", "tests/explorer/parts/")
        items.sort(key=lambda item: [not item.nodeid.startswith(folder) for folder in longest])
