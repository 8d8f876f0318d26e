"""Pins a room as people live it: a host with a projector, and phones; one comes late, one sleeps, one wanders off."""

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import Any
from urllib.parse import urlsplit

import pytest

from benchmarks.harness import Server
from tests.browser.conftest import OpenWindow
from tests.browser.window import Window

_FOLLOWS = "(version) => Number(document.body.dataset.version) >= version"


class Wire:
    """A way to the server that can be cut: a browser that is set offline keeps the streams that it has."""

    def __init__(self, url: str):
        there = urlsplit(url)
        self._server, self._open = (there.hostname, there.port), list[socket.socket]()
        self._door, self.is_cut = socket.create_server(("127.0.0.1", 0)), False
        self.url = f"http://127.0.0.1:{self._door.getsockname()[1]}{there.path}"
        threading.Thread(target=self._wait, daemon=True).start()

    def cut(self) -> None:
        self.is_cut = True
        for end in self._open:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._open.clear()

    def close(self) -> None:
        self.cut()
        self._door.close()

    def _wait(self) -> None:
        with suppress(OSError):
            while True:
                near, _address = self._door.accept()
                if self.is_cut:
                    near.close()
                    continue
                far = socket.create_connection(self._server)
                self._open += [near, far]
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=ends, daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(2**16):
                sink.sendall(data)
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


class Side:
    """One window on a room."""

    def __init__(self, window: Window, path: str):
        self.window, self.page = window, window.page
        self.page.goto(f"{window.base}/{path}")
        self.page.wait_for_function("() => document.body.dataset.version")

    def text(self, place: str) -> str:
        return self.page.locator(place).inner_text()

    def shows(self, place: str, words: str) -> None:
        self.page.locator(place).filter(has_text=words).first.wait_for()

    def choose(self, at: int) -> None:
        button = self.page.locator(".choices button").nth(at)
        button.click()
        self.page.locator('.choices button[aria-pressed="true"]').nth(0).wait_for()

    def ask(self, what: str, body: Any) -> int:
        """Asks the server with this browser's cookie; returns the status."""
        script = """async ([what, body]) => (await fetch(`${location.pathname.replace(/\\/(host|screen)$/, "")}/${what}`,
                    { method: "POST", body })).status"""
        return self.page.evaluate(script, [what, body if isinstance(body, str) else json.dumps(body)])


class Host(Side):
    def __init__(self, window: Window):
        super().__init__(window, "room/new?lang=en")
        self.code = self.page.url.split("/room/")[1].split("/")[0]

    def go_on(self, times: int = 1) -> None:
        for _turn in range(times):
            before = self.page.evaluate("() => Number(document.body.dataset.version)")
            self.page.locator("nav .next").click()
            self.page.wait_for_function(_FOLLOWS, arg=before + 1)

    def press(self, key: str) -> None:
        before = self.page.evaluate("() => Number(document.body.dataset.version)")
        self.page.keyboard.press(key)
        self.page.wait_for_function(_FOLLOWS, arg=before + 1)


def fits(*sides: Side) -> None:
    """A projector cannot be scrolled, and a host has no time to."""
    for side in sides:
        hidden = (
            "() => [document.documentElement, document.querySelector('main')].map((box) => box.scrollHeight - box.clientHeight)"
        )
        assert max(side.page.evaluate(hidden)) <= 0, side.text("h1")


@pytest.fixture
def wire(server: Server) -> Iterator[Wire]:
    with closing(Wire(server.url)) as made:
        yield made


