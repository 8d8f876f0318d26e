"""Pins a run's report: its numbers are the run's, its command repeats the run to the last bit, and no word in it is markup."""

import csv
import html
import io
import re
import shlex
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from explorer import resources
from explorer.exhibits.shared import run_report
from explorer.exhibits.shared.run_verdict import of as verdict_on
from explorer.figures import svg
from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import Status
from explorer.learning.snapshots import Snapshot
from explorer.model_on_screen.settings import of_task
from tests.explorer.learning.helpers import plan as small_plan
from tests.explorer.learning.helpers import wait_until
from tests.pages.helpers import visit
from transformer_core import CopyTask, checkpoint
from transformer_core.__main__ import main
from transformer_core.data.pairs import tokens
from transformer_core.data.tasks import PairsTask
from transformer_core.training.learning_plan import pairs_plan

HOSTILE = (
    ("<script>alert(1)</script>", "\"un\" & 'deux'"),
    ('"><img src=x onerror=alert(1)>', "</svg><b>un"),
    ("three", "=1+1"),
    ("four, five; six", "a = b | c"),
    ("猫在这里", "le chat &amp; la chatte"),
    ("one", "&lt;two&gt;"),
)


def pairs_of(pairs: tuple[tuple[str, str], ...] = HOSTILE, **recipe: object) -> TrainingPlan:
    usual = pairs_plan(PairsTask(pairs), 0)
    return TrainingPlan(usual.cfg, usual.task, replace(usual.recipe, **recipe), usual.target)


def finished(plan: TrainingPlan) -> TrainingRun:
    run = TrainingRun(plan, "me")
    run.advance(float("inf"))
    assert run.status == Status.DONE
    return run


def report(run: TrainingRun, language: str = "en") -> str:
    return run_report.render(run, language).decode()


def file_in(page: str, name: str) -> str:
    """A file that can be saved from a report."""
    (found,) = re.findall(rf'<a download="{re.escape(name)}" href="data:text/plain;base64,([^"]*)">', page)
    return b64decode(found).decode()


def command_in(page: str) -> list[str]:
    (found,) = re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL)
    return shlex.split(html.unescape(re.sub("</?span>", "", found)))


def repeated(page: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> checkpoint.Checkpoint:
    """Returns the file that the command of a report makes."""
    monkeypatch.chdir(folder)
    if "pairs.tsv" in page:
        Path("pairs.tsv").write_text(file_in(page, "pairs.tsv"), encoding="utf-8")
    words = command_in(page)
    assert words[:4] == ["python", "-m", "transformer_core", "train"]
    main([*words[3:], "--out", "again.safetensors"])
    return checkpoint.load("again.safetensors")


def is_same(run: TrainingRun, again: checkpoint.Checkpoint) -> bool:
    """Compares all weights and the whole state of training, to the last bit."""
    own = checkpoint.from_bytes(run.checkpoint(training=True))
    one, other = own.model.state_dict(), again.model.state_dict()
    assert own.training is not None and again.training is not None
    mine, theirs = own.training.state, again.training.state
    same = one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)
    same = (
        same and mine.step == theirs.step and torch.equal(mine.data, theirs.data) and torch.equal(mine.dropout, theirs.dropout)
    )
    return same and all(torch.equal(mine.moments[name], theirs.moments[name]) for name in mine.moments)


@pytest.mark.parametrize(
    "plan",
    [
        small_plan(average=0.1, seed=3),
        replace(
            small_plan(0.3, optimiser="sgd", rate=None, warmup=4, schedule="cosine", label_smoothing=0.1), task=CopyTask(7, 3)
        ),
        pairs_of(steps=30),
    ],
    ids=["numbers", "other settings", "pairs"],
)
def test_the_command_repeats_the_run_to_the_last_bit(plan, tmp_path, monkeypatch):
    run = finished(plan)
    again = repeated(report(run), tmp_path, monkeypatch)
    assert is_same(run, again)
    assert again.facts["loss"] == pytest.approx(float(run.history().loss[-1]), rel=1e-6)
    final = run.history().final
    assert final is not None and again.facts["exact_match"] == final.exact_match


def test_a_run_that_was_stopped_or_taken_back_is_repeated_up_to_there(tmp_path, monkeypatch):
    run = TrainingRun(small_plan(schedule="cosine"), "me")
    for _ in range(9):
        run.advance(0)
    run.rewind(4, pause=True)
    run.step_once()
    run.advance(0)
    run.stop()
    assert run.history().step == 5
    assert is_same(run, repeated(report(run), tmp_path, monkeypatch))


def test_a_run_from_a_file_goes_on_from_that(tmp_path, monkeypatch):
    first = TrainingRun(small_plan(), "me")
    for _ in range(4):
        first.advance(0)
    first.pause()
    data = first.checkpoint(training=True)
    run = finished(replace(first.plan, resume_from=checkpoint.from_bytes(data)))
    (tmp_path / run_report.MODEL_FILE).write_bytes(data)
    assert is_same(run, repeated(report(run), tmp_path, monkeypatch))


def test_its_numbers_are_those_of_the_run():
    run = finished(small_plan())
    page, history = report(run), run.history()
    rows = list(csv.DictReader(io.StringIO(file_in(page, "run.csv"))))
    assert [int(row["step"]) for row in rows] == history.steps.tolist()
    assert np.array_equal(np.array([row["loss"] for row in rows], np.float32), history.loss)
    assert np.array_equal(np.array([row["gradient_norm"] for row in rows], np.float32), history.gradient_norm)
    assert [float(row["learning_rate"]) for row in rows] == history.learning_rate.tolist()
    tested = [[float(row["step"]), float(row["exact_match"])] for row in rows if row["exact_match"]]
    assert tested == history.evaluations.tolist()
    verdict = verdict_on(run, history)
    assert verdict is not None and html.escape(verdict.words) in page and "95% confidence interval" in verdict.words
    assert f"{history.loss[-1]:.6g}" in page and torch.__version__ in page


