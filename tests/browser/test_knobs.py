"""Pins what turning a knob does: the figure follows, the address bar holds it, and the figure's node and zoom stay."""

from collections.abc import Callable

from tests.browser.window import Window


def test_a_knob_turned_by_a_key(open_window: Callable[..., Window]) -> None:
    window = open_window("?model=random")
    for page, knob, figure in (
        ("positions", "base", "waves"),
        ("masks", "pad_src", "mask-0"),
        ("attention", "d_model", "weights"),
        ("heads", "d_model", "held-word"),
    ):
        window.go(page)
        first = window.seen(figure)
        second = window.changed(figure, lambda knob=knob: window.turn(knob))
        window.knob_in_address(knob)
        assert window.changed(figure, lambda knob=knob: window.turn(knob, "ArrowLeft")) == first != second
        window.wait("(knob) => !new URLSearchParams(location.search).has(knob)", knob)  # defaults are not written out
    window.no_complaint()


def test_an_address_restores_everything(open_window: Callable[..., Window]) -> None:
    window = open_window("attention")
    window.changed("weights", lambda: window.turn("d_model"))
    window.unfold("seed")
    window.changed("weights", lambda: window.type("seed", "7"))
    window.changed("weights", lambda: window.type("src", "the cat sees the cat"))
    window.changed("weights", lambda: window.turn("n_layers"))
    window.changed("weights", lambda: window.choice("kind", "decoder").click())
    window.changed("weights", lambda: window.choice("layer", "1").click())
    window.changed("weights", lambda: window.choice("head", "2").click())
    for name in ("query", "key"):
        window.knob(name).focus()
        for press in ("ArrowDown", "ArrowDown", "ArrowDown", "Enter"):
            window.page.keyboard.press(press)
        window.knob_in_address(name)
        window.settle()
    lit = [int(window.knob(name).input_value().split()[0]) for name in ("query", "key")]
    assert lit != [2, 0]
    window.lit("weights", *lit)
    address = window.page.url

    other = open_window(address)
    assert other.controls() == window.controls()
    assert other.controls()["seed"] == "7"
    assert other.plots() == window.plots()
    for figure in window.plots():
        assert other.seen(figure) == window.seen(figure), figure
    assert other.seen("weights") == window.seen("weights")
    other.lit("weights", *lit)
    assert other.page.url == address


def test_knobs_stay_as_they_are_from_page_to_page(open_window: Callable[..., Window]) -> None:
    window = open_window("heads")
    window.changed("held-word", lambda: window.turn("d_model"))
    window.changed("held-word", lambda: window.choice("kind", "decoder").click())
    picture = window.seen("held-word")
    window.go("positions")
    assert window.knob("d_model").input_value() == "72"
    window.knob_in_address("d_model", "72")
    window.go("heads")
    assert window.seen("held-word") == picture
    window.no_complaint()


def test_what_a_link_says_holds_on_the_next_pages_too(open_window: Callable[..., Window]) -> None:
    window = open_window("attention?kind=decoder&head=3&d_model=72")
    for page in ("heads", "masks", "attention"):
        window.go(page)
        assert window.choice("kind", "decoder").get_attribute("aria-checked") == "true", page
        if page != "heads":  # whose first part shows all of them
            assert window.choice("head", "3").get_attribute("aria-checked") == "true", page
        window.knob_in_address("d_model", "72")
    for knob, value in (("kind", "decoder"), ("head", "3")):  # back where they came from, the address holds them again
        window.knob_in_address(knob, value)


def test_the_nodes_stay_through_updates_and_go_with_their_page(open_window: Callable[..., Window]) -> None:
    window = open_window("heads?part=Heads")
    window.seen("distance")  # the last of them
    window.ask("() => document.querySelectorAll('.explorer-plot').forEach((node) => { node.kept = true; })")
    figures = window.plots()
    window.knob("d_model").focus()
    for _ in range(5):
        window.changed("heads", lambda: window.page.keyboard.press("ArrowRight"))
    assert window.plots() == figures
    assert window.ask("() => [...document.querySelectorAll('.explorer-plot')].every((node) => node.kept)")
    assert window.ask("() => [...document.querySelectorAll('.explorer-plot')].every((node) => node.dataset.drawn > 5)")
    window.wait("() => document.activeElement.closest('.st-key-d_model')")  # the focus stays as well
    window.ask("() => { window.old = [...document.querySelectorAll('.explorer-plot')]; }")
    window.go("shapes")
    window.wait("() => window.old.length > 0 && window.old.every((node) => !node.isConnected && !node._fullLayout)")


def test_a_zoom_stays_when_a_knob_is_turned(open_window: Callable[..., Window]) -> None:
    window = open_window("positions")
    zoom = "() => [...window.plot('waves')._fullLayout.xaxis.range, ...window.plot('waves')._fullLayout.yaxis.range]"
    whole = window.ask(zoom)
    window.page.mouse.move(*window.point("waves", 20, 0.5))
    window.page.mouse.down()
    window.page.mouse.move(*window.point("waves", 60, -0.5), steps=8)
    window.page.mouse.up()
    window.wait("() => window.plot('waves')._fullLayout.xaxis.range[1] < 90")
    zoomed = window.ask(zoom)
    window.changed("waves", lambda: window.turn("dimension"))
    assert window.ask(zoom) == zoomed != whole

    node = window.page.locator(".st-key-encoding .explorer-plot")
    window.point("encoding", 3, 3)
    node.hover()
    zoom = "() => window.plot('encoding')._fullLayout.xaxis.range"
    whole = window.ask(zoom)
    node.get_by_role("button", name="Zoom in").click()
    window.wait("(whole) => window.plot('encoding')._fullLayout.xaxis.range[0] > whole[0]", whole)
    zoomed = window.ask(zoom)
    window.changed("encoding", lambda: window.turn("base"))
    assert window.ask(zoom) == zoomed
