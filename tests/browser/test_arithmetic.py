"""Pins the matrix whose cells can be lit: by mouse, by keyboard, from the address; and that its digits are those of numpy."""

import re

import numpy as np
import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.window import SMALL, Window
from tests.pages.helpers import config, fresh

STEPS = ["terms", "sum", "scale", "mask", "softmax", "context"]


def numbers(words: str) -> list[float]:
    return [
        float(number.replace("∞", "inf"))
        for number in re.findall(r"-?(?:∞|\d+(?:\.\d+)?(?:e[-+]\d+)?)", words.replace("−", "-"))
    ]


def body(window: Window, step: str) -> str:
    return window.page.locator(f".step[data-step={step}] .body").inner_text()


def columns(window: Window, step: str) -> np.ndarray:
    """The digits of a step's table, row by row."""
    rows = window.page.locator(f".step[data-step={step}] tbody tr").all()
    return np.array([numbers(" ".join(row.locator("td").all_inner_texts())) for row in rows])


def test_the_arithmetic_of_a_cell_equals_numpy(window: Window) -> None:
    window.visit(f"attention?{SMALL}&kind=decoder&seed=5")
    window.page.mouse.click(*window.cell("weights", 4, 2))
    window.lit("weights", 4, 2)
    window.knob_in_address("key", "2")
    window.page.get_by_role("button", name="every digit").click()
    stages = {
        name: value[0]
        for name, value in fresh(config(), 5).items()
        if name.startswith("decoder.0.self_attn") and value.ndim == 3
    }
    q, k, v, products, scores, weights, context = (
        stages[f"decoder.0.self_attn.{name}"] for name in ("q", "k", "v", "products", "scores", "weights", "context")
    )
    close = {"rtol": 2e-6, "atol": 2e-6}
    np.testing.assert_allclose(columns(window, "terms"), np.stack([q[4], k[2], q[4] * k[2]], axis=1), **close)
    *terms, total, again, recorded = numbers(body(window, "sum").split("\n", 1)[1].replace("− ", "-"))
    np.testing.assert_allclose(terms, q[4] * k[2], **close)
    np.testing.assert_allclose([total, again, recorded], products[4, 2], **close)
    assert numbers(body(window, "scale"))[-1] == pytest.approx(scores[4, 2], rel=1e-6)
    shares = columns(window, "softmax")
    top = scores[4, :5].max()
    np.testing.assert_allclose(shares[:5], np.stack([scores[4, :5], np.exp(scores[4, :5] - top), weights[4, :5]], 1), **close)
    np.testing.assert_array_equal(shares[5:], [[-np.inf, 0, 0]] * (len(weights) - 5))
    np.testing.assert_allclose(columns(window, "context"), np.stack([v[2], weights[4, 2] * v[2], context[4]], axis=1), **close)
    assert window.page.locator(".arithmetic .heading").inner_text() == "Query “4 aimes → ma”, key “2 que”"
    assert window.barriers() == []


def test_a_cell_is_lit_and_the_address_holds_it_on_a_phone(open_window: OpenWindow) -> None:
    window = open_window(f"attention?{SMALL}&kind=encoder", width=390)
    window.page.mouse.click(*window.cell("weights", 4, 5))
    window.lit("weights", 4, 5)
    window.knob_in_address("key", "5")
    window.knob_in_address("query", "4")
    assert window.settle().knob("query").input_value() == "4 red"
    # The other way round: what the picker says is lit.
    window.knob("query").focus()
    for press in ("ArrowDown", "ArrowDown", "Enter"):
        window.page.keyboard.press(press)
    window.wait("() => !window.cells('weights').node.dataset.cell.startsWith('4')")
    assert window.overflow() == 0


def test_the_keyboard_walks_over_cells_and_steps(window: Window) -> None:
    window.visit(f"attention?{SMALL}&kind=decoder")
    window.page.get_by_role("application").focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight"):
        window.page.keyboard.press(key)
    window.lit("weights", 3, 4)
    assert window.page.locator(".arithmetic [aria-live]").inner_text() == "Query 3 tu → aimes, key 4 aimes: masked."
    window.knob_in_address("key", "4")
    window.page.keyboard.press("Home")
    window.page.keyboard.press("PageDown")
    window.lit("weights", 8, 0)
    window.knob_in_address("query", "8")
    window.lit("weights", 8, 0)  # what the server answers in between does not take it back

    window.page.get_by_role("button", name="All steps").click()  # without motion all are open at first
    window.page.get_by_role("button", name="Next step").focus()
    opened = []
    for _step in STEPS:
        window.page.keyboard.press("ArrowLeft")
        opened.append(window.page.locator(".step:has(.body:visible)").get_attribute("data-step"))
    assert opened == ["mask", "scale", "sum", "terms", "terms", "terms"]
    assert window.page.locator(".arithmetic [aria-live]").inner_text().startswith("Step 1 of 6: q · k, number by number")
