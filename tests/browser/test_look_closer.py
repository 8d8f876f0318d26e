"""Pins Look closer in a browser: a cut comes along from Start, keys lead through the words, and the address keeps the place."""

from tests.browser.window import Window

_SAID = "(document.querySelector('.closer .said')?.textContent ?? '')"
_NOW = "document.querySelector('.closer .answer .now .text')?.textContent"


def test_a_cut_comes_along_from_start_and_the_words_are_gone_through(window: Window) -> None:
    window.visit("")
    window.wait("() => document.querySelector('.start')?.dataset.state === 'ready'")
    window.page.locator(".start .pill.cut").click()
    window.wait("() => document.querySelector('.start')?.dataset.state === 'cut'")
    window.page.get_by_text("Let me open it").click()
    window.wait(f"() => {_SAID}.includes('would write lit')")
    assert window.ask(f"() => {_NOW}") == "lit"
    window.knob_in_address("without", "on")
    window.fits()
    keys = window.page.keyboard
    keys.press("Escape")
    window.wait(f"() => {_NOW} === 'chat'")
    for word in ("noir", "dort", "sur"):
        keys.press("ArrowRight")
        window.wait("(word) => document.querySelector('.closer .answer .now .text')?.textContent === word", word)
    window.knob_in_address("query", "4")
    window.page.locator(".closer .source .word").nth(5).click()  # another look of the same word, which is not needed
    window.page.locator(".closer .pill").click()
    window.wait(f"() => {_SAID}.includes('not needed')")
    assert window.ask(f"() => {_NOW}") == "sur"


def test_heads_own_sentences_and_the_numbers_of_the_same_word(window: Window) -> None:
    window.visit("look_closer?query=3")
    window.page.locator(".closer .open-heads").click()
    window.wait("() => document.querySelectorAll('.closer .copy .now').length === 4")
    window.knob_in_address("heads", "on")
    window.page.keyboard.press("Escape")
    window.wait("() => document.querySelectorAll('.closer .copy').length === 0")
    field = window.page.locator(".closer .field")
    field.fill("the penguin")
    field.press("Enter")
    window.wait(f"() => {_SAID}.includes('penguin')")
    window.page.locator(".closer .offer").first.click()
    window.wait("() => document.querySelector('.closer .source')?.textContent === 'thebird'")
    window.knob_in_address("src", "the bird")
    window.page.get_by_text("see the numbers").click()
    window.wait("() => location.pathname.endsWith('/attention')")
    window.knob_in_address("query", "1")
    assert "key=1" in window.page.url and "kind=cross" in window.page.url


def test_a_link_s_unknown_word_is_named_and_stays_named(window: Window) -> None:
    window.visit("look_closer?src=the+penguin+sleeps+in+the+garden")
    window.wait(f"() => {_SAID}.includes('penguin')")
    window.resize(1200, 800)
    window.settle()
    assert "penguin" in window.ask(f"() => {_SAID}")
    window.page.keyboard.press("ArrowRight")
    window.wait(f"() => !{_SAID}.includes('penguin')")


def test_a_source_of_one_word_has_nothing_else_to_look_at(window: Window) -> None:
    window.visit("look_closer?src=yes&query=0&without=on")
    window.wait(f"() => {_SAID}.includes('no word is left')")
