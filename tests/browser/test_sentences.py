"""Pins one's own sentences in a browser: pasted from a spreadsheet or read from a file with faulty rows, learned, shown on
another page, found again by a link and from the downloaded file."""

from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.window import Window

pytestmark = pytest.mark.slow
PASTED = "\n".join(
    f"the {adjective} {noun}\t{sign} {colour}"
    for noun, sign in (("cat", "🐈"), ("dog", "🐕"), ("bird", "🐦"), ("fish", "🐟"))
    for adjective, colour in (("red", "rouge"), ("black", "noir"), ("white", "blanc"))
)
_OPENED = ".st-key-opened-model"
_DRAWN = "() => document.querySelector('.attention-view')?.dataset.lines && window.settled()"
WEIGHTS_OF = "Array.from(document.querySelector('.attention-view').view.attention.weights)"
WEIGHTS = f"() => JSON.stringify({WEIGHTS_OF})"
LINES = "() => [...document.querySelectorAll('.attention-view .word')].map((word) => word.innerText.trim())"


def start(window: Window) -> None:
    window.page.locator(".st-key-slow_motion label").first.click()
    window.page.locator(".st-key-button-play_circle button:enabled").click()
    window.page.locator(".st-key-open-heads button").wait_for()


def test_pasted_pairs_are_learned_shown_and_taken_home(open_window: OpenWindow, tmp_path: Path) -> None:
    window = open_window("sentences")
    window.page.locator(".st-key-own-pairs textarea").fill(PASTED)
    window.page.locator(".st-key-own-pairs textarea").press("Control+Enter")
    window.page.get_by_text("12 pairs. It learns from all of them").wait_for()
    start(window)
    window.page.locator("[data-testid=stAlertContentSuccess]", has_text="12 of the 12 sentences right").wait_for()

    with window.page.expect_download() as download:
        window.page.get_by_role("button", name="Download the model").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    window.page.locator(".st-key-open-heads button").click()
    window.wait(_DRAWN)
    seen = window.ask(LINES)
    assert any("🐈" in word for word in seen) and any(word.endswith("rouge") for word in seen)
    assert "my sentences" in window.page.locator("[data-testid=shown-model]").inner_text()

    friend = open_window(window.page.url)
    friend.wait(_DRAWN)
    assert friend.ask(LINES) == seen

    other = open_window("sentences")
    other.page.locator("details", has_text="Open a model file").locator("summary").click()
    other.page.locator(".st-key-upload input[type=file]").set_input_files(file)
    other.page.locator(".st-key-open-upload button").click()
    other.wait(_DRAWN)
    assert any("🐈" in word for word in other.ask(LINES))
    for part in ("side_by_side", "head_patterns", "words_and_lines"):
        other.open_part("heads", part)
        assert "my sentences" in other.page.locator("[data-testid=shown-model]").inner_text(), part

    other = open_window("sentences")
    other.page.locator("details", has_text="Open a model file").locator("summary").click()
    other.page.locator(".st-key-upload input[type=file]").set_input_files(file)
    other.page.locator(".st-key-show-pairs button").click()
    other.page.get_by_text("12 pairs. It learns from all of them").wait_for()
    assert "the black dog = 🐕 noir" in other.page.locator(".st-key-own-pairs textarea").input_value()


_WORDS = [("the red cat", "le chat rouge"), ("the red dog", "le chien rouge"), ("the black cat", "le chat noir")]
_WORDS += [("the black dog", "le chien noir"), ("a red cat", "un chat rouge"), ("a black dog", "un chien noir")]
_ANKI = "#separator:tab\n#html:true\n#tags column:3\n" + "".join(
    f"{one}&nbsp;\t<b>{other}</b>\tanimals\n" for one, other in _WORDS
)
_EXCEL = "\r\n".join(f"{one}\t{other}\tCC-BY" for one, other in _WORDS)  # with a third column
_CHAT = "\n".join(f"01.02.26, 10:1{i} - Ann: {one} \u2013\u00a0{other}" for i, (one, other) in enumerate(_WORDS))


