"""Pins that every picture of every page can be taken home: with the numbers that were drawn, and as a drawing that has the
words on screen and needs nothing else."""

import csv
import io
import json
import math
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image, ImageFilter

from tests.browser.conftest import OpenWindow
from tests.browser.window import Window, unfolded
from tests.explorer.programs.programs import run_file
from tests.pages.helpers import FIRST_FIGURES, PAGES, PARTS, array

SVG = "{http://www.w3.org/2000/svg}"
KINDS = (
    ".explorer-plot, .matrices, .attention-view, .arithmetic, .shape-map, .start[data-state], .one-step, .word-map, "
    ".model-map:not(.thumb, .small, .one-step *)"
)

# What a picture was given to draw, and the words that are seen of it.
_GIVEN = """(box) => {
  const node = box.querySelector(window.KINDS);
  const plain = (value) => JSON.parse(JSON.stringify(value, (key, each) =>
    key === "_inputArray" ? undefined  // Plotly's own copy of an array
      : ArrayBuffer.isView(each) ? Array.from(each) : each));
  const seen = () => {
    const walk = document.createTreeWalker(box, NodeFilter.SHOW_TEXT), found = [];
    while (walk.nextNode()) {
      const parent = walk.currentNode.parentElement, around = parent.getBoundingClientRect();
      const tools = ".take-home, .player, .pictures, .modes, .tip, .hint, .close, .film button, "
        + ".start :is(.pill, .skip, .play, .from, .to, form), "
        + ".attention-view:not(.some) .said, :is(.one-step, .word-map) .ways";
      const isShort = parent.closest(".word, .bar > span");  // may be cut off
      const hidden = getComputedStyle(parent).clipPath !== "none" || parent.closest(".told, .aside, .modebar-container, style");
      if (around.width && !parent.closest(tools) && !isShort && !hidden) found.push(walk.currentNode.data);
    }
    return found;
  };
  const { matrices, view, arithmetic, oneStep, wordMap, start } = node;
  const { data } = matrices ?? view ?? arithmetic ?? oneStep ?? wordMap ?? { data: start?.opening };
  return {
    kind: [...node.classList].find((name) => window.KINDS.includes(`.${name}`)),
    data: plain(data ?? (node.drawn ? JSON.parse(node.drawn) : node.data)),
    words: seen(), lines: node.dataset.lines, lit: node.classList.contains("some"),
    title: document.querySelector("h1").textContent,
  };
}"""


# Keeps what is saved in the page: hundreds of files on the disk take long.
_KEPT = """
const press = HTMLAnchorElement.prototype.click;
HTMLAnchorElement.prototype.click = function () {
  if (!this.download || this.download.endsWith(".png")) return press.call(this);
  fetch(this.href).then((file) => file.arrayBuffer()).then((bytes) => {
    window.saved = [this.download, new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)];
  });
};
"""


@pytest.fixture(scope="module")
def window(open_for_all: OpenWindow) -> Window:
    window = open_for_all(None)
    window.page.add_init_script(f"window.KINDS = {json.dumps(KINDS)};\n{_KEPT}")
    return window


def taken(window: Window, box: Any, ending: str) -> tuple[str, bytes]:
    """Presses the button of a picture and then a kind of file; returns the file's name and content."""
    tools = box.locator(".take-home")
    tools.locator("> button").focus()
    window.page.keyboard.press("Enter")
    item = tools.get_by_role("button", name=ending, exact=True)
    item.wait_for()
    window.ask("() => { window.saved = null; }")
    item.press("Enter")
    window.wait("() => window.saved !== null && document.activeElement.matches('.take-home > button')")
    name, content = window.ask("() => window.saved")
    return name, content.encode()


