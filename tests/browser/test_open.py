"""Pins how pages open: from a link on a server that nobody has visited, on a phone, in the dark, whether all
can read and use them, and how a server leaves."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from benchmarks import harness
from explorer.contents import CONTENTS
from tests.browser.window import FIGURES, Window
from tests.pages.helpers import PARTS

PAGES = {name: "" if name == "home" else name for name in CONTENTS}  # name -> address
every_page = pytest.mark.parametrize("name", PAGES)

# The figures that are not really there: without size, without a mark of ink, or ready to upload what they show.
_EMPTY = """() => [...document.querySelectorAll(".explorer-plot")].filter((node) => {
  const layers = ["heatmaplayer image", "heatmaplayer path", "scatterlayer path", "barlayer path", "shapelayer path"];
  const ink = layers.some((layer) => node.querySelector(`.${layer}`));
  const {width, height} = node.querySelector(".main-svg")?.getBoundingClientRect() ?? {width: 0, height: 0};
  return !ink || width < 100 || height < 60 || node._context.showSendToCloud;
}).map((node) => node.ariaLabel)"""


@pytest.fixture(scope="module")
def fresh_servers(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Iterator[harness.Server]]:
    """Servers that nobody has visited; the next one starts while the last one is looked at."""
    folder = tmp_path_factory.mktemp("fresh")
    servers = [harness.start(folder)]

    def each() -> Iterator[harness.Server]:
        while True:
            server = servers[-1].wait()
            if len(servers) < len(PAGES):
                servers.append(harness.start(folder))
            yield server

    yield each()
    for server in servers:
        if server.process.poll() is None:
            server.stop()


def check_drawn(window: Window, name: str) -> None:
    assert len(window.plots()) >= FIGURES.get(name, 0)
    assert window.ask(_EMPTY) == []
    if name == "home":
        assert window.page.locator(".model-map .box.link").count() > 10


@every_page
def test_a_link_to_a_page_opens_on_a_fresh_server(browser: Any, fresh_servers: Iterator[harness.Server], name: str) -> None:
    server = next(fresh_servers)
    window = Window(browser, server.url)
    try:
        window.visit(PAGES[name])
        assert window.page.title() == CONTENTS[name].title
        assert window.page.locator("h1").count() == 1
        assert window.page.locator("[data-testid=stSidebarNavLink]").count() == len(PAGES)
        check_drawn(window, name)
        assert window.barriers() == []
        window.no_complaint()
        # The project's own configuration is in force: its colour is not Streamlit's.
        ours = "document.querySelector('.explorer-plot, .model-map, .slides')"
        colour = f"getComputedStyle({ours}).getPropertyValue('--st-primary-color')"
        assert name in ("shapes", "training", "compare", "break_it") or window.ask(colour).strip().lower() == "#0067a3"
    finally:
        window.close()
        code = server.stop()
    assert harness.complaints(server, code) == ""


@every_page
def test_a_phone_in_the_dark(open_window: Callable[..., Window], name: str) -> None:
    window = open_window(PAGES[name], width=390, scheme="dark")
    check_drawn(window, name)
    assert window.overflow() == 0
    assert window.barriers() == []
    bright = """() => [...document.querySelectorAll(".explorer-plot, .model-map")].every((node) => {
      const text = getComputedStyle(node).getPropertyValue("--st-text-color").trim();
      const ink = node._fullLayout?.font.color ?? text;
      return ink.toLowerCase() === text.toLowerCase() && parseInt(text.slice(1, 3), 16) > 128;
    })"""
    assert window.ask(bright)
    on_screen = """() => {
      const box = document.querySelector(".st-key-d_model").getBoundingClientRect();
      return box.width > 200 && box.left >= 0 && box.right <= innerWidth;
    }"""
    assert not window.ask(on_screen)
    window.page.get_by_test_id("stExpandSidebarButton").click()
    window.wait(on_screen)
    window.no_complaint()


# All but the first, which the page opens with. Tables alone, until something is measured or trained:
LATER_PARTS = [(page, part) for page, parts in PARTS.items() for part in parts[1:]]
TABLES = {"Parameters", "The notes' printout"}


@pytest.mark.parametrize(("page", "part"), LATER_PARTS)
def test_a_later_part_of_a_page_on_a_phone(open_window: Callable[..., Window], page: str, part: str) -> None:
    window = open_window(None, width=390, scheme="dark")
    window.page.goto(f"{window.base}/{page}?part={quote(part)}")
    if part not in TABLES:
        window.wait("() => document.querySelector('.explorer-plot') !== null")
    window.settle()
    assert window.page.get_by_role("radio", name=part, exact=True).get_attribute("aria-checked") == "true"
    assert window.ask(_EMPTY) == []
    assert window.overflow() == 0
    window.no_complaint()


def test_figures_follow_when_the_scheme_changes(open_window: Callable[..., Window]) -> None:
    window = open_window("heads?part=Heads")
    light = window.seen("heads")
    scale = "JSON.stringify(window.plot('heads')._fullLayout.coloraxis.colorscale)"
    before = window.ask(scale)
    window.page.emulate_media(color_scheme="dark")
    window.wait(f"(before) => {scale} !== before", before)
    window.page.emulate_media(color_scheme="light")
    window.wait(f"(before) => {scale} === before", before)
    assert window.seen("heads") == light


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_the_server_leaves_cleanly_in_the_middle_of_training(browser: Any, tmp_path: Path, how: signal.Signals) -> None:
    server = harness.start(tmp_path).wait()
    window = Window(browser, server.url)
    try:
        window.visit("training?symbols=50&steps=5000")
        window.page.locator(".st-key-button-play_circle button").click()
        window.wait("() => window.plot('training-curves')?._fullData?.[0]._length > 5")
        code = server.stop(how=how)
    finally:
        window.close()
        server.stop()
    assert harness.complaints(server, code) == ""
