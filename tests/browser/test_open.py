"""Pins how pages open: from a link on a server that nobody has visited, on a phone, in the dark, whether all
can read and use them, and how a server leaves."""

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from explorer.contents import CONTENTS

from benchmarks import harness
from tests.browser.window import Window
from tests.pages.helpers import FIGURES, PARTS

PAGES = {name: "" if name == "home" else name for name in CONTENTS}  # name -> address

# The figures that are not really there: without size, without a mark of ink, or ready to upload what they show.
_EMPTY = """() => [...document.querySelectorAll(".explorer-plot")].filter((node) => {
  const layers = ["heatmaplayer image", "heatmaplayer path", "scatterlayer path", "barlayer path", "shapelayer path"];
  const ink = layers.some((layer) => node.querySelector(`.${layer}`));
  const {width, height} = node.querySelector(".main-svg")?.getBoundingClientRect() ?? {width: 0, height: 0};
  return !ink || width < 100 || height < 60 || node._context.showSendToCloud;
}).map((node) => node.ariaLabel)"""

# Whether every drawing has the page's own colour of text, bright in the dark.
_COLOURS = """(dark) => [...document.querySelectorAll(".explorer-plot, .model-map")].every((node) => {
  const text = getComputedStyle(node).getPropertyValue("--st-text-color").trim();
  const ink = node._fullLayout?.font.color ?? text;
  return ink.toLowerCase() === text.toLowerCase() && (parseInt(text.slice(1, 3), 16) > 128) === dark;
})"""
# Whether the sidebar can be seen.
_SIDEBAR = """() => {
  const box = document.querySelector(".st-key-d_model").getBoundingClientRect();
  return box.width > 200 && box.left >= 0 && box.right <= innerWidth;
}"""


def check_drawn(window: Window, name: str) -> None:
    assert window.page.title() == CONTENTS[name].title
    assert window.page.locator("h1").count() == 1
    assert window.page.locator("[data-testid=stSidebarNavLink]").count() == len(PAGES)
    assert len(window.plots()) >= FIGURES[name]
    assert window.ask(_EMPTY) == []
    if name == "home":
        assert window.page.locator(".model-map .box.link").count() > 10


# Parts of tables alone, until something is measured or trained.
TABLES = {"Shapes", "Parameters", "The notes' printout", "Watch it learn"}


@pytest.mark.parametrize("name", PAGES)
def test_all_of_a_page_on_a_phone_in_the_dark_and_the_page_wide_in_the_light(
    open_window: Callable[..., Window], name: str
) -> None:
    window = open_window(PAGES[name], width=390, scheme="dark")
    check_drawn(window, name)
    assert window.overflow() == 0
    assert window.barriers() == []
    assert window.ask(_COLOURS, True)
    first, *others = PARTS[name]
    for part in others:
        window.open_part(part, part in TABLES)
        window.knob_in_address("part", part)
        assert window.ask(_EMPTY) == []
        assert window.overflow() == 0
    if others:
        window.open_part(first, first in TABLES)
    assert not window.ask(_SIDEBAR)
    window.page.get_by_test_id("stExpandSidebarButton").click()
    window.wait(_SIDEBAR)

    window.page.set_viewport_size({"width": 1440, "height": 900})
    window.page.emulate_media(color_scheme="light")
    window.wait(_COLOURS, False)
    window.wait("() => [...document.querySelectorAll('.explorer-plot')].every((each) => each.width === each.clientWidth)")
    check_drawn(window.settle(), name)
    assert window.barriers() == []
    # The project's own configuration is in force: its colour is not Streamlit's.
    ours = "document.querySelector('.explorer-plot, .model-map, .slides')"
    colour = f"getComputedStyle({ours}).getPropertyValue('--st-primary-color')"
    assert name in ("shapes", "training", "compare", "break_it") or window.ask(colour).strip().lower() == "#0067a3"
    window.no_complaint()


@pytest.mark.parametrize(("name", "how"), [("home", signal.SIGINT), ("decoding", signal.SIGTERM)])
def test_a_fresh_server_opens_a_link_and_leaves_cleanly_in_the_middle_of_training(
    browser: Any, tmp_path: Path, name: str, how: signal.Signals
) -> None:
    server = harness.start(tmp_path).wait()
    window = Window(browser, server.url)
    try:
        check_drawn(window.visit(PAGES[name]), name)
        window.no_complaint()
        window.visit("training?symbols=50&steps=5000")
        window.page.locator(".st-key-button-play_circle button").click()
        window.wait("() => window.plot('training-curves')?._fullData?.[0]._length > 5")
        code = server.stop(how=how)
    finally:
        window.close()
        server.stop()
    assert harness.complaints(server, code) == ""
