"""Pins that pictures follow a knob while it is moved, and that the page follows when it is let go, also without them."""

import json
from typing import Any

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.window import SMALL, Window

# The numbers of the matrix on screen, the width of its head, and what is said of it.
_MATRIX = """() => {
  const {stage} = window.cells("weights");
  return {weights: [...stage.weights.values], left: [...stage.left.values], d: stage.left.columns};
}"""
# Whether all that was asked for has come.
_IDLE = "(({asked, wanted, after}) => !asked && !wanted && !after)(document.querySelector('.live-knobs').live.asking)"
_NOTE = "() => document.querySelector('.arithmetic').dataset.live ?? null"
# What the notice lies over: controls, and words that are not dimmed.
_COVERED = """() => {
  const note = document.querySelector(".live-note").getBoundingClientRect();
  const meets = ({ left, right, top, bottom }) =>
    left < note.right && right > note.left && top < note.bottom && bottom > note.top;
  // What lies below the foot of the window is covered by that; the notice lets every pointer through.
  const isAbove = (node) => {
    const { left, right, top, bottom } = node.getBoundingClientRect();
    const x = (Math.max(left, note.left) + Math.min(right, note.right)) / 2;
    const y = (Math.max(top, note.top) + Math.min(bottom, note.bottom)) / 2;
    return node.contains(document.elementFromPoint(x, y));
  };
  const inSight = (node) => !node.closest(".st-key-foot, .live-note") && node.checkVisibility({ opacityProperty: true });
  return [...document.querySelectorAll("button, input, label, [role=slider], [data-testid=stCaptionContainer], p")]
    .filter((node) => inSight(node) && meets(node.getBoundingClientRect()) && isAbove(node))
    .map((node) => node.outerHTML.slice(0, 200));
}"""


def matrix(window: Window) -> dict[str, Any]:
    return window.ask(_MATRIX)


def thumb(window: Window, name: str) -> tuple[float, float]:
    knob = window.page.locator(f".st-key-{name} [data-testid=stSliderThumbValue]").locator("xpath=..")
    knob.scroll_into_view_if_needed()
    box = knob.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def grip(window: Window, name: str) -> tuple[float, float]:
    place = thumb(window, name)
    window.page.mouse.move(*place)
    window.page.mouse.down()
    return place


def _number(said: str) -> float:
    """Reads a number as the page writes it: 1,000 or 1 × 10⁻⁵."""
    digits, _, power = said.replace(",", "").partition(" × 10")
    return float(digits) * 10 ** int(power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) or "0")


def drag(window: Window, name: str, values: list[str]) -> None:
    """Moves the knob that is held until it has said each of these values."""
    x, y = thumb(window, name)
    for value in values:
        for _ in range(400):
            said = window.knob(name).get_attribute("aria-valuetext")
            if said == value:
                break
            x += 1 if _number(said) < _number(value) else -1
            window.page.mouse.move(x, y)
        assert window.knob(name).get_attribute("aria-valuetext") == value


def caught_up(window: Window, plot: str) -> str:
    """What a plot shows, once it is that of the knob's value."""
    window.wait(f"(plot) => {_IDLE} && !window.plot(plot).matches('[data-waiting]')", plot)
    return drawn(window, plot)


def drawn(window: Window, plot: str) -> str:
    """What a plot shows, as text. The numbers of a matrix are packed in one way by the page, and in another over the socket."""
    return window.ask(
        """(plot) => {
          const {matrices} = window.plot(plot);
          if (!matrices) return window.seen(plot);
          const {rows, columns, names} = matrices.data;
          return JSON.stringify([[...matrices.values.values], rows, columns, names]);
        }""",
        plot,
    )