def told_by(program: bytes, path: Path) -> str:
    """Runs a program that was taken home, as its file; returns what it prints."""
    path.write_bytes(program)
    done = run_file(path, path.parent)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Alone:
    """A page of its own that a picture became, opened as a file."""

    def __init__(self, window: Window, path: Path) -> None:
        self.page, self.path, self.problems = window.page.context.new_page(), path, list[str]()
        self.page.add_init_script(f"window.KINDS = {json.dumps(KINDS)};")
        self.page.emulate_media(reduced_motion="reduce")
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", lambda told: self.problems.append(told.text) if told.type in ("error", "warning") else None)
        self.page.on("request", lambda request: self._address(request.url))

    def _address(self, url: str) -> None:
        if not url.startswith((self.path.with_suffix("").as_uri(), "data:", "blob:")):
            self.problems.append(url)

    def open(self, content: bytes, width: float = 1280) -> None:
        """`width`: of the picture on its page, as a plot that is narrow leaves out some of its numbers."""
        self.page.set_viewport_size({"width": math.ceil(width), "height": 720})
        self.path.write_bytes(content)
        self.page.goto(self.path.as_uri())
        self.page.wait_for_function(f"() => {_IS_DRAWN}")

    def shows(self) -> dict[str, Any]:
        return self.page.locator("#picture").evaluate(_GIVEN)


_IS_DRAWN = """[...document.querySelectorAll(window.KINDS)].some((node) => node._fullLayout || node.matrices?.data
  || [node.view, node.arithmetic, node.oneStep, node.wordMap].some((each) => each?.data) || node.drawn
  || node.start?.words.length)"""


@pytest.fixture(scope="module")
def alone(window: Window, tmp_path_factory: pytest.TempPathFactory) -> Alone:
    return Alone(window, tmp_path_factory.mktemp("alone") / "picture.html")


def stop_measuring(window: Window) -> None:
    """What is measured by itself changes its picture for a while."""
    window.wait(
        """() => {
          const buttons = document.querySelectorAll("[class*=st-key-cancel-] button");
          for (const button of buttons) button.click();
          return !buttons.length;
        }"""
    )
    window.settle()


def numbers(rows: list[dict[str, str]], *columns: str) -> list[np.ndarray]:
    """Columns of a table as numbers; an empty cell is NaN."""
    return [np.array([float(row.get(column) or "nan") for row in rows]) for column in columns]


def is_same(found: np.ndarray, drawn: Any) -> bool:
    """Whether all numbers are there, in their order, to the last digit of those that were sent."""
    expected = np.asarray(drawn, dtype=float).ravel()
    return found.shape == expected.shape and np.array_equal(
        found.astype(np.float32), expected.astype(np.float32), equal_nan=True
    )


