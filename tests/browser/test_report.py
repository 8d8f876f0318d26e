"""Pins the report of a run as a person gets it: it stands alone, and its command, in a process of its own, makes the very model
that the app's worker has made."""

import html
import re
import shlex
import subprocess
import sys
from base64 import b64decode
from pathlib import Path

import pytest
import torch

from tests.browser.conftest import OpenWindow
from tests.browser.window import Window
from tests.pages.helpers import ROOT
from transformer_core import checkpoint


@pytest.fixture(scope="module")
def window(open_for_all: OpenWindow) -> Window:
    return open_for_all(None)


def saved(window: Window, label: str, folder: Path) -> Path:
    with window.page.expect_download() as download:
        window.page.locator(".stDownloadButton").get_by_role("button", name=label).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def run_it(window: Window) -> None:
    """Starts a run, and returns when it is over."""
    window.page.locator(".st-key-button-play_circle button").click()
    window.page.locator(".st-key-button-stop button:enabled").wait_for()
    window.page.locator(".st-key-button-stop button:disabled").wait_for()
    window.page.locator(".st-key-open-heads").wait_for()
    window.settle()


def own_pairs(window: Window) -> None:
    window.visit("sentences?pace=fast&lang=zh")
    window.page.locator(".st-key-example-code button").click()
    window.page.locator(".st-key-button-play_circle button:enabled").wait_for()


def numbers(window: Window) -> None:
    window.visit(
        "training?more=on&task=reverse&step=0&pace=fast&d_model=16&n_heads=2&d_ff=16&symbols=3&length=4&batch_size=8&steps=100&goal=100"
        "&score=additive&position=learned&optimiser=sgd&rate_rule=paper&smoothing=0.1&clip=0.5&seed=3"
    )


@pytest.mark.parametrize("begin", [own_pairs, numbers])
def test_the_command_of_a_report_makes_the_model_of_the_run(window: Window, tmp_path: Path, begin) -> None:
    begin(window)
    run_it(window)
    label, model_label = ("保存报告", "下载模型") if begin is own_pairs else ("Save a report", "Download the model")
    page = saved(window, label, tmp_path).read_text(encoding="utf-8")
    model = checkpoint.load(saved(window, model_label, tmp_path))
    for name, data in re.findall(r'<a download="([^"]*)" href="data:text/plain;base64,([^"]*)">', page):
        (tmp_path / name).write_bytes(b64decode(data))
    (words,) = re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL)
    command = shlex.split(html.unescape(re.sub("</?span>", "", words)))
    command[0] = sys.executable
    subprocess.run([*command, "--out", "again.safetensors"], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, check=False)
    again = checkpoint.load(tmp_path / "again.safetensors")
    one, other = model.model.state_dict(), again.model.state_dict()
    assert one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)
    assert model.facts["exact_match"] == again.facts["exact_match"] and model.facts["steps"] == again.facts["steps"]
    losses = [line.split(",")[1] for line in (tmp_path / "run.csv").read_text(encoding="utf-8").splitlines()[1:]]
    assert len(losses) == again.facts["steps"] and float(losses[-1]) == pytest.approx(again.facts["loss"], rel=1e-6)


def test_it_needs_nothing_else_and_is_light_on_a4(window: Window, tmp_path: Path) -> None:
    numbers(window)
    run_it(window)
    path = saved(window, "Save a report", tmp_path)
    window.page.emulate_media(color_scheme="dark")
    window.page.context.set_offline(True)
    try:
        window.page.set_content(path.read_text(encoding="utf-8"))
        assert window.page.locator("svg").count() == 5
        assert window.ask("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        window.page.emulate_media(media="print")
        window.resize(680)
        assert window.ask("() => document.documentElement.scrollWidth") <= 680
    finally:
        window.page.context.set_offline(False)
        window.page.emulate_media(media="screen", color_scheme="light")
