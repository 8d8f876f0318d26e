"""Pins the address bar and the browser's history: a link opens a view, and each change is one step back."""

from tests.browser.conftest import OpenWindow
from tests.browser.window import SMALL, Window


def history_has(window: Window, steps: int) -> None:
    """Returns when the browser's history has so many entries, and the page has followed."""
    window.wait("(steps) => history.length === steps && window.settled()", steps)


def test_back_undoes_and_forward_redoes(window: Window) -> None:
    """A setting, a choice of the page, a control inside a fragment, and a change of page: one step each."""
    views = [{"d_model": 64, "kind": "encoder", "key": "1 you", "query": "2 like"}]
    window.visit(f"attention?{SMALL}&kind=encoder").says("attention", **views[0])
    before = window.ask("() => history.length")
    for change, said in (
        (lambda: window.turn("d_model"), {"d_model": 88}),
        (lambda: window.choice("kind", "decoder").click(), {"kind": "decoder", "key": "1 est-ce", "query": "2 que → tu"}),
        (lambda: window.page.mouse.click(*window.cell("weights", 4, 3)), {"key": "3 tu", "query": "4 aimes → ma"}),
    ):
        change()
        views.append(views[-1] | said)
        history_has(window, before + len(views) - 1)
        window.says("attention", **views[-1])
    window.knob_in_address("key", "3")
    window.go("heads").says("heads", d_model=88, kind="decoder")
    history_has(window, before + len(views))
    for view in reversed(views):
        window.back().says("attention", **view)
    for view in views[1:]:
        window.forward().says("attention", **view)
    window.page.reload()
    window.says("attention", **views[-1]).lit("weights", 4, 3)
    window.forward().says("heads", d_model=88, kind="decoder")


def test_presses_faster_than_answers(window: Window) -> None:
    window.visit(f"positions?{SMALL}&part=waves")
    window.seen("waves")
    window.knob("d_model").focus()
    for _ in range(4):
        window.page.keyboard.press("ArrowRight")
    window.knob("wave_positions").focus()
    for _ in range(3):
        window.page.keyboard.press("ArrowRight")
    window.says("positions", d_model=192, wave_positions=130)
    window.knob_in_address("d_model", "192")
    window.knob_in_address("wave_positions", "130")
    window.back()
    said = window.ask("() => Object.fromEntries(new URLSearchParams(location.search))")
    window.says("positions", d_model=said.get("d_model", 88), wave_positions=said.get("wave_positions", 100))


def test_a_link_opens_what_was_on_screen_and_windows_do_not_disturb_each_other(window: Window, open_window: OpenWindow) -> None:
    window.visit(f"attention?{SMALL}")
    window.unfold("more_settings", "seed")
    window.changed("weights", lambda: window.type("seed", "7"))
    window.changed("weights", lambda: window.type("src", "the cat sees the cat"))
    window.changed("weights", lambda: window.choice("kind", "decoder").click())
    window.changed("weights", lambda: window.choice("head", "2").click())
    window.turn("key", "ArrowDown")
    for press in ("ArrowDown", "ArrowDown", "Enter"):
        window.page.keyboard.press(press)
    window.knob_in_address("key")
    address, said = window.settle().page.url, window.controls()

    other = open_window(address)
    other.unfold("more_settings", "seed")
    assert other.settle().controls() == said
    assert other.controls()["seed"] == "7"
    assert other.plots() == window.plots()
    assert [other.seen(figure) for figure in ("weights", *other.plots())] == [
        window.seen(figure) for figure in ("weights", *window.plots())
    ]
    assert other.page.url == address

    other.changed("weights", lambda: other.turn("d_model"))
    window.changed("weights", lambda: window.turn("n_layers"))
    assert [window.controls()[name] for name in ("d_model", "n_layers")] == ["64", "2"]
    assert [other.controls()[name] for name in ("d_model", "n_layers")] == ["88", "1"]

    # A link that is opened where another view was says all that holds: nothing of that view is left.
    window.visit(f"attention?{SMALL}&n_heads=2").says("attention", d_model=64, n_heads=2, kind="cross", head=0)
    assert "seed" not in window.page.url


def test_the_address_of_an_entry_of_the_menu_takes_along_what_is_on_screen(window: Window, open_window: OpenWindow) -> None:
    window.visit(f"attention?{SMALL}&kind=encoder").says("attention", kind="encoder")
    link = window.menu_link("heads")
    link.dispatch_event("contextmenu")  # as before its address is copied, or it is opened in another tab
    _server, _slash, address = str(link.get_attribute("href")).partition("/heads?")
    open_window(f"heads?{address}").says("heads", kind="encoder", d_model=64)
    link.click()
    window.says("heads", kind="encoder", d_model=64)
