"""One browser window on the app, and the ways in which people use it.

Every window is watched: what its console complains of, what its scripts throw, and what it asks of another machine is kept in
`problems`. Every wait is for something that can be seen in the page.
"""

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode, urlsplit

from explorer.ui.navigation import GROUPS
from tests.pages.helpers import BASE, FIRST_FIGURES, PARTS

# What Streamlit itself does, and nothing here can change: a rule of axe-core, and what is found in the element's path.
NOT_OURS = [
    ("scrollable-region-focusable", ".katex-display"),  # a formula, a hair higher than its box
    ("html-lang-valid", "html"),  # the pseudo-locale is no language
]
# Streamlit warns when a knob of the sidebar and one of the page report their values in one tick. Here it reruns everything;
# where it would rerun one fragment alone, and lose the other value, the message ends with the id of that fragment.
_ALL_RUNS = re.compile(r"Multiple different fragmentIds detected .* for this batch\. $")
_NOT_LOOKED_AT = ["[data-testid=stSidebarNavItems]"]  # the menu on a phone: a list with headings in it

# What a link says for a small model before its first step: it is drawn at once, and nothing is learned, whatever is turned.
SMALL = urlencode(BASE | {"more": "on"})

PATIENCE = 60_000  # ms that anything may take before it counts as missing; nothing here is a measurement

# ms between two looks at a page. At every frame instead, as a browser offers, looking would be a fifth of a core's work, and
# what is waited for computes on the same cores.
LOOK = 50

# What the tests ask a page. `seen(key)` is what a figure was given to draw, as text: equal pictures give equal texts.
_EYES = (
    f"window.figures = {json.dumps(FIRST_FIGURES)};\n"
    + """
try { localStorage.clear(); } catch { /* a page without an address */ }  // a sidebar that was folded is remembered there
window.FIGURES = ":is(.explorer-plot, .matrices)";
window.plot = (key) => document.querySelector(`.st-key-${key} ${window.FIGURES}`);
window.cells = (key) => document.querySelector(`.st-key-${key} .arithmetic`)?.arithmetic;  // a matrix with its arithmetic
window.seen = (key) => {
  const cells = window.cells(key);
  if (cells) return cells.data ? JSON.stringify(cells.data.stages) : null;
  const node = window.plot(key);
  if (!node?.dataset.drawn || !(node._fullLayout || node.matrices)) return null;
  return JSON.stringify(node.matrices?.data ?? node.data, (_, value) => ArrayBuffer.isView(value) ? Array.from(value) : value);
};
window.state = () => ({
  address: location.href,
  ...document.querySelector("[data-testid=stApp]")?.dataset,
  title: document.querySelector("h1")?.innerText,
  model: { ...document.querySelector("[data-testid=shown-model]")?.dataset },
  figures: document.querySelectorAll(window.FIGURES).length,
  drawn: document.querySelectorAll(`${window.FIGURES}[data-drawn]:not([data-waiting])`).length,
  coming: document.querySelectorAll(
    ".stBidiComponent:not(:has([data-testid=stBidiComponentRegular] > * > *)), [data-testid=stSkeleton], [data-stale=true]"
  ).length,
  alerts: [...document.querySelectorAll("[data-testid=stAlert]")].map((box) => box.innerText),
});
// Whether a knob is ahead of the page, and pictures follow it.
window.ahead = () => document.documentElement.hasAttribute("data-ahead");
window.settled = () => {
  const app = document.querySelector("[data-testid=stApp]")?.dataset;
  if (app?.testConnectionState !== "CONNECTED" || app.testScriptState !== "notRunning") return false;  // mostly
  const { title, figures, drawn, coming } = window.state();
  return title !== undefined && figures === drawn && !coming && window.complete() && window.filled() && !window.ahead();
};
// Views of our own stand in the page a moment before they have anything to show.
window.filled = () => [...document.querySelectorAll(".arithmetic, .attention-view")].every(
  (node) => (node.arithmetic ?? node.view)?.data
);
// Components appear a moment after the script has ended. A page that ends in an error has fewer.
window.controls = () => Object.fromEntries([...document.querySelectorAll("[class*=st-key-]")].map((box) => {
  const name = box.className.match(/st-key-(\\S+)/)[1].replace(/(--typed)?(--\\d+)?$/, "");  // see `ui.widgets.numbered`
  const pressed = box.querySelector("[role=radio][aria-checked=true]"), input = box.querySelector("input");
  return [name, pressed?.textContent ?? input?.getAttribute("aria-valuetext") ?? input?.value ?? null];
}).filter(([, value]) => value !== null));
// What the page says of the model on screen: { task, state, step, steps, right, dModel, heads, layers, seed }.
window.model = () => ({...document.querySelector("[data-testid=shown-model]")?.dataset});
// Whether all has followed another scheme or another width: each picture is drawn in that, and so wide.
window.follows = (dark) => {
  const drawing = (node) => node.shown ?? node.matrices ?? node.arithmetic ?? node.view;
  const paper = getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor.match(/\\d+/)[0];
  return window.settled() && (paper < 128) === dark
    && [...document.querySelectorAll(".explorer-plot, .matrices, .arithmetic, .attention-view, .shape-map")].every((node) => {
      const { width, look = { dark } } = drawing(node) ?? {};
      return Math.abs(width - node.clientWidth) <= 1 && look.dark === dark;
    });
};
// The name of the page in the address, "" for home. The app may lie below a path.
window.where = () => location.pathname.slice(window.root.length + 1);
window.complete = () => {
  const page = window.where(), inPart = new URLSearchParams(location.search).has("part");
  return document.querySelector("[data-testid=stAlertContentError]") !== null || (page === ""
    ? document.querySelector(".model-map .box") !== null
    : page === "story" ? document.querySelector(".slides button") !== null
    : page === "hunt" ? document.querySelector(".hunt .answers") !== null
    : !inPart && ["look_closer", "be_the_head", "next_word"].includes(page)
      ? Boolean(document.querySelector(".closer .said")?.textContent)
    : document.querySelectorAll(window.FIGURES).length >= (inPart ? 0 : window.figures[page] ?? 0)
      && (inPart || page !== "attention" || document.querySelector(".arithmetic") !== null)
      && (inPart || page !== "heads" || document.querySelector(".attention-view") !== null));
};
"""
)

