"""Pins the timeline of a run on the training page: one scrubber moves every figure, and from any step the run comes again."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from explorer import resources
from explorer.components import scrubber
from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import RunHistory, Status
from tests.explorer.learning.helpers import advance, finish, same
from tests.pages.helpers import array, figure, fine, open_page, turn
from tests.pages.stepped import another_browser, by_hand, open_buttons, press, run_of, step
from tests.transformer_core.helpers import train_steps
from transformer_core import CopyTask, Recipe, SentenceTask, Transformer, TransformerConfig, checkpoint
from transformer_core.analysis.repeat_heads import head_scores
from transformer_core.data.tasks import RepeatTask
from transformer_core.training.learned import with_parameters

__all__ = ["another_browser", "by_hand"]
pytestmark = pytest.mark.usefixtures("by_hand")

CFG = TransformerConfig(src_vocab=5, tgt_vocab=5, d_model=16, n_heads=2, d_ff=16, n_layers=2, dropout=0.0, norm="pre")
RECIPE = Recipe(steps=20, batch_size=9, rate=0.01, evaluate_every=5, evaluate_on=6, device="cpu")
PLAN = TrainingPlan(CFG, CopyTask(5, 4), RECIPE, 1.1)
THERE = {"fork_right", "history"}


@pytest.fixture(scope="module")
def ended() -> TrainingRun:
    """A run that is over, to look at."""
    run = TrainingRun(PLAN, "this browser")
    finish(run)
    return run


@pytest.fixture
def scrubbed(monkeypatch):
    """Stands at the step that is put into `at`, and keeps what it was given."""

    class Scrubbed:
        at: int | None = None

        def show(self, track, *, key):
            self.steps, self.curve, self.jumps, self.live = list(track.steps), track.curve, list(track.jumps), track.live
            self.key = key
            return self.at

    hand = Scrubbed()
    monkeypatch.setattr(scrubber, "show", hand.show)
    return hand


def page_of(run: TrainingRun, **settings) -> AppTest:
    """The training page with a run that the server has."""
    resources.training_scheduler().add_run(run)
    return open_page("training", {"run": run.id}, **{"details-run": True}, **settings)


def table(at: AppTest):
    return at.dataframe[0].value


# One scrubber, all figures


STAGES = {"cross": "decoder.{}.cross_attn", "encoder": "encoder.{}.self_attn", "decoder": "decoder.{}.self_attn"}


def test_every_figure_is_of_the_step_shown(scrubbed, ended):
    at = page_of(ended, sample=3, timeline_heads="each")
    snapshots = ended.history().snapshots
    assert scrubbed.steps == [each.step for each in snapshots] and not scrubbed.live
    seen_steps = set()
    for place, kind, layer in ((None, "cross", 1), (0, "encoder", 0), (13, "decoder", 1), (10**9, "encoder", 1)):
        scrubbed.at = place
        turn(at, watch=kind, timeline_layer=layer)
        assert not at.exception
        seen = snapshots[-1] if place is None else [each for each in snapshots if each.step <= place][-1]
        weights = seen.weights[f"{STAGES[kind].format(layer)}.weights"][2]
        closed = np.triu(np.ones(weights.shape[1:], bool), 1) & (kind == "decoder")
        cells = np.stack(figure(at, "training-attention").cells)
        np.testing.assert_array_equal(cells, np.where(closed, np.nan, weights.astype(np.float32)))

        source, decoded, right = (list(table(at)[name]) for name in table(at))
        assert source == [" ".join(map(str, row)) for row in seen.probe.src.tolist()]
        assert decoded == [" ".join(map(str, row)) for row in seen.decoded.tolist()]
        assert [words.endswith("yes") for words in right] == [row == said for row, said in zip(source, decoded, strict=True)]

        words = list(dict.fromkeys(seen.probe.labels[2].tolist()))
        (drawn,) = figure(at, "training-probabilities").cells
        assert drawn.shape == (3, len(words) + 1)
        np.testing.assert_allclose(drawn[:, :-1], seen.probabilities[2][:, words].astype(np.float32), rtol=1e-6)
        np.testing.assert_allclose(drawn.sum(axis=1), 1, atol=2e-3)  # half precision

        upright = figure(at, "training-curves").layout["shapes"][-1]
        assert upright["x0"] == upright["x1"] == seen.step and upright["yref"] == "paper"
        (mark,) = figure(at, "training-gradients").layout["shapes"]
        assert mark["x0"] == seen.step
        seen_steps.add(seen.step)
    assert len(seen_steps) == 3


def test_the_steps_kept_with_the_gradients_of_every_part_and_their_bytes(ended):
    at = page_of(ended)
    first, *taken = snapshots = ended.history().snapshots
    assert first.step == 0
    drawn = figure(at, "training-gradients")
    assert len({trace["name"] for trace in drawn.data}) == len(taken[0].gradient_norms)
    for line, part in zip(drawn.lines, taken[0].gradient_norms, strict=True):
        np.testing.assert_allclose(line, [each.gradient_norms[part] for each in taken], rtol=1e-6)
    size = sum(each.nbytes for each in snapshots) / 2**20
    assert any(str(len(snapshots)) in caption.value and f"{size:.1f} MB" in caption.value for caption in at.caption)


@pytest.mark.parametrize("variant", [{"position": "learned", "tie_embeddings": "all"}, {"norm": "post", "final_norm": True}])
def test_every_part_of_every_model_has_a_name(variant):
    run = TrainingRun(replace(PLAN, cfg=replace(CFG, **variant)), "this browser")
    advance(run, 10)
    at = page_of(run)
    assert fine(at)
    assert len(figure(at, "training-gradients").data) == len(run.history().snapshots[-1].gradient_norms)


def test_the_jumps_lead_to_what_they_name(scrubbed, ended, monkeypatch):
    monkeypatch.setattr(ended, "history", lambda: staged(TrainingRun.history(ended)))
    page_of(ended)
    assert scrubbed.curve == [(5, 0.2), (10, 0.5), (15, 0.6), (20, 0.6)]
    assert [jump.step for jump in scrubbed.jumps] == [5, 10, None, 15]
    assert scrubbed.jumps[-1].name == "first head that follows the answer (layer 1, head 0)"


def test_of_two_tokens_nobody_can_tell_which_a_head_follows(scrubbed):
    """Even attention gives half to each, and a model that has learned nothing often more."""
    run = TrainingRun(replace(PLAN, task=CopyTask(5, 2)), "this browser")
    advance(run, 1)
    assert fine(page_of(run)) and [jump.name for jump in scrubbed.jumps] == ["10% right", "50% right", "90% right"]


def staged(history: RunHistory) -> RunHistory:
    """As if half of all sequences had been right from step 10 on, and a head had followed one of them from then on and
    all of them from step 15 on."""
    snapshots = []
    for each in history.snapshots:
        weights = {name: np.full_like(values, 1 / values.shape[-1]) for name, values in each.weights.items()}
        if each.step >= 10:
            weights["decoder.1.cross_attn.weights"][: 1 if each.step < 15 else None, 0] = np.eye(3, 4, 1)
        snapshots.append(replace(each, weights=weights))
    evaluations = np.array([(5, 0.2), (10, 0.5), (15, 0.6), (20, 0.6)])
    return replace(history, snapshots=tuple(snapshots), evaluations=evaluations)


@pytest.mark.parametrize(("cross", "jumps"), [(True, 4), (False, 3)])
def test_what_never_happened_and_what_cannot_be_has_no_step(scrubbed, cross, jumps):
    run = TrainingRun(replace(PLAN, cfg=replace(CFG, cross_attention=cross)), "this browser")
    advance(run, 1)
    at = page_of(run)
    assert fine(at)
    assert len(scrubbed.jumps) == jumps and all(jump.step is None for jump in scrubbed.jumps)
    assert ("cross" in at.segmented_control(key="watch").options) == cross


def test_sentences_are_shown_as_words_and_without_padding():
    task = SentenceTask("pronoun-en")
    cfg = replace(CFG, src_vocab=task.vocab, tgt_vocab=task.vocab)
    run = TrainingRun(TrainingPlan(cfg, task, RECIPE), "this browser")
    advance(run, 1)
    at = page_of(run, sample=2)
    assert fine(at)
    (seen,) = run.history().snapshots
    src, labels = ([i for i in ids[1].tolist() if i] for ids in (seen.probe.src, seen.probe.labels))
    assert next(iter(table(at).iloc[1])) == " ".join(task.vocabulary.decode(src))
    assert {each.shape for each in figure(at, "training-attention").cells} == {(len(labels), len(src))}
    (drawn,) = figure(at, "training-probabilities").cells
    assert len(drawn) == len(labels)


# Back to a step


def reference(run: TrainingRun, steps: int) -> Transformer:
    """The model after so many steps, trained without any run."""
    model = Transformer(run.plan.cfg, torch.Generator().manual_seed(run.plan.recipe.seed))
    for report in train_steps(model, run.plan.task, run.plan.recipe):
        if report.step == steps:
            break
    return model.eval()


def test_back_to_a_step_is_the_model_of_then_and_the_same_run_resumes(scrubbed):
    run = TrainingRun(replace(PLAN, cfg=replace(CFG, dropout=0.1)), "this browser")
    whole = finish(run)
    at = page_of(run)
    scrubbed.at = 10
    press(at.run(), "button-history")
    key = scrubbed.key
    scrubbed.at = None
    step(at, 3)
    assert fine(at)
    assert run_of(at) is run and run.status is Status.PAUSED and run.history().step == 10
    assert scrubbed.steps == [0, 5, 10] and scrubbed.live
    assert scrubbed.key == key == f"scrubber-{run.id}-1", "a scrubber of its own: it follows again"
    then, now = reference(run, 10), checkpoint.from_bytes(run.checkpoint()).model
    assert all(torch.equal(value, then.state_dict()[name]) for name, value in now.state_dict().items())
    step(press(at, "button-play_arrow"), 10)
    assert same(run.history(), whole)
    scrubbed.at = 15
    press(at.run(), "button-fork_right")
    assert run.branch == 2 and run.status is Status.RUNNING
    step(at, 5)
    assert run.over and same(run.history(), whole)


def test_only_a_step_that_was_chosen_and_only_by_the_owner(scrubbed, ended, another_browser):
    at = page_of(ended)
    assert not THERE & open_buttons(at)
    scrubbed.at = ended.history().step
    assert not THERE & open_buttons(at.run())
    scrubbed.at = 0
    assert open_buttons(at.run()) >= THERE
    another_browser()
    other = open_page("training", {"run": ended.id})
    assert not any(each.key in {f"button-{icon}" for icon in THERE} for each in other.button)


def test_the_heads_of_a_run_that_repeats_are_drawn_step_by_step():
    task = RepeatTask(vocab=6, length=8)
    cfg = replace(CFG, src_vocab=task.vocab, tgt_vocab=task.vocab, stacks="decoder")
    run = TrainingRun(TrainingPlan(cfg, task, RECIPE, 1.1), "this browser")
    finish(run)
    at = page_of(run)
    assert not at.exception
    before, after = (array(trace["y"]) for trace in figure(at, "training-repeat-heads").data[:2])
    history = run.history()
    assert len(before) == len(after) == len(history.snapshots) > 2
    newest = run.weights()
    assert newest is not None
    expected = head_scores(with_parameters(cfg, newest[1]), history.snapshots[-1].probe)
    np.testing.assert_allclose([before[-1], after[-1]], [expected.before.max(), expected.after.max()], atol=2e-3)
