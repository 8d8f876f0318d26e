"""Pins how the model in blocks can be touched: a click, the keyboard, a setting that makes it grow, and a phone."""

from itertools import product
from typing import Any

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.test_live import drag, grip
from tests.browser.window import SMALL, Window
from transformer_core.model.stages import MEMORY, attention_path, embedding_stage

WEIGHTS = attention_path("cross", 0).stage("weights")
TOKENS = embedding_stage("encoder", "tokens")


def block(window: Window, name: str) -> Any:
    return window.page.locator(f'.shape-map [data-id="{name}"]')


def opened(window: Window, more: str = "") -> Window:
    window.visit(f"shapes?{SMALL}{more}")
    window.wait("() => document.querySelectorAll('.shape-map .block').length > 20")
    return window


def says(window: Window, *parts: str) -> None:
    """Returns when what stands beside the picture says all of this."""
    window.wait(
        "(parts) => parts.every((part) => document.querySelector('.shape-map .details').innerText.includes(part))", list(parts)
    )


# What stands below each block, where it ends beyond its block or over its neighbour, or is not what the block is called.
_SHAPES = """() => {
  const blocks = [...document.querySelectorAll(".shape-map .block")];
  const sizes = (text) => text.match(/\\d+/g).join();
  return blocks.filter((block, i) => {
    const [own, room] = [block.querySelector(".shape"), block].map((node) => node.getBoundingClientRect());
    const next = blocks[i + 1]?.getBoundingClientRect();
    const covered = next && next.left >= room.left && next.top < own.bottom && next.bottom > own.top && next.left < own.right;
    const said = sizes(block.getAttribute("aria-label").split(":")[1]);
    return !own.width || own.right > Math.min(room.right, innerWidth) + 1 || covered || sizes(block.innerText) !== said;
  }).map((block) => block.innerText);
}"""
# Words that one sees before scrolling, besides the names of the blocks and of the axes.
_WORDS = """() => {
  const words = [], foot = document.querySelector(".st-key-foot"), end = foot.getBoundingClientRect().top;
  const walk = document.createTreeWalker(document.querySelector("[data-testid=stMain]"), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode.parentElement, { top, bottom, width } = node.getBoundingClientRect();
    const inSight = width > 1 && bottom > 0 && (top < end || foot.contains(node));
    if (!inSight || !node.checkVisibility({ visibilityProperty: true })) continue;
    if (node.closest("style, .model-map, .shape-map :is(.name, .shape, .ruler, .told)")) continue;
    words.push(...walk.currentNode.textContent.split(/\\s+/).filter((word) => /\\p{L}{2}/u.test(word)));
  }
  return words;
}"""


def side(window: Window, name: str) -> float:
    """How wide the front sheet of a block is drawn, as a multiple of the scale."""
    return window.ask(
        """(name) => {
             const sheet = [...document.querySelectorAll(`.shape-map [data-id="${name}"] .sheet`)].at(-1);
             return sheet.width.baseVal.value / document.querySelector(".shape-map").view.scale;
           }""",
        name,
    )


def focused(window: Window) -> str:
    return window.ask("() => document.activeElement.dataset.id")


@pytest.fixture
def window(window: Window) -> Window:
    return opened(window)


def test_a_click_shows_the_numbers_the_code_and_the_costs(window: Window) -> None:
    says(window, "Click a block")
    block(window, WEIGHTS).click()
    says(
        window,
        WEIGHTS,
        "(1, 4, 9, 6)",
        "head 3",
        "tokens that are looked at",
        "masked_softmax(masked)",
        "216 numbers",
        "864 bytes",
    )
    assert block(window, WEIGHTS).get_attribute("aria-pressed") == "true"
    assert window.page.locator(".shape-map .sheets canvas").count() == 4
    window.knob_in_address("stages_block", WEIGHTS)
    block(window, MEMORY).click()
    says(window, "Transformer.encode")
    window.page.get_by_role("button", name="Close").click()
    says(window, "Click a block")
    assert window.page.locator(".shape-map .block[aria-pressed=true]").count() == 0
    window.wait("() => !new URLSearchParams(location.search).has('stages_block')")  # there is a step to go back
    window.back()
    says(window, "Transformer.encode")


def test_every_block_carries_its_shape_and_little_else_is_said(window: Window) -> None:
    assert "(1, 4, 9, 6)" in block(window, WEIGHTS).inner_text()
    assert window.ask(_SHAPES) == []
    window.visit("shapes")
    window.wait("() => document.querySelectorAll('.shape-map .block').length > 20")
    assert 40 < len(window.ask(_WORDS)) <= 120, window.ask(_WORDS)


