"""Pins that the app starts, is used and asks nobody outside where nobody has been.

That is, in turn: by the README's run command, as the container runs it, and from a wheel. A real Chromium, driven from the
tests' environment, opens every page and does what a visitor does.
"""

import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import places
import pytest
from playwright.sync_api import BrowserContext

from benchmarks import harness
from explorer.ui.navigation import CONTENTS
from tests.browser.test_cutting import choose
from tests.browser.test_live import drag, follows, grip
from tests.browser.window import PATIENCE, SMALL, Window

OUTSIDE = "http://elsewhere.example"


@pytest.fixture(scope="module", params=["readme", "container", "wheel"])
def place(request: pytest.FixtureRequest) -> places.Place:
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def server(place: places.Place, base: Path) -> Iterator[harness.Server]:
    with places.started(place, base / f"{place.folder.name}.log") as server:
        yield server


@pytest.fixture(scope="module")
def window(server: harness.Server, browser: BrowserContext) -> Iterator[Window]:
    window = Window(browser, server.url)
    yield window
    window.close()


@pytest.fixture(autouse=True)
def nothing_is_wrong(window: Window) -> Iterator[None]:
    yield
    window.no_complaint()
    assert window.alerts("Error") == []


@pytest.mark.parametrize("name", CONTENTS)
def test_every_page_opens(window: Window, name: str) -> None:
    window.visit("" if name == "home" else name)
    assert window.page.title() == CONTENTS[name].title


def test_a_sentence_is_typed(window: Window) -> None:
    window.visit("heads")
    window.type("src", "I don't like milk")
    window.page.locator(".st-key-answer-sidebar", has_text="je n'aime pas le lait").wait_for()


def test_a_knob_is_dragged(window: Window) -> None:
    window.visit(f"attention?{SMALL}")
    grip(window, "d_model")
    drag(window, "d_model", ["96"])
    assert follows(window, 4, 96)["d"] == 24  # before it is let go
    window.page.mouse.up()
    window.shows(dModel=96)


def test_the_copy_task_is_learned(window: Window) -> None:
    window.visit("training?task=copy&step=0&goal=99")
    window.page.locator(".st-key-button-play_circle button").click()
    # Some hundred steps, in slow motion, on a machine that may have other work.
    window.page.locator("[data-testid=stAlertContentSuccess]").wait_for(timeout=5 * PATIENCE)
    window.settle()


def test_a_link_is_cut(window: Window) -> None:
    window.visit("heads?src=the+red+cat+sees+a+big+house&kind=cross&more=on")
    window.wait("() => document.querySelector('.attention-view')?.view?.attention")
    choose(window, "cut everywhere")
    grid = window.ask("() => document.querySelector('.attention-view').view.matrix.grid")
    place = {"x": grid["left"] + 2.5 * grid["w"], "y": grid["top"] + 1.5 * grid["h"]}
    window.page.locator(".attention-view .cells").click(position=place)
    window.knob_in_address("cut", "cross.all.all:1-2")
    window.page.locator(".st-key-line-cuts", has_text="Before: “le chat rouge voit une grande maison”").wait_for()
    window.settle()


@pytest.mark.parametrize("path", ["_stcore/stream", "live"])
def test_another_site_gets_no_socket_and_nobody_is_asked_about_it(server: harness.Server, path: str) -> None:
    host, port = server.host.split(":")
    with socket.create_connection((host, int(port))) as connection:
        lines = (
            f"GET /{path} HTTP/1.1",
            f"Host: {server.host}",
            f"Origin: {OUTSIDE}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        )
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        assert b" 403 " in connection.recv(100)


def test_nobody_outside_was_asked(place: places.Place) -> None:
    assert place.hosts_asked() == ""


def test_an_outside_host_would_have_been_noticed(place: places.Place) -> None:
    place.run(sys.executable, "-c", "import socket; s = socket.socket(); s.settimeout(0.01); s.connect_ex(('192.0.2.1', 9))")
    assert "192.0.2.1" in place.hosts_asked()
    place.asked.write_text("")