def follows(window: Window, heads: int, width: int) -> dict[str, Any]:
    """Returns the matrix once it is that of a model so wide."""
    window.wait("(d) => window.cells('weights').stage.left.columns === d", width // heads)
    return matrix(window)


def test_the_picture_follows_the_hand_and_the_page_when_it_is_let_go(window: Window) -> None:
    window.visit(f"attention?{SMALL}")
    before, address, model = matrix(window), window.ask("() => location.search"), window.model()
    grip(window, "d_model")
    seen = []
    for value in ("96", "128", "192"):
        drag(window, "d_model", [value])
        seen.append(follows(window, 4, int(value)))
    assert window.ask("() => window.ahead()")
    assert window.model() == model and window.ask("() => location.search") == address  # the page has not been drawn anew
    assert len({json.dumps(each) for each in (before, *seen)}) == 4
    window.page.mouse.up()
    window.shows(dModel=192)
    assert matrix(window) == seen[-1]
    window.knob_in_address("d_model", "192")
    assert not window.ask("() => window.ahead()")
    window.back().shows(dModel=64)  # all of it was one step of the history
    assert (follows(window, 4, 64), window.model()) == (before, model)


@pytest.mark.parametrize("part", ["words_and_lines", "side_by_side"])
def test_heads_follow_the_hand(window: Window, part: str) -> None:
    window.visit(f"heads?{SMALL}&part={part}&details-{part}=on")
    weights = {
        "words_and_lines": "() => [...document.querySelector('.attention-view').view.attention.all]",
        "side_by_side": "() => [...window.cells('head-large').stage.weights.values]",
    }[part]
    before = window.ask(weights)
    grip(window, "n_heads")
    drag(window, "n_heads", ["2"])
    window.wait(f"(before) => JSON.stringify(({weights})()) !== before", json.dumps(before, separators=(",", ":")))
    ahead = window.ask(weights)
    window.page.mouse.up()
    window.shows(heads=2)
    assert window.ask(weights) == ahead != before


def test_a_key_is_enough(window: Window) -> None:
    window.visit(f"attention?{SMALL}")
    window.turn("d_model")
    follows(window, 4, 88)
    window.shows(dModel=88)
    window.turn("d_model", "ArrowLeft")
    window.shows(dModel=64)
    follows(window, 4, 64)


def test_a_knob_that_is_put_back_changes_nothing(window: Window) -> None:
    window.visit(f"attention?{SMALL}")
    before, address = matrix(window), window.ask("() => location.href")
    grip(window, "d_model")
    drag(window, "d_model", ["96"])
    follows(window, 4, 96)
    drag(window, "d_model", ["64"])
    follows(window, 4, 64)
    assert matrix(window) == before and not window.ask("() => window.ahead()")
    window.page.mouse.up()
    window.settle()
    assert (matrix(window), window.ask("() => location.href")) == (before, address)


def test_a_drag_that_the_browser_cancels_ends_where_it_was(window: Window) -> None:
    """As when a call comes in on a phone: the slider takes it for a release, and so does the page."""
    window.visit(f"attention?{SMALL}")
    grip(window, "d_model")
    drag(window, "d_model", ["96"])
    follows(window, 4, 96)
    window.ask("() => document.body.dispatchEvent(new PointerEvent('pointercancel', {bubbles: true, pointerId: 1}))")
    window.page.mouse.up()
    window.shows(dModel=96)
    assert matrix(window)["d"] == 24 and not window.ask("() => window.ahead()")


def test_the_time_of_learning_is_dragged_like_any_knob(window: Window) -> None:
    window.visit("attention?task=pronoun-en").shows(state="learned")
    before, model = matrix(window), window.model()
    slider = window.page.locator(".st-key-learned-for input[type=range]")
    box = slider.bounding_box()
    y = box["y"] + box["height"] / 2
    window.page.mouse.move(box["x"] + box["width"] - 12, y)
    window.page.mouse.down()
    window.page.mouse.move(box["x"] + box["width"] / 2, y, steps=5)
    window.wait("(before) => window.cells('weights').stage.weights.values[0] !== before", before["weights"][0])
    assert window.model() == model
    window.page.mouse.move(box["x"] + 2, y, steps=5)
    window.wait("() => document.querySelector('.scrubber input').value === '0'")
    window.page.mouse.up()
    window.shows(step=0)
    window.knob_in_address("step", "0")
    assert matrix(window)["weights"] != before["weights"]


def test_the_length_of_the_source_is_dragged_like_any_knob(window: Window) -> None:
    window.visit(f"attention?{SMALL}")
    before, model, columns = matrix(window), window.model(), "window.cells('weights').data.columns.length"
    grip(window, "sequence_length")
    for value in ("7", "8"):
        drag(window, "sequence_length", [value])
        window.wait(f"(value) => {columns} === value", int(value))
    ahead = matrix(window)
    assert window.model() == model and "src=" not in window.page.url
    window.page.mouse.up()
    window.knob_in_address("src")
    window.settle()
    assert matrix(window) == ahead != before
    assert window.ask(f"() => {columns}") == 8 and not window.ask("() => window.ahead()")


def test_a_knob_of_the_page_is_followed_too(window: Window) -> None:
    window.visit("decoding?decode_how=sample&part=generation").shows(state="learned")
    keys = ("step-bars", "step-sampled-bars")
    before = [window.seen(key) for key in keys]
    grip(window, "temperature")
    drag(window, "temperature", ["1.70"])
    ahead = caught_up(window, keys[1])
    assert ahead != before[1]
    assert window.ask("() => window.ahead()") and "temperature" not in window.page.url
    window.page.mouse.up()
    window.knob_in_address("temperature", "1.7")
    window.settle()
    window.wait("([key, ahead]) => window.seen(key) === ahead", [keys[1], ahead])
    assert [window.seen(key) for key in keys] == [before[0], ahead]
    window.visit("decoding?part=samples")
    check_followed(window, "top_k", ["3"], ("samples",))


def test_one_runs_through_seeds_and_types_those_beyond(window: Window) -> None:
    window.visit(f"attention?{SMALL}")
    window.unfold("more_settings", "seed-slider")
    before, model = matrix(window), window.model()
    grip(window, "seed-slider")
    seen = []
    for value in ("1", "2"):
        drag(window, "seed-slider", [value])
        window.wait(f"() => {_IDLE}")
        seen.append(matrix(window))
    assert len({json.dumps(each) for each in (before, *seen)}) == 3
    assert window.model() == model and "seed=" not in window.page.url
    window.page.mouse.up()
    window.shows(seed=2)
    window.knob_in_address("seed", "2")
    assert matrix(window) == seen[-1] and window.controls()["seed"] == "2"
    window.type("seed", "1000")
    window.shows(seed=1000)
    assert window.controls()["seed-slider"] == "1000" and matrix(window) not in seen


def check_followed(window: Window, knob: str, values: list[str], keys: tuple[str, ...]) -> None:
    """All these pictures follow a knob of the page while it is dragged, and are those that stand there when it is let go."""
    before = [drawn(window, key) for key in keys]
    grip(window, knob)
    for value in values:
        drag(window, knob, [value])
        ahead = [caught_up(window, key) for key in keys]
        assert window.ask("() => window.ahead()")
    assert [key for key, now, was in zip(keys, ahead, before, strict=True) if now == was] == []
    assert knob not in window.page.url
    window.page.mouse.up()
    window.knob_in_address(knob, values[-1])
    window.settle()
    assert [drawn(window, key) for key in keys] == ahead


def test_what_has_to_learn_first_shows_the_nearest_and_says_so(window: Window) -> None:
    window.visit("attention").shows(state="learned")
    grip(window, "d_model")
    drag(window, "d_model", ["96"])
    window.wait(f"() => ({_NOTE})()?.includes('88')")
    assert window.ask("() => getComputedStyle(document.querySelector('.arithmetic .sides')).opacity") == "0.45"
    assert "88" in window.page.locator(".live-note").inner_text()
    assert window.ask(_COVERED) == []
    drag(window, "d_model", ["512"])
    window.wait(f"() => ({_NOTE})()?.includes('128')")
    drag(window, "d_model", ["88"])
    window.wait(f"() => ({_NOTE})() === null && !window.ahead()")
    window.page.locator(".live-note").wait_for(state="hidden")
    window.page.mouse.up()
    window.settle()


def test_on_a_phone_the_notice_covers_no_knob(open_window: OpenWindow) -> None:
    window = open_window("attention", width=390)
    window.unfold_sidebar()
    grip(window, "d_model")
    drag(window, "d_model", ["96"])
    window.wait("() => document.querySelector('.live-note').textContent")
    assert window.ask(_COVERED) == []
    drag(window, "d_model", ["88"])
    window.page.mouse.up()


@pytest.mark.parametrize("when", ["at once", "after an answer"])
def test_without_a_connection_the_page_follows_when_it_is_let_go(open_window: OpenWindow, when: str) -> None:
    window = open_window(None)

    def cut(route: Any) -> None:
        if when == "at once":
            route.close()
            return
        server = route.connect_to_server()
        answers = []

        def hand_on(message: Any) -> None:
            answers.append(message)
            route.send(message)
            if len(answers) == 2:
                route.close()

        server.on_message(hand_on)

    window.page.route_web_socket("**/live", cut)
    window.visit(f"attention?{SMALL}")
    before = matrix(window)
    grip(window, "d_model")
    drag(window, "d_model", ["96", "128"])
    window.wait("() => !window.ahead()")
    assert matrix(window) == before  # the picture is the page's again
    window.page.mouse.up()
    window.shows(dModel=128)
    assert matrix(window)["d"] == 32
