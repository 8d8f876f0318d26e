"""Pins that pictures can be used: cells and heads that are clicked, and the map's parts by mouse and by keyboard."""

import pytest

from explorer.ui.navigation import CONTENTS
from tests.browser.conftest import OpenWindow
from tests.browser.window import SMALL, Window


def test_heads_follow_the_scheme_say_what_is_pointed_at_and_are_enlarged(window: Window) -> None:
    window.visit(f"heads?{SMALL}&part=side_by_side&kind=decoder")
    light = window.seen("heads")
    scale = "window.plot('heads').querySelector('canvas').toDataURL()"
    before = window.ask(scale)
    window.page.emulate_media(color_scheme="dark")
    window.wait(f"(before) => {scale} !== before", before)
    window.page.emulate_media(color_scheme="light")
    window.wait(f"(before) => {scale} === before", before)
    assert window.seen("heads") == light

    for panel, (x, y), said in (
        (1, (1, 5), r"head 1 5 \S+ → \S+ · 1 \S+: 0\.\d{4}"),
        (0, (4, 2), r"head 0 2 \S+ → \S+ · 4 \S+: masked"),
    ):
        window.page.mouse.move(*window.point("heads", x, y, panel))
        words = "() => [...document.querySelectorAll('.st-key-heads .tip span')].map((each) => each.textContent).join(' ')"
        window.wait(f"(said) => new RegExp('^' + said + '$').test(({words})())", said)
    window.changed("heads", lambda: window.choice("kind", "cross").click())
    window.page.mouse.click(*window.point("heads", 2, 3, panel=3))
    window.seen("head-large")  # a click unfolds it
    for head in (2, 1):
        window.changed("head-large", lambda head=head: window.page.mouse.click(*window.point("heads", 2, 3, panel=head)))
        sent = """(head) => {
          const {values, weights} = {...window.plot('heads').matrices, ...window.cells('head-large').stage};
          const size = weights.rows * weights.columns;
          return String(values.values.slice(head * size, (head + 1) * size)) === String(weights.values);
        }"""
        assert window.ask(sent, head)
        window.says("heads", head=head)
    window.knob_in_address("head", "1")


def test_the_map_shows_the_sizes_and_its_parts_lead_to_pages(window: Window) -> None:
    """The sizes of the translator, whatever the settings; these go along to the pages."""
    window.visit("?task=everyday-fr&step=0&d_model=96")
    window.wait("() => document.querySelector('.model-map').textContent.includes(', 88)')")
    for page, part in (("positions", "embedding"), ("masks", "chip"), ("decoding", "output")):
        window.page.locator(f".model-map .box.{part}").first.click()
        window.wait("(page) => location.pathname === '/' + page && window.settled()", page)
        window.go("")
    window.page.get_by_role("link", name="masked self-attention").click()
    window.wait("() => location.pathname === '/attention' && window.seen('weights')")
    window.says("attention", kind="decoder")
    window.knob_in_address("kind", "decoder")
    window.knob_in_address("d_model", "96")


def test_the_map_by_keyboard(window: Window) -> None:
    window.visit(f"?{SMALL}")
    part = "document.activeElement.closest('.model-map .link')"
    reached = []
    for _ in range(150):
        window.page.keyboard.press("Tab")
        if window.ask(f"() => {part} !== null"):
            reached.append(window.ask(f"() => {part}.ariaLabel"))
        elif reached:
            break
    assert len(reached) == window.page.locator(".model-map .link").count()
    assert all(reached)

    window.page.get_by_role("link", name="cross-attention").focus()
    window.page.keyboard.press("Enter")
    window.wait("() => location.pathname === '/attention' && window.seen('weights')")
    window.says("attention", kind="cross")
    assert window.ask("() => window.cells('weights').data.rows[0]") == "0 <start> → est-ce"  # the target asks


def test_the_small_map_leads_on(window: Window) -> None:
    window.visit(f"attention?{SMALL}")
    part = window.page.locator(".model-map.small .box")
    for place, kind in ((0, "encoder"), (1, "decoder")):  # on the same page, too
        window.open_map()
        part.filter(has_text="self-attention").nth(place).click()
        window.knob_in_address("kind", kind)
        window.says("attention", kind=kind)
        lit = part.filter(has_text="self-attention").nth(place).and_(window.page.locator(".attention.link.highlighted"))
        lit.wait_for(state="attached")
        part.first.wait_for(state="hidden")
    window.open_map()
    stop = window.page.locator(".model-map.small [tabindex='0']")
    assert stop.count() == 1, "one stop of the tab key, however many parts there are"
    stop.focus()
    window.page.keyboard.press("ArrowUp")
    assert window.page.evaluate("document.activeElement.getAttribute('aria-label')") == "mask: open its page"
    part.filter(has_text="embedding").first.click()
    window.wait("() => location.pathname === '/positions' && window.settled()")
    window.knob_in_address("d_model", "64")
    window.wait("() => document.querySelectorAll('.model-map.small .highlighted').length === 2")


def test_the_small_map_is_folded_until_it_is_asked_for(open_window: OpenWindow) -> None:
    for width in (1440, 390):
        window = open_window("masks", width=width)
        drawing = window.page.locator(".model-map.small")
        assert not drawing.is_visible()
        window.open_map()
        box = drawing.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
        window.page.locator("h1").click()
        drawing.wait_for(state="hidden")
        window.page.locator(".map-fold summary").press("Enter")
        drawing.wait_for(state="visible")
        window.page.keyboard.press("Escape")
        drawing.wait_for(state="hidden")
        assert window.page.evaluate("document.activeElement.matches('.map-fold summary')")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_map_says_where_one_is_and_leads_to_every_page(open_window: OpenWindow, width: int) -> None:
    window = open_window("layers", width=width)
    window.resize(width, 720)
    assert window.page.locator(".map-fold summary").get_attribute("aria-label").endswith("You are here: Layers")
    window.open_map()
    pages = window.page.locator(".map-fold nav a")
    assert pages.all_inner_texts() == [entry.title for entry in CONTENTS.values() if entry.highlight is not None]
    assert window.page.locator(".map-fold nav [aria-current=page]").inner_text() == "Layers"
    assert window.barriers() == []
    panel = window.page.locator(".map-fold .panel").bounding_box()
    assert panel["x"] >= 0 and panel["x"] + panel["width"] <= width and panel["y"] + panel["height"] <= 720
    window.page.locator(".model-map.small .link", has_text="softmax").hover()
    assert window.page.locator(".map-fold nav .meant").inner_text() == "Decoding"
    pages.filter(has_text="Norms").click()
    window.wait("() => location.pathname === '/norms' && window.settled()")
    pages.first.wait_for(state="hidden")