def check_numbers(kind: str, data: Any, rows: list[dict[str, str]]) -> None:
    if kind == "matrices":
        (values,) = numbers(rows, "value")
        assert is_same(values, np.where(array(data["valid"]), array(data["values"]), np.nan))
        shape = array(data["values"]).shape
        at = np.indices(shape).reshape(3, -1)
        for name, labels, place in (("row_name", "rows", at[1]), ("column_name", "columns", at[2])):
            assert [row.get(name, "") for row in rows] == [harmless(data[labels][i]) if data[labels] else "" for i in place]
    elif kind == "attention-view":
        weights = array(data["weights"])
        assert is_same(*numbers(rows, "weight"), weights)
        heads, queries, keys = np.indices(weights.shape[-3:]).reshape(3, -1)
        frames = weights.size // heads.size
        assert is_same(*numbers(rows, "head"), np.tile(heads, frames))
        assert [row["query_word"] for row in rows] == frames * [harmless(data["rows"][i]) for i in queries]
        assert [row["key_word"] for row in rows] == frames * [harmless(data["columns"][i]) for i in keys]
        allowed = np.broadcast_to(array(data["valid"]), weights.shape)
        assert is_same(*numbers(rows, "may_attend"), allowed)
    elif kind == "arithmetic":
        for name, packed in data["stages"].items():
            values = array(packed)
            here = [row for row in rows if row["stage"] == name]
            assert is_same(*numbers(here, "value"), np.where(np.isfinite(values), values, np.nan)), name
        assert {row["stage"] for row in rows} == set(data["stages"])
    elif kind == "shape-map":
        blocks = [block for column in data["columns"] for group in column["groups"] for block in group["blocks"]]
        sizes = [(block["id"], name, size) for block in blocks for name, size in block["axes"]]
        assert [(row["tensor"], row["name"], int(row["value"])) for row in rows if row["tensor"]] == sizes
        costs = [group["cost"]["parameters"] for column in data["columns"] for group in column["groups"]]
        assert [int(row["value"]) for row in rows if row["name"] == "parameters"] == costs
    elif kind == "model-map":
        said = [each["label"] for each in data["frames"] + data["boxes"]] + [each["text"] for each in data["shapes"]]
        assert [row["label"] for row in rows] == [harmless(each) for each in said]
    elif kind == "one-step":
        words, parts = ([row for row in rows if row[name]] for name in ("word", "part"))
        assert [row["word"] for row in words] == [harmless(each) for each in data["words"]]
        assert is_same(*numbers(words, "before"), data["before"]) and is_same(*numbers(words, "after"), data["after"])
        with_weights = [box for box in data["map"]["boxes"] if "gradient" in box]
        assert [row["part"] for row in parts] == [box["name"] for box in with_weights]
        assert is_same(*numbers(parts, "gradient"), [box["gradient"] for box in with_weights])
    elif kind == "word-map":
        for of, packed, turned in ((0, array(data["source"]), array(data["source"])), (1, *array(data["target"])[[0, -1]])):
            here = rows[of::2]
            assert [(row["word"], row["translation"]) for row in here] == [(each[of], each[1 - of]) for each in data["words"]]
            for at, side in enumerate("xy"):
                assert is_same(*numbers(here, side), packed[:, at]) and is_same(*numbers(here, f"{side}_turned"), turned[:, at])
        nearest = [data["words"][each[0]][1] for each in data["turned"]]
        assert [row["nearest_turned"] for row in rows[::2]] == nearest
    elif kind == "start":
        steps = {step["step"]: step for step in data["steps"]}
        (weights,) = numbers(rows, "weight")
        assert is_same(weights, np.concatenate([np.ravel(step["weights"]) for step in steps.values()]))
        for row in rows:
            assert row["query_word"] == harmless(steps[int(row["step"])]["words"][int(row["query"])])
            assert row["key_word"] == harmless(data["source"][int(row["key"])])
    else:
        for i, trace in enumerate(data):
            here = [row for row in rows if row["trace"] == str(i)]
            for side in "xy":
                drawn = array(trace[side]).ravel() if isinstance(trace[side], dict) else trace[side]
                if all(isinstance(each, str) for each in drawn):
                    assert len(here) == len(drawn)
                    continue
                drawn = [np.nan if each is None else each for each in drawn]
                assert is_same(*numbers(here, side), drawn), (trace.get("name"), side)


def without_server(data: Any) -> Any:
    """Returns the data that a picture draws, without what it asks a server."""
    if not isinstance(data, dict):
        return data
    return {name: value for name, value in data.items() if name not in ("live", "clickable", "cuts")}


def harmless(words: str) -> str:
    return f"'{words}" if re.match(r"\s*[=+\-@]", words) else words


def check_drawing(seen: dict[str, Any], svg: bytes) -> None:
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert not list(root.iter(f"{SVG}image")) and not list(root.iter(f"{SVG}foreignObject")) + list(root.iter(f"{SVG}script"))
    for element in root.iter():
        for name, value in element.attrib.items():
            assert not name.endswith("href") or value.startswith("#"), (name, value)
            assert all(each.startswith("#") for each in re.findall(r"url\([\"']?([^)]*)", value)), (name, value)
            assert not name.endswith(("class", "onclick")) or seen["kind"] == "explorer-plot"
    labels = [group.get("aria-label", "") for group in root.iter(f"{SVG}g") if group.get("role") == "img"]
    whole = "".join("".join("".join(label.split()) for label in labels))
    as_text = "".join("".join(text.itertext()) for text in root.iter(f"{SVG}text"))
    assert not re.search("[A-Za-z0-9]", as_text), f"{as_text!r} needs a font of its reader's"
    missing = [words for words in [seen["title"], *seen["words"]] if "".join(words.split()) not in whole]
    assert not missing, missing
    courses = [path.get("d", "") for path in root.iter(f"{SVG}path")]
    if seen["kind"] == "matrices":
        cells = sum(len(re.findall(r"h[\d.]+v[\d.]+h-", course)) for course in courses)
        assert cells >= array(seen["data"]["values"]).size
    if seen["kind"] == "attention-view" and not seen["lit"]:
        assert sum(course.count("C") for course in courses) == int(seen["lines"])


