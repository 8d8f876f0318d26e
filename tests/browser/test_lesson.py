"""Pins a lesson as people live it: six steps are made, sent as a link, followed on a phone by keys, framed by another site, and
led through a room.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.harness import Server
from tests.browser.conftest import OpenWindow, serving
from tests.browser.test_frames import site as site
from tests.browser.test_room import Side
from tests.browser.window import SMALL, Window

VIEWS = (  # the last one becomes the third
    ("", "src=the+black+cat+sleeps+on+the+bed"),
    ("look_closer", "query=3"),
    ("heads", f"{SMALL}&part=side_by_side"),
    ("masks", f"{SMALL}&part=triangle"),
    ("shapes", SMALL),
    ("heads", f"{SMALL}&kind=encoder&n_heads=2"),
)
NEXT, BACK = (f".st-key-lesson-arrow_{way} button" for way in ("forward", "back"))
PLACE = "() => document.querySelector('.st-key-lesson-ways')?.innerText.match(/Step (\\d) of 6/)?.[1]"


def at_step(window: Window, number: int) -> None:
    window.wait(f"(number) => ({PLACE})() === number && window.settled()", str(number))


def make(window: Window) -> str:
    """A teacher adds six views, puts the last one in the third place, and locks what it shows; returns the link."""
    for n, (page, choices) in enumerate(VIEWS, 1):
        window.visit(f"{page}?{choices}")  # loaded anew each time: the browser's window keeps the lesson
        window.page.locator(".st-key-add-view button").press("Enter")
        window.page.get_by_test_id("stToast").filter(has_text=f"Step {n} of your lesson").wait_for()
    window.go("lesson")
    steps = window.page.locator(".st-key-lesson_step").get_by_role("radio")
    steps.nth(5).click()
    note = window.page.locator(".st-key-lesson-note-6 textarea")
    note.fill("Which word does it look at?")
    note.press("Control+Enter")
    steps.filter(has_text="6. Heads: Which word").wait_for()
    window.unfold_details("lesson")
    for place in (5, 4, 3):
        window.page.locator(".st-key-lesson-arrow_upward button").press("Enter")
        steps.filter(has_text=f"{place}. Heads: Which word").wait_for()
    lock = window.page.locator(".st-key-lesson-lock-6")
    for label in ("heads", "attention"):
        lock.locator("input").fill(label)
        window.page.get_by_role("option", name=label, exact=True).click()
        lock.get_by_text(label, exact=True).first.wait_for()
    window.page.keyboard.press("Escape")
    window.settle()
    window.page.reload()
    window.settle()
    assert steps.count() == 6, "the lesson is there after a reload"
    window.page.locator(".st-key-lesson-take button").first.click()
    code = window.page.get_by_test_id("stPopoverBody").locator("code").first
    code.wait_for()
    link: str = code.inner_text()
    return link


@pytest.fixture(scope="module")
def link(open_for_all: OpenWindow) -> str:
    return make(open_for_all(None))


def test_a_phone_follows_the_link_by_keys_and_cannot_change_what_is_locked(link: str, open_window: OpenWindow) -> None:
    phone = open_window(None, width=390, scheme="dark")
    assert link.startswith(phone.base) and len(link) < 1500
    phone.visit(link)
    for number in range(1, 6):
        at_step(phone, number)
        assert phone.ask("() => document.documentElement.scrollWidth <= innerWidth"), number
        phone.page.locator(NEXT).press("Enter")
    at_step(phone, 6)
    assert phone.page.locator(NEXT).count() == 0
    phone.page.get_by_text("That was the lesson").wait_for()
    assert phone.ask("() => document.documentElement.scrollWidth <= innerWidth")
    phone.page.locator(".st-key-lesson-again button").press("Enter")
    at_step(phone, 1)
    phone.back()
    at_step(phone, 6)
    phone.back()
    at_step(phone, 5)
    phone.page.reload()
    at_step(phone, 5)
    for number in (4, 3):
        phone.page.locator(BACK).press("Enter")
        at_step(phone, number)
    phone.page.get_by_text("Which word does it look at?").wait_for()
    assert phone.model()["heads"] == "2" and phone.controls()["kind"] == "encoder"
    assert phone.choice("kind", "cross").is_disabled() and phone.choice("layer", "0").is_enabled()
    edited = phone.page.url.replace("n_heads=2", "n_heads=8").replace("kind=encoder", "kind=cross")
    assert edited != phone.page.url
    phone.visit(edited)
    at_step(phone, 3)
    assert phone.model()["heads"] == "2" and phone.controls()["kind"] == "encoder"
    phone.page.get_by_role("button", name="Leave the lesson").press("Enter")
    phone.page.locator(".st-key-lesson-bar").wait_for(state="detached")
    assert "lesson=" not in phone.settle().page.url and phone.choice("kind", "cross").is_enabled()


def test_another_site_shows_it_in_a_frame(link: str, launch: Callable[..., Any], tmp_path: Path, site: str) -> None:
    with serving(tmp_path, EXPLORER_FRAMES=site) as server:
        window = Window(launch(block_third_party_cookies=True, cookie_controls_mode=1), server.url)
        try:
            window.page.goto(f"{site}/?{server.url}/{link.split('/', 3)[3]}&embed=true")
            frame = window.page.locator("iframe").element_handle().content_frame()
            for number in range(1, 4):
                frame.wait_for_function(f"(number) => ({PLACE})() === number && window.settled()", arg=str(number))
                hidden = frame.locator(".st-key-bar, [data-testid=stHeader], [data-testid=stSidebar], .st-key-lesson-leave, h1")
                assert not any(each.is_visible() for each in hidden.all()), number
                frame.locator(NEXT).press("Enter")
            frame.wait_for_function(f"() => ({PLACE})() === '4' && window.settled()")
            whole = frame.locator("a.open-all").get_attribute("href")
            assert whole and whole.startswith("./heads?") and "embed" not in whole and "part=side_by_side" in whole
            assert [each for each in window.problems if f"request: {site}" not in each] == []
        finally:
            window.close()


def test_a_room_is_led_through_it(link: str, open_window: OpenWindow, launch: Callable[[], Any], server: Server) -> None:
    window, phone = open_window(None), open_window(None, width=390, browser=launch())
    word = link.split("lesson=")[1].split("&")[0]
    window.visit()
    window.page.goto(f"{server.url}/room/new?lang=en&lesson={word}")
    assert "each of its 6 steps" in window.page.locator("body").inner_text()
    window.page.locator("form button").first.click()
    window.page.wait_for_function("() => document.body?.dataset.version")
    room = window.page.url.split("/", 3)[3].removesuffix("/host")
    screen, learner = Side(open_window(None), f"{room}/screen"), Side(phone, room)
    screen.shows("h1", "Join with your phone")
    window.page.locator(".steps button").nth(2).click()
    screen.shows("h1", "Look closer")
    window.page.keyboard.press("ArrowRight")
    screen.shows(".show", "Which word does it look at?")
    frame = screen.page.locator(".view iframe").element_handle().content_frame()
    frame.wait_for_function("() => window.settled() && window.model().heads === '2'")
    assert not frame.locator(".st-key-bar").is_visible()
    learner.shows(".show", "Which word does it look at?")
    phone.visit(f"{server.url}{learner.page.locator('.open').get_attribute('href')}")
    assert phone.model()["heads"] == "2" and phone.choice("kind", "cross").is_disabled()
    phone.page.get_by_text("Which word does it look at?").wait_for()
