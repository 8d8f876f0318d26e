"""Pins what holds on every page: drawn, readable by all, in another language, on a phone in the dark and wide in the light.

The tour goes through all parts of all pages in the pseudo-locale, whose texts are marked and a third longer: what is not marked
cannot be translated, and what is cut off now is cut off in another language.
"""

import pytest

from explorer.i18n.pseudo import pseudo
from explorer.ui.navigation import CONTENTS
from tests.browser import words
from tests.browser.conftest import OpenWindow
from tests.browser.window import SMALL, Window
from tests.explorer.shell.test_streamlit_names import PUT_TOGETHER
from tests.pages.helpers import FIRST_FIGURES, PARTS

PAGES = {name: "" if name == "home" else name for name in CONTENTS}  # name -> address

# The figures that are not really there: without size, without a mark of ink, or ready to upload what they show.
_EMPTY = """() => [...document.querySelectorAll(".explorer-plot")].filter((node) => {
  const layers = ["heatmaplayer image", "heatmaplayer path", "scatterlayer path", "barlayer path", "shapelayer path"];
  const ink = layers.some((layer) => node.querySelector(`.${layer}`));
  const {width, height} = node.querySelector(".main-svg")?.getBoundingClientRect() ?? {width: 0, height: 0};
  return !ink || width < 100 || height < 60 || node._context.showSendToCloud;
}).concat([...document.querySelectorAll(".matrices")].filter((node) => {
  const {width, height} = node.getBoundingClientRect();
  const drawn = [...node.querySelectorAll("canvas")].every((canvas) => canvas.width * canvas.height > 100);
  return !node.querySelector("canvas") || !drawn || width < 100 || height < 60;
})).map((node) => node.ariaLabel)"""

# Whether every drawing has the page's own colour of text, bright in the dark.
_COLOURS = """(dark) => [...document.querySelectorAll(".explorer-plot, .model-map")].every((node) => {
  const text = getComputedStyle(node).getPropertyValue("--st-text-color").trim();
  const ink = node._fullLayout?.font.color ?? text;
  return ink.toLowerCase() === text.toLowerCase() && (parseInt(text.slice(1, 3), 16) > 128) === dark;
})"""


@pytest.fixture(scope="module")
def phone(open_for_all: OpenWindow) -> Window:
    return open_for_all("?lang=xx", width=390, scheme="dark")


@pytest.fixture(scope="module")
def wide(open_for_all: OpenWindow) -> Window:
    return open_for_all("?lang=xx")


def go(window: Window, name: str) -> None:
    if window.ask("() => location.pathname.slice(1)") == PAGES[name]:
        return
    if CONTENTS[name].hidden:  # no menu leads there
        window.visit(f"{PAGES[name]}?lang=xx")
    else:
        window.go(PAGES[name])


def check_page(window: Window, name: str) -> None:
    assert window.page.title() == pseudo(CONTENTS[name].title)
    assert window.page.locator("h1").count() == 1
    assert len(window.plots()) >= FIRST_FIGURES[name]
    if name == "home":
        assert window.page.locator(".model-map .box.link").count() > 10


def check_parts(window: Window, name: str, words_too: bool) -> None:
    """`words_too`: whether the words are looked at as well, which are the same at every width."""
    found = []
    for i, part in enumerate(PARTS[name]):
        if i:
            window.open_part(name, part)
        if part is not None:
            window.unfold_details(part)
        found += [f"{part}: empty: {each}" for each in window.ask(_EMPTY)]
        found += [f"{part}: not marked: {each}" for each in words.unmarked(window)] if words_too else []
        found += [f"{part}: cut off: {each}" for each in words.cut_off(window)]
        found += [f"{part}: {window.overflow()} px too wide"] * (window.overflow() > 0)
    assert found == []


@pytest.mark.parametrize("name", PAGES)
def test_all_of_a_page_on_a_phone_in_the_dark(phone: Window, name: str) -> None:
    go(phone, name)
    check_page(phone, name)
    assert phone.barriers() == []
    assert phone.ask(_COLOURS, True)
    check_parts(phone, name, words_too=True)


@pytest.mark.parametrize("name", PAGES)
def test_all_of_a_page_wide_in_the_light(wide: Window, name: str) -> None:
    go(wide, name)
    check_page(wide, name)
    assert wide.barriers() == []
    assert wide.ask(_COLOURS, False)
    # The project's own configuration is in force: its colour is not Streamlit's.
    colour = "getComputedStyle(document.querySelector('.stBidiComponent > *')).getPropertyValue('--st-primary-color')"
    assert (
        name in ("shapes", "training", "sentences", "compare", "break_it", "lesson", "reference", "host")
        or wide.ask(colour).strip().lower() == "#0067a3"
    )
    check_parts(wide, name, words_too=False)


def test_the_sidebar_unfolded_in_another_language(phone: Window, wide: Window) -> None:
    """With all that it can hold: where nothing has been learned, and where a model has."""
    for window in (phone, wide):
        for model, control in ((f"{SMALL}&input=lengths&seed=3", "let-learn"), ("task=everyday-fr&tgt=tu", "learned-for")):
            window.visit(f"shapes?lang=xx&{model}")
            window.unfold_sidebar()
            window.unfold("more_settings", "d_ff")
            window.page.locator(f".st-key-{control}").wait_for()
            assert words.unmarked(window) == []
            assert words.cut_off(window) == []


def test_streamlit_draws_the_names_that_it_puts_together(phone: Window) -> None:
    for name, page in PUT_TOGETHER.items():
        phone.visit(f"{page}?lang=xx")
        phone.page.locator(name).first.wait_for(state="attached")
