"""Pins that a browser which translates the page breaks nothing, and leaves words of the model and names in the code alone."""

from typing import Any

import pytest

from benchmarks import harness
from tests.browser.window import PATIENCE, Window

# As Chrome's translator does: a moment after a text has come, an element with its translation replaces it, or holds it.
_TRANSLATOR = """
const translated = (text) => {
  const [outer, inner] = [document.createElement("font"), document.createElement("font")];
  outer.append(inner);
  text.replaceWith(outer);
  if (WRAPS) inner.append(text);
  else inner.textContent = `«${text.data}»`;
};
const isLeft = (parent) => !parent || parent.closest("[translate=no], script, style, font, textarea");
function translate(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  for (const text of texts) if (text.data.trim() && !isLeft(text.parentElement)) translated(text);
}
new MutationObserver((records) => {
  const added = records.flatMap(({ addedNodes }) => [...addedNodes]);
  setTimeout(() => added.forEach((node) => node.parentNode && translate(node.parentNode)), 20); // its answers come later
}).observe(document, { childList: true, subtree: true });
"""


@pytest.fixture(params=["replaces", "wraps"])
def window(request: pytest.FixtureRequest, browser: Any, server: harness.Server) -> Any:
    window = Window(browser, server.url)
    window.page.add_init_script(_TRANSLATOR.replace("WRAPS", "true" if request.param == "wraps" else "false"))
    yield window
    window.no_complaint()
    window.close()


def shows(window: Window, title: str) -> None:
    window.page.locator("h1", has_text=title).wait_for()
    assert window.page.locator("h1 font").count() > 0  # it is translated


def test_a_walk_through_a_translated_page(window: Window) -> None:
    page = window.page
    page.goto(f"{window.base}/heads")
    shows(window, "Heads")
    page.locator(".attention-view .words button").first.wait_for()
    assert page.locator(".attention-view .words font, [class*=st-key-answer-] font, code font").count() == 0
    window.type("src", "I don't like milk")
    answer = page.locator(".st-key-answer-sidebar p").first
    answer.get_by_text("je n'aime pas le lait").wait_for()
    assert "«" not in answer.inner_text()

    page.locator(".st-key-part").get_by_role("radio").nth(1).click()
    page.locator(".st-key-head-large canvas").first.wait_for()

    page.goto(f"{window.base}/story")
    title = page.locator(".st-key-story-title h2")
    title.wait_for()
    for _ in range(4):
        before = title.inner_text()
        page.get_by_role("button", name="Next →").first.click()
        page.wait_for_function(
            "(before) => ![undefined, before].includes(document.querySelector('.st-key-story-title h2')?.innerText)",
            arg=before, timeout=PATIENCE,
        )  # fmt: skip
    window.menu_link("masks").click()
    shows(window, "Masks")
    assert page.locator("[data-testid=stException]").count() == 0


def test_what_react_changes_takes_the_place_of_its_translation(window: Window) -> None:
    page = window.page
    page.goto(window.base)
    page.locator("h1").wait_for()
    page.evaluate(
        """() => {
          const box = document.createElement("div");
          box.id = "made";
          box.append(document.createTextNode("before"));
          document.body.append(box);
          window.made = box.firstChild;
        }"""
    )
    page.wait_for_function("() => document.querySelector('#made font')")
    page.evaluate("() => { window.made.nodeValue = 'after'; }")
    page.wait_for_function("() => /after/.test(document.querySelector('#made').textContent)")
    assert "before" not in page.locator("#made").inner_text()
    page.evaluate("() => { document.querySelector('#made').removeChild(window.made); }")
    page.wait_for_function("() => document.querySelector('#made').textContent === ''")


def test_full_screen_is_offered_where_there_is_one(browser: Any, server: harness.Server) -> None:
    for there in (True, False):
        window = Window(browser, server.url)
        window.page.add_init_script(f"Object.defineProperty(document, 'fullscreenEnabled', {{ value: {str(there).lower()} }})")
        window.visit("masks")
        assert window.page.locator(".bar-button.full").is_visible() is there
        window.no_complaint()
        window.close()