@pytest.mark.parametrize(
    ("name", "content"),
    [("anki.txt", _ANKI.encode()), ("unicode.txt", _EXCEL.encode("utf-16")), ("chat.txt", _CHAT.encode("utf-8-sig"))],
)
def test_what_other_programs_write_from_its_drop_to_heads(
    open_window: OpenWindow, tmp_path: Path, name: str, content: bytes
) -> None:
    window = open_window("sentences")
    (tmp_path / name).write_bytes(content)
    window.page.locator(".st-key-pairs-file input[type=file]").set_input_files(tmp_path / name)
    window.page.get_by_text("6 pairs. It learns from all of them").wait_for()
    start(window)
    window.page.locator("[data-testid=stAlertContentSuccess]", has_text="6 of the 6 sentences right").wait_for()
    window.page.locator(".st-key-open-heads button").click()
    window.wait(_DRAWN)
    words = {word.split("\n")[0].split(" ")[-1].lower() for word in window.ask(LINES)}
    assert {"the", "red", "cat"} <= words and {"le", "chat", "rouge"} <= words


def test_its_learning_is_on_every_page_until_it_is_deleted(open_window: OpenWindow, other_browser: Any) -> None:
    window = open_window("sentences")
    window.page.locator(".st-key-own-pairs textarea").fill(PASTED)
    window.page.locator(".st-key-own-pairs textarea").press("Control+Enter")
    window.page.get_by_text("12 pairs. It learns from all of them").wait_for()
    start(window)
    window.page.locator(".st-key-open-heads button").click()
    window.wait(_DRAWN)
    at_the_end, lines = window.ask(WEIGHTS), window.ask(LINES)
    model = window.model()
    assert (model["step"], model["steps"]) == ("400", "400")
    assert "cat" not in window.page.url and "src" not in window.page.url
    link = window.page.url

    knob = window.page.locator(".st-key-learned-for input[type=range]")
    knob.press("Home")
    window.shows(step="0")
    window.wait("(before) => window.settled() && JSON.stringify(" + WEIGHTS_OF + ") !== before", at_the_end)
    knob.press("ArrowRight")
    window.shows(step="10")
    assert window.ask(LINES) == lines, "on the same sentence"

    friend = open_window(link, browser=other_browser)
    friend.wait(_DRAWN)
    assert friend.ask(WEIGHTS) == at_the_end
    friend.visit("sentences?" + link.partition("?")[2])
    assert not friend.page.locator(_OPENED).count(), "another browser cannot delete it"

    window.visit("sentences?" + link.partition("?")[2])
    window.page.locator(_OPENED).get_by_role("button", name="Delete this model").click()
    window.page.get_by_role("button", name="Delete it").click()
    window.page.locator(_OPENED).wait_for(state="detached")
    assert "model=" not in window.page.url and "run=" not in window.page.url
    for each in (window, friend):
        each.visit(link)
        each.page.locator("[data-testid=stAlertContentError]", has_text="This model is no longer here").wait_for()


def test_a_file_with_faulty_rows(open_window: OpenWindow, tmp_path: Path) -> None:
    window = open_window("sentences")
    good = "\n".join(f'"say, {word}";{word}' for word in "abcdefg")
    (tmp_path / "pairs.csv").write_text(f"\ufeff{good}\nalone\n<img src=x>\n", encoding="utf-8")
    window.page.locator(".st-key-pairs-file input[type=file]").set_input_files(tmp_path / "pairs.csv")
    warning = window.page.locator("[data-testid=stAlertContentWarning]")
    warning.wait_for()
    assert "Row 8" in warning.inner_text() and "<img src=x>" in warning.inner_text()
    window.wait("() => document.querySelectorAll('.pairs tr').length === 8")
    assert window.page.locator(".st-key-button-play_circle button").is_enabled()

    (tmp_path / "other.csv").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    window.page.locator(".st-key-pairs-file input[type=file]").set_input_files(tmp_path / "other.csv")
    window.page.locator("[data-testid=stAlertContentError]", has_text="UTF-8").wait_for()
    window.page.locator(".pairs").wait_for(state="detached")
    assert window.page.locator(".st-key-button-play_circle button").is_disabled(), "no other pairs are taken for the file's"
    assert "say, a" in window.page.locator(".st-key-own-pairs textarea").input_value(), "they are not lost"
