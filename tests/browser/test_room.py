"""Pins a room as people live it: a host with a projector, and phones; one comes late, one sleeps, one wanders off."""

import json
from collections.abc import Callable
from typing import Any

from tests.browser.conftest import OpenWindow
from tests.browser.window import Window

_FOLLOWS = "(version) => Number(document.body.dataset.version) >= version"


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


def test_a_room_from_the_square_to_the_worksheet(
    open_window: OpenWindow, launch: Callable[..., Any], other_browser: Any
) -> None:
    host = Host(open_window(None))
    room = f"room/{host.code}"
    assert "127.0.0.1" not in host.text(".address") and host.code in host.text(".address")
    screen = Side(open_window(None), f"{room}/screen")
    first, sleeper = (Side(open_window(None, each, width=390), room) for each in (other_browser, launch()))
    first.shows(".people", "You are number 1")
    sleeper.shows(".people", "You are number 2")
    screen.shows(".people", "2 here")
    assert screen.page.locator(".lead").is_hidden() and first.page.locator(".lead").is_hidden()

    host.go_on()
    for side in (host, screen, first):
        side.page.locator(".picture text", has_text="chat").wait_for()
        assert side.page.locator(".picture path").count() >= 7

    host.go_on()  # which word does it look at?
    sleeper.page.context.set_offline(True)
    first.choose(2)
    screen.shows(".phase", "1 of 2 have voted")
    assert screen.page.locator(".picture path").count() == 0 and screen.page.locator(".bar").count() == 0
    host.go_on()
    first.shows(".phase", "Talk to a neighbour")
    host.go_on()
    late = Side(open_window(None, launch(), width=390), room)
    late.shows(".phase", "Vote again")
    late.choose(3)
    first.choose(3)
    sleeper.page.context.set_offline(False)
    sleeper.shows(".phase", "Vote again")
    assert all("ERR_INTERNET_DISCONNECTED" in problem for problem in sleeper.window.problems)
    sleeper.window.problems.clear()
    host.go_on()
    for side in (screen, first, late, sleeper):
        side.shows(".words", "“house”")
        assert [each.split(" ")[0] for each in side.page.locator(".bar").all_inner_texts()] == list("00001002")
        assert "house" in side.text(".choices .found")

    wanderer = first.page.context.new_page()  # opens the explorer, and comes back
    wanderer.goto(first.page.locator(".open").evaluate("(link) => link.href"))
    wanderer.locator(".start .source .word", has_text="brother").wait_for()
    wanderer.close()
    host.go_on(5)  # own sentences, then the cut
    first.shows(".words", "le chat noir dort sur le chat")
    assert first.page.locator(".picture .cut").count() == 1

    kept = screen.page
    kept.goto(f"{kept.url.removesuffix('/screen')}/kept")
    assert kept.locator("section").count() == 2 and "“house”" in kept.locator("section").first.inner_text()
    host.page.reload()
    host.shows("nav .next", "Next")
    first.page.reload()
    first.shows(".people", "You are number 1")


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
