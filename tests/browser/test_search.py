"""Pins the search of the bar: opened by a key or a press on every page, walked by keys, on a phone and in Chinese."""

from itertools import pairwise

from tests.browser.conftest import OpenWindow
from tests.browser.window import SMALL, Window

DIALOG = "dialog.search[open]"


def typed(window: Window, words: str, said: str) -> None:
    """Types words into the search, and waits until what it found says this."""
    window.page.locator(f"{DIALOG} input").fill(words)
    window.page.locator(f"{DIALOG} .found", has_text=said).wait_for()


def test_the_key_opens_it_arrows_go_through_what_it_found_and_the_page_is_opened(open_window: OpenWindow) -> None:
    window = open_window(f"masks?{SMALL}&src=i+love+you")
    keyboard = window.page.keyboard
    keyboard.press("/")
    assert window.ask("() => document.activeElement.matches('dialog.search input') && !document.activeElement.value")
    assert "pages" in window.page.locator(f"{DIALOG} .found").inner_text() or window.page.locator(f"{DIALOG} p").count()
    typed(window, "zebra", "zebra")
    assert not window.page.locator(f"{DIALOG} a").count()
    typed(window, "cache", "KV cache")
    assert not window.barriers()
    keyboard.press("ArrowDown")
    link = window.ask("() => document.activeElement.getAttribute('href')")
    assert "details-generation=on" in link and "src=i+love+you" in link and "part=generation" in link
    keyboard.press("ArrowUp")
    assert window.ask("() => document.activeElement.matches('dialog.search input')")
    keyboard.press("Escape")
    window.page.locator(DIALOG).wait_for(state="hidden")
    keyboard.press("/")
    typed(window, "cheat", "How does it cheat")
    keyboard.press("Enter")
    window.page.wait_for_url("**/break_it?**experiment=causal**")
    window.wait("() => window.settled()")
    window.no_complaint()


def test_a_slash_in_a_field_is_a_slash(open_window: OpenWindow) -> None:
    window = open_window(f"reference?{SMALL}")
    window.page.locator(".st-key-ask_for input").press("/")
    assert window.page.locator(".st-key-ask_for input").input_value() == "/"
    assert not window.page.locator(DIALOG).count()


def test_on_a_phone_in_chinese_it_is_pressed_and_fits(open_window: OpenWindow) -> None:
    window = open_window(f"masks?{SMALL}&lang=zh_CN", width=390)
    window.page.locator(".bar-button.search").click()
    typed(window, "偷看", "因果掩码")
    box = window.page.locator(DIALOG).bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    window.fits()
    window.page.locator(f"{DIALOG} .close").click()
    window.page.locator(DIALOG).wait_for(state="hidden")
    buttons = [
        window.page.locator(each).bounding_box()
        for each in (".bar-button.menu", ".bar-button.search", "[data-testid=stExpandSidebarButton]")
    ]
    assert all(left["x"] + left["width"] <= right["x"] for left, right in pairwise(buttons))
