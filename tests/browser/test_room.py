"""Pins a room as people live it: a host with a projector, and phones; one comes late, one sleeps; and what went wrong."""

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
        self.page.wait_for_function("() => document.body?.dataset.version")

    def text(self, place: str) -> str:
        return self.page.locator(place).inner_text()

    def shows(self, place: str, words: str | re.Pattern[str]) -> None:
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
        self.window, self.page = window, window.page
        self.page.set_viewport_size({"width": 1440, "height": 900})
        self.page.goto(f"{window.base}/room/new?lang=en")
        self.page.locator("form button").first.click()
        self.page.wait_for_url("**/host")
        self.page.wait_for_function("() => document.body?.dataset.version")
        self.code = self.page.url.split("/room/")[1].split("/")[0]

    def turned(self, act: Callable[[], Any], phase: str = "") -> None:
        """Waits until the room has turned."""
        before = self.page.evaluate("() => Number(document.body.dataset.version)")
        act()
        self.page.wait_for_function(_FOLLOWS, arg=before + 1)
        if phase:
            self.page.locator(f"body[data-phase={phase}]").wait_for()

    def go_on(self, phase: str = "") -> None:
        self.turned(self.page.locator(".ways .next").click, phase)

    def jump(self, title: str) -> None:
        self.turned(self.page.locator(".steps button", has_text=title).click)
        self.shows("h1", title)


def fits(*sides: Side) -> None:
    """A projector cannot be scrolled, and a host has no time to."""
    beyond = """() => [...document.querySelectorAll("main > *, header > *, .corner, .ways > *")]
      .filter((box) => box.offsetParent && box.getBoundingClientRect().bottom > innerHeight + 1).map((box) => box.className)"""
    for side in sides:
        assert side.page.evaluate(beyond) == [], side.text("h1")
        assert side.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), side.text("h1")


def hides_what_decides(*sides: Side) -> None:
    for side in sides:
        assert side.page.locator("main .picture :is(.line, .gloss), .bar, .found, .split .bar").count() == 0
        assert side.text(".words") == "" and "house" not in side.page.locator("main > .picture .gloss").all_inner_texts()
        if side.page.locator("body.phone").count():
            assert side.page.locator(".open").is_hidden() and "The explorer rests" in side.text(".rests")


@pytest.fixture
def host(open_window: OpenWindow) -> Iterator[Host]:
    """A host in a room of its own: the next test's host, who is the same browser, is to have another."""
    made = Host(open_window(None))
    yield made
    made.ask("lead", {"end": True})
    made.window.problems[:] = [
        problem for problem in made.window.problems if "404" not in problem
    ]  # it had ended the room itself


@pytest.fixture
def wire(server: Server) -> Iterator[Wire]:
    with closing(Wire(server.url)) as made:
        yield made


