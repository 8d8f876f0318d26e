"""Pins the time machine on the training page: one scrubber moves every picture, and from any step the run comes again."""

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from explorer.components import scrubber
from explorer.components.scrubber import Jump
from explorer.training.run_history import Status
from tests.explorer.training.helpers import wait_until
from tests.pages.helpers import figure, fine, open_page, turn
from tests.pages.test_training_page import EASY, press, run_of, trained
from transformer_core import Transformer, checkpoint, train_steps
from transformer_core.analysis.alignment import aligned_places

# Rows of four out of four symbols: harder than EASY, so that the model is wrong for a while.
LEARNS = EASY | {"symbols": 4, "length": 5, "batch_size": 16, "steps": 120, "n_layers": 2, "n_heads": 2, "goal": 100}


@pytest.fixture
def scrubbed(monkeypatch):
    """Stands at the step that is put into `at`, and keeps what it was given."""

    class Scrubbed:
        at: int | None = None

        def show(self, steps, jumps, *, live, key):
            self.steps, self.jumps, self.live, self.key = list(steps), list(jumps), live, key
            return self.at

    hand = Scrubbed()
    monkeypatch.setattr(scrubber, "show", hand.show)
    return hand


def table(at: AppTest):
    return at.dataframe[0].value


# One scrubber, all pictures


STAGES = {"cross": "decoder.{}.cross_attn", "encoder": "encoder.{}.self_attn", "decoder": "decoder.{}.self_attn"}


def test_every_picture_is_of_the_step_shown(scrubbed):
    at = trained(**LEARNS | {"sample": 3})
    snapshots = run_of(at).history().snapshots
    assert scrubbed.steps == [each.step for each in snapshots] and not scrubbed.live
    shown = set()
    for step, watch, layer in (
        (None, "cross", 2),
        (0, "cross", 1),
        (50, "encoder", 1),
        (57, "decoder", 2),
        (10**9, "encoder", 2),
    ):
        scrubbed.at = step
        turn(at, watch=watch, layer_watched=layer)
        assert not at.exception
        seen = snapshots[-1] if step is None else [each for each in snapshots if each.step <= step][-1]
        weights = seen.weights[f"{STAGES[watch].format(layer - 1)}.weights"][2]
        closed = np.triu(np.ones(weights.shape[1:], bool), 1) & (watch == "decoder")
        cells = np.stack(figure(at, "training-attention").cells)
        np.testing.assert_array_equal(cells, np.where(closed, np.nan, weights.astype(np.float32)))

        assert list(table(at)["it is shown"]) == [" ".join(map(str, row)) for row in seen.probe.src.tolist()]
        assert list(table(at)["it says"]) == [" ".join(map(str, row)) for row in seen.decoded.tolist()]
        copied = [row == said for row, said in zip(table(at)["it is shown"], table(at)["it says"], strict=True)]
        assert [words.endswith("yes") for words in table(at)["right"]] == copied

        labels = seen.probe.labels[2].tolist()
        words = list(dict.fromkeys(labels))
        (chances,) = figure(at, "training-chances").cells
        assert chances.shape == (4, len(words) + 1)
        np.testing.assert_allclose(chances[:, :-1], seen.probabilities[2][:, words].astype(np.float32), rtol=1e-6)
        np.testing.assert_allclose(chances.sum(axis=1), 1, atol=2e-3)  # half precision

        upright = figure(at, "training-curves").layout["shapes"][-1]
        assert upright["x0"] == upright["x1"] == seen.step and upright["yref"] == "paper"
        (mark,) = figure(at, "training-gradients").layout["shapes"]
        assert mark["x0"] == seen.step
        shown.add(seen.step)
    assert len(shown) == 3


def test_the_steps_kept_with_the_gradients_of_every_part_and_their_bytes():
    at = trained(**LEARNS)
    first, *taken = snapshots = run_of(at).history().snapshots
    assert first.step == 0
    drawn = figure(at, "training-gradients")
    names = [
        "target table", "source table", "encoder layer 1", "encoder layer 2", "decoder layer 1", "decoder layer 2",
        "encoder norm", "decoder norm", "output",
    ]  # fmt: skip
    assert [trace["name"] for trace in drawn.data] == names
    for line, part in zip(drawn.lines, taken[0].gradient_norms, strict=True):
        np.testing.assert_allclose(line, [each.gradient_norms[part] for each in taken], rtol=1e-6)
    size = sum(each.nbytes for each in snapshots) / 2**20
    assert any(f"{len(snapshots)} snapshots, {size:.1f} MB" in caption.value for caption in at.caption)


def test_the_jumps_lead_to_what_they_name(scrubbed):
    at = trained(**LEARNS)
    for row in (1, 4):
        turn(at, sample=row)
        check_jumps(run_of(at), scrubbed.jumps, row)


