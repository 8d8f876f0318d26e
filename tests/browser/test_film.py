"""Pins films, of learning and of views that play: a picture for every kept step or scene, the first and the last true, and a
page that stays as it was.
"""

from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.learning import RECORD, picture
from tests.browser.window import PATIENCE, Window

STATE = """() => ({
  address: location.href,
  scrubbers: [...document.querySelectorAll(".scrubber")].map(({ view }) => view.position.wanted),
  model: document.querySelector("[data-testid=shown-model]")?.outerHTML,
  scrolled: [...document.querySelectorAll("*")].reduce((sum, each) => sum + each.scrollTop + each.scrollLeft, 0),
})"""
# Plays a film, and returns its first picture and its last, small and in grey.
ENDS = """async (film) => {
  const video = document.createElement("video");
  video.muted = true;
  const bytes = Uint8Array.from(atob(film), (each) => each.charCodeAt(0));
  video.src = URL.createObjectURL(new Blob([bytes], { type: "video/webm" }));
  const seen = [];
  const small = Object.assign(document.createElement("canvas"), { width: 120, height: 80 });
  const pen = small.getContext("2d", { willReadFrequently: true });
  const look = () => {
    pen.drawImage(video, 0, 0, 120, 80);
    const { data } = pen.getImageData(0, 0, 120, 80);
    seen[seen.length ? 1 : 0] = Array.from({ length: 9600 }, (_, i) => data[4 * i]);
  };
  const each = () => { look(); video.requestVideoFrameCallback(each); };
  video.requestVideoFrameCallback(each);
  await new Promise((resolve, reject) => Object.assign(video, { onloadedmetadata: resolve, onerror: reject }));
  const { duration } = video;
  await new Promise((resolve, reject) => Object.assign(video, { onended: resolve, onerror: reject }).play());
  look();
  video.currentTime = 0.4 * duration;
  await new Promise((resolve) => { video.onseeked = resolve; });
  return { ends: seen, duration, sought: video.currentTime, size: [video.videoWidth, video.videoHeight] };
}"""


@pytest.fixture(scope="module")
def window(open_for_all: OpenWindow) -> Window:
    window = open_for_all(None)
    window.page.add_init_script(RECORD)
    return window


def elements(data: bytes, at: int = 0) -> Iterator[tuple[int, int, int]]:
    """The elements of a WebM, those within others too: their ids, and where their contents begin and end."""
    holders = (0x18538067, 0x1F43B675, 0xA0)  # the segment, clusters and groups of blocks
    while at < len(data):
        wide = 9 - data[at].bit_length()
        name = int.from_bytes(data[at : at + wide])
        at += wide
        wide = 9 - data[at].bit_length()
        size = int.from_bytes(data[at : at + wide]) & ((1 << 7 * wide) - 1)
        unknown = size == (1 << 7 * wide) - 1
        at += wide
        yield name, at, len(data) if unknown else at + size
        at += 0 if name in holders else size


def times(film: bytes) -> list[int]:
    """When each of its pictures is shown, in ms."""
    found, cluster = [], 0
    for name, start, end in elements(film):
        if name == 0xE7:
            cluster = int.from_bytes(film[start:end])
        elif name in (0xA3, 0xA1):
            found.append(cluster + int.from_bytes(film[start + 1 : start + 3], signed=True))
    return found


def filmed(window: Window, box: Any) -> bytes:
    """Takes a film of a picture."""
    tools = box.locator(".take-home")
    tools.locator("> button").focus()
    window.page.keyboard.press("Enter")
    item = tools.get_by_role("button", name="WebM 10 s", exact=True)
    item.wait_for()
    with window.page.expect_download(timeout=PATIENCE) as download:
        item.press("Enter")
        tools.get_by_role("progressbar", name="WebM 10 s").wait_for()
    window.wait("() => document.activeElement.matches('.take-home > button')")
    assert download.value.suggested_filename.endswith(".webm")
    return Path(download.value.path()).read_bytes()


def check(window: Window, film: bytes, steps: list[int], differs: float = 1) -> None:
    """A film of 10 seconds; `differs`: by how much of 255, on average, its last picture does from its first."""
    shown, count = times(film), min(len(steps), 60)
    assert len(shown) == count + 1, f"{len(shown)} pictures of {len(steps)} steps"
    assert shown == pytest.approx([10_000 * i / (count + 1) for i in range(count + 1)], abs=1)
    played = window.ask(ENDS, b64encode(film).decode())
    first, last = played["ends"]
    assert sum(abs(one - other) for one, other in zip(first, last, strict=True)) / len(first) > differs
    assert played["duration"] == pytest.approx(10, abs=0.01)
    assert played["sought"] == pytest.approx(4, abs=0.01)
    assert max(played["size"]) <= 1920


