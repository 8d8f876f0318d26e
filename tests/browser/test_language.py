"""Pins what only a browser shows of a change of language: the words on screen follow, and what is chosen is left as it was."""

from tests.browser.conftest import OpenWindow
from tests.browser.window import Window


def speak(window: Window, language: str, title: str) -> None:
    window.knob("language").click()
    window.page.get_by_role("option", name=language).click()
    window.wait("(title) => window.state().title === title && window.settled()", title)


def toolbar(window: Window) -> str:
    return window.page.locator(".attention-view .heads .name").inner_text()


def test_all_on_screen_changes_its_language_and_nothing_else(open_window: OpenWindow) -> None:
    window = open_window("heads?task=pronoun-en&kind=encoder&layer=0&lang=en&details-words_and_lines=on")
    bars = window.seen("selected-word")
    assert "head 0" in bars
    for language, title, heads, task, name, tag in (
        ("简体中文", "注意力头", "注意力头", "“it”指什么？", "头 0", "zh-CN"),
        ("English", "Heads", "Heads", "what is “it”?", "head 0", "en"),
    ):
        speak(window, language, title)
        window.wait("([key, name]) => (window.seen(key) ?? '').includes(name)", ["selected-word", name])
        assert window.ask("() => [document.documentElement.lang, document.title]") == [tag, title]
        assert toolbar(window) == heads
        word = window.page.locator(".attention-view [data-side=query] .word")
        for place in (1, 3):  # each a rerun of the fragment alone, to which a browser says anew what is chosen in all lists
            assert name in window.changed("selected-word", word.nth(place).click)
        window.wait("(task) => document.querySelector('.st-key-task input').value === task", task)
        window.knob_in_address("task", "pronoun-en")
        window.knob_in_address("layer", "0")


def test_a_chinese_browser_opens_on_answers_that_it_can_read(open_window: OpenWindow) -> None:
    window = open_window(None)
    chinese = {"accept-language": "zh-CN,zh;q=0.9"}
    window.page.route("**/heads", lambda route: route.continue_(headers=route.request.headers | chinese))
    entries = window.ask("() => history.length")
    window.visit("heads").shows(task="everyday-zh")
    assert window.page.url.endswith("/heads?task=everyday-zh"), "so that somebody else sees the same"
    assert window.ask("() => history.length") == entries + 1, "one step back leads out again"
