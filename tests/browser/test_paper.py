"""Pins that a page is printed as it was laid out, without what is only for the screen."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from tests.browser.conftest import OpenWindow
from tests.browser.window import Window

PAPER = 703  # px across that are free on A4

_SIDES = """(selector) => [...document.querySelectorAll(selector)].map((node) => {
  const { left, right, top, bottom } = node.getBoundingClientRect();
  return { left, right, top, bottom };
}).filter(({ left, right }) => right > left)"""


def sides(window: Window, selector: str) -> list[dict[str, float]]:
    """The boxes of what is seen of these."""
    return window.ask(_SIDES, selector)


def overlap(one: dict[str, float], other: dict[str, float]) -> bool:
    return min(one["right"], other["right"]) - max(one["left"], other["left"]) > 1 and (
        min(one["bottom"], other["bottom"]) - max(one["top"], other["top"]) > 1
    )


def print_it(window: Window) -> None:
    """A browser says to the page that it prints; then the page stays as it is on paper."""
    window.page.pdf(format="A4")
    window.page.emulate_media(media="print")


@pytest.fixture
def window(open_window: OpenWindow) -> Window:
    return open_window(None)


@pytest.mark.parametrize("page", ["masks", "heads", "training"])
def test_the_page_is_whole_and_alone(window: Window, page: str) -> None:
    window.visit(page)
    print_it(window)
    assert sides(window, "[data-testid=stSidebar], [data-testid=stHeader], .st-key-bar") == []
    (whole,) = sides(window, "[data-testid=stMainBlockContainer]")
    assert whole["left"] <= 1 and whole["right"] <= PAPER
    pictures = sides(window, ".matrices canvas, .explorer-plot, .attention-view")
    assert pictures and all(each["left"] >= 0 and each["right"] <= PAPER for each in pictures)
    assert not any(overlap(one, other) for at, one in enumerate(pictures) for other in pictures[:at])


CONTROLS = """.stButton, .stDownloadButton, .stPopover, .stFileUploader, .stCheckbox, input[type=range], .player, .take-home,
  [role=radio]:not([aria-checked=true]), [data-testid=stMain] details:not([open]), .heads button[aria-pressed=false],
  .slides button:not([aria-current])"""


@pytest.mark.parametrize("page", ["heads", "training", "sentences", "story"])
def test_of_controls_only_what_is_chosen_is_left(window: Window, page: str) -> None:
    window.visit(page)
    assert sides(window, CONTROLS) != []
    print_it(window)
    seen = [each for each in sides(window, f"[data-testid=stMain] :is({CONTROLS})") if each["bottom"] - each["top"] > 1]
    assert seen == []
    assert sides(window, "[role=radio][aria-checked=true]") != []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_paper_is_light(window: Window, scheme: str) -> None:
    window.page.emulate_media(color_scheme=scheme)
    window.visit("heads")
    window.wait("(dark) => window.follows(dark)", scheme == "dark")
    print_it(window)
    seen = np.asarray(Image.open(BytesIO(window.page.screenshot())).convert("L"))
    assert np.median(seen) > 240 and seen.min() < 60, "light paper, and something on it"


def test_lines_meet_their_words(window: Window) -> None:
    """The words stand on paper as they stood when the lines between them were drawn."""
    window.visit("heads")
    width = "() => document.querySelector('.attention-view').clientWidth"
    drawn = window.ask(width)
    print_it(window)
    assert window.ask(width) == drawn
