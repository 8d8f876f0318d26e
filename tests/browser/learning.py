"""The states and steps of learning that a window has shown, and a comparison of all it shows with what it showed before."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

from benchmarks import harness
from tests.browser.conftest import OpenWindow, windows_on
from tests.browser.window import PATIENCE, Window

# Copying numbers is learned in seconds.
COPY = {"task": "copy", "d_model": "32", "d_ff": "64"}
FACTS = {"task": "copy", "dModel": "32", "heads": "4", "layers": "1", "seed": "0"}
LEARNS = 4 * PATIENCE  # ms that any of them may take
# An everyday language takes so many steps that a person can do something meanwhile; this one is not in the box.
SLOW = {"d_model": "48", "d_ff": "1024"}

# All that is drawn in the main part of the page, and all its words, as one text: equal pages give equal texts. But for
# Streamlit's tables, which draw themselves in their own time, and a few pixels off.
RECORD = """
window.picture = () => {
  const main = document.querySelector("[data-testid=stMain]");
  const all = JSON.stringify([
    [...main.querySelectorAll(".explorer-plot")].map((node) => [node.data, node.layout.title]),
    [...main.querySelectorAll(".matrices")].map((node) => node.matrices?.data),
    [...main.querySelectorAll(".arithmetic")].map((node) => node.arithmetic?.data?.stages),
    [...main.querySelectorAll("canvas:not([data-testid=stDataFrame] *)")].map((canvas) => canvas.toDataURL()),
    [...main.querySelectorAll(".word-map path, .word-map .shown, .one-step .model-map")].map((node) => node.outerHTML),
    main.innerText,
  ], (_, value) => ArrayBuffer.isView(value) ? Array.from(value) : value);
  let [one, two] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < all.length; i++) {
    one = Math.imul(one ^ all.charCodeAt(i), 2654435761);
    two = Math.imul(two ^ all.charCodeAt(i), 1597334677);
  }
  const name = `${all.length} ${one} ${two}`;
  window.pictures[name] = all;
  return name;
};
window.pictures = {};  // the texts by their names, of this load of the page
// The two texts, from a little before the place where they begin to differ.
window.difference = (one, other) => {
  const [a, b] = [window.pictures[one] ?? "", window.pictures[other] ?? ""];
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return [a, b].map((text) => text.slice(Math.max(0, i - 100), i + 200));
};
// True once five looks in a row saw the same picture: Streamlit says that a run has ended a moment before it draws its end.
let before = null, looks = 0;
window.stays = () => {
  const now = window.picture();
  looks = now === before ? looks + 1 : 0;
  before = looks < 4 ? now : null;
  return before === null;
};
// Whether the sentences below the words are those of what is drawn: they come a moment after it.
window.told = () => [...document.querySelectorAll(".attention-view")].every(({ view }) => view && !view.telling);
window.course = [];  // every state and step that the page has said
new MutationObserver(() => {
  const { state, step } = window.model(), last = window.course.at(-1);
  if (state && (last?.[0] !== state || last[1] !== Number(step))) window.course.push([state, Number(step)]);
}).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-state", "data-step"] });
"""


@contextmanager
def recording(browser: Any, server: harness.Server, opened: list[Window]) -> Iterator[OpenWindow]:
    """Like `windows_on`; the windows record what the page says of the model on screen. None: not yet at any address."""
    with windows_on(browser, server, opened) as make:

        def open_window(address: str | None, **options: Any) -> Window:
            window = make(None, **options)
            window.page.add_init_script(RECORD)
            return window if address is None else window.visit(address)

        yield open_window


def link(page: str, base: dict[str, str] = COPY, **said: str) -> str:
    unfolded = {"details-words_and_lines": "on"} if page == "heads" else {}
    return f"{'' if page == 'home' else page}?{urlencode(base | unfolded | said)}"


def learned(window: Window, **facts: str) -> str:
    """Returns what the page shows when the model on screen is this one, and it has learned; until then it was learning."""
    window.shows(LEARNS, state="learned", **FACTS | facts)
    return picture(window)


def picture(window: Window) -> str:
    window.wait("() => window.settled() && window.told() && window.stays()")
    return window.ask("() => window.picture()")


def course(window: Window) -> list[tuple[str, int]]:
    """All states and steps of the model on screen since this was last asked."""
    return [(state, step) for state, step in window.ask("() => { const all = window.course; window.course = []; return all; }")]


def is_again(window: Window, before: str) -> None:
    try:
        window.wait("(before) => window.settled() && window.picture() === before", before)
    except AssertionError as error:
        parted = window.ask("(before) => window.difference(before, window.picture())", before)
        raise AssertionError(f"was {parted[0]!r} and is {parted[1]!r}") from error


def begin(window: Window) -> None:
    window.page.locator(".st-key-let-learn button").click()


def under_way(window: Window, after: int = 0) -> int:
    """The step that a model which is learning has come to, when that is behind this one."""
    window.wait("(after) => window.model().state === 'learning' && Number(window.model().step) > after", after)
    return int(window.model()["step"])
