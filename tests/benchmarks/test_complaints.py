"""Pins that a benchmark ends by an error where the app has complained: its numbers would be those of error pages."""

import asyncio

import pytest

from benchmarks import harness
from benchmarks.person import Person

pytestmark = pytest.mark.slow


@pytest.fixture
def broken(tmp_path):
    script = tmp_path / "broken.py"
    script.write_text('import streamlit as st\nst.title("1")\nraise RuntimeError("broken")\n', encoding="utf-8")
    return script


def page_with_a_red_box(folder, icon):
    script = folder / "red.py"
    body = f'st.title("1")\nst.error("It differs", icon=":material/{icon}:")\n'
    script.write_text(f"import streamlit as st\n{body}", encoding="utf-8")
    return script


async def look(host: str, ignores: bool) -> None:
    async with Person(host, "") as who:
        assert who.complaints
        if ignores:
            who.complaints.clear()


def test_a_page_that_fails_and_of_which_nobody_takes_note(broken):
    with pytest.raises(harness.Complained, match="an error"), harness.running(script=broken, killed=True) as server:
        asyncio.run(look(server.host, ignores=False))


def test_a_server_whose_log_holds_a_traceback(broken):
    with pytest.raises(harness.Complained, match="RuntimeError: broken"), harness.running(script=broken) as server:
        asyncio.run(look(server.host, ignores=True))


async def red_box(host: str) -> int:
    async with Person(host, "") as who:
        return who.refusals


@pytest.mark.parametrize("icon", ["close", "error"])
def test_a_red_box_that_refuses_nothing(tmp_path, icon):
    script = page_with_a_red_box(tmp_path, icon)
    with pytest.raises(harness.Complained, match="It differs"), harness.running(script=script) as server:
        asyncio.run(red_box(server.host))


@pytest.mark.parametrize("icon", ["tune", "hourglass_top", "edit"])
def test_a_refusal_is_counted_apart(tmp_path, icon):
    with harness.running(script=page_with_a_red_box(tmp_path, icon)) as server:
        assert asyncio.run(red_box(server.host)) == 1


@pytest.mark.browser
@pytest.mark.parametrize("script", ["throw new Error('broken')", "console.error('broken')"])
def test_a_browser_whose_console_holds_an_error(script):
    if harness.chromium() is None:
        pytest.skip("no Chromium: install Debian's chromium, or name one in the environment variable CHROMIUM")
    with pytest.raises(harness.Complained, match="broken"), harness.Browser() as browser:
        browser.new_page().set_content(f"<script>{script}</script>")


@pytest.mark.browser
def test_a_browser_that_is_well():
    if harness.chromium() is None:
        pytest.skip("no Chromium: install Debian's chromium, or name one in the environment variable CHROMIUM")
    with harness.Browser() as browser:
        browser.new_page().set_content("<script>console.log('well')</script>")