def saved(at: AppTest) -> list[str]:
    """The buttons that save a file."""
    return [each.proto.label for each in at.get("download_button")]


def drawings(page: str) -> list[ElementTree.Element]:
    return [ElementTree.fromstring(found) for found in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]


def words_of(drawing: ElementTree.Element) -> list[str]:
    return [each.text or "" for each in drawing.iter("{http://www.w3.org/2000/svg}text")]


def test_attention_is_drawn_at_the_first_the_middle_and_the_last_step_that_is_kept():
    run = finished(small_plan())
    page, kept = report(run), run.history().snapshots
    _right, _loss, *found = drawings(page)
    chosen: list[Snapshot] = [kept[0], kept[len(kept) // 2], kept[-1]]
    assert len({each.step for each in chosen}) == len(found) == 3
    for drawn, seen in zip(found, chosen, strict=True):
        attention = seen.attention_map(run.plan, "cross", -1, 0)
        weights = [f"{weight:.2f}" for weight in attention.mean().ravel() if weight >= 0.005]
        assert [said for said in words_of(drawn) if re.fullmatch(r"[01]\.\d\d", said)] == weights
        assert {*attention.query_labels, *attention.key_labels} <= {*words_of(drawn)}
        assert f"after step {seen.step:,}" in page


def test_words_are_never_markup():
    run = finished(pairs_of(steps=30))
    page = report(run)
    named = set(re.findall(r"<([a-z]+\d?)", page))
    allowed = "html meta title style body h1 h2 p b table tr th td figure figcaption div span pre a svg path line rect text"
    assert named <= {*allowed.split()}
    assert not re.search(r"<[^>]*\son\w+=", page)
    assert len(drawings(page)) == 5
    for source, answer in HOSTILE:
        for text in (source, answer):  # as the model reads it
            assert f"<td>{html.escape(' '.join(tokens(text, 'words')))}</td>" in page
    assert "default-src 'none'" in page and "<script" not in page


def test_it_is_in_the_language_of_the_app():
    page = report(finished(small_plan()), "zh_CN")
    assert '<html lang="zh-CN">' in page and "<h1>训练报告：" in page
    text = re.sub(r"<pre>.*?</pre>|<style>.*?</style>|<[^>]*>", " ", page, flags=re.DOTALL)
    assert not re.search(r"[a-z]+ (?:of|the|steps) [a-z]+", text)


def test_the_page_offers_it_once_there_is_something_to_report():
    at = visit({"task": "copy", "step": "0"}, "training")
    assert "Save a report" not in saved(at)
    at.button("button-play_circle").click().run()
    run = resources.training_scheduler().runs()[0]
    wait_until(lambda: run.history().step > 0, "its first step")
    at.button("button-stop").click().run()
    assert "Save a report" in saved(at)


@pytest.mark.parametrize("top", [1e-6, 0.03, 0.9, 1.0, 2.3, 7.0, 149.0, 5000.0, 1e30])
def test_an_axis_has_some_round_numbers_within_it(top):
    ticks = svg.ticks(top)
    assert 3 <= len(ticks) <= 6 and ticks[0] == 0 and 0.6 * top <= ticks[-1] <= top * (1 + 1e-6)
    assert np.allclose(np.diff(ticks), ticks[1], rtol=1e-5)


def test_a_curve_is_interrupted_where_there_is_no_number_and_colours_are_those_of_the_scale():
    y = np.array([1.0, np.nan, 0.5, np.inf, 0.25, 0.0])
    drawn = ElementTree.fromstring(
        svg.curve(np.arange(1, 7), y, x_title="<x>", alt='a "b"', colour="#123456", level=(0.5, "half"))
    )
    (path,) = drawn.iter("{http://www.w3.org/2000/svg}path")
    assert re.sub(r"[\d. ]", "", path.attrib["d"]) == "MMML" and "nan" not in path.attrib["d"]
    assert svg.colour_of(0.0) == "#f4f7fb" and svg.colour_of(1.0) == "#08306b" and svg.colour_of(2.0) == "#08306b"


def test_a_run_of_a_decoder_alone_speaks_of_the_tokens_that_its_texts_decide(tmp_path, monkeypatch):
    usual = of_task("repeat").plan()
    plan = TrainingPlan(replace(usual.cfg, d_model=16, d_ff=16), usual.task, replace(usual.recipe, steps=20), 0.99)
    run = finished(plan)
    verdict = verdict_on(run, run.history())
    assert (
        verdict is not None and not verdict.reached and "of the tokens that 1,000 other held-out texts decide" in verdict.words
    )
    page = report(run)
    assert "tokens right" in page and "exact match" not in page and "right answers" not in page
    snapshot = run.history().snapshots[-1]
    judged, labels = snapshot.probe.judged[0].numpy(), snapshot.probe.labels[0].numpy()
    right = int((snapshot.decoded[0, 1:] == labels)[judged].sum())
    assert f"{right} of {judged.sum()} right" in page
    likeliest = snapshot.probabilities[0][:, 1:].argmax(axis=1) + 1  # but the padding
    assert (likeliest[judged] == snapshot.decoded[0, 1:][judged]).mean() > 0.8  # half precision ties
    assert is_same(run, repeated(page, tmp_path, monkeypatch))
