"""Pins that a changed setting leaves a figure's node, its zoom and the focus as they are."""

from tests.browser.window import SMALL, Window


def test_the_nodes_stay_through_updates_and_go_with_their_page(window: Window) -> None:
    window.visit(f"heads?{SMALL}&part=side_by_side&kind=decoder&details-side_by_side=on")
    window.seen("distance")  # the last of them
    window.ask("() => document.querySelectorAll(window.FIGURES).forEach((node) => { node.kept = true; })")
    figures = window.plots()
    window.knob("d_model").focus()
    for _ in range(2):
        window.changed("heads", lambda: window.page.keyboard.press("ArrowRight"))
    assert window.plots() == figures
    assert window.ask(
        "() => [...document.querySelectorAll(window.FIGURES)].every((node) => node.kept && node.dataset.drawn > 2)"
    )
    window.wait("() => document.activeElement.closest('.st-key-d_model')")  # the focus stays as well
    window.ask("() => { window.old = [...document.querySelectorAll(window.FIGURES)]; }")
    window.go("shapes")
    window.wait("() => window.old.length > 0 && window.old.every((node) => !node.isConnected && !node._fullLayout)")


def test_a_zoom_stays_when_a_setting_is_changed(window: Window) -> None:
    window.visit(f"positions?{SMALL}&part=waves")
    zoom = "() => [...window.plot('waves')._fullLayout.xaxis.range, ...window.plot('waves')._fullLayout.yaxis.range]"
    whole = window.ask(zoom)
    window.drag("waves", (20, 0.5), (60, -0.5))
    window.wait("() => window.plot('waves')._fullLayout.xaxis.range[1] < 90")
    zoomed = window.ask(zoom)
    window.changed("waves", lambda: window.turn("dimension"))
    assert window.ask(zoom) == zoomed != whole
