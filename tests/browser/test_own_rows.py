"""A model that learned rows of other symbols or of another length is judged on such rows: Training, Heads, What matters."""

import pytest

from tests.browser.conftest import OpenWindow

RUN = "training?task=copy&step=0&d_model=16&n_heads=2&n_layers=1&d_ff=32&batch_size=32&steps=300&rate=0.01&pace=fast"
MAIN = "document.querySelector('[data-testid=stMain]').textContent"


@pytest.mark.parametrize(("symbols", "length", "source", "asked"), [(10, 4, "1 4 7 10", 200), (2, 2, "1 2", 2)])
def test_what_one_s_own_run_learned_is_what_it_is_asked(
    open_window: OpenWindow, symbols: int, length: int, source: str, asked: int
) -> None:
    window = open_window(f"{RUN}&symbols={symbols}&length={length}")
    window.page.locator(".st-key-button-play_circle button").click()
    heads = window.page.get_by_role("button", name="Open on Heads")
    heads.click()
    window.wait("() => location.pathname === '/heads' && window.settled()")
    window.says("heads", numbers=source)
    assert f"trained at {length}" in window.page.locator("[data-testid=stSidebar]").inner_text()

    window.go("positions").open_part("positions", "no_positions")
    window.wait("(n) => document.body.textContent.includes(`All rows of its training had ${n} numbers`)", length)
    assert window.alerts() == []

    window.go("what_matters").open_part("what_matters", "ranking")
    assert f"{asked} held-out sequences" in window.ask(f"() => {MAIN}")
    assert f"There are {symbols ** (length - 1):,} such sequences" in window.ask(f"() => {MAIN}")
    window.page.locator(".st-key-measure-ranking button").click()
    window.wait(f"(n) => {MAIN}.includes(`these ${{n}} sequences do not show`)", asked)
    assert window.alerts() == []
