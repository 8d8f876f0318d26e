"""Pins the help in typing a sentence: an unknown word is mended by a click, words are completed, listed and inserted."""

from tests.browser.conftest import OpenWindow
from tests.browser.window import Window

_SIDEBAR = "[data-testid=stSidebar]"


def source(window: Window) -> str:
    return window.knob("src").input_value()


def dimmed(window: Window) -> bool:
    """Whether what stands below the notes of the page looks like what is no longer asked for."""
    below = "[data-testid=stLayoutWrapper]:has(> .st-key-above-pictures) ~ *"
    return bool(
        window.ask(f"() => [...document.querySelectorAll('{below}')].some((each) => getComputedStyle(each).filter !== 'none')")
    )


def open_list(window: Window) -> None:
    window.page.locator(".word-field .open").click()
    window.page.locator(".word-field .panel").wait_for(state="visible")


def test_an_unknown_word_is_named_and_mended_by_a_click(window: Window) -> None:
    window.visit("heads")
    window.type("src", "I have a zebra")
    window.page.locator("[data-testid=stAlertContentError]", has_text="“zebra”").wait_for()
    window.settle()
    assert source(window) == "I have a zebra"
    assert window.page.locator(_SIDEBAR).get_by_text("has never seen “zebra”").is_visible()
    assert window.knob("d_model").is_enabled() and window.page.locator(".word-field .open").is_visible()
    assert window.barriers() == [] and dimmed(window)
    assert window.page.locator(".attention-view").is_visible(), "the picture before stays"
    window.page.get_by_role("button", name="“I have a horse”").click()
    window.says("heads", src="I have a horse")
    window.settle()
    assert not dimmed(window)
    assert window.alerts("Error") == [] and window.page.locator(".attention-view").is_visible()


def test_all_right_answers_are_a_click_away(window: Window) -> None:
    window.visit("masks?src=do+you+like+my+house")
    window.page.locator(f"{_SIDEBAR} [data-testid=stPopoverButton]").click()
    table = window.page.locator("[data-testid=stPopoverBody] table")
    table.get_by_text("aimes-tu ma maison\u00a0?").wait_for()
    assert table.locator("tbody tr").count() > 3
    assert window.barriers() == []
    window.page.keyboard.press("Escape")
    table.wait_for(state="detached")


def test_a_word_is_completed_by_keys(window: Window) -> None:
    window.visit("masks?src=the+cat")
    field, keys = window.knob("src"), window.page.keyboard
    field.fill("")
    field.press_sequentially("the hors")
    options = window.page.get_by_role("option")
    options.first.wait_for()
    assert options.all_inner_texts() == ["horse", "horses"]
    assert field.get_attribute("role") == "combobox" and field.get_attribute("aria-expanded") == "true"
    keys.press("ArrowDown")
    keys.press("ArrowDown")
    chosen = window.page.locator(f"#{field.get_attribute('aria-activedescendant')}")
    assert chosen.inner_text() == "horses" and chosen.get_attribute("aria-selected") == "true"
    assert window.barriers() == []
    keys.press("Enter")
    assert source(window) == "the horses " and "horses" not in window.page.url
    field.press_sequentially("sle")
    options.first.wait_for()
    keys.press("Escape")
    options.first.wait_for(state="detached")
    assert source(window) == "the horses sle"
    field.press_sequentially("e")
    options.first.wait_for()
    keys.press("Tab")  # the first one, where none was chosen: the word is not complete
    assert source(window) == "the horses sleep "
    assert field.get_attribute("aria-expanded") == "false"
    field.press_sequentially("today")
    keys.press("Enter")
    window.says("masks", src="the horses sleep today")
    keys.press("Tab")  # a complete word holds nobody
    assert window.ask("() => document.activeElement.matches('.st-key-src input')") is False


def test_unknown_words_are_listed_while_typing(window: Window) -> None:
    window.visit("masks?src=the+cat")
    window.knob("src").fill("")
    window.knob("src").press_sequentially("I dont see the zebra now")
    note = window.page.locator(".word-field .completion p")
    assert note.inner_text() == "not known: zebra"
    window.page.keyboard.press("Enter")
    note.wait_for(state="hidden")


def test_a_word_of_the_list_is_put_into_the_sentence(window: Window) -> None:
    window.visit("masks?src=i+have+a+house")
    open_list(window)
    search = window.page.locator(".word-field input[type=search]")
    window.wait("() => document.activeElement.matches('.word-field input[type=search]')")
    words = window.page.locator(".word-field section button")
    everything = words.count()
    assert everything > 300
    assert window.barriers() == []
    search.fill("mic")
    assert words.all_inner_texts() == ["mouse", "mice"]
    words.nth(1).click()
    assert source(window) == "i have a house mice"
    search.fill("now")
    window.page.keyboard.press("Enter")
    assert source(window) == "i have a house mice now"
    assert window.page.locator(".word-field .panel").is_visible() and words.count() == everything
    window.page.keyboard.press("Escape")
    window.says("masks", src="i have a house mice now")
    assert window.ask("() => document.activeElement.matches('.word-field .open')")


def test_the_field_is_still_helped_after_a_change_of_page_and_of_model(window: Window) -> None:
    window.visit("masks")
    window.go("heads")
    window.knob("src").fill("")
    window.knob("src").press_sequentially("hor")
    window.page.get_by_role("option").first.wait_for()
    window.visit("heads?task=pronoun-en")
    assert window.page.locator(".word-field").count() == 0
    assert window.knob("src").get_attribute("role") != "combobox"


def test_on_a_phone_the_list_fits_and_the_answer_stands_on_the_page(open_window: OpenWindow) -> None:
    window = open_window("heads?src=do+you+like+my+house", width=390, scheme="dark")
    on_page = window.page.locator(".st-key-answer-page")
    on_page.get_by_text("do you like my house →").wait_for()
    window.unfold_sidebar()
    on_page.wait_for(state="hidden")
    open_list(window)
    box = window.page.locator(".word-field .panel").bounding_box()
    field = window.knob("src").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390 and box["y"] + box["height"] <= 900 and box["height"] > 250
    assert field["y"] + field["height"] <= box["y"]
    window.page.locator(".word-field section button", has_text="horse").first.click()
    assert source(window) == "do you like my house horse"
    window.page.keyboard.press("Escape")
    window.says("heads", src="do you like my house horse")
    window.resize(390, 660)  # the field is near the lower end, or a keyboard lies over what is below it
    window.knob("src").evaluate("(field) => field.scrollIntoView({block: 'end', behavior: 'instant'})")
    window.knob("src").press("End")
    window.page.keyboard.type(" my mo")
    options = window.page.get_by_role("option")
    options.first.wait_for()
    assert options.last.bounding_box()["y"] + options.last.bounding_box()["height"] <= window.knob("src").bounding_box()["y"]
    options.nth(1).click()
    assert source(window).endswith(" my moms ")
    assert window.overflow() <= 0
    window.page.mouse.move(0, 0)  # a slider under the pointer shows its ends, faintly at first
    assert window.barriers() == []
