"""Pins what becomes of a page that the browser itself translates: it goes on working, says what it would say without, and keeps
tokens, answers and names as they are."""

from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks import harness
from tests.browser.conftest import OpenWindow, windows_on
from tests.browser.window import Window

# As Chrome's translator does it, with what browsers have of their own: elements replace each text, or are put around it. The
# translation says what was said, so that pages can be compared.
_TRANSLATOR = """
const { insertBefore, removeChild } = Node.prototype;
const translate = (text) => {
  const parent = text.parentElement;
  if (!parent || !text.nodeValue.trim() || parent.closest("font, script, style, textarea, [translate=no]")) return;
  const outer = document.createElement("font"), inner = document.createElement("font");
  outer.append(inner);
  insertBefore.call(parent, outer, text);
  if (WRAPS) inner.append(text);
  else {
    inner.textContent = text.nodeValue;
    removeChild.call(parent, text);
  }
};
const textsIn = (node) => {
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT), found = node.nodeType === Node.TEXT_NODE ? [node] : [];
  while (walker.nextNode()) found.push(walker.currentNode);
  return found;
};
const follow = (records) => {
  for (const { type, target, addedNodes } of records)
    (type === "characterData" ? [target] : [...addedNodes]).flatMap(textsIn).forEach(translate);
};
document.addEventListener("DOMContentLoaded", () => {  // nobody asks for a translation of what is not there yet
  textsIn(document.body).forEach(translate);
  new MutationObserver(follow).observe(document, { subtree: true, childList: true, characterData: true });
});
"""
# What the page says, but for a line that follows the pointer after a moment, and the list of its terms, which comes later.
_SAID = """() => [...document.querySelectorAll("[data-testid=stMain] :is(h1, p, li, td, button):not(.said, .term-list *)")]
                  .map((node) => node.innerText).join("\\n")"""


@pytest.fixture(params=["replaces", "wraps"])
def translated(request: pytest.FixtureRequest, browser: Any, server: harness.Server, opened: list[Window]) -> Iterator[Window]:
    with windows_on(browser, server, opened) as make:
        window = make(None)
        window.page.add_init_script(_TRANSLATOR.replace("WRAPS", str(request.param == "wraps").lower()))
        yield window


def walk(window: Window) -> Iterator[str]:
    """The first minutes of a visitor, and what is on screen after each step."""
    window.visit("attention")
    window.page.locator(".arithmetic .readout").first.wait_for()
    yield window.ask(_SAID)
    for animal, answer in (("cat", "le chat rouge voit une grande maison"), ("dog", "le chien rouge voit une grande maison")):
        window.type("src", f"the red {animal} sees a big house")
        window.page.locator(".st-key-answer-sidebar", has_text=answer).wait_for()
        window.settle()
        yield window.page.locator(".st-key-answer-sidebar").inner_text()
        yield window.ask(_SAID)
    window.go("story")
    for way in ("next", "next", "back"):
        before = window.ask(_SAID)
        window.page.locator(f".slides .{way}").click()
        window.wait(f"(before) => ({_SAID})() !== before && window.settled()", before)
        window.wait("() => document.querySelector('.stMain .attention-view')?.dataset.lines && window.settled()")
        yield window.ask(_SAID)
    window.go("heads")
    window.wait("() => document.querySelector('.cut-answer')?.innerText.trim() && window.settled()")
    yield window.ask(_SAID)
    window.open_part("heads", "side_by_side")
    window.wait("() => document.querySelector('.cut-answer')?.innerText.trim() && window.settled()")
    yield window.ask(_SAID)
    window.go("masks")
    yield window.ask(_SAID)


def test_all_works_and_nothing_on_screen_is_of_before(translated: Window, open_window: OpenWindow) -> None:
    for seen, meant in zip(walk(translated), walk(open_window(None)), strict=True):
        assert seen == meant
    assert translated.page.locator("h1 font font").count() > 0


@pytest.mark.parametrize(
    ("address", "places"),
    [
        ("heads", [".attention-view .words button", "[class*=st-key-answer-] p"]),
        ("shapes?details-stages=on", [".shape-map .name", ".shape-map .entry", "code"]),
        ("attention", [".arithmetic .steps", ".arithmetic .readout"]),
        ("decoding?part=generation&details-generation=on", [".st-key-right-answers p", ".st-key-force-wrong p", "canvas td"]),
        ("what_matters?part=swap_and_patch", [".st-key-both-sentences p"]),
    ],
)
def test_tokens_answers_and_names_stay_what_they_are(translated: Window, address: str, places: list[str]) -> None:
    translated.visit(address)
    for place in places:
        translated.page.locator(place).first.wait_for(state="attached")
        assert translated.page.locator(f"{place} font").count() == 0
    assert translated.page.locator("h1 font").count() > 0


def test_right_answers_stay_what_they_are(translated: Window) -> None:
    translated.visit("heads")
    translated.page.locator(".st-key-answer-sidebar [data-testid=stPopoverButton]").click()
    answers = translated.page.locator(".st-key-right-answers-sidebar td")
    answers.get_by_text("aimes-tu ma voiture rouge").wait_for()
    assert answers.locator("font").count() == 0


def test_full_screen_is_offered_where_there_is_one(browser: Any, server: harness.Server, opened: list[Window]) -> None:
    with windows_on(browser, server, opened) as make:
        for there in (True, False):
            window = make(None)
            window.page.add_init_script(
                f"Object.defineProperty(document, 'fullscreenEnabled', {{ value: {str(there).lower()} }})"
            )
            window.visit("masks")
            assert window.page.locator(".bar-button.full").is_visible() is there