def test_a_room_through_its_whole_script(
    wire: Wire, open_window: OpenWindow, launch: Callable[..., Any], other_browser: Any
) -> None:
    """All but the two models that peek: they learn for minutes, so that the host goes on while they do."""
    host = Host(open_window(None))
    host.page.set_viewport_size({"width": 1440, "height": 900})
    room = f"room/{host.code}"
    assert "127.0.0.1" not in host.text(".address") and host.code in host.text(".address")
    screen = Side(open_window(None), f"{room}/screen")
    screen.page.set_viewport_size({"width": 1920, "height": 1080})
    first = Side(open_window(None, other_browser, width=390), room)
    sleeping = open_window(None, launch(), width=390)
    sleeping.base = wire.url
    sleeper = Side(sleeping, room)
    first.shows(".people", "You are number 1")
    sleeper.shows(".people", "You are number 2")
    first.shows(".show", "Wait for the host")
    for side in (host, screen):
        side.shows(".people", "2 here")
        assert side.page.locator(".square svg").is_visible()
    host.shows(".time", "1 / 11")
    assert screen.page.locator(".lead").is_hidden() and first.page.locator(".lead").is_hidden()
    fits(host, screen)

    host.go_on()  # it translates
    for side in (host, screen, first):
        side.page.locator(".picture text", has_text="chat").wait_for()
        assert side.page.locator(".picture path").count() >= 7 and side.text("h1") == "It translates"
    fits(host, screen)

    host.go_on()  # which word does it look at?
    first.shows("h1", "Where does it look?")
    sleeper.shows("h1", "Where does it look?")
    wire.cut()
    sleeper.shows(".note", "Connecting")
    host.page.locator("nav .next").evaluate("(button) => { button.dataset.is = 'pressed just now'; }")
    first.choose(2)
    first.shows(".note", "Your vote is counted")
    host.page.locator(".paper input").nth(1).fill("5")
    host.page.locator(".paper button").click()
    for side in (host, screen):
        side.shows(".phase", "1 of 2 have voted")
        assert side.page.locator(".picture path").count() == 0 and side.page.locator(".bar").count() == 0
        assert side.page.locator(".found").count() == 0
    assert host.page.locator("nav .next[data-is]").count() == 1, "votes that come in take no button away"
    fits(host, screen)
    host.page.locator("h1").click()  # out of the field: the clicker's keys belong to the page
    host.press("PageDown")
    first.shows(".phase", "Talk to a neighbour")
    assert first.page.locator(".choices button").count() == 0 and screen.page.locator(".bar").count() == 0
    host.go_on()
    late = Side(open_window(None, launch(), width=390), room)
    late.shows(".people", "You are number 3")
    late.shows(".phase", "Vote again")
    late.choose(3)
    first.choose(3)
    assert sleeper.text(".phase") == "Vote.", "it sleeps"
    wire.is_cut = False
    sleeper.shows(".phase", "Vote again")
    assert sleeper.text(".note") == "" and all("net::ERR" in problem for problem in sleeper.window.problems)
    sleeper.window.problems.clear()
    sleeper.choose(1)
    host.go_on()
    for side in (host, screen, first, late, sleeper):
        side.shows(".words", "“house”")
        assert [each.split(" ")[0] for each in side.page.locator(".bar").all_inner_texts()] == list("00511002")
        assert "house" in side.text(".choices .found") and side.page.locator(".picture path").count() >= 6
    fits(host, screen)

    host.go_on()  # sentences of their own: one opens the explorer, and comes back
    first.shows("h1", "Sentences of your own")
    first.page.goto(first.page.locator(".open").evaluate("(link) => link.href"))
    first.page.locator(".start .source .word", has_text="black").wait_for()
    host.go_on()  # the cut
    screen.shows("h1", "Cut a line")
    first.page.go_back()
    first.shows(".people", "You are number 1")
    first.shows("h1", "Cut a line")
    first.choose(0)
    host.go_on(2)
    first.shows(".phase", "Vote again")
    first.choose(1)
    host.go_on()
    for side in (host, screen, first, late, sleeper):
        side.shows(".words", "le chat noir dort sur le chat")
        assert side.page.locator(".picture .cut").count() == 1 and "on the cat" in side.text(".choices .found")
    fits(host, screen)

    host.go_on()  # cut lines of their own
    late.shows("h1", "Cut lines of your own")
    host.go_on()  # the board
    for side in (screen, late):
        side.shows(".phase", "They will take about")
        assert side.page.locator(".picture path").count() == 0
    late.choose(0)
    host.go_on(2)
    late.shows(".phase", "Vote again")
    late.choose(2)
    assert host.page.locator("nav .recorded").count() == 0
    host.go_on()
    host.page.locator("nav .recorded").wait_for()
    late.page.locator(".picture .mine").wait_for()  # they learn
    late.shows(".words", "yours: seed 3")
    assert screen.page.locator("nav").is_hidden() and screen.page.locator(".picture .curve").count() <= 8
    host.page.locator("nav .recorded").click()
    for side in (host, screen, late):
        side.shows(".words", "not trained now: 40 models")
        assert side.page.locator(".picture :is(.curve, .mine)").count() == 40
        assert "121 to 240" in side.text(".choices .found")
    assert host.page.locator("nav .recorded").count() == 0
    fits(host, screen)
    host.go_on()
    screen.shows("h1", "Same lessons, different luck")
    screen.shows(".words", "half needed 140 steps or fewer")
    assert late.page.locator(".picture .mine").count() == 1 and late.page.locator(".choices > *").count() == 0
    fits(host, screen)

    host.go_on()  # let it peek
    screen.shows("h1", "Let it peek")
    sleeper.choose(1)
    host.go_on(3)
    screen.page.locator(".bar").first.wait_for()  # the votes are shown, whether the model is still computing or not
    assert [each.split(" ")[0] for each in screen.page.locator(".bar").all_inner_texts()] == list("001000")

    host.go_on()  # is the picture a proof?
    sleeper.shows("h1", "Is the picture a proof?")
    sleeper.choose(0)
    host.go_on(3)
    for side in (host, screen, sleeper):
        side.shows(".words", "without that look it is “the cup”")
        assert "it stays" in side.text(".choices .found")
    fits(host, screen)

    host.go_on()  # to take home
    for side in (host, first, late, sleeper):
        side.shows("h1", "To take home")
        assert side.page.locator(".kept").is_visible()
    host.shows(".time", "11 / 11")
    fits(host, screen)
    kept = late.page
    kept.goto(late.page.locator(".kept").evaluate("(link) => link.href"))
    titles = ["Where does it look?", "Cut a line", "Untrained", "Is the picture a proof?"]
    found = kept.locator("h2").all_inner_texts()
    if "Let it peek" in found:  # its models had learned already
        titles.insert(3, "Let it peek")
    assert found == titles
    rows = kept.locator("section").first.locator("tr").all_inner_texts()
    assert [row.split() for row in rows[1:]] == [
        ["brother", "0", "0"], ["likes", "5", "1"], ["white", "1", "0"], ["house", "0", "2", "✓"],
    ]  # fmt: skip
    assert pages(kept) == len(titles)
    kept.emulate_media(media="print", color_scheme="dark")
    assert not [link for link in kept.locator("a, button, .note").all() if link.is_visible()]
    assert kept.locator(".own hr").first.is_visible()

    host.page.reload()
    host.shows("h1", "To take home")
    first.page.reload()
    first.shows(".people", "You are number 1")


