"""Pins what people see who sit behind nginx, under a path, when the copy of the app that they are at is killed: the same, a
moment later, at the other copy; and pictures follow the hand there, too."""

from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks import harness
from explorer.serve.configuration import nginx
from tests.browser.test_live import drag, follows, grip, matrix
from tests.browser.window import PATIENCE, SMALL, Window
from tests.explorer.learning.helpers import wait_until
from tests.explorer.serve.copies import copies, new_seat, windows_at

pytestmark = pytest.mark.nginx
PATH = "/explorer"
# Notes in window.ran that the page has been run since: all of it is then what the copy says that it is at by now.
WATCH = """() => {
  window.ran = false;
  const app = document.querySelector("[data-testid=stApp]"), attribute = "data-test-script-state";
  new MutationObserver((changes) => { window.ran ||= changes.some(({ oldValue }) => oldValue === "running"); })
    .observe(app, { attributeFilter: [attribute], attributeOldValue: true });
}"""


@pytest.fixture
def server(tmp_path: Any) -> Iterator[harness.Server]:
    if nginx() is None:
        pytest.skip("no nginx: install Debian's package nginx")
    started = harness.start(tmp_path, PATH, copies=2, EXPLORER_MODELS=f"file://{tmp_path}/models")
    try:
        yield started.wait(240)
    finally:
        code = started.stop(60)
    assert code == 0, started.log


def turn_width(window: Window, width: int) -> dict[str, Any]:
    """Drags the width of the model; returns the matrix that followed the hand, which is that of the page afterwards."""
    grip(window, "d_model")
    drag(window, "d_model", [str(width)])
    seen = follows(window, 4, width)
    assert window.ask("() => window.ahead()"), "before the page is drawn anew"
    window.page.mouse.up()
    window.shows(dModel=width)
    assert matrix(window) == seen
    return seen


def test_people_of_a_copy_that_is_killed_see_the_same_at_the_other(browser: Any, server: harness.Server) -> None:
    seat = new_seat(server)
    assert seat is not None and new_seat(server, seat) is None, "a seat is kept under a path, too"
    window = Window(browser, server.url)
    try:
        for page in ("", "heads"):  # views, bars by Plotly: nginx's policy of what a page may load lets all of it pass
            window.visit(f"{page}?{SMALL}")
        window.visit(f"attention?{SMALL}&kind=cross")
        before = turn_width(window, 96)
        window.knob_in_address("d_model", "96")
        assert window.problems == []
        facts, address, controls = window.model(), window.ask("() => location.href"), window.controls()
        assert address.startswith(f"{server.url}/attention?")

        (here, victim), (there, _other) = sorted(copies(server).items(), key=lambda each: -windows_at(each[0], PATH))
        assert (windows_at(here, PATH), windows_at(there, PATH)) == (1, 0)
        window.ask(WATCH)
        victim.kill()
        wait_until(lambda: windows_at(there, PATH) == 1, "its people at the other copy")
        window.wait("() => window.ran && window.settled()", patience=4 * PATIENCE)
        assert (window.model(), matrix(window), window.ask("() => location.href")) == (facts, before, address)
        assert window.controls() == controls
        window.wait("() => performance.now() > document.querySelector('.live-knobs').live.again")  # it connects anew
        assert turn_width(window, 128) != before
        window.knob_in_address("d_model", "128")
        assert window.model() == facts | {"dModel": "128"}
        assert window.ask("() => location.href") == address.replace("d_model=96", "d_model=128")
        assert window.page.locator("[data-testid=stException]").count() == 0
    finally:
        window.close()