def test_a_room_from_the_square_to_what_is_kept(
    host: Host, wire: Wire, open_window: OpenWindow, launch: Callable[..., Any], other_browser: Any
) -> None:
    room = f"room/{host.code}"
    screen = Side(open_window(None), f"{room}/screen")
    screen.page.set_viewport_size({"width": 1920, "height": 1080})
    assert "Phones cannot reach this server" in screen.text(".wifi"), "it listens on this machine alone"
    assert screen.page.locator(".join .square").first.is_hidden() and host.code in screen.text(".join .code")
    first = Side(open_window(None, other_browser, width=390), room)
    asleep = open_window(None, launch(), width=390)
    asleep.base = wire.url
    sleeper = Side(asleep, room)
    for side in (host, screen):
        side.shows(".people", "2 here")
    fits(host, screen)

    host.jump("It translates")
    assert screen.page.locator("main .picture text").count() == 7, "the sentence alone"
    host.go_on("during")
    for side in (screen, first):
        side.page.locator("main .picture text", has_text="chat").wait_for(state="attached")
    assert host.code in screen.text(".corner .code"), "who comes late finds the code"
    fits(host, screen)

    host.jump("Where does it look?")
    for side in (screen, first, sleeper):
        side.shows(".question", "maison")
    hides_what_decides(host, screen, first)
    wire.cut()
    sleeper.shows(".note", "Connecting")
    first.choose(2)
    first.page.locator(".because button").nth(1).click()
    first.page.locator('.because button[aria-pressed="true"]').wait_for()
    host.page.locator(".hands input").nth(1).fill("5")
    host.page.locator(".hands button").click()
    host.shows(".hands", "Counted")
    for side in (host, screen):
        side.shows(".status", "6 of 6 have voted")
    hides_what_decides(host, screen, first)
    host.go_on("talk")
    assert [each.split() for each in host.page.locator(".split .bar").all_inner_texts()] == [
        ["brother", "0"],
        ["likes", "5"],
        ["white", "1"],
        ["house", "0"],
    ]
    assert "it means the same" in host.text(".cards") and screen.page.locator(".bar").count() == 0
    late = Side(open_window(None, launch(), width=390), room)
    late.shows(".status", "Talk to a neighbour")
    late.choose(3)
    first.page.reload()
    first.shows(".choices .before", "your first vote")
    first.choose(3)
    wire.is_cut = False
    sleeper.shows(".status", "Talk to a neighbour")
    assert sleeper.text(".note") == "" and all("net::ERR" in problem for problem in sleeper.window.problems)
    sleeper.window.problems.clear()
    sleeper.choose(1)
    hides_what_decides(screen, first, late, sleeper)
    host.go_on("shown")
    for side in (host, screen, first, late, sleeper):
        side.shows(".words", "“house”")
        assert [each.strip() for each in side.page.locator("main .bar").all_inner_texts()] == list("00511002")
        assert "house" in side.text(".choices .found") and side.page.locator("main .picture .strong").count() == 1
    assert "97%" in host.text(".say") and first.page.locator(".open").is_visible()
    wide = screen.page.locator("main .bar i").evaluate_all("(bars) => bars.map((bar) => bar.getBoundingClientRect().width)")
    assert wide[2] > 40 and wide[4] == pytest.approx(wide[2] / 5, abs=1.5) and wide[7] == pytest.approx(2 * wide[4], abs=2)
    fits(host, screen)

    host.go_on("new")
    first.choose(0)
    assert first.page.locator(".because button").count() == 0
    host.go_on("decided")
    screen.shows(".choices .found", "my")
    host.turned(host.page.locator(".ways .back").click, "shown")
    screen.shows(".words", "“house”")
    assert first.page.locator(".choices button").count() == 0, "a vote that was shown is not opened again"

    host.jump("How a model learns")
    for side in (screen, first):
        side.page.locator("main .picture .wrong").first.wait_for()
    first.choose(0)
    host.turned(host.page.locator(".ways .show-now").click, "shown")
    host.page.locator(".ways .recorded").or_(host.page.locator(".choices .found")).first.wait_for()
    host.page.evaluate("document.querySelector('.ways .recorded')?.click()")  # it goes when the models have learned
    screen.shows(".choices .found", "121 to 240")
    screen.shows("main .picture", re.compile("median: 1[34]0 steps"))  # recorded, or learned in this minute
    assert first.page.locator("main .picture .mine").count() == 1 and "Yours is the model with seed 1" in first.text(".words")
    fits(host, screen)

    host.jump("Learning to repeat")
    screen.page.locator("main .picture .wrong").first.wait_for()
    host.turned(host.page.locator(".ways .show-now").click, "shown")
    host.page.locator(".ways .recorded").or_(host.page.locator(".choices .found")).first.wait_for()
    host.page.evaluate("document.querySelector('.ways .recorded')?.click()")
    screen.shows(".choices .found", "101 to 250")
    screen.page.locator("main .picture circle").nth(80).wait_for(state="attached")  # two heads of forty models, and the median
    assert screen.page.locator("main .picture :is(.curve, .middle)").count() == 40
    screen.shows(".words", "In 40 of 40 models the same two heads")
    fits(host, screen)

    host.jump("Is the picture a proof?")
    screen.page.locator("main .picture .cut").wait_for()
    assert "the pitcher" not in screen.text("main") and "after the cut" not in screen.text("main")
    host.turned(host.page.locator(".ways .show-now").click, "shown")
    screen.shows(".choices .found", "it stays")
    screen.page.locator("main .picture .apart").wait_for()
    fits(host, screen)

    host.jump("To take home")
    for _phase in range(2):
        host.go_on()
    host.page.on("dialog", lambda dialog: dialog.accept())
    host.page.locator(".ways .end").click()
    for side in (host, first, late):
        side.shows("main", "This room is over")
    kept = first.page
    kept.locator("main .kept").click()
    kept.locator("h1", has_text="What we asked").wait_for()
    titles = kept.locator("h2").all_inner_texts()
    assert titles == [
        "Where does it look?",
        "How a model learns",
        "Is the picture a proof?",
        "Learning to repeat",
        "What surprised me most",
    ]
    assert kept.locator(
        ".picture svg"
    ).count() == 4 and "first vote: white (it means the same); second vote: house" in kept.inner_text("body")
    assert pages(kept) <= 2
    with kept.expect_download() as download:
        kept.locator(".ways a").click()
    assert host.code in download.value.suggested_filename