def check_renderers(alone: Alone, svg: bytes) -> None:
    """A drawing looks as in Chromium in two programs that know nothing of the app's font; smoothed, as each draws edges in its
    own way. Where words overlapped or were cut, whole letters would differ."""
    import cairosvg  # like Chromium, it needs libcairo of the system: not everywhere
    import resvg_py

    width, height = (int(size) for size in re.findall(rb'viewBox="0 0 (\d+) (\d+)"', svg)[0])
    alone.page.set_viewport_size({"width": width, "height": height})
    path = alone.path.with_suffix(".svg")
    path.write_bytes(svg)
    alone.page.goto(path.as_uri())
    pictures = [
        alone.page.screenshot(),
        cairosvg.svg2png(bytestring=svg),
        bytes(resvg_py.svg_to_bytes(svg_string=svg.decode())),
    ]
    drawn = [Image.open(io.BytesIO(picture)).convert("L").filter(ImageFilter.BoxBlur(2)) for picture in pictures]
    assert {each.size for each in drawn} == {(width, height)}
    chromium, *others = (np.asarray(each, float) for each in drawn)
    for other in others:
        assert np.abs(other - chromium).mean() < 1.5 and np.mean(np.abs(other - chromium) > 60) < 1e-3


@pytest.mark.parametrize("name", PAGES)
def test_every_picture_of_a_page(window: Window, alone: Alone, name: str) -> None:
    window.visit(f"{'' if name == 'home' else name}?task=everyday-fr{unfolded(name)}")
    found, opened = 0, set[str]()
    for i, part in enumerate(PARTS[name]):
        if i:
            window.open_part(name, part)
        window.unfold_details(part)
        stop_measuring(window)
        boxes = window.page.locator(".can-be-taken").filter(visible=True)
        pictures = window.page.locator(f":is({KINDS})").filter(visible=True)
        assert boxes.count() == pictures.count(), part
        for at in range(boxes.count()):
            box = boxes.nth(at)
            seen = box.evaluate(_GIVEN)
            where = f"{part}, {seen['kind']} {at}"
            file, table = taken(window, box, "CSV")
            assert re.fullmatch(rf"transformer-{name.replace('_', '-')}-[a-z0-9-]+\.csv", file), where
            assert table.startswith(b"\xef\xbb\xbf"), where
            rows = list(csv.DictReader(io.StringIO(table.decode("utf-8-sig"), newline="")))
            assert rows, where
            check_numbers(seen["kind"], seen["data"], rows)
            svg = taken(window, box, "SVG")[1]
            check_drawing(seen, svg)
            if seen["kind"] not in opened:  # all of a kind become pages, and their tables JSON, in the same way
                opened.add(seen["kind"])
                told = json.loads(taken(window, box, "JSON")[1])
                assert told["page"] == name and told["title"].startswith(seen["title"])
                as_text = [{key: "" if value is None else str(value) for key, value in row.items()} for row in told["rows"]]
                assert [list(row) for row in as_text] == [list(row) for row in rows]
                for one, other in zip(as_text, rows, strict=True):
                    for key, text in other.items():
                        assert one[key] == text or harmless(one[key]) == text or float(one[key]) == float(text), (where, key)
                check_renderers(alone, svg)
                page = taken(window, box, "HTML")[1]
                assert len(page) < (650_000 if seen["kind"] == "explorer-plot" else 500_000), where
                alone.open(page, box.bounding_box()["width"])
                shown = alone.shows()
                assert shown["kind"] == seen["kind"] and without_server(shown["data"]) == without_server(seen["data"]), where
                assert not alone.problems, where
            assert box.evaluate(_GIVEN)["words"] == seen["words"], f"{where}: the picture stays as it was"
            found += 1
    assert found >= FIRST_FIGURES[name]


