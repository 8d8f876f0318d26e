"""Pins that the table of a sweep is opened from a file, stays while one looks at other pages, and leads to its models."""

from pathlib import Path

from tests.browser.conftest import OpenWindow
from tests.transformer_core.sweeps import row_of
from transformer_core.training.sweep_rows import to_line

ROWS = [row_of(step, seed, d_model=width) for width, steps in {16: (100, 120), 64: (150, 170)}.items()
        for seed, step in enumerate(steps)]  # fmt: skip


def test_the_table_of_a_sweep_is_opened_kept_and_leads_to_its_models(open_window: OpenWindow, tmp_path: Path) -> None:
    window = open_window("compare?part=sweep")
    page = window.page
    of_the_app = window.seen("sweep-dots")
    good, bad = tmp_path / "mine.jsonl", tmp_path / "bad.jsonl"
    good.write_bytes(b"".join(map(to_line, ROWS)))
    bad.write_bytes(b'{"task": "<img src=x onerror=alert(1)>"}\n')
    page.locator("details", has_text="Open a sweep of your own").evaluate("(box) => { if (!box.open) box.firstChild.click(); }")
    upload = page.locator(".st-key-sweep-upload input[type=file]")
    upload.set_input_files(bad)
    error = page.locator("[data-testid=stAlertContentError]")
    error.wait_for()
    assert "Line 1" in error.inner_text() and window.seen("sweep-dots") == of_the_app
    upload.set_input_files(good)
    page.get_by_text("mine.jsonl", exact=True).first.wait_for()
    error.wait_for(state="detached")
    window.wait("(before) => window.settled() && window.seen('sweep-dots') !== before", of_the_app)
    mine = window.seen("sweep-dots")
    assert "Each of its seeds got there sooner" in page.locator("[data-testid=stAlertContentSuccess]").inner_text()

    window.go("training")
    window.go("compare")
    page.get_by_role("radio", name="Sweep").click()
    window.wait("(mine) => window.settled() && window.seen('sweep-dots') === mine", mine)
    # The usual model of the task comes with the app: that opens at once.
    combinations = page.locator(".st-key-sweep_model input").first
    combinations.scroll_into_view_if_needed()
    # A list that is scrolled closes.
    window.ask("() => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))")
    combinations.click()
    page.get_by_role("option", name="d_model 64").click()
    window.wait("() => window.settled()")
    page.locator(".st-key-open-sweep button").click()
    window.wait("() => location.pathname === '/heads' && window.settled()")
    window.shows(task="copy", state="learned", dModel=64, seed=0)