def pages(page: Any) -> int:
    """The number of pages that a page prints, on the paper that its style names."""
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))


def test_keys_turn_the_room_from_both_windows_whatever_was_pressed_last(
    host: Host, open_window: OpenWindow, other_browser: Any
) -> None:
    screen = Side(open_window(None), f"room/{host.code}/screen")
    host.page.locator(".doors .lock").click()
    host.shows(".doors", "Unlock the room")
    for key, phase in (("PageDown", "during"), (" ", "after"), ("ArrowLeft", "during")):
        host.turned(lambda key=key: host.page.keyboard.press(key), phase)
    screen.page.locator("h1").click()
    for key, phase in (("PageUp", "before"), ("ArrowRight", "during"), ("PageDown", "after")):
        host.turned(lambda key=key: screen.page.keyboard.press(key), phase)
    host.jump("Where does it look?")
    host.page.locator(".hands input").first.press("ArrowRight")
    assert host.page.evaluate("() => document.body.dataset.phase") == "ask", "a field is written in"
    late = Side(open_window(None, other_browser, width=390), f"room/{host.code}")
    late.shows(".note", "The host has locked this room")
    late.window.problems.clear()


def test_a_stream_that_is_refused_once_is_opened_again(host: Host, open_window: OpenWindow, other_browser: Any) -> None:
    window = open_window(None, other_browser, width=390)
    refused: list[str] = []

    def refuse_once(route: Any) -> None:
        if refused:
            route.continue_()
        else:
            refused.append(route.request.url)
            route.fulfill(status=502, body="Bad Gateway")

    window.page.route("**/events*", refuse_once)
    phone = Side(window, f"room/{host.code}")
    phone.shows("h1", "Join with your phone")
    assert len(refused) == 1 and phone.text(".note") == ""
    window.problems.clear()


def test_seven_windows_of_one_browser_follow_and_the_app_opens_beside_them(
    host: Host, open_window: OpenWindow, other_browser: Any
) -> None:
    phones = [Side(open_window(None, other_browser, width=390), f"room/{host.code}") for _window in range(7)]
    host.jump("It translates")
    for phone in phones:
        phone.shows("h1", "It translates")
    host.shows(".people", "1 here")
    app = open_window("", other_browser)
    app.page.locator(".start .source .word").first.wait_for()


