"""Pins that every page opens plainly: with at most four controls and few words on its first screen, and the rest behind *More
controls*; that who has opened these keeps them open; and that a link to a setting that lies there shows it.
"""

from collections.abc import Callable
from typing import Any

import pytest

from explorer.ui.navigation import GROUPS
from tests.browser.conftest import OpenWindow
from tests.browser.window import Window

SCREEN = (1440, 900)
MOST_WORDS, MOST_CONTROLS = 120, 4
PAGES = (
    "positions", "masks", "heads", "attention", "layers", "shapes", "decoding", "training", "be_the_head", "predict",
    "hunt", "lesson", "next_word", "one_step", "shapes?part=weights",
)  # fmt: skip
# Of the first screen: the words that are to be read, and the controls of the page. Aside: tables, pictures with their labels,
# the sentences drawn in them and the arrow in their corner, the line at the foot that names the model, and what leads to other
# places (the bar, the map, the page's parts, details and terms). Buttons of one group count as one control.
_SEEN = """() => {
  const PICTURES =
    ".explorer-plot, .matrices, .shape-map, .attention-view .body, .arithmetic :is(.picture, .steps), .answer-now, table, "
    + ".take-home";
  const PLACES = ".st-key-bar, .st-key-foot, .st-key-part, .st-key-more, .st-key-more-words, .st-key-corner, .term-list, "
    + "[class*=st-key-details-]";
  const PARTS = "[role=radiogroup], [role=group], .stSlider, .stSelectbox, .stButton, .stCheckbox, .stPopover, .stTextInput";
  const inside = (node, selector) => node.closest(selector) !== null;
  const words = [], controls = new Set();
  const onScreen = (box) => box.width > 1 && box.height > 1 && box.bottom > 0 && box.top < innerHeight;
  const covered = (node, { left, right, top, bottom }) => {
    const at = document.elementFromPoint((left + right) / 2, (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2);
    return !(at && (node === at || node.contains(at) || at.contains(node)));
  };
  for (const root of document.querySelectorAll("[data-testid=stMain], [data-testid=stSidebar], [data-testid=stHeader]")) {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), range = document.createRange();
    while (texts.nextNode()) {
      const node = texts.currentNode.parentElement;
      range.selectNodeContents(texts.currentNode);
      const box = range.getBoundingClientRect();
      if (!onScreen(box) || inside(node, `${PICTURES}, .st-key-foot, style, script`)) continue;
      if (getComputedStyle(node).fontFamily.includes("Material")) continue;
      if (node.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !covered(node, box))
        words.push(...texts.currentNode.textContent.split(/\\s+/).filter((word) => /\\p{L}{2}|\\p{Script=Han}/u.test(word)));
    }
  }
  for (const node of document.querySelectorAll("[data-testid=stMain] :is(button, input, [role=slider])")) {
    if (!onScreen(node.getBoundingClientRect()) || inside(node, `${PICTURES}, ${PLACES}`)) continue;
    if (inside(node, "[data-testid=stTooltipIcon]")) continue;
    if (!node.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const key = node.closest("[class*=st-key-]:not(.st-key-page)")?.className.match(/st-key-(\\S+)/)[1];
    controls.add(node.closest(PARTS) ?? key ?? node);
  }
  return { words, controls: [...controls].map((node) => node.innerText ?? node) };
}"""


@pytest.fixture(scope="module")
def window(open_for_all: OpenWindow, launch: Callable[[], Any]) -> Window:
    window = open_for_all(None, browser=launch())  # of somebody who has not trained anything
    window.resize(*SCREEN)
    return window


@pytest.mark.parametrize("page", PAGES)
def test_a_first_screen_has_few_words_and_controls(window: Window, page: str) -> None:
    window.visit(page)
    window.wait("() => [...document.querySelectorAll('.shape-map')].every((map) => map.clientHeight > 300)")  # all drawn
    seen = window.page.evaluate(_SEEN)
    assert len(seen["words"]) <= MOST_WORDS, (len(seen["words"]), " ".join(seen["words"]))
    assert 1 <= len(seen["controls"]) <= MOST_CONTROLS, seen["controls"]


def test_every_page_of_look_inside_is_looked_at():
    inside = {entry.name for entry in GROUPS["Look inside"]} - {"look_closer"}  # it has no controls to hide
    assert inside <= set(PAGES)


def test_who_has_opened_more_controls_keeps_them_open(open_window: OpenWindow) -> None:
    window = open_window("heads")
    page, switch = window.page, window.page.locator(".st-key-more label")
    assert page.locator(".st-key-kind, .st-key-layer").count() == 0
    switch.click()
    page.locator(".st-key-layer").wait_for()
    assert "more=on" in window.settle().page.url
    window.go("masks")
    page.locator(".st-key-pad_tgt").wait_for()
    switch.click()
    page.locator(".st-key-pad_tgt").wait_for(state="detached")
    assert "more=on" not in window.settle().page.url


def test_a_link_to_a_setting_that_lies_behind_shows_it_with_all_others(open_window: OpenWindow) -> None:
    window = open_window("heads?kind=encoder")
    assert window.ask("() => window.controls()")["kind"] == "encoder"
    assert window.page.locator(".st-key-layer").count() == 1 and "more=on" in window.page.url
    window.page.locator(".st-key-more label").click()  # back to the plain page, and its picture
    window.page.locator(".st-key-kind").wait_for(state="detached")
    assert "kind" not in window.settle().page.url


# Where a bar of a figure stands on the screen.
_BAR = """([key, i]) => {
  const node = window.plot(key), { xaxis, yaxis } = node._fullLayout, { left, top } = node.getBoundingClientRect();
  return [left + xaxis._offset + xaxis.c2p(i) - 8, top + yaxis._offset + yaxis._length - 6];
}"""


def test_a_pressed_bar_writes_another_word_and_the_model_goes_on_from_there(open_window: OpenWindow) -> None:
    window = open_window("decoding")
    answer = window.page.locator(".st-key-page code")
    before = answer.all_inner_texts()
    window.page.mouse.click(*window.ask(_BAR, ["step-bars", 1]))
    window.wait("() => new URLSearchParams(location.search).has('forced') && window.settled()")
    after = answer.all_inner_texts()
    assert after[0] == before[0] and after[1] != before[1] and window.page.url.endswith(f"forced=1%3D{after[1]}")
    window.page.mouse.click(*window.ask(_BAR, ["step-bars", 0]))  # the likeliest takes it back
    window.wait("() => !new URLSearchParams(location.search).has('forced') && window.settled()")
    assert answer.all_inner_texts() == before