def pages(page: Any) -> int:
    """The number of pages that a page prints, on the paper that its style names."""
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))


def test_nobody_else_leads_and_nonsense_is_refused(open_window: OpenWindow, other_browser: Any) -> None:
    host = Host(open_window(None))
    room = f"room/{host.code}"
    phone = Side(open_window(None, other_browser, width=390), room)
    phone.shows(".people", "You are number 1")
    assert phone.ask("lead", {"go": "next"}) == 409
    assert [host.ask("lead", each) for each in ({"go": "sideways"}, {"paper": [1]}, {}, "[", '"x"', "[" * 5000)] == [
        409, 409, 409, 400, 400, 400,
    ]  # fmt: skip
    assert [phone.ask("vote", each) for each in ({"step": 0, "choice": 0}, {"step": "0"}, {"choice": 10**30})] == [
        409,
        409,
        409,
    ]
    assert max(phone.ask("vote", {"step": 0, "choice": 0}) for _vote in range(40)) == 429
    page = phone.page
    answer = page.goto(f"{page.url}/host")
    assert answer is not None and answer.status == 403 and "another browser" in page.inner_text("body")
    answer = page.goto(f"{page.url.rpartition('/room/')[0]}/room/ZZZZZZ")
    assert answer is not None and answer.status == 404 and "no room here" in page.inner_text("body")
    host.page.on("dialog", lambda dialog: dialog.accept())
    host.page.locator("nav .end").click()
    host.shows("main", "This room is over")
    for side in (host, phone):  # a browser notes each refusal
        assert all("the server responded with a status of 4" in problem for problem in side.window.problems)
        side.window.problems.clear()


def test_phones_send_pairs_and_the_host_has_them_taught(open_window: OpenWindow, launch: Callable[..., Any]) -> None:
    host = Host(open_window(None))
    host.page.set_viewport_size({"width": 1440, "height": 900})
    phone = Side(open_window(None, launch(), width=390), f"room/{host.code}")  # the other browser has asked for too much
    assert phone.page.locator(".pair").is_hidden()
    host.page.locator(".collect").click()
    form = phone.page.locator(".pair")
    form.wait_for()
    for number, word in enumerate(("un", "deux", "trois", "quatre", "cinq", "six"), 1):
        form.locator("[name=source]").fill(f"🐈 {number}")
        form.locator("[name=answer]").fill(word)
        form.locator("button").click()
        host.shows(".sent label", f"🐈 {number} = {word}")
    form.locator("[name=source]").fill("w " * 30)
    form.locator("[name=answer]").fill("long")
    form.locator("button").click()
    phone.shows(".note", "up to 24")
    fits(host)
    host.page.locator(".sent input").nth(2).uncheck()
    host.shows(".teach", "5 pairs")
    taught = open_window(host.page.locator(".teach").evaluate("(link) => link.href"))
    taught.page.get_by_text("5 pairs. It learns from all of them").wait_for()
    assert "trois" not in taught.page.locator(".st-key-own-pairs textarea").input_value()
    host.page.locator(".collect").click()
    form.wait_for(state="hidden")
    assert phone.ask("pair", {"source": "a", "answer": "b"}) == 409
    refused = phone.window.problems
    assert len(refused) == 2 and all("409" in problem for problem in refused), (
        "the long pair, and the one that nobody asked for"
    )
    refused.clear()