def test_sentences_of_the_room_reach_the_projector_and_half_an_emoji_harms_nobody(
    host: Host, open_window: OpenWindow, other_browser: Any
) -> None:
    screen = Side(open_window(None), f"room/{host.code}/screen")
    phone = Side(open_window(None, other_browser, width=390), f"room/{host.code}")
    phone.shows(".code", host.code)
    host.jump("Sentences of your own")
    host.go_on("during")
    for path, body in (
        ("say", '{"sentence": "\\ud83c hello", "send": true}'),
        ("pair", '{"source": "\\ud83c", "answer": "x"}'),
    ):
        assert phone.ask(path, body) == 409
    phone.window.problems.clear()
    phone.page.locator(".own input").fill("the dinosaur sleeps")
    phone.page.locator(".own button").click()
    phone.shows(".note", "dinosaur")
    phone.window.problems.clear()
    phone.page.locator(".own input").fill("she is not happy")
    phone.page.locator(".own button").click()
    phone.page.locator("main .picture text", has_text="contente").wait_for()
    assert screen.page.locator("main .picture text", has_text="contente").count() == 0
    phone.page.locator(".because button", has_text="Send it to the host").click()
    host.page.locator(".sent .put", has_text="she is not happy").click()
    screen.page.locator("main .picture text", has_text="contente").wait_for()

    host.jump("A line that changes nothing")
    phone.page.locator("main .picture .press").first.dispatch_event("click")
    phone.page.locator("main .picture .cut").wait_for(state="attached")  # a straight line has no height

    host.jump("Be the head")
    host.go_on("during")
    phone.shows(".question", "make it write “le” (the)")
    phone.choose(0)
    phone.shows(".words", "it writes “le”")
    screen.page.locator("main .picture text.word", has_text="le").first.wait_for()
    host.shows(".status", "1 of 7 words")
    phone.page.reload()
    phone.page.locator('.choices button[aria-pressed="true"]', has_text="the").wait_for()
    host.go_on("after")
    screen.page.locator("main .picture text.word", has_text="lit").wait_for()

    host.jump("Before: what do you expect?")
    phone.shows(".question", "At which English word does it look most?")
    for number in range(2, 13):
        phone.page.locator(".choices button").first.click()
        phone.shows(".status", f"Question {number} of 12")
    phone.page.reload()
    phone.shows(".status", "Question 12 of 12")
    phone.page.locator(".choices button").first.click()
    phone.shows(".status", "That was all")
    host.shows(".status", "all 12 questions: 1")
    with host.page.expect_download() as table:
        host.page.locator(".doors a", has_text="CSV").click()
    assert table.value.path().read_text(encoding="utf-8-sig").startswith("title,question,right,before,before_right")

    host.jump("Teach it your own pairs")
    form = phone.page.locator(".pair")
    form.locator("[name=source]").fill("🐈 one")
    form.locator("[name=answer]").fill("un")
    form.locator("button").click()
    host.shows(".sent label", "🐈 one = un")
    assert host.page.locator(".sent input").is_checked() is False and host.page.locator(".teach").count() == 0
    host.page.locator(".sent input").check()
    host.shows(".teach", "1 pair")


def test_without_cookies_one_sentence_and_no_page_that_loads_without_end(open_window: OpenWindow) -> None:
    window = open_window(None)
    loads: list[str] = []
    window.page.on("framenavigated", lambda frame: loads.append(frame.url))
    window.page.goto(f"{window.base}/room/new?lang=en")
    window.page.context.clear_cookies()
    window.page.locator("form button").first.click()
    window.page.locator("h1", has_text="keeps no cookies").wait_for()
    assert len(loads) == 2
    window.problems.clear()


def test_text_at_twice_its_size_fits_a_phone_and_the_picture_s_words_grow(
    host: Host, open_window: OpenWindow, other_browser: Any
) -> None:
    phone = Side(open_window(None, other_browser, width=390), f"room/{host.code}")
    host.jump("Where does it look?")
    phone.shows(".question", "maison")
    sizes = []
    for percent in (100, 200):
        phone.page.evaluate("(percent) => { document.documentElement.style.fontSize = `${percent}%`; }", percent)
        phone.page.evaluate("() => dispatchEvent(new Event('resize'))")
        sizes.append(float(phone.page.locator("main .picture text").first.get_attribute("font-size")))
        assert phone.page.evaluate("() => document.documentElement.scrollWidth") <= 390
    assert sizes[1] > 1.5 * sizes[0]


def test_a_computer_that_knows_the_key_leads_and_nobody_else(host: Host, open_window: OpenWindow, other_browser: Any) -> None:
    other = open_window(None, other_browser)
    other.page.goto(f"{other.base}/room/{host.code}/host")
    key = host.page.locator(".doors details p").text_content().split()[-1]
    other.page.locator("[name=key]").fill(key.lower())
    other.page.locator("button").click()
    other.page.wait_for_function("() => document.body?.dataset.version")
    other.page.locator(".ways .next").click()
    host.page.locator("body[data-phase=during]").wait_for()
    other.problems.clear()