def check_jumps(run, jumps, row):
    snapshots = run.history().snapshots
    right = [each.step for each in snapshots if each.decoded[row - 1, 1:].tolist() == each.probe.labels[row - 1].tolist()]
    places = aligned_places(run.plan.task, snapshots[0].probe)[row - 1]
    np.testing.assert_array_equal(places, np.eye(4, 5, 1, dtype=bool))
    shares = {
        (each.step, layer, head): float(np.mean([weights[head, i, i + 1] for i in range(4)], dtype=np.float32))
        for each in snapshots
        for layer in (0, 1)
        for weights in [each.weights[f"decoder.{layer}.cross_attn.weights"][row - 1]]
        for head in (0, 1)
    }
    pointing = min((step for (step, *_place), share in shares.items() if share >= 0.5), default=None)
    assert 0 < right[0] < snapshots[-1].step
    assert jumps[0] == Jump("first time right", right[0])
    assert jumps[1].step == pointing
    if pointing is not None:
        _share, layer, head = max((share, *place) for (step, *place), share in shares.items() if step == pointing)
        assert jumps[1].name == f"a head points (layer {layer + 1}, head {head})"


def test_what_never_happened_and_what_cannot_be_has_no_step(scrubbed):
    at = trained(**LEARNS | {"symbols": 50, "length": 12, "steps": 50})
    assert scrubbed.jumps == [Jump("first time right", None), Jump("a head points", None)]
    turn(at, cross_attention=False)
    press(at, "Start anew")
    wait_until(lambda: run_of(at).over, "the end of the run")
    at.run()
    assert not at.exception
    assert scrubbed.jumps == [Jump("first time right", None)]


def test_sentences_are_shown_as_words_and_without_padding(scrubbed):
    at = trained(task="translate-fr", steps=50, sample=2)
    assert not at.exception
    run = run_of(at)
    seen, vocabulary = run.history().snapshots[-1], run.plan.task.vocabulary
    src = [i for i in seen.probe.src[1].tolist() if i]
    labels = [i for i in seen.probe.labels[1].tolist() if i]
    assert table(at)["it is shown"][1] == " ".join(vocabulary.decode(src))
    cells = figure(at, "training-attention").cells
    assert {each.shape for each in cells} == {(len(labels), len(src))}
    (chances,) = figure(at, "training-chances").cells
    assert len(chances) == len(labels)


# Back to a step


def reference(run, steps: int) -> Transformer:
    """The model after so many steps, trained without any run."""
    model = Transformer(run.plan.cfg, torch.Generator().manual_seed(run.plan.recipe.seed))
    for report in train_steps(model, run.plan.task, run.plan.recipe):
        if report.step == steps:
            break
    return model.eval()


def test_back_to_a_step_is_the_model_of_then_and_the_same_run_goes_on(scrubbed):
    at = trained(**LEARNS | {"symbols": 10, "dropout": 0.1, "steps": 100})
    run, whole = run_of(at), run_of(at).history()
    scrubbed.at = 30
    press(at.run(), "Back to this step")
    key = scrubbed.key
    wait_until(lambda: run.status == Status.PAUSED, "the step")
    scrubbed.at = None
    at.run()
    assert fine(at)
    assert run_of(at) is run and run.history().step == 30
    assert scrubbed.steps == [0, 10, 20, 30] and scrubbed.live
    assert scrubbed.key == key == f"scrubber-{run.id}-1", "a scrubber of its own: it follows again"
    then, now = reference(run, 30), checkpoint.from_bytes(run.checkpoint()).model
    assert all(torch.equal(value, then.state_dict()[name]) for name, value in now.state_dict().items())
    press(at, "Go on")
    wait_until(lambda: run.over, "the end of the run")
    np.testing.assert_array_equal(run.history().loss, whole.loss)
    assert run.history().evaluations.tolist() == whole.evaluations.tolist()
    scrubbed.at = 40
    press(at.run(), "Go on from here")
    assert run.branch == 2
    wait_until(lambda: run.over, "the end of the run")
    np.testing.assert_array_equal(run.history().loss, whole.loss)


def test_only_a_step_that_was_chosen_and_only_by_the_owner(scrubbed, monkeypatch):
    at = trained(**LEARNS)
    run = run_of(at)
    names = ("Go on from here", "Back to this step")

    def open_ones(at):
        return [button.label for button in at.button if button.label in names and not button.disabled]

    assert open_ones(at) == []
    scrubbed.at = run.history().step
    assert open_ones(at.run()) == []
    scrubbed.at = 0
    assert open_ones(at.run()) == list(names)
    monkeypatch.setattr("explorer.lab.browser_token", lambda: "another browser")
    other = open_page("training", {"run": run.id})
    assert not any(button.label in names for button in other.button)


# What the browser is given and says


def test_the_browser_is_given_steps_and_jumps_and_says_a_step_or_nothing():
    sent = scrubber.sent([0, 10, 40], [Jump("first", 10), Jump("second", None)], live=True, answered=10)
    assert (sent["steps"], sent["answered"], sent["live"]) == ([0, 10, 40], 10, True)
    assert sent["jumps"] == [{"name": "first", "step": 10}, {"name": "second", "step": None}]

    class State:
        def __init__(self, step):
            self.step = step

    assert [scrubber.told(State(step)) for step in (30, 0, None, "30", 3.5, True, [3])] == [30, 0, *[None] * 5]
    assert scrubber.told(None) is None
