"""Pins what becomes of the app in a frame of another site's page: where EXPLORER_FRAMES names that site, people are known there
as in a window of their own; anybody else's frame stays empty. Who keeps no cookies is told what does not work without."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from benchmarks import harness
from explorer.serve.configuration import nginx
from tests.browser.conftest import serving
from tests.browser.test_training import LONG
from tests.browser.window import Window
from transformer_core import SHIPPED_MODELS

RELOADED = "() => !window.before && window.settled()"


class Page(BaseHTTPRequestHandler):
    """A page with a frame round the address that it is asked for by, as /?http://..."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f'<link rel="icon" href="data:,"><iframe src="{self.path[2:]}" width="1400" height="850">'.encode())

    def log_message(self, *_words: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    """The origin of another site: to a browser, localhost is not 127.0.0.1."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as other:
        threading.Thread(target=other.serve_forever).start()
        yield f"http://localhost:{other.server_port}"
        other.shutdown()


@pytest.fixture(scope="module")
def strict_browser(launch: Callable[..., Any]) -> Any:
    """One that keeps no cookies of a framed page, but those that say that they are meant for the page round it."""
    return launch(block_third_party_cookies=True, cookie_controls_mode=1)


@contextmanager
def framed(browser: Any, server: harness.Server, site: str, page: str) -> Iterator[tuple[Window, Any]]:
    """A window on the site, and the frame in it."""
    window = Window(browser, server.url)
    try:
        window.page.goto(f"{site}/?{server.url}/{page}")
        yield window, window.page.locator("iframe").element_handle().content_frame()
    finally:
        window.close()


def test_in_a_frame_that_the_host_allows_a_run_is_ones_own_and_files_can_be_opened(
    strict_browser: Any, tmp_path: Path, site: str
) -> None:
    with serving(tmp_path, EXPLORER_FRAMES=site) as server:
        all_can_be_done(strict_browser, server, site)


@pytest.mark.nginx
@pytest.mark.slow
def test_behind_nginx_too_where_a_seat_must_be_kept(strict_browser: Any, tmp_path: Path, site: str) -> None:
    if nginx() is None:
        pytest.skip("no nginx: install Debian's package nginx")
    started = harness.start(tmp_path, copies=2, EXPLORER_FRAMES=site)
    try:
        all_can_be_done(strict_browser, started.wait(240), site)
    finally:
        code = started.stop(60)
    assert code == 0, started.log


def all_can_be_done(browser: Any, server: harness.Server, site: str) -> None:
    """A run that was started in the frame is steered from there after a reload, and a model is opened from a file."""
    with framed(browser, server, site, LONG) as (window, frame):
        frame.locator(".st-key-button-play_circle button").click()
        frame.locator(".st-key-button-pause button:enabled").click()
        resume = frame.locator(".st-key-button-play_arrow button:enabled")
        stop = frame.locator(".st-key-button-stop button:enabled")
        resume.wait_for()
        frame.wait_for_function("() => new URLSearchParams(location.search).has('run')")
        frame.evaluate("() => { window.before = true; location.reload(); }")
        frame.wait_for_function(RELOADED)
        resume.wait_for()  # one's own run
        stop.click()
        stop.wait_for(state="detached")

        frame.locator("details", has_text="Open a model file").evaluate("(box) => { if (!box.open) box.firstChild.click(); }")
        frame.locator(".st-key-upload input[type=file]").set_input_files(sorted(SHIPPED_MODELS.glob("*.safetensors"))[0])
        frame.locator(".st-key-open-upload button").wait_for()
        assert [each for each in window.problems if f"request: {site}" not in each] == []


def test_nobody_else_may_frame_it(browser: Any, server: harness.Server, site: str) -> None:
    window = Window(browser, server.url)
    try:
        with window.page.expect_console_message(lambda said: "frame-ancestors 'self'" in said.text):
            window.page.goto(f"{site}/?{server.url}/heads")
        assert window.page.frames[1].locator("[data-testid=stApp]").count() == 0
    finally:
        window.close()


def test_who_keeps_no_cookies_reads_what_does_not_work_without(launch: Callable[..., Any], server: harness.Server) -> None:
    window = Window(launch(default_content_setting_values={"cookies": 2}), server.url)
    try:
        window.visit("training")
        assert ["keeps no cookies" in words for words in window.alerts()] == [True]
        window.no_complaint()
    finally:
        window.close()
