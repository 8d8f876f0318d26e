"""Pins what quick steps leave of the browser's history: all of it, and nothing else.

The connection is not slow but held: what the server answers comes when all steps have been taken.
"""

import re
from typing import Any

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.conftest import OpenWindow
from tests.browser.window import LOOK, SMALL, Window


class Wire:
    """A window's connection, on which what the server sends can be held."""

    def __init__(self, page: Any):
        self.page = page
        self.held: list[Any] | None = None
        page.route_web_socket(re.compile("_stcore/stream"), self._connect)

    def _connect(self, socket: Any) -> None:
        self.socket, server = socket, socket.connect_to_server()
        server.on_message(lambda message: socket.send(message) if self.held is None else self.held.append(message))

    def hold(self) -> None:
        self.held = []

    def wait(self) -> None:
        """Returns when the end of a run is held."""
        while not any(ForwardMsg.FromString(each).WhichOneof("type") == "script_finished" for each in self.held or []):
            self.page.wait_for_timeout(LOOK)

    def let_go(self) -> None:
        held, self.held = self.held or [], None
        for message in held:
            self.socket.send(message)


def walk(window: Window) -> list[str]:
    """Makes a history, of pages and of choices on them; returns its addresses."""
    addresses = [window.visit(f"attention?{SMALL}&kind=encoder").page.url]
    for change in (
        lambda: window.turn("n_heads"),
        lambda: window.go("heads"),
        lambda: window.choice("kind", "decoder").click(),
        lambda: window.go("masks"),
        lambda: window.turn("pad_src"),
    ):
        change()
        window.wait("(before) => location.href !== before && window.settled()", addresses[-1])
        addresses.append(window.page.url)
    return addresses


def step(window: Window, way: str, address: str) -> None:
    """Takes a step, which leads to this address, and does not wait for the page."""
    window.ask("(way) => history[way]()", way)
    window.wait("(address) => location.href === address", address)


@pytest.mark.parametrize("meanwhile", ["nothing is answered", "the first is answered", "a knob was turned"])
def test_quick_steps_are_only_steps(open_window: OpenWindow, meanwhile: str) -> None:
    window = open_window(None)
    wire = Wire(window.page)
    addresses = walk(window)
    entries = window.ask("() => history.length")
    wire.hold()
    if meanwhile == "a knob was turned":
        window.turn("pad_src")
        wire.wait()
    first, *others = addresses[4:0:-1]
    step(window, "back", first)
    if meanwhile == "the first is answered":
        wire.wait()
    for address in others:
        step(window, "back", address)
    wire.let_go()
    window.says("attention", n_heads=8, kind="encoder")
    assert window.page.url == addresses[1]
    for address in addresses[2:]:
        step(window, "forward", address)
    window.says("masks", n_heads=8, pad_src=3)
    assert window.page.url == addresses[-1]
    assert window.ask("() => history.length") == entries
    window.back().says("masks", pad_src=2)
    window.turn("pad_src")  # what is chosen from then on is a step as ever
    window.knob_in_address("pad_src", "3")
    assert window.page.url == addresses[-1]
    assert window.ask("() => history.length") == entries


def test_pages_without_settings_follow_quick_steps_as_well(open_window: OpenWindow) -> None:
    window = open_window("story")
    scene = "document.querySelector('nav.slides [aria-current]')?.textContent"
    for number in "234":
        window.page.get_by_role("button", name="Next →").first.click()
        window.wait(f"(number) => {scene} === number && location.search.includes(number) && window.settled()", number)
    for way, number in (("back", "3"), ("back", "2"), ("forward", "3"), ("back", "2"), ("back", "1")):
        window.ask("(way) => history[way]()", way)
        window.wait(f"(number) => {scene} === number && window.settled()", number)
