"""Pins: a weight is pressed and dragged, and the page follows meanwhile; what is let go stays, in the address and elsewhere."""

from tests.browser.conftest import OpenWindow
from tests.browser.window import Window


def answer(window: Window) -> str:
    text: str = window.ask("() => document.querySelector('.cut-answer').innerText")
    return text


def edits(window: Window) -> str | None:
    text: str | None = window.ask("() => new URLSearchParams(location.search).get('edit')")
    return text


def hold_at(window: Window, share: float) -> tuple[float, float]:
    """Takes the slider, and drags it to a share of its way; returns where it was taken."""
    box = window.page.locator(".weight-knob .far").bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    start = window.ask("() => (Number(document.querySelector('.weight-knob .far').value) + 1) / 2")
    taken = box["x"] + 8 + start * (box["width"] - 16), y
    window.page.mouse.move(*taken)
    window.page.mouse.down()
    window.page.mouse.move(box["x"] + share * box["width"], y)  # at once: what is shown meanwhile is that of this value
    return taken


def test_a_weight_is_dragged_and_undone(open_window: OpenWindow) -> None:
    window = open_window("shapes?part=weights")
    whole, bars = answer(window), window.ask("() => window.seen('next-word-cut')")
    assert whole == "No weight is changed."
    value = window.page.locator(".weight-knob .value").input_value()
    taken = hold_at(window, 0.999)
    window.wait("() => document.querySelector('.cut-answer strong')")
    window.page.mouse.move(*taken)
    window.page.mouse.up()  # where it was taken: browsers tell of no change
    window.wait("() => !document.querySelector('.cut-answer strong') && window.settled()")
    assert window.page.locator(".weight-knob .value").input_value() == value and edits(window) is None
    hold_at(window, 0.999)
    window.wait("() => document.querySelector('.cut-answer strong')")  # ahead of the page
    window.wait("(bars) => window.seen('next-word-cut') !== bars", bars)
    ahead = answer(window)
    assert ahead.startswith("1 weight is changed by hand. Before: “est-ce que tu aimes") and edits(window) is None
    window.page.mouse.up()
    window.wait("() => new URLSearchParams(location.search).has('edit') && window.settled()")
    edit = edits(window)
    assert edit is not None and edit.endswith(":100") and answer(window) == ahead

    grid = window.ask("() => document.querySelector('.matrices').matrices.grids[0]")
    where = {"x": grid["left"] + 40.5 * grid["w"], "y": grid["top"] + 7.5 * grid["h"]}
    window.page.locator(".matrices canvas").click(position=where)
    window.wait("() => new URLSearchParams(location.search).get('weight') === '7-40' && window.settled()")
    fields = [window.page.locator(f".weight-knob .{name}") for name in ("row", "column", "value")]
    window.wait("() => document.querySelector('.weight-knob .row').value === '7'")  # the view comes after the address
    assert fields[1].input_value() == "40"
    fields[2].fill("-250.5")
    fields[2].press("Enter")
    window.wait("() => new URLSearchParams(location.search).get('edit')?.endsWith(':7-40:-250.5') && window.settled()")
    assert answer(window).startswith("2 weights are changed by hand.")

    window.go("heads")
    assert answer(window).startswith("2 weights are changed by hand.")
    window.back()
    window.page.locator(".weight-knob .undo").click()
    window.wait("(edit) => new URLSearchParams(location.search).get('edit') === edit && window.settled()", edit)
    assert answer(window) == ahead
    window.page.locator(".st-key-uncut-weight-0 button:visible").click()
    window.wait("() => !new URLSearchParams(location.search).has('edit') && window.settled()")
    assert answer(window) == whole
    assert window.ask("() => window.seen('next-word-cut')") == bars
