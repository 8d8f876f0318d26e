"""Pins that pictures can be used: cells and heads that are clicked, and the map's parts by mouse and by keyboard."""

from collections.abc import Callable

from tests.browser.window import Window


def test_a_head_that_is_clicked_is_enlarged(open_window: Callable[..., Window]) -> None:
    window = open_window("heads?part=Heads")
    window.seen("heads")
    for head in (2, 1):
        window.changed("head-large", lambda head=head: window.page.mouse.click(*window.point("heads", 3, 2, panel=head)))
        sent = "(head) => window.plot('heads').data[head].z.bdata === window.cells('head-large').data.stages.weights.bdata"
        assert window.ask(sent, head)
        assert window.choice("head", str(head)).get_attribute("aria-checked") == "true"
    window.knob_in_address("head", "1")
    window.no_complaint()


def test_a_part_of_the_map_that_is_clicked_opens_its_page(open_window: Callable[..., Window]) -> None:
    window = open_window("?d_model=72")
    window.page.get_by_role("link", name="masked self-attention").click()
    window.wait("() => location.pathname === '/attention' && window.seen('weights')")
    assert window.choice("kind", "decoder").get_attribute("aria-checked") == "true"
    window.knob_in_address("kind", "decoder")
    window.knob_in_address("d_model", "72")
    window.no_complaint()


def test_the_map_by_keyboard(open_window: Callable[..., Window]) -> None:
    window = open_window()
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
    assert window.choice("kind", "cross").get_attribute("aria-checked") == "true"
    assert window.ask("() => window.cells('weights').data.rows[0]") == "0 <start>"  # the target asks
    window.no_complaint()


def test_every_part_of_the_map_leads_to_a_page(open_window: Callable[..., Window]) -> None:
    window = open_window()
    link = window.page.locator(".model-map .link")
    for name in ("positions", "masks", "shapes"):
        part = {"positions": "embedding", "masks": "chip", "shapes": "output"}[name]
        window.page.locator(f".model-map .box.{part}").first.click()
        window.wait("(name) => location.pathname === '/' + name && window.settled()", name)
        window.page.locator("[data-testid=stSidebarNavLink]").first.click()
        link.first.wait_for()
    window.no_complaint()


def test_the_small_map_leads_on(open_window: Callable[..., Window]) -> None:
    window = open_window("attention?d_model=72")
    part = window.page.locator(".model-map.small .box")
    for place, kind in ((0, "encoder"), (1, "decoder")):  # on the same page, too
        part.filter(has_text="self-att.").nth(place).click()
        window.knob_in_address("kind", kind)
        window.settle()
        assert window.choice("kind", kind).get_attribute("aria-checked") == "true"
        assert part.filter(has_text="self-att.").nth(place).get_attribute("class") == "box attention link lit"
    stop = window.page.locator(".model-map.small [tabindex='0']")
    assert stop.count() == 1, "one stop of the tab key, however many parts there are"
    stop.focus()
    window.page.keyboard.press("ArrowUp")
    assert window.page.evaluate("document.activeElement.getAttribute('aria-label')") == "mask: open its page"
    part.filter(has_text="embedding").first.click()
    window.wait("() => location.pathname === '/positions' && window.settled()")
    window.knob_in_address("d_model", "72")
    window.wait("() => document.querySelectorAll('.model-map.small .lit').length === 2")
    window.no_complaint()


def test_the_small_map_is_folded_on_a_phone(open_window: Callable[..., Window]) -> None:
    window = open_window("masks", width=390)
    drawing = window.page.locator(".model-map.small")
    assert not drawing.is_visible()
    window.page.get_by_text("Where this is in the model").click()
    drawing.wait_for(state="visible")
    window.no_complaint()