def steps_of(window: Window, setting: str) -> list[int]:
    """The kept steps on a scrubber: of the model on screen ("step"), or of the run ("")."""
    return window.ask(
        """(setting) => [...document.querySelectorAll(".scrubber")].map(({ view }) => view.data)
             .find((data) => data.setting === setting).steps""",
        setting,
    )


@pytest.mark.parametrize("address", ["heads", "heads?part=side_by_side", "attention"])
def test_the_model_on_screen_from_its_first_step_to_its_last(window: Window, address: str) -> None:
    window.visit(f"{address}{'&' if '?' in address else '?'}task=everyday-fr")
    box = window.page.locator(".can-be-taken").first
    box.locator(".take-home > button").focus()  # scrolls to it
    before, state = picture(window), window.ask(STATE)
    film = filmed(window, box)
    check(window, film, steps_of(window, "step"))
    assert window.ask(STATE) == state and picture(window) == before


def test_what_learns_nothing_or_cannot_be_recorded_has_no_film(window: Window) -> None:
    menu = """(box) => [...box.querySelectorAll(".take-home > div > button")].filter((each) => !each.hidden)
      .map((each) => each.textContent)"""

    def offered() -> list[str]:
        box = window.page.locator(".can-be-taken").filter(visible=True).first
        box.locator(".take-home > button").focus()
        window.page.keyboard.press("Enter")
        box.locator(".take-home [role=group]").wait_for()
        found: list[str] = box.evaluate(menu)
        window.page.keyboard.press("Escape")
        return found

    window.visit("masks?task=everyday-fr")
    films = {"WebM 10 s", "WebM 30 s", "WebM 60 s"}
    assert offered() and not films & {*offered()}
    window.visit("attention?part=why_scale&task=everyday-fr")  # bars of the step on screen
    assert offered() and not films & {*offered()}
    window.visit("heads?task=everyday-fr&step=0&seed=5")  # has not learned
    assert offered() and not films & {*offered()}
    window.visit("heads?task=everyday-fr")
    assert films <= {*offered()}
    window.ask("() => { MediaRecorder = undefined; }")
    assert not films & {*offered()}


@pytest.mark.parametrize(("address", "count"), [("positions?part=two_maps", 60), ("one_step?station=3", 6)])
def test_a_view_that_plays_from_its_beginning_to_its_end(window: Window, address: str, count: int) -> None:
    window.visit(f"{address}&task=everyday-fr")
    if (hand := window.page.locator(".word-map .by-hand")).count():
        hand.fill("600")  # on the way: there it stays, too
        window.wait("() => new URLSearchParams(location.search).get('map_turned') === 'on' && window.settled()")
    box = window.page.locator(".can-be-taken").first
    box.locator(".take-home > button").focus()
    before, state = picture(window), window.ask(STATE)
    check(window, filmed(window, box), [*range(count)])
    assert window.ask(STATE) == state and picture(window) == before


def test_curves_that_grow(window: Window) -> None:
    window.visit("compare?part=run_table&task=everyday-fr")
    box = window.page.locator(".can-be-taken:has(.explorer-plot)").first
    box.locator(".take-home > button").focus()
    before = picture(window)
    steps = window.ask("""() => [...new Set(document.querySelector(".explorer-plot")._fullData.flatMap(({ x }) => [...x]))]""")
    check(window, filmed(window, box), steps, differs=0.3)  # thin lines
    assert picture(window) == before


def test_a_run(window: Window) -> None:
    window.visit(
        "training?more=on&task=copy&step=0&pace=fast&d_model=16&n_heads=2&d_ff=16&symbols=3&length=4&batch_size=8&steps=100&goal=100"
    )
    window.page.locator(".st-key-button-play_circle button").click()
    window.page.locator(".st-key-button-stop button:disabled").wait_for()
    window.page.locator(".st-key-open-heads").wait_for()
    window.settle()
    before, state = picture(window), window.ask(STATE)
    film = filmed(
        window, window.page.locator(".st-key-training-attention .can-be-taken, .st-key-training-attention.can-be-taken")
    )
    check(window, film, steps_of(window, ""))
    assert window.ask(STATE) == state and picture(window) == before