def test_the_menu_by_keys_as_a_picture_and_for_all(window: Window) -> None:
    window.visit("heads?task=everyday-fr")
    box = window.page.locator(".can-be-taken").first
    tools = box.locator(".take-home")
    button = tools.locator("> button")
    opacity = "(node) => Number(getComputedStyle(node).opacity)"
    assert 0.5 < tools.evaluate(opacity) < 0.7, "it is seen before the picture is pointed at, or Tab comes to it"
    button.focus()
    assert tools.evaluate(opacity) > 0.7
    assert button.get_attribute("aria-label") == "Take this picture home"
    window.page.keyboard.press("Enter")
    tools.get_by_role("group", name="Take this picture home").wait_for()
    assert button.get_attribute("aria-expanded") == "true"
    assert window.barriers() == []
    window.page.keyboard.press("Tab")
    assert window.ask("() => document.activeElement.textContent") == "PNG"
    with window.page.expect_download() as download:
        window.page.keyboard.press("Enter")
    picture = Path(download.value.path()).read_bytes()
    assert picture.startswith(b"\x89PNG")
    width = int.from_bytes(picture[16:20], "big")
    assert width >= 2 * box.bounding_box()["width"]
    window.wait("() => document.activeElement.matches('.take-home > button')")
    assert button.get_attribute("aria-expanded") == "false"
    window.page.keyboard.press("Enter")
    window.wait("() => document.activeElement.textContent === 'SVG'")
    window.page.keyboard.press("Escape")
    window.wait("() => document.activeElement.matches('.take-home > button[aria-expanded=false]')")
    assert not tools.get_by_role("group").is_visible()


def test_a_page_of_its_own_answers_the_pointer_and_shows_the_cuts_it_has(window: Window, alone: Alone) -> None:
    window.visit()
    window.wait("() => document.querySelector('.start').dataset.state === 'ready'")
    cuts = window.ask("() => document.querySelector('.start').start.data.cuts.links")
    alone.open(taken(window, window.page.locator(".can-be-taken:has(.start)"), "HTML")[1])
    answer = alone.page.locator(".start .answer")
    alone.page.locator(".start .pill.cut:not([hidden])").wait_for()
    before = answer.inner_text().split()
    alone.page.locator(".start .pill.cut").click()
    alone.page.wait_for_function("() => document.querySelector('.start').dataset.state === 'cut'")
    name = alone.page.evaluate("() => document.querySelector('.start').start.cut.name")
    written = len(cuts[name]["words"])
    alone.page.wait_for_function("(n) => document.querySelector('.start').start.words.length === n", arg=written)
    texts = alone.page.evaluate(
        "() => [...document.querySelectorAll('.start .answer .word')].map((word) => word.firstChild.textContent)"
    )
    assert texts == cuts[name]["words"] and answer.inner_text().split() != before
    assert not alone.page.locator(".start form").is_visible(), "nobody answers there"

    window.visit("heads?task=everyday-fr")
    alone.open(taken(window, window.page.locator(".can-be-taken").first, "HTML")[1])
    alone.page.locator(".attention-view [data-side=query] .word").nth(2).hover()
    alone.page.wait_for_function("() => document.querySelector('.attention-view').classList.contains('some')")
    assert not alone.page.get_by_role("button", name="cut", exact=True).is_visible(), "a cut is computed by the server"
    assert alone.page.locator("footer a").get_attribute("href").endswith("/heads?task=everyday-fr")
    assert not alone.problems


def test_a_page_of_its_own_shows_a_still_picture_where_no_script_runs(window: Window, alone: Alone) -> None:
    window.visit("heads?task=everyday-fr")
    alone.open(taken(window, window.page.locator(".can-be-taken").first, "HTML")[1])
    assert not alone.page.locator("#still").count(), "the picture is there itself"
    browser = window.page.context.browser
    assert browser is not None
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(alone.path.as_uri())
    words = page.locator("#still svg text").all_text_contents()
    assert {"do", "like", "aimes"} <= {word.strip() for word in words} and page.locator("#still svg path").count() > 10
    context.close()