def test_all_of_it_by_keyboard(window: Window) -> None:
    assert window.page.locator(".shape-map .block[tabindex='0']").count() == 1
    block(window, TOKENS).focus()
    window.page.keyboard.press("ArrowRight")
    assert focused(window) == embedding_stage("encoder", "scaled")
    window.page.keyboard.press("ArrowDown")
    assert focused(window).startswith(attention_path("encoder", 0).module)
    window.page.keyboard.press("End")
    assert focused(window) == "probabilities"
    window.page.keyboard.press("Home")
    assert focused(window) == TOKENS
    window.page.keyboard.press("Enter")
    says(window, TOKENS, "TokenAndPositionEmbedding.forward")
    assert focused(window) == TOKENS, "what is selected stays in the hand"
    window.page.keyboard.press("Escape")
    says(window, "Click a block")


def test_a_wider_model_has_wider_blocks_and_says_so(window: Window) -> None:
    before = side(window, TOKENS)
    keys = side(window, WEIGHTS)
    assert before == pytest.approx(64**0.5, rel=1e-3) and keys == pytest.approx(6**0.5, rel=1e-3)
    assert window.page.locator(".shape-map .added").count() == 0
    window.turn("d_model")
    window.wait("() => document.querySelector('.shape-map .told').textContent.includes('d_model grew from 64 to')")
    width = int(window.settle().model()["dModel"])
    assert width > 64 and side(window, TOKENS) == pytest.approx(width**0.5, rel=1e-3)
    assert side(window, WEIGHTS) == pytest.approx(keys), "what does not depend on it keeps its sides"
    assert block(window, TOKENS).locator(".added").count() == 1 and block(window, WEIGHTS).locator(".added").count() == 0
    assert block(window, TOKENS).locator(".shape").inner_text() == f"(1, 6, {width}▲)"
    assert f"d_model grew from 64 to {width}" in block(window, TOKENS).get_attribute("aria-label")
    block(window, TOKENS).click()
    says(window, f"(1, 6, {width})")
    assert block(window, TOKENS).locator(".added").count() == 1, "it is compared until the next setting"


def test_blocks_grow_under_the_hand_compared_with_where_it_began(window: Window) -> None:
    address = window.ask("() => location.search")
    grip(window, "d_model")
    for value in ("96", "128"):
        drag(window, "d_model", [value])
        window.wait(
            "(words) => document.querySelector('.shape-map .told').textContent.includes(words)",
            f"d_model grew from 64 to {value}",
        )
        assert side(window, TOKENS) == pytest.approx(int(value) ** 0.5, rel=1e-3)
    assert window.ask("() => location.search") == address  # the page has not been drawn anew
    ahead = window.ask("() => document.querySelector('.shape-map .flow').innerHTML")
    window.page.mouse.up()
    window.shows(dModel=128)
    assert window.ask("() => document.querySelector('.shape-map .flow').innerHTML") == ahead
    assert "from 64 to 128" in block(window, TOKENS).get_attribute("aria-label")


def test_it_fits_and_can_be_read_at_every_width_in_the_light_and_in_the_dark(open_window: OpenWindow) -> None:
    window = opened(open_window(None), f"&stages_block={WEIGHTS}&batch=3")
    for width, scheme in product((1440, 1280, 390), ("light", "dark")):
        window.become(width, scheme)
        says(window, "648 numbers", "one of 3 in the batch")
        window.fits()
        assert window.ask(_SHAPES) == [], width
        small = window.ask(
            """() => [...document.querySelectorAll(".shape-map *")].filter((node) =>
                 [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim())
                 && node.checkVisibility() && parseFloat(getComputedStyle(node).fontSize) < 11).map((node) => node.outerHTML)"""
        )
        assert small == [], (width, scheme)
        assert window.barriers() == [], (width, scheme)


def test_on_a_phone_the_numbers_stand_under_their_group(open_window: OpenWindow) -> None:
    window = opened(open_window(None, width=390))
    block(window, WEIGHTS).click()
    says(window, "216 numbers")
    assert (
        window.ask("() => document.querySelector('.shape-map .details').closest('.group').dataset.group")
        == "decoder.cross_attn"
    )
    columns = window.ask(
        "() => [...document.querySelectorAll('.shape-map .column')].map((node) => node.getBoundingClientRect().top)"
    )
    assert columns[0] < columns[1], "one below the other"
