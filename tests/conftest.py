"""Who runs what, where tests run two at a time (`pytest -n 2`)."""

import pytest

BROWSER = "tests/browser/"
BESIDE = ("test_tour", "test_pictures", "test_settings", "test_story", "test_attention_view", "test_arithmetic")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """A file's tests follow one another and share its fixtures; those of the browser are two halves, each with a server."""
    from xdist.scheduler import LoadScopeScheduling

    class BrowsersFirst(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.split("::")[0]
            return f"{BROWSER}{file[len(BROWSER) : -3] in BESIDE}" if file.startswith(BROWSER) else file

    config.option.loadscopereorder = False  # as they were collected
    return BrowsersFirst(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Two at a time, what takes longest comes first, so that both end together: the browser, the pages, and then all else."""
    if hasattr(config, "workerinput"):
        longest = (BROWSER, "tests/pages/", "tests/explorer/parts/")
        items.sort(key=lambda item: [not item.nodeid.startswith(folder) for folder in longest])
