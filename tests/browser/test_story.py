"""Pins the story in a browser: from the first step to the last by keys, in the presenter's mode and out of it again."""

from collections.abc import Callable

import pytest

from explorer.parts.story.scenes import SCENES
from tests.browser.window import Window

_TITLE = "(title) => document.querySelector('h2')?.textContent === title"
# Or that the model of this step is in training, which is not waited for.
_WORDS = "[...document.querySelectorAll('.st-key-story-words p, [data-testid=stAlert] p')]"
_SIDEBAR = "getComputedStyle(document.querySelector('[data-testid=stSidebar]')).display"


@pytest.mark.parametrize(("scheme", "forth", "back"), [("light", "ArrowRight", "ArrowLeft"), ("dark", "PageDown", "PageUp")])
def test_from_the_first_step_to_the_last_by_keys(
    open_window: Callable[..., Window], scheme: str, forth: str, back: str
) -> None:
    window = open_window("story?present=on", scheme=scheme)
    keys = window.page.keyboard
    assert window.ask(f"() => {_SIDEBAR}") == "none"
    for at, scene in enumerate(SCENES, 1):
        window.wait(_TITLE, scene.title)
        window.wait(f"() => {_WORDS}.length > 0")
        assert window.ask(f"() => {_WORDS}.every((each) => parseFloat(getComputedStyle(each).fontSize) >= 28)")
        assert window.overflow() == 0
        if at > 1:
            window.knob_in_address("step", str(at))
        keys.press(forth)  # at the last step nothing comes behind it
    keys.press(back)
    window.wait(_TITLE, SCENES[-2].title)
    keys.press("Escape")
    window.wait(f"() => {_SIDEBAR} !== 'none' && !location.search.includes('present')")
    window.page.go_back()
    window.no_complaint()


def test_keys_faster_than_answers_and_keys_that_belong_to_others(open_window: Callable[..., Window]) -> None:
    window = open_window("story")
    for _ in range(4):
        window.page.keyboard.press("ArrowRight")
    window.wait(_TITLE, SCENES[4].title)
    window.knob_in_address("step", "5")
    # In a line of text the arrow keys move the cursor.
    field = window.page.locator(".st-key-say input")
    field.fill("the big dog eats a red apple")
    field.press("ArrowLeft")
    field.press("Enter")
    window.wait("() => document.querySelector('.attention-view [data-side=key]')?.innerText.includes('apple')")
    assert window.ask(_TITLE, SCENES[4].title)
    # A word that is clicked is held, and the keys still turn the pages.
    window.page.locator(".attention-view .word").nth(1).click()
    window.wait("() => document.querySelector('.attention-view .word[aria-pressed=true]') !== null")
    window.page.keyboard.press("ArrowRight")
    window.wait(_TITLE, SCENES[5].title)
    window.no_complaint()


def test_full_screen_by_a_button_and_back(open_window: Callable[..., Window]) -> None:
    window = open_window()
    window.page.locator("main, [data-testid=stMain]").get_by_role("link", name="Five minutes").click()
    window.wait(_TITLE, SCENES[0].title)
    window.page.get_by_role("button", name="Present").click()
    window.wait(f"() => document.fullscreenElement && {_SIDEBAR} === 'none'")
    window.knob_in_address("present", "on")
    window.page.get_by_role("button", name="Leave").click()
    window.wait(f"() => !document.fullscreenElement && {_SIDEBAR} !== 'none'")
    # Whoever goes to another page leaves as well.
    window.visit("story?step=9&present=on")
    window.page.locator("[data-testid=stMain] [data-testid=stPageLink] a").first.click()
    window.wait(f"() => location.pathname === '/heads' && {_SIDEBAR} !== 'none'")
    window.settle().no_complaint()


def test_training_is_played_and_can_be_stopped(open_window: Callable[..., Window]) -> None:
    window = open_window("story?step=7")
    words = "document.querySelector('.film output')?.textContent ?? ''"
    window.wait(f"() => ({words}).endsWith('right')")  # where motion is not wanted, its end; before that it is being trained
    ink = "() => document.querySelector('.attention-view .stage .base').toDataURL()"
    end, player = window.ask(ink), window.page.locator(".film button")
    assert player.inner_text() == "Play"
    player.click()
    window.wait(f"() => /^step [1-9]/.test({words})")
    player.click()
    assert player.inner_text() == "Play"
    window.page.locator(".film input").fill("0")
    window.wait(f"() => ({words}).endsWith('untrained')")
    window.wait(f"(end) => ({ink})() !== end", end)
    window.no_complaint()
