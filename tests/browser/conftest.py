"""A server, a Chromium, and windows that notice what should not happen in them."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchmarks import harness
from tests.browser.window import Window

OpenWindow = Callable[..., Window]


# What a visitor does first, walked in every run of the tests. All other walks are slow: the gate takes them.
EVERY_TIME = {
    "test_attention_view": ("test_a_word_or_a_cell_pointed_at_shows_where_it_looks_without_the_server",),
    "test_bad_input": ("test_words_are_never_markup",),
    "test_cutting": ("test_a_line_a_word_and_a_head_are_cut_by_a_click",),
    "test_live": ("test_the_picture_follows_the_hand_and_the_page_when_it_is_let_go",),
    "test_start": ("test_cut_and_heal_without_the_server", "test_a_sentence_of_one_s_own"),
}


def pytest_itemcollected(item: pytest.Item) -> None:
    """Called for the tests of this folder alone."""
    item.add_marker(pytest.mark.browser)
    if item.originalname not in EVERY_TIME.get(item.path.stem, ()):
        item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="package")
def launch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Any]]:
    """launch(): a browser with a profile of its own, so that it keeps compiled scripts and its cookie, and opens windows. What
    is set in the profile may be given: launch(block_third_party_cookies=True)."""
    found = harness.chromium()
    if found is None:
        pytest.skip("no Chromium: install Debian's chromium, or name one in the environment variable CHROMIUM")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        pytest.skip("no Playwright: pip install -r requirements-dev.txt")
    with sync_playwright() as playwright:
        launched = []

        def one(**settings: Any) -> Any:
            profile = tmp_path_factory.mktemp("profile")
            (profile / "Default").mkdir()
            (profile / "Default" / "Preferences").write_text(json.dumps({"profile": settings}), encoding="utf-8")
            browser = playwright.chromium.launch_persistent_context(
                profile, executable_path=found, args=harness.CHROMIUM_FLAGS, locale="en-GB"
            )
            launched.append(browser)
            return browser

        yield one
        for browser in launched:
            browser.close()


@pytest.fixture(scope="package")
def browser(launch: Callable[[], Any]) -> Any:
    """That of most tests."""
    return launch()


@pytest.fixture(scope="package")
def other_browser(launch: Callable[[], Any]) -> Any:
    """That of somebody else."""
    return launch()


@contextmanager
def serving(folder: Path, path: str = "", **environment: str) -> Iterator[harness.Server]:
    """A server that must not complain of anything until it is stopped."""
    server = harness.start(folder, path, **environment)
    try:
        yield server.wait()
    finally:
        code = server.stop()
    if words := harness.complaints(server, code):
        pytest.fail(words, pytrace=False)


@pytest.fixture(scope="package")
def server(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[harness.Server]:
    """The server that most tests share."""
    with serving(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture(scope="package")
def learned_here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of models of those tests in which models learn."""
    return tmp_path_factory.mktemp("learned")


@pytest.fixture(scope="package")
def learning_server(browser: Any, learned_here: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[harness.Server]:
    """The server of those tests in which models learn; and it serves the app below a path, as it may lie anywhere."""
    with serving(tmp_path_factory.mktemp("learning"), "/tool/box", EXPLORER_MODELS=str(learned_here)) as server:
        yield server


@pytest.fixture(scope="package")
def opened() -> list[Window]:
    """The windows that are open now."""
    return []


@pytest.fixture(autouse=True)
def nothing_is_wrong(opened: list[Window]) -> Iterator[None]:
    """After each test, in every window that stays open."""
    yield
    for window in opened:
        window.no_complaint()


@contextmanager
def windows_on(browser: Any, server: harness.Server, opened: list[Window]) -> Iterator[OpenWindow]:
    mine: list[Window] = []

    def make(address: str | None = "", browser: Any = browser, **options: Any) -> Window:
        window = Window(browser, server.url, **options)
        mine.append(window)
        opened.append(window)
        return window if address is None else window.visit(address)

    try:
        yield make
        for window in mine:
            window.no_complaint()
    finally:
        for window in mine:
            opened.remove(window)
            window.close()


@pytest.fixture
def open_window(browser: Any, server: harness.Server, opened: list[Window]) -> Iterator[OpenWindow]:
    """open_window(address, width=1440, scheme="light", browser=browser): a new window on the shared server, for one test."""
    with windows_on(browser, server, opened) as make:
        yield make


@pytest.fixture(scope="module")
def open_for_all(browser: Any, server: harness.Server, opened: list[Window]) -> Iterator[OpenWindow]:
    """The same, for all tests of a file."""
    with windows_on(browser, server, opened) as make:
        yield make


@pytest.fixture(scope="module")
def window(open_for_all: OpenWindow) -> Window:
    """One window, 1440 wide, that the tests of a file use one after the other: each begins with `visit`."""
    return open_for_all(None)
