"""Pins the story in a browser: from the first step to the last by keys, in the presenter's mode and out of it again."""

import pytest

from explorer.exhibits.story.scenes import SCENES
from explorer.i18n.pseudo import pseudo
from tests.browser import words
from tests.browser.window import Window

_TITLE = "(title) => document.querySelector('h2')?.textContent === title"
# Or that the model of this step is in training, which is not waited for.
_WORDS = "[...document.querySelectorAll('.st-key-story-words p, [data-testid=stAlert] p')]"
_BAR = "getComputedStyle(document.querySelector('[data-testid=stHeader]')).display"


def test_from_the_first_step_to_the_last_by_keys(window: Window) -> None:
    """In the pseudo-locale, whose words are longer, and must bear marks in every scene."""
    window.visit("story?present=on&lang=xx")
    keys = window.page.keyboard
    assert window.ask(f"() => {_BAR}") == "none"
    found = []
    for at, scene in enumerate(SCENES, 1):
        window.wait(_TITLE, pseudo(scene.title))
        window.wait(f"() => {_WORDS}.length > 0")
        assert window.ask(f"() => {_WORDS}.every((each) => parseFloat(getComputedStyle(each).fontSize) >= 28)")
        window.fits()
        if at > 1:
            window.knob_in_address("scene", str(at))
        found += [f"{at}: {each}" for each in words.unmarked(window.settle())]
        keys.press("ArrowRight")  # at the last step nothing comes behind it
    keys.press("PageUp")
    window.wait(_TITLE, pseudo(SCENES[-2].title))
    keys.press("Escape")
    window.wait(f"() => {_BAR} !== 'none' && !location.search.includes('present')")
    assert found == []


def test_keys_faster_than_answers_and_keys_that_belong_to_others(window: Window) -> None:
    window.visit("story")
    for _ in range(4):
        window.page.keyboard.press("ArrowRight")
    window.wait(_TITLE, SCENES[4].title)
    window.knob_in_address("scene", "5")
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


def test_a_clicker_turns_the_pages_whatever_was_touched(window: Window) -> None:
    keys = window.page.keyboard

    def turns(key: str, scene: int) -> None:
        keys.press(key)
        window.wait(_TITLE, SCENES[scene - 1].title)
        window.settle()

    window.visit("story?present=on")
    window.page.locator(".st-key-token [role=radio]").nth(2).click()
    turns("PageDown", 2)
    field = window.page.locator(".st-key-say input")
    field.fill("my sister likes the dog")
    turns("PageDown", 3)  # what was typed is taken with it
    window.wait("() => document.querySelector('.attention-view [data-side=key]')?.innerText.includes('dog')")
    field.press("Enter")
    turns("ArrowRight", 4)  # a finished line, and a choice made by hand, give the focus back
    window.choice("order_positions", "off").click()
    turns("ArrowRight", 5)
    field.click()
    turns("PageUp", 4)
    # By keys alone one goes on through the choices.
    window.choice("order_positions", "off").focus()
    keys.press("ArrowLeft")
    window.wait("() => document.activeElement.textContent === 'on'")
    assert window.ask(_TITLE, SCENES[3].title)


def test_full_screen_by_a_button_and_back(window: Window) -> None:
    window.visit()
    window.page.locator("main, [data-testid=stMain]").get_by_role("link", name="Tell me").click()
    window.wait(_TITLE, SCENES[0].title)
    window.page.get_by_role("button", name="Present").click()
    window.wait(f"() => document.fullscreenElement && {_BAR} === 'none'")
    window.knob_in_address("present", "on")
    window.page.get_by_role("button", name="Leave").click()
    window.wait(f"() => !document.fullscreenElement && {_BAR} !== 'none'")
    # Whoever goes to another page leaves as well, and finds there the sentence, in the layer that was seen.
    window.visit("story?scene=10&present=on&say=the+dog+sees+a+cat&kind=encoder")
    window.page.locator("[data-testid=stMain] [data-testid=stPageLink] a").first.click()
    window.wait(f"() => location.pathname === '/heads' && {_BAR} !== 'none'")
    window.says("heads", src="the dog sees a cat", layer="1")
    window.wait("() => document.querySelector('.attention-view [data-side=key]')?.innerText.includes('cat')")


def test_training_is_played(window: Window) -> None:
    window.visit("story?scene=7")
    said = "document.querySelector('.film output')?.textContent ?? ''"
    window.wait(f"() => ({said}).endsWith('right')")  # where motion is not wanted, its end; before that it is being trained
    ink = "() => document.querySelector('.attention-view .stage .base').toDataURL()"
    end = window.ask(ink)
    window.page.locator(".film input").fill("0")
    window.wait(f"() => ({said}).endsWith('untrained')")
    window.wait(f"(end) => ({ink})() !== end", end)
    window.page.locator(".film button").click()
    window.wait(f"() => ({said}).endsWith('right')")


def test_presenting_is_at_least_as_large_as_a_projector_and_fills_the_screen(window: Window) -> None:
    window.resize(1920, 1080)
    window.visit("story?scene=2&present=on")
    size = "parseFloat(getComputedStyle(document.querySelector('.st-key-story-words p')).fontSize)"
    presented = window.ask(f"() => {size}")
    words = "[...document.querySelectorAll('.st-key-story-picture .word')]"
    lowest = f"Math.max(...{words}.map((word) => word.getBoundingClientRect().bottom))"
    window.wait(f"() => {lowest} > 0.8 * innerHeight")
    window.page.get_by_role("button", name="Leave").click()
    window.page.locator(".bar-button.projector").first.click()
    window.wait(f"() => document.documentElement.classList.contains('projector') && {size} > 30")
    assert window.ask(f"() => {size}") <= presented
    window.page.get_by_role("button", name="Present").click()
    window.wait(f"(presented) => {size} === presented", presented)


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)])
def test_the_last_row_stands_above_the_bar_of_a_projector(window: Window, size: tuple[int, int]) -> None:
    window.resize(*size)
    window.visit("story?scene=8&present=on&story_mask=off")
    words = "document.querySelectorAll('.st-key-story-picture .word')"  # once the models have learned
    window.wait(f"() => {words}.length > 0 && window.settled()")
    bar = "document.querySelector('.slides').getBoundingClientRect().top"
    assert window.ask(f"() => Math.max(...[...{words}].map((word) => word.getBoundingClientRect().bottom)) <= {bar}")
