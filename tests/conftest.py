"""Who runs what, where tests run two at a time (`pytest -n 2`)."""

import pytest


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """The browser's tests follow one another, with one server and one Chromium for all of them; the others run beside them."""
    from xdist.scheduler import LoadScopeScheduling

    class OneBrowser(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return "browser" if nodeid.startswith("tests/browser/") else nodeid

    return OneBrowser(config, log)
