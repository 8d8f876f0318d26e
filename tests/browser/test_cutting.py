"""Pins: what is clicked is cut, the answer says what that did, and what is undone is back."""

from dataclasses import replace
from typing import Any

import pytest

from explorer.model_on_screen.settings import of_task
from explorer.model_on_screen.shown_model import show_model
from tests.browser.conftest import OpenWindow
from tests.browser.window import Window

LINK = "heads?src=the+red+cat+sees+a+big+house&kind=cross&more=on"
ALIGNED = [(1, 2), (2, 1), (3, 3), (5, 5), (6, 6)]  # who has read "le" is to say "chat", and so on
# Where the middle of the line is that a head draws from a query to a key, on the page.
_LINE = """([head, query, key]) => {
  const root = document.querySelector(".attention-view"), { boxes, active, row } = root.view;
  const { left, top } = root.querySelector(".stage").getBoundingClientRect();
  const shift = (active.indexOf(head) - (active.length - 1) / 2) * Math.min(5, (0.6 * row) / active.length);
  const [a, b] = [boxes.query[query], boxes.key[key]];
  return [left + (a.right + 4 + b.left - 4) / 2, top + (a.top + a.bottom + b.top + b.bottom) / 4 + shift];
}"""


def choose(window: Window, mode: str) -> None:
    window.page.locator(".attention-view .modes").get_by_role("button", name=mode, exact=True).click()


def answer(window: Window) -> str:
    return window.page.locator(".st-key-answer-sidebar p").first.inner_text()


def cuts(window: Window) -> list[str]:
    return window.page.locator("[class*=st-key-uncut-] button:visible").all_inner_texts()


def until(window: Window, cut: str | None) -> None:
    """Returns when the address says what is cut, and the page has been drawn with it."""
    window.wait(
        """(cut) => {
             const buttons = [...document.querySelectorAll("[class*=st-key-uncut-]")];
             const undone = buttons.filter((each) => !each.matches(".st-key-uncut-all"));
             const made = cut === null ? 0 : cut.split(",").length;
             return new URLSearchParams(location.search).get("cut") === cut && undone.length === made && window.settled();
           }""",
        cut,
    )


def strongest(window: Window, query: int) -> tuple[int, int]:
    """The head and the key of the largest weight of a query."""
    found = window.ask(
        """(query) => {
             const { attention } = document.querySelector(".attention-view").view;
             let best = [0, 0];
             for (let h = 0; h < attention.heads; h += 1) for (let k = 0; k < attention.keys; k += 1)
               if (attention.weight(h, query, k) > attention.weight(best[0], query, best[1])) best = [h, k];
             return best;
           }""",
        query,
    )
    return found[0], found[1]


@pytest.fixture
def window(window: Window) -> Window:
    window.visit(LINK)
    window.page.locator(".attention-view").scroll_into_view_if_needed()
    window.wait("() => document.querySelector('.attention-view')?.view?.attention")
    return window


def test_the_link_to_the_word_that_is_translated_is_cut_and_undone(window: Window) -> None:
    """Of the links of this sentence, one that matters to the model by itself."""
    sentence = replace(of_task("everyday-fr"), src="the red cat sees a big house")
    query, key = next(
        (query, key)
        for query, key in ALIGNED
        if (shown := show_model(replace(sentence, cut=f"cross.all.all:{query}-{key}"))).answer != shown.whole.answer
    )
    cut = f"cross.all.all:{query}-{key}"
    before, weights = answer(window), _weights(window)
    choose(window, "cut everywhere")
    grid = window.ask("() => document.querySelector('.attention-view').view.matrix.grid")
    where = {"x": grid["left"] + (key + 0.5) * grid["w"], "y": grid["top"] + (query + 0.5) * grid["h"]}
    window.page.locator(".attention-view .cells").click(position=where)
    until(window, cut)
    assert answer(window) != before and len(cuts(window)) == 1
    assert "Before: “le chat rouge voit une grande maison”" in window.page.locator(".st-key-line-cuts").inner_text()
    window.seen("next-word-cut")

    window.page.locator(".attention-view .heads .name").click()
    window.page.keyboard.press("Backspace")
    until(window, None)
    assert (answer(window), _weights(window), cuts(window)) == (before, weights, [])
    window.back()
    until(window, cut)
    assert answer(window) != before


def _weights(window: Window) -> Any:
    return window.ask("() => [...document.querySelector('.attention-view').view.attention.all]")


def test_a_line_a_word_and_a_head_are_cut_by_a_click(window: Window) -> None:
    choose(window, "cut")
    window.page.locator(".attention-view .heads").get_by_role("button", name="all").click()
    head, key = strongest(window, 5)
    window.page.mouse.click(*window.ask(_LINE, [head, 5, key]))
    line = f"cross.1.{head}:5-{key}"
    until(window, line)
    assert window.ask("([h, k]) => document.querySelector('.attention-view').view.attention.weight(h, 5, k)", [head, key]) == 0

    choose(window, "cut")  # the page has been drawn anew; the mode stays where it is
    window.page.locator(".attention-view [data-side=key] .word").nth(4).click()
    until(window, f"{line},src:4")
    assert window.page.locator(".attention-view [data-side=key] .word.cut").all_inner_texts() == ["4a"]
    window.page.locator(".attention-view .heads button").nth(1).click()
    until(window, f"{line},src:4,cross.1.1")
    assert window.page.locator(".attention-view .heads button.cut").all_inner_texts() == ["1"]
    assert len(cuts(window)) == 4  # and one to undo all
    window.page.locator(".st-key-uncut-1 button:visible").click()
    until(window, f"{line},cross.1.1")
    window.go("decoding")
    assert len(cuts(window)) == 3


def test_a_click_beside_all_lines_cuts_nothing_and_looking_is_as_before(window: Window) -> None:
    choose(window, "cut")
    box = window.page.locator(".attention-view .stage").bounding_box()
    window.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 3)
    choose(window, "look")
    window.unfold_details("words_and_lines")
    window.page.locator(".attention-view [data-side=query] .word").nth(6).click()
    window.page.get_by_text("This is the word you selected").wait_for()
    assert cuts(window) == [] and "cut" not in window.ask("() => location.search")


def test_on_a_phone_words_are_cut_by_a_finger(open_window: OpenWindow) -> None:
    window = open_window(LINK, width=390, scheme="dark")
    window.page.locator(".attention-view .modes").get_by_role("button", name="cut", exact=True).click()
    window.page.locator(".attention-view [data-side=key] .word").nth(2).click()
    until(window, "src:2")
    assert window.overflow() == 0
