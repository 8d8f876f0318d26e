"""Pins that all heads are seen at once, that a pressed one is opened, and that both follow a knob that is dragged."""

from tests.browser.conftest import OpenWindow
from tests.browser.test_live import caught_up, drag, drawn, grip
from tests.browser.window import SMALL, Window

PART = f"heads?{SMALL}&part=every_head"
_TIP = "() => [...document.querySelectorAll('.st-key-every-head-decoder .tip span')].map((each) => each.textContent).join(' ')"
# Whether the large head has the weights of a matrix: of a kind, and its place there.
_LARGE = """([kind, panel]) => {
  const { values } = window.plot(`every-head-${kind}`).matrices;
  const { attention, active } = document.querySelector(".st-key-opened-head .attention-view").view;
  const [head] = active, size = attention.queries * attention.keys;
  const one = values.values.slice(panel * size, (panel + 1) * size);
  const other = attention.all.slice(head * size, (head + 1) * size);
  return active.length === 1 && one.length === size && one.every((weight, i) => Math.abs(weight - other[i]) < 1e-4);
}"""


def test_a_pressed_head_is_opened_by_the_address(window: Window) -> None:
    window.visit(PART)
    window.wait(_LARGE, ["cross", 0])
    window.page.mouse.move(*window.point("every-head-decoder", 1, 3, panel=2))
    window.wait(rf"() => /^0 · 2 3 \S+ → \S+ · 1 \S+: 0\.\d{{4}}$/.test(({_TIP})())")
    window.page.mouse.move(*window.point("every-head-decoder", 3, 1, panel=2))
    window.wait(f"() => ({_TIP})().endsWith(': masked')")
    before = window.page.url
    window.page.mouse.click(*window.point("every-head-decoder", 1, 3, panel=2))
    window.says("heads", kind="decoder", head=2)
    window.wait(_LARGE, ["decoder", 2])
    window.knob_in_address("kind", "decoder")
    assert window.ask("() => window.plot('every-head-decoder').matrices.data.chosen") == "0 · 2"
    window.back()
    assert window.page.url == before
    window.wait(_LARGE, ["cross", 0])


def test_all_heads_follow_a_knob_that_is_dragged(window: Window) -> None:
    window.visit(f"{PART}&kind=encoder")
    plots = [f"every-head-{kind}" for kind in ("encoder", "decoder", "cross")]
    before = [drawn(window, plot) for plot in plots]
    grip(window, "d_model")
    drag(window, "d_model", ["96"])
    ahead = [caught_up(window, plot) for plot in plots]
    window.wait(_LARGE, ["encoder", 0])  # follows, too
    assert window.ask("() => window.ahead()") and "d_model=64" in window.page.url
    window.page.mouse.up()
    window.shows(dModel=96)
    assert [drawn(window, plot) for plot in plots] == ahead
    assert not set(before) & set(ahead)


def test_on_a_phone_a_pressed_head_comes_into_sight(open_window: OpenWindow) -> None:
    window = open_window(None, width=390)
    window.visit(PART)
    top = "document.querySelector('.st-key-opened-head').getBoundingClientRect().top"
    window.page.mouse.click(*window.point("every-head-encoder", 1, 1, panel=3))
    window.says("heads", kind="encoder", head=3)
    window.wait(f"() => {top} < innerHeight && {top} > 0")
    window.wait(_LARGE, ["encoder", 3])
