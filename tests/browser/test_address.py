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
    window.visit(f"positions?{SMALL}")
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


def test_choices_come_back_with_their_page_and_go_on_to_others(window: Window) -> None:
    window.visit(f"attention?{SMALL}&kind=decoder&head=3")
    window.go("masks").turn("pad_src")
    window.knob_in_address("pad_src", "3")
    window.go("heads").says("heads", kind="decoder", d_model=64)
    window.choice("kind", "encoder").click()  # from the first change on, an address says what is on screen, and no more
    window.wait("() => !new URLSearchParams(location.search).has('pad_src')")
    window.choice("kind", "decoder").click()
    window.knob_in_address("kind", "decoder")
    window.go("masks").says("masks", pad_src=3, d_model=64)
    window.knob_in_address("pad_src", "3")
    window.go("attention").says("attention", kind="decoder", head=3, d_model=64)
    window.knob_in_address("head", "3")


def test_a_link_opens_what_was_on_screen_and_windows_do_not_disturb_each_other(window: Window, open_window: OpenWindow) -> None:
    window.visit(f"attention?{SMALL}")
    window.unfold("more", "seed")
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
    other.unfold("more", "seed")
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


def test_the_same_link_in_another_language_opens_the_same_view(window: Window) -> None:
    view = f"heads?{SMALL}&part=side_by_side&kind=decoder&layer=0&scale=layer"
    numbers = "() => window.plot('heads').matrices.data.values.bdata"
    pictures, titles, said = [], [], []
    for language in ("en", "zh_CN"):
        window.visit(f"{view}&lang={language}")
        window.seen("heads")
        pictures.append(window.ask(numbers))
        titles.append(window.page.title())
        said.append(window.ask("() => Object.fromEntries(new URLSearchParams(location.search))") | {"lang": ""})
    assert pictures[0] == pictures[1]
    assert titles[0] != titles[1]
    assert said[0] == said[1] and said[0]["scale"] == "layer"

    # The picker of languages in the sidebar changes the words alone.
    window.knob("language").focus()
    for press in ("ArrowUp", "ArrowUp", "Enter"):
        window.page.keyboard.press(press)
    window.knob_in_address("lang", "en")
    window.wait("(title) => document.title === title", titles[0])
    assert window.settle().ask(numbers) == pictures[0]
    window.changed("heads", lambda: window.turn("n_heads", "ArrowLeft"))  # and what follows is said in the new words
    for name, value in {"lang": "en", "part": "side_by_side", "kind": "decoder", "scale": "layer", "n_heads": "2"}.items():
        window.knob_in_address(name, value)