# On a phone, pages without the button that opens the settings.
_WITHOUT_SETTINGS = ("", "look_closer", "be_the_head", "predict", "hunt", "lesson", "next_word", "reference")
_OVERFLOW = """() => Math.max(...[document.documentElement, ...document.querySelectorAll("section, main")]
  .filter((box) => box.clientWidth && !box.matches("[data-testid=stSidebar]"))
  .map((box) => box.scrollWidth - box.clientWidth))"""


def unfolded(page: str) -> str:
    """What a link says so that all parts of a page come unfolded: a click for each would take as long as the rest."""
    return "".join(f"&details-{part}=on" for part in PARTS[page] if part)


class Window:
    """One browser window, and the people's ways of using it. A width of its own, light or dark as it likes."""

    def __init__(self, context: Any, base: str, width: int = 1440, scheme: str = "light"):
        self.base, self.width = base, width
        self.problems: list[str] = []
        self.page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.add_init_script(f"window.root = {json.dumps(urlsplit(base).path)};\n{_EYES}")
        self.resize(width)
        self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.problems.append(f"exception: {error}"))
        self.page.on("request", lambda request: self._address(request.url))
        self.page.on("websocket", lambda socket: self._address(socket.url))

    def _console(self, message: Any) -> None:
        probe = re.search(r"/\w+/_stcore/", message.location.get("url", ""))  # Streamlit looks for its own base path
        expected = (probe and "404" in message.text) or _ALL_RUNS.search(message.text)
        if message.type in ("error", "warning") and not expected:
            self.problems.append(f"console: {message.text}")

    def _address(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob", "about") and parts.hostname != "127.0.0.1":
            self.problems.append(f"request: {url}")

    def visit(self, address: str = "") -> "Window":
        """Opens an address of the app and returns when it is all drawn."""
        self.page.goto(address if address.startswith("http") else f"{self.base}/{address}")
        return self.settle()

    def go(self, page: str) -> "Window":
        """Opens another page by the menu, home by an empty name, and returns when it is all drawn."""
        before = self.ask("() => window.state().title")
        self.menu_link(page).click()
        self.wait(
            "([page, before]) => window.where() === page && window.state().title !== before && window.settled()",
            [page, before],
        )
        if self.is_phone and page not in (
            "",
            "look_closer",
            "be_the_head",
            "predict",
            "hunt",
            "lesson",
            "next_word",
            "reference",
        ):
            self.page.get_by_test_id("stExpandSidebarButton").wait_for()  # the menu folds itself away
        return self

    @property
    def is_phone(self) -> bool:
        return self.width < 700

    def unfold_sidebar(self) -> None:
        """On a phone the settings are folded away at first, and come from below."""
        if self.is_phone and self.page.get_by_test_id("stExpandSidebarButton").count():
            self.page.get_by_test_id("stExpandSidebarButton").click()
            self.wait("() => document.querySelector('[data-testid=stSidebar]').getBoundingClientRect().bottom <= innerHeight")

    def menu_link(self, page: str) -> Any:
        """The link of the bar to a page, unfolded. On a phone the bar is a menu behind a button."""
        leads_there = f":is([href$='/{page}'], [href*='/{page}?'])"  # one that was pressed before says what was on screen then
        if self.is_phone:
            self.page.locator(".bar-button.menu").click()
            return self.page.locator(f"[data-testid=stSidebarNavLink]{leads_there}")
        named = [entries for group, entries in GROUPS.items() if group]
        groups = [any(entry.name == page for entry in entries) for entries in named]
        if True not in groups:
            return self.page.locator(f"[data-testid=stHeader] a{leads_there}")
        self.page.get_by_test_id("stTopNavSection").nth(groups.index(True)).click()
        return self.page.locator(f"[data-testid=stTopNavPopover] a{leads_there}")

    def back(self) -> "Window":
        return self._step("back")

    def forward(self) -> "Window":
        return self._step("forward")

    def _step(self, way: str) -> "Window":
        """One step of the browser's history; returns when the page has followed."""
        address = self.ask("(way) => { const now = location.href; history[way](); return now; }", way)
        self.wait("(before) => location.href !== before && window.settled()", address)
        return self

    def settle(self) -> "Window":
        self.wait("() => window.settled()")
        return self

    def wait(self, condition: str, argument: Any = None, patience: int = PATIENCE) -> None:
        """Returns when a JavaScript condition holds; where it never does, says what the page shows instead."""
        try:
            self.page.wait_for_function(condition, arg=argument, polling=LOOK, timeout=patience)
        except Exception as error:
            seen = f"{self.ask('() => window.state()')} {self.problems}"
            raise AssertionError(f"waited in vain for {condition} with {str(argument)[:200]}, and saw {seen}") from error

    def resize(self, width: int, height: int = 900) -> None:
        self.width = width
        self.page.set_viewport_size({"width": width, "height": height})

    def become(self, width: int, scheme: str) -> "Window":
        """Makes the window narrower, in another scheme; returns when all that is on the page is drawn in them."""
        assert width <= self.width, "settings that have folded themselves away do not always come back by themselves"
        self.page.emulate_media(color_scheme=scheme)
        self.resize(width)
        if self.is_phone:
            self.page.get_by_test_id("stExpandSidebarButton").wait_for()  # the settings fold themselves away
        self.wait("(dark) => window.follows(dark)", scheme == "dark")
        return self

    def ask(self, expression: str, argument: Any = None) -> Any:
        return self.page.evaluate(expression, argument)

    def plots(self) -> list[str]:
        """The keys of the figures on the page, in order."""
        return self.ask(
            """() => [...document.querySelectorAll(window.FIGURES)]
                 .map((node) => node.closest("[class*=st-key-]").className.match(/st-key-(\\S+)/)[1])"""
        )

    def seen(self, key: str) -> str:
        """What a figure was given to draw; waits until it has drawn it."""
        self.wait("(key) => window.seen(key) !== null", key)
        return self.ask("(key) => window.seen(key)", key)

    def changed(self, key: str, action: Callable[[], Any]) -> str:
        """Does something that changes a figure; returns what the figure shows then."""
        before = self.seen(key)
        action()
        self.wait("([key, before]) => ![null, before].includes(window.seen(key))", [key, before])
        self.settle()
        return self.seen(key)

    def knob(self, name: str) -> Any:
        """The input of a slider, a number, a text or a list, by its name."""
        return self.page.locator(f".st-key-{name} input, [class*=' st-key-{name}--'] input").first

    def turn(self, name: str, key: str = "ArrowRight") -> None:
        """One press of a key on a knob."""
        self.knob(name).focus()
        self.page.keyboard.press(key)

    def type(self, name: str, words: str) -> None:
        self.knob(name).fill(words)
        self.page.keyboard.press("Enter")

    def choice(self, name: str, option: str) -> Any:
        """One option of a row of choices."""
        return self.page.locator(f".st-key-{name}").get_by_role("radio", name=option, exact=True)

    def knob_in_address(self, name: str, value: str | None = None) -> None:
        """Returns when the address bar holds a knob (with this value)."""
        self.wait(
            """([name, value]) => {
                 const held = new URLSearchParams(location.search).get(name);
                 return held !== null && (value === null || held === value);
               }""",
            [name, value],
        )

    def controls(self) -> dict[str, str]:
        """What every control on the page says, by its name."""
        return self.ask("() => window.controls()")

    def model(self) -> dict[str, str]:
        """What the page says of the model on screen: task, state, step, steps, right, dModel, heads, layers, seed."""
        return self.ask("() => window.model()")

    def shows(self, patience: int = PATIENCE, /, **facts: str | int) -> "Window":
        """Returns when the model on screen is this one, and all of it is drawn."""
        self.wait(
            "(facts) => Object.entries(facts).every(([name, value]) => window.model()[name] === value) && window.settled()",
            {name: str(value) for name, value in facts.items()},
            patience,
        )
        return self

    def says(self, page: str, **values: str | int) -> "Window":
        """Returns when this page is on screen and its controls say this; the address says the same, or leaves defaults out."""
        self.wait(
            """([page, values]) => window.where() === page && window.settled() && Object.entries(values).every(
                 ([name, value]) => window.controls()[name] === value)""",
            [page, {name: str(value) for name, value in values.items()}],
        )
        return self

    def open_part(self, page: str, part: str) -> None:
        """Opens another part of the page by its choice, and returns when all of it is drawn. By a key, which needs no place on
        the screen: on a busy machine a click has met the choice beside it once."""
        before = self.ask(
            """() => {
                 window.left = [...document.querySelectorAll(window.FIGURES)];
                 return document.querySelector("[data-testid=stMain]").textContent;
               }"""
        )
        self.page.locator(".st-key-part").get_by_role("radio").nth(PARTS[page].index(part)).press("Space")
        self.wait(
            """([before, part, first]) => document.querySelector("[data-testid=stMain]").textContent !== before
                 && (new URLSearchParams(location.search).get("part") ?? first) === part
                 && window.left.every((node) => !node.isConnected) && window.settled()""",
            [before, part, PARTS[page][0]],
        )

    def unfold(self, box: str, inside: str) -> None:
        """Opens a folded box, by its key, and returns when a control that lies in it can be used."""
        details = self.page.locator(f".st-key-{box} details").first
        if details.get_attribute("open") is None:
            details.locator("summary").click()
        self.knob(inside).wait_for(state="visible")

    def unfold_details(self, part: str) -> None:
        """Unfolds what a part of the page has folded, if it has."""
        box = self.page.locator(f".st-key-details-{part} details").first
        if box.count() and box.get_attribute("open") is None:
            box.locator("summary").first.click()
            self.knob_in_address(f"details-{part}", "on")
            self.settle()

    def open_map(self) -> None:
        """Opens the small map of where in the model the page is."""
        self.page.locator(".map-fold summary").click()
        self.page.locator(".model-map.small").wait_for(state="visible")

    def point(self, key: str, x: float, y: float, panel: int = 0) -> tuple[float, float]:
        """Where on the screen a place of a figure lies, given in the numbers of its axes; scrolls it into view."""
        node = self.page.locator(f".st-key-{key} :is(.explorer-plot, .matrices)")
        # Streamlit's header lies over the top of the page: the middle of the screen is free.
        node.evaluate("(node) => node.scrollIntoView({block: 'center', behavior: 'instant'})")
        return tuple(
            node.evaluate(
                """(node, [x, y, panel]) => {
                     if (node.matrices) {
                       const canvases = node.querySelectorAll("canvas");  // of an overview, one for all panels
                       const box = (canvases[panel] ?? canvases[0]).getBoundingClientRect();
                       const { left, top, w, h } = node.matrices.grids[panel];
                       return [box.x + left + (x + 0.5) * w, box.y + top + (y + 0.5) * h];
                     }
                     const number = panel ? String(panel + 1) : "";
                     const across = node._fullLayout["xaxis" + number], down = node._fullLayout["yaxis" + number];
                     const box = node.getBoundingClientRect();
                     return [box.x + across._offset + across.d2p(x), box.y + down._offset + down.d2p(y)];
                   }""",
                [x, y, panel],
            )
        )

    def drag(self, key: str, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Draws a box over a figure, whose corners are given in the numbers of its axes: it zooms in there."""
        self.page.mouse.move(*self.point(key, *start))
        self.page.mouse.down()
        self.page.mouse.move(*self.point(key, *end), steps=8)
        self.page.mouse.up()

    def cell(self, key: str, row: int, column: int) -> tuple[float, float]:
        """Where on the screen a cell of a matrix with its arithmetic lies; scrolls it into view."""
        self.seen(key)
        self.page.locator(f".st-key-{key} canvas").first.evaluate(
            "(n) => n.scrollIntoView({block: 'center', behavior: 'instant'})"
        )
        return tuple(
            self.ask(
                """([key, row, column]) => {
                     const {canvas, cells: {left, top, w, h}} = window.cells(key), box = canvas.getBoundingClientRect();
                     return [box.x + left + (column + 0.5) * w, box.y + top + (row + 0.5) * h];
                   }""",
                [key, row, column],
            )
        )

    def lit(self, key: str, row: int, column: int) -> None:
        """Returns when a cell is lit."""
        self.wait("([key, cell]) => window.cells(key)?.node.dataset.cell === cell", [key, f"{row},{column}"])

    def alerts(self, kind: str = "") -> list[str]:
        """The words of the boxes on the page: all, or only Success, Info, Warning or Error."""
        return self.page.locator(f"[data-testid=stAlertContent{kind}]" if kind else "[data-testid=stAlert]").all_inner_texts()

    def overflow(self) -> int:
        """How many pixels the page is wider than its window."""
        return self.ask(_OVERFLOW)

    def fits(self) -> None:
        """Returns when the page is no wider than its window: where that has changed, pictures follow a moment later."""
        self.wait(f"() => ({_OVERFLOW})() <= 0")

    def barriers(self) -> list[str]:
        """What keeps people from reading or using the page, as axe-core finds it: serious and critical findings only."""
        from axe_playwright_python.sync_playwright import Axe  # like Playwright: not where there is no browser

        if not self.ask("() => 'axe' in window"):  # it stays while one goes from page to page
            self.ask(Axe().axe_script)
        exclude = [[each] for each in _NOT_LOOKED_AT]
        found_here = self.ask("(exclude) => axe.run({ exclude }, { resultTypes: ['violations'] })", exclude)
        return [
            f"{found['id']}: {found['help']}: {node['target']}"
            for found in found_here["violations"]
            if found["impact"] in ("serious", "critical")
            for node in found["nodes"]
            if not any(found["id"] == rule and mark in str(node["target"]) for rule, mark in NOT_OURS)
        ]

    def no_complaint(self) -> None:
        """No exception box, no wrong page, nothing in the console, nothing asked of another machine."""
        assert self.page.locator("[data-testid=stException]").count() == 0
        assert self.page.get_by_text("Page not found").count() == 0
        assert not self.problems, self.problems

    def close(self) -> None:
        self.page.close()
