"""Pins how attention can be touched: pointing, holding a word, the keyboard, the weakest link, and a phone."""

from typing import Any

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.window import Window

TRANSLATOR = "heads?more=on&task=everyday-fr&kind=cross&src=the+red+cat+sees+a+big+house&details-words_and_lines=on"
SELECTED, NONE_SELECTED = "This is the word you selected", "No word is selected"
# What is on the layer of the word pointed at: how many of its points carry ink.
_INK = """() => {
  const layer = document.querySelector(".attention-view .stage .lit");
  const copy = new OffscreenCanvas(layer.width, layer.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(layer, 0, 0);
  const { data } = copy.getImageData(0, 0, layer.width, layer.height);
  return data.filter((value, i) => i % 4 === 3 && value).length;
}"""


def word(window: Window, side: str, place: int) -> Any:
    return window.page.locator(f".attention-view [data-side={side}] .word").nth(place)


def says(window: Window, *parts: str) -> None:
    """Returns when the sentence below the picture, which is read out as well, says all of this."""
    said = "document.querySelector('.attention-view .said').textContent"
    window.wait(f"(parts) => parts.every((part) => {said}.includes(part))", list(parts))


def told(window: Window, words: str) -> None:
    """Returns when the page has been told which word is selected, if any, and says so."""
    window.page.get_by_text(words).wait_for()
    window.settle()


def lines(window: Window) -> int:
    return int(window.page.locator(".attention-view").get_attribute("data-lines"))


@pytest.fixture
def window(window: Window) -> Window:
    window.visit(TRANSLATOR)
    window.page.locator(".attention-view").scroll_into_view_if_needed()
    says(window, "Point at a word")
    return window


def test_a_word_or_a_cell_pointed_at_shows_where_it_looks_without_the_server(window: Window) -> None:
    assert window.ask(_INK) == 0
    bars = window.seen("selected-word")
    word(window, "query", 1).hover()
    says(window, "heads 0, 1, 2, 3, “chat” attends to", "“cat” (")
    one_row = window.ask(_INK)
    assert one_row > 1000
    word(window, "key", 2).hover()
    says(window, "“chat” attends to", "“cat” (")
    window.page.locator(".attention-view .cells").hover(position={"x": 5, "y": 5})  # in the corner, where no cell is
    says(window, "Point at a word")
    assert window.ask(_INK) == 0
    assert window.seen("selected-word") == bars

    cells = window.page.locator(".attention-view .cells")  # the matrix lights the same cell
    grid = window.ask("() => document.querySelector('.attention-view').view.matrix.grid")
    cells.hover(position={"x": grid["left"] + 2.5 * grid["w"], "y": grid["top"] + 1.5 * grid["h"]})
    says(window, "“chat” gives", "of its attention to “cat”.")
    named = window.page.locator(".attention-view .word.named > span")
    assert named.all_inner_texts() == ["le → chat", "cat"]


def test_a_word_that_is_held_is_told_to_the_other_figures(window: Window) -> None:
    before = window.seen("selected-word")
    word(window, "query", 6).click()
    told(window, SELECTED)
    assert word(window, "query", 6).get_attribute("aria-pressed") == "true"
    assert window.page.get_by_text("6 grande").count() >= 1
    # Another word across from it: their one cell.
    word(window, "key", 5).hover()
    says(window, "“maison” gives", "of its attention to “big”.")
    window.page.keyboard.press("Escape")
    told(window, NONE_SELECTED)
    assert window.seen("selected-word") == before
    assert window.page.locator(".attention-view .word[aria-pressed=true]").count() == 0


def test_all_of_it_by_keyboard(window: Window) -> None:
    window.page.locator(".attention-view .heads").get_by_role("button", name="all").press("Space")  # in place of their mean
    window.page.locator(".attention-view .heads button").first.focus()
    window.page.keyboard.press("Space")  # head 0 off
    assert window.page.locator(".attention-view .heads button[aria-pressed=true]").all_inner_texts() == ["1", "2", "3"]
    for _ in range(12):  # past the other heads, "all", their mean, two pictures, what a click does, and the slider
        window.page.keyboard.press("Tab")
    focused = "document.activeElement.querySelector('span').textContent"
    assert window.ask(f"() => {focused}") == "<start> → le"
    window.page.keyboard.press("ArrowDown")
    says(window, "heads 1, 2, 3, “chat” attends to")
    window.page.keyboard.press("ArrowDown")
    says(window, "heads 1, 2, 3, “rouge” attends to")
    window.page.keyboard.press("Enter")
    told(window, SELECTED)
    window.page.keyboard.press("ArrowRight")
    assert window.ask(f"() => {focused}") == "cat"
    window.page.keyboard.press("End")
    assert window.ask(f"() => {focused}") == "house"
    says(window, "“rouge” gives", "of its attention to “house”.")
    window.page.keyboard.press("Escape")
    told(window, NONE_SELECTED)
    says(window, "“house” is attended to by")
    assert window.page.locator(".attention-view .word.named").count() == 1


def test_weak_links_and_heads_can_be_hidden_and_texts_coloured(window: Window) -> None:
    of_the_mean = lines(window)
    window.page.locator(".attention-view .heads").get_by_role("button", name="all").click()
    window.wait("(before) => Number(document.querySelector('.attention-view').dataset.lines) > before", of_the_mean)
    all_lines = lines(window)
    slider = window.page.locator(".attention-view .weakest input")
    slider.fill("50")
    window.wait("(before) => Number(document.querySelector('.attention-view').dataset.lines) < before", all_lines)
    strong = lines(window)
    weights = window.ask(
        "() => { const { weights } = document.querySelector('.attention-view').view.attention; return [...weights]; }"
    )
    assert strong == sum(weight >= 0.5 for weight in weights)
    for head in (1, 2, 3, 0):
        window.page.locator(".attention-view .heads button").nth(head).click()
    says(window, "No head is on")
    assert lines(window) == 0
    window.page.locator(".attention-view .heads").get_by_role("button", name="all").click()
    assert lines(window) == strong

    # The same as a text, coloured by the weights of one query.
    window.page.get_by_role("button", name="coloured text").click()
    says(window, "“le” attends to")  # a text is always that of one query
    word(window, "query", 1).hover()
    says(window, "“chat” attends to", "“cat” (")
    assert window.ask(_INK) > 1000
    assert lines(window) == 0


def test_on_a_phone_the_columns_have_room(open_window: OpenWindow) -> None:
    window = open_window(TRANSLATOR, width=390, scheme="dark")
    query, key = (word(window, side, 6).bounding_box() for side in ("query", "key"))
    assert query["x"] > 0 and key["x"] + key["width"] < 390 and key["x"] - query["x"] - query["width"] > 50
    word(window, "query", 6).click()
    told(window, SELECTED)
    says(window, "“maison” attends to")
    assert window.overflow() == 0
