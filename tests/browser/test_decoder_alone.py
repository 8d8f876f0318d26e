"""Pins that a decoder alone is dragged and cut like any model."""

from tests.browser.test_cutting import choose, cuts, until
from tests.browser.test_live import drag, grip, matrix
from tests.browser.window import Window

BEGUN = "task=repeat&step=0&d_model=64&n_layers=1"


def test_its_width_and_the_length_of_its_text_are_dragged(window: Window) -> None:
    window.visit(f"attention?{BEGUN}")
    model, columns = window.model(), "window.cells('weights').data.columns.length"
    assert window.ask(f"() => {columns}") == 13  # the start token, and twelve letters
    grip(window, "sequence_length")
    for value in ("13", "14"):
        drag(window, "sequence_length", [value])
        window.wait(f"(value) => {columns} === value", int(value) + 1)
    ahead = matrix(window)
    assert window.model() == model and "numbers=" not in window.page.url
    window.page.mouse.up()
    window.knob_in_address("numbers")
    window.settle()
    assert matrix(window) == ahead and not window.ask("() => window.ahead()")

    grip(window, "d_model")
    drag(window, "d_model", ["96"])
    window.wait("(d) => window.cells('weights').stage.left.columns === d", 96)
    ahead = matrix(window)
    window.page.mouse.up()
    window.shows(dModel=96)
    assert matrix(window) == ahead


def test_a_word_of_its_text_is_cut_by_a_click_and_it_goes_on_otherwise(window: Window) -> None:
    window.visit("heads?task=repeat")
    window.wait("() => document.querySelector('.attention-view')?.view?.attention")
    choose(window, "cut")
    window.page.locator(".attention-view [data-side=key] .word").nth(8).click()  # the F behind the first A
    until(window, "tgt:8")
    said = window.page.locator(".st-key-line-cuts").inner_text()
    assert "Before: “F K D Q A F K D”" in said and cuts(window)[0].startswith("the word F")
    window.page.locator(".st-key-uncut-0 button:visible").click()
    until(window, None)
