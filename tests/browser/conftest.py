"""A server, a Chromium, and windows that notice what should not happen in them."""

import os
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import pytest

from benchmarks import harness
from tests.browser.window import Window


def pytest_itemcollected(item: pytest.Item) -> None:
    """Called for the tests of this folder alone."""
    item.add_marker(pytest.mark.browser)


def _missing(what: str) -> NoReturn:
    """Without a browser these tests are skipped, but where REQUIRE_BROWSER is 1 that is a failure."""
    if os.environ.get("REQUIRE_BROWSER") == "1":
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """What opens windows. They share one cache, so that only the first one loads plotly.js."""
    found = harness.chromium()
    if found is None:
        _missing("no Chromium: install Debian's chromium, or name one in the environment variable CHROMIUM")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("no Playwright: pip install -r requirements-dev.txt")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=harness.CHROMIUM_FLAGS)
        yield chromium.new_context()
        chromium.close()


@pytest.fixture(scope="package")
def server(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[harness.Server]:
    """The server that most tests share."""
    server = harness.start(tmp_path_factory.mktemp("server"))
    try:
        yield server.wait()
    finally:
        code = server.stop()
    if words := harness.complaints(server, code):
        pytest.fail(words, pytrace=False)


@pytest.fixture
def open_window(browser: Any, server: harness.Server) -> Iterator[Callable[..., Window]]:
    """open_window(address, width=1440, scheme="light"): a new window on the shared server; `another`: of another browser."""
    windows: list[Window] = []

    def make(address: str | None = "", another: bool = False, **options: Any) -> Window:
        window = Window(browser.browser.new_context() if another else browser, server.url, **options)
        windows.append(window)
        return window if address is None else window.visit(address)

    yield make
    for window in windows:
        window.close()
    assert [problem for window in windows for problem in window.problems] == []
