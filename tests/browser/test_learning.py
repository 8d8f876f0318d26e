"""Pins that every setting shows a model that has learned, and that its learning is a dimension of every picture.

No test depends on how fast a model learns: each waits for what the page says of the model on screen. All share one folder of
models: a setting is learned once, and is there at once from then on.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest

from benchmarks import harness
from tests.browser.conftest import OpenWindow, windows_on
from tests.browser.window import Window

# Copying numbers is learned in seconds.
COPY = {"task": "copy", "d_model": "32", "d_ff": "64"}
FACTS = {"task": "copy", "dModel": "32", "heads": "4", "layers": "1", "seed": "0"}


class Turn(NamedTuple):
    """A knob turned there and back; what the page then says of the model, and the address of the knob, while it is turned."""

    there: Callable[[Window], Any]
    back: Callable[[Window], Any]
    facts: dict[str, str]
    said: tuple[str, str]


TURNS = {
    "width": Turn(
        lambda window: window.turn("d_model"), lambda window: window.turn("d_model", "ArrowLeft"),
        {"dModel": "48"}, ("d_model", "48"),
    ),
    "heads": Turn(
        lambda window: window.turn("n_heads", "ArrowLeft"), lambda window: window.turn("n_heads"),
        {"heads": "2"}, ("n_heads", "2"),
    ),
    "layers": Turn(
        lambda window: window.turn("n_layers"), lambda window: window.turn("n_layers", "ArrowLeft"),
        {"layers": "2"}, ("n_layers", "2"),
    ),
    "norm": Turn(
        lambda window: window.choice("norm", "post").click(), lambda window: window.choice("norm", "pre").click(),
        {}, ("norm", "post"),
    ),
    "seed": Turn(
        lambda window: window.type("seed", "1"), lambda window: window.type("seed", "0"),
        {"seed": "1"}, ("seed", "1"),
    ),
}  # fmt: skip

# All that is drawn in the main part of the page, and all its words, as one text: equal pages give equal texts.
_RECORD = """
window.picture = () => {
  const main = document.querySelector("[data-testid=stMain]");
  const all = JSON.stringify([
    [...main.querySelectorAll(".explorer-plot")].map((node) => [node.data, node.layout.title]),
    [...main.querySelectorAll(".arithmetic")].map((node) => node.arithmetic?.data?.stages),
    [...main.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL()),
    main.innerText,
  ], (_, value) => ArrayBuffer.isView(value) ? Array.from(value) : value);
  let [one, two] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < all.length; i++) {
    one = Math.imul(one ^ all.charCodeAt(i), 2654435761);
    two = Math.imul(two ^ all.charCodeAt(i), 1597334677);
  }
  return `${all.length} ${one} ${two}`;
};
window.course = [];  // every state and step that the page has said
new MutationObserver(() => {
  const { state, step } = window.model(), last = window.course.at(-1);
  if (state && (last?.[0] !== state || last[1] !== Number(step))) window.course.push([state, Number(step)]);
}).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-state", "data-step"] });
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("learned")


@pytest.fixture(scope="module")
def server(browser: Any, folder: Path) -> Iterator[harness.Server]:
    """A server of their own: it soon gives up what nobody looks at any more."""
    server = harness.start(folder, EXPLORER_MODELS=str(folder / "models"), EXPLORER_GRACE="1", EXPLORER_TICK="0.2")
    try:
        yield server.wait()
    finally:
        code = server.stop()
    if words := harness.complaints(server, code):
        pytest.fail(words, pytrace=False)


@pytest.fixture
def open_window(browser: Any, server: harness.Server, opened: list[Window]) -> Iterator[OpenWindow]:
    """open_window(address): a new window that records what the page says of the model on screen."""
    with windows_on(browser, server, opened) as make:

        def recording(address: str, **options: Any) -> Window:
            window = make(None, **options)
            window.page.add_init_script(_RECORD)
            return window.visit(address)

        yield recording


@pytest.fixture
def window(open_window: OpenWindow) -> Window:
    return open_window(link("heads"))