def test_a_word_of_another_script_stays_a_word_of_a_drawing(window: Window) -> None:
    window.visit("heads?task=everyday-zh")
    box = window.page.locator(".can-be-taken").first
    root = ElementTree.fromstring(taken(window, box, "SVG")[1])
    texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert any(re.fullmatch("[\u4e00-\u9fff]+", text) for text in texts)


def test_no_word_of_a_sentence_is_markup_in_a_page_of_its_own(window: Window, alone: Alone) -> None:
    window.visit("heads?task=everyday-fr")
    box = window.page.locator(".can-be-taken").first
    hostile = "</script><img src=x onerror=alert(1)><!--"
    box.evaluate("(box, words) => { box.explorerView.data.columns[0] = words; }", hostile)
    alone.open(taken(window, box, "HTML")[1])
    assert alone.shows()["data"]["columns"][0] == hostile
    assert not alone.page.locator("img").count() and not alone.problems


def test_a_picture_as_code(window: Window, tmp_path: Path) -> None:
    window.visit("heads?task=everyday-fr&cut=cross.0.1")
    box = window.page.locator(".can-be-taken:has(.attention-view)").first
    file, program = taken(window, box, "PY")
    assert re.fullmatch(r"transformer-heads-[a-z0-9-]+\.py", file)
    text = program.decode()
    drawing = taken(window, box, "SVG")[1].decode()
    assert '✂ cross · layer 0 · head 1"' in drawing, "a drawing says what is cut"
    assert 'parse("cross.0.1")' in text and "SHIPPED_MODELS" in text and f"On screen: {window.page.url}" in text
    assert "\nThe same " in told_by(program, tmp_path / file)
    window.visit("positions?part=two_maps&task=everyday-fr")
    file, program = taken(window, window.page.locator(".can-be-taken:has(.word-map)"), "PY")
    assert "best_rotation(" in program.decode() and "\nThe same " in told_by(program, tmp_path / file)
    window.visit("heads?task=everyday-fr&cut=cross.0.1")
    file, notebook = taken(window, box, "IPYNB")
    assert file.endswith(".ipynb") and json.loads(notebook)["nbformat"] == 4
    window.page.route("**/code", lambda asked: asked.fulfill(status=422, body="This model cannot be written as code."))
    tools = box.locator(".take-home")
    tools.locator("> button").focus()
    window.page.keyboard.press("Enter")
    tools.get_by_role("button", name="PY", exact=True).click()
    tools.get_by_role("alert").filter(has_text="This model cannot be written as code.").wait_for()
    assert tools.get_by_role("group").is_visible(), "another file may be chosen"
    window.page.unroute("**/code")
    window.page.route("**/code", lambda asked: asked.abort())
    tools.get_by_role("button", name="PY", exact=True).click()
    tools.get_by_role("alert").filter(has_text="This file could not be made. Try again, or choose another kind.").wait_for()
    window.page.unroute("**/code")
    window.problems.clear()  # a browser notes each refusal
    window.visit("training?part=schedule")
    box = window.page.locator(".can-be-taken").first
    box.locator(".take-home > button").focus()
    window.page.keyboard.press("Enter")
    box.locator(".take-home [role=group]").wait_for()
    entries = box.locator(".take-home [role=group] button").filter(visible=True)
    assert entries.all_text_contents() == ["SVG", "PNG", "HTML", "CSV", "JSON"], "it has no name"


def test_the_curves_of_a_run_as_code(window: Window, tmp_path: Path) -> None:
    window.visit(
        "training?task=copy&step=0&pace=fast&d_model=16&n_heads=2&d_ff=16&symbols=3&length=4&batch_size=8&steps=50&goal=100"
    )
    window.page.locator(".st-key-button-play_circle button").click()
    window.page.locator(".st-key-open-heads").wait_for()
    window.settle()
    box = window.page.locator(".can-be-taken:has(.explorer-plot)").first
    file, program = taken(window, box, "PY")
    assert re.fullmatch(r"transformer-training-training-curves\.py", file)
    assert f"On screen: {window.page.url}" in program.decode()
    assert "\nThe same " in told_by(program, tmp_path / file)
    assert json.loads(taken(window, box, "IPYNB")[1])["nbformat"] == 4
