"""Who runs what, where tests run two at a time (`pytest -n 2`)."""

import pytest

_FIRST = ("tests/browser/", "tests/pages/")  # what takes longest is begun first


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """The browser's tests follow one another, with one server and one Chromium for all of them; the others run beside them."""
    from xdist.scheduler import LoadScopeScheduling

    class OneBrowser(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return "browser" if nodeid.startswith("tests/browser/") else nodeid.split("::")[0]

    config.option.loadscopereorder = False  # not by the number of tests, but in the order below
    return OneBrowser(config, log)


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: next((i for i, folder in enumerate(_FIRST) if item.nodeid.startswith(folder)), len(_FIRST)))
