"""Pins what is recorded once for everybody: it is the run of its plan, evaluation by evaluation, and it can be ended."""

import numpy as np
import pytest
import torch

from explorer.training.plan import TrainingPlan
from explorer.training.recordings import Recordings, record
from tests.explorer.training.helpers import HANGS
from transformer_core import CopyTask, Recipe, Transformer, TransformerConfig, train_steps

PLAN = TrainingPlan(
    TransformerConfig(src_vocab=5, tgt_vocab=5, d_model=12, n_heads=3, d_ff=10, n_layers=2),
    CopyTask(vocab=5, length=4),
    Recipe(steps=30, batch_size=6, seed=3, evaluate_every=10, evaluate_on=20, device="cpu"),
)


def test_a_recording_is_the_run_of_its_plan():
    found = record(PLAN)
    model = Transformer(PLAN.cfg, torch.Generator().manual_seed(3))
    reports = list(train_steps(model, PLAN.task, PLAN.recipe))
    evaluations = [report.evaluation for report in reports if report.evaluation is not None]
    assert [frame.step for frame in found.frames] == [0, 10, 20, 30]
    assert found.frames[0].exact is None
    assert [frame.exact for frame in found.frames[1:]] == [evaluation.exact_match for evaluation in evaluations]
    for frame, evaluation in zip(found.frames[1:], evaluations, strict=True):
        for name, weights in evaluation.weights.items():
            np.testing.assert_array_equal(frame.weights[name], weights[0].numpy())
    assert found.loss == pytest.approx(np.mean([report.loss for report in reports[-20:]]))
    assert found.likely == pytest.approx(np.exp(-found.loss))
    assert found.src[0] == found.tgt[0] == "1"
    assert found.labels == found.src[1:] == (*found.tgt[1:], found.labels[-1])


def test_it_ends_at_the_target():
    assert [frame.step for frame in record(TrainingPlan(PLAN.cfg, PLAN.task, PLAN.recipe, target=0.0)).frames] == [0, 10]


def test_a_name_is_recorded_once_and_what_is_under_way_ends_with_the_server():
    recordings = Recordings()
    first = recordings.get("one", PLAN)
    assert recordings.get("one", PLAN) is first
    assert first.result(HANGS).frames[-1].step == 30
    endless = recordings.get("endless", TrainingPlan(PLAN.cfg, PLAN.task, Recipe(steps=20_000, device="cpu"), target=2.0))
    waiting = recordings.get("waiting", PLAN)
    recordings.stop()
    assert waiting.cancelled()
    assert endless.cancelled() or isinstance(endless.exception(), InterruptedError)