def link(page: str, **said: str) -> str:
    return f"{'' if page == 'home' else page}?{urlencode(COPY | said)}"


def learned(window: Window, **facts: str) -> str:
    """Returns what the page shows when the model on screen is this one, and it has learned; until then it was learning."""
    window.shows(state="learned", **FACTS | facts)
    return window.ask("() => window.picture()")


def course(window: Window) -> list[tuple[str, int]]:
    """All states and steps of the model on screen since this was last asked."""
    return [(state, step) for state, step in window.ask("() => { const all = window.course; window.course = []; return all; }")]


def is_again(window: Window, picture: str) -> None:
    window.wait("(picture) => window.settled() && window.picture() === picture", picture)


def begin(window: Window) -> None:
    window.page.locator(".st-key-let-learn button").click()


@pytest.mark.parametrize("page", ["home", "positions", "masks", "attention", "norms"])
def test_each_knob_turned_there_and_back_shows_what_it_showed(open_window: OpenWindow, page: str) -> None:
    window = open_window(link(page))
    before = learned(window)
    window.unfold("more", "seed")
    for turn in TURNS.values():
        turn.there(window)
        window.knob_in_address(*turn.said)
        learned(window, **turn.facts)
        turn.back(window)
        window.shows(state="learned", **FACTS)
        is_again(window, before)
    assert {state for state, _step in course(window)} <= {"learning", "learned"}


def test_turned_by_a_link_and_back_by_the_browser(window: Window) -> None:
    before = learned(window)
    window.turn("d_model")
    wide = learned(window, dModel="48")
    assert wide != before
    window.back()
    learned(window)
    is_again(window, before)
    window.forward()
    learned(window, dModel="48")
    is_again(window, wide)
    window.visit(link("heads", n_heads="2"))
    assert learned(window, heads="2") not in (before, wide)
    window.visit(link("heads"))
    is_again(window, before)
    assert {state for state, _step in course(window)} <= {"learning", "learned"}


def test_a_link_to_step_0_waits_until_it_is_to_learn(open_window: OpenWindow) -> None:
    window = open_window(link("heads", seed="3", step="0"))
    window.shows(state="initial", step=0, steps=0, seed="3")
    for turn in (lambda: window.turn("d_model"), lambda: window.turn("d_model", "ArrowLeft")):
        window.changed("selected-word", turn)
    window.shows(dModel="32")
    assert {state for state, _step in course(window)} == {"initial"}
    begin(window)
    learned(window, seed="3")
    assert {state for state, _step in course(window)} >= {"learning", "learned"}
    assert "step=" not in window.page.url


def test_the_slider_moves_all_pictures_and_the_address_holds_it(window: Window, open_window: OpenWindow) -> None:
    end = learned(window)
    last = int(window.model()["steps"])
    bars = {last: window.seen("selected-word")}
    pictures = {last: end}
    for press in ("Home", "ArrowRight"):
        bars_now = window.changed("selected-word", lambda press=press: window.turn("learned-for", press))
        window.wait("(last) => Number(window.model().step) < last && window.settled()", last)
        step = int(window.model()["step"])
        assert bars_now not in bars.values() and step not in pictures
        bars[step] = bars_now
        pictures[step] = window.ask("() => window.picture()")
    assert 0 in pictures and len(set(pictures.values())) == 3
    middle = max(set(pictures) - {last})
    window.knob_in_address("step", str(middle))
    for press, step in (("ArrowLeft", 0), ("End", last), ("Home", 0), ("ArrowRight", middle)):
        window.turn("learned-for", press)
        window.shows(state="learned", step=step)
        is_again(window, pictures[step])
    other = open_window(window.page.url).shows(state="learned", step=middle)
    is_again(other, pictures[middle])
    window.go("attention").shows(step=middle)
    early = window.seen("weights")
    assert window.changed("weights", lambda: window.turn("learned-for", "End")) != early
    window.shows(step=last)
    window.wait("() => !new URLSearchParams(location.search).has('step')")
