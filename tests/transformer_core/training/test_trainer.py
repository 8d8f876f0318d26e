"""Pins: a seed names a run to the last bit whatever else happens, what is learned, and what happens when it goes wrong."""

import copy
import itertools
import json
import math
import random
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.transformer_core.helpers import config, generator, perturbed_model, token_ids, train_steps
from transformer_core import (
    PRESETS,
    CopyTask,
    Recipe,
    SentenceTask,
    Trace,
    Trainer,
    TrainingDiverged,
    Transformer,
    checkpoint,
    greedy_decode,
)
from transformer_core.data.batch import Batch, RightTokens
from transformer_core.data.tasks import RepeatTask, has_source
from transformer_core.errors import InputError
from transformer_core.training import trainer as training
from transformer_core.training.checkpoint import Training
from transformer_core.training.evaluation import _likeliest, evaluate, exact_match, rows_exact, rows_right
from transformer_core.training.trainer import STEP_VERSION, learning_rate, resolve_device, right_loss, token_loss

TASK = CopyTask(vocab=7, length=5)
SMALL = config(src_vocab=7, tgt_vocab=7, d_model=12, n_heads=3, d_ff=14, n_layers=2, norm="pre")
DROPPING = replace(SMALL, dropout=0.3)
REPEATING = RepeatTask(vocab=9, length=8)
ALONE = replace(DROPPING, src_vocab=9, tgt_vocab=9, stacks="decoder")
QUICK = Recipe(steps=8, batch_size=6, rate=5e-3, warmup=3, evaluate_every=4, evaluate_on=9, device="cpu")


def fresh(cfg=SMALL, seed=0):
    return Transformer(cfg, generator(seed))


def numbers(report):
    """All of a report but the time it took."""
    found = report.evaluation and (
        report.evaluation.exact_match,
        report.evaluation.decoded.tolist(),
        sorted(report.evaluation.weights),
    )
    return report.step, report.loss, report.learning_rate, report.gradient_norm, report.tokens, found


def finish(model, recipe=QUICK, task=TASK):
    return [numbers(report) for report in train_steps(model, task, recipe)]


def same_weights(one, other):
    return all(torch.equal(value, other.state_dict()[name]) for name, value in one.state_dict().items())


# One seed, one run


def test_a_seed_names_a_run_to_the_last_bit_whatever_goes_on_beside_it():
    """With dropout, which draws at every step: no run may touch the global generator or that of another run."""
    alone, beside, other = fresh(DROPPING), fresh(DROPPING), fresh(DROPPING, seed=5)
    torch.manual_seed(17)
    state = torch.get_rng_state()
    reports = finish(alone)
    assert torch.equal(torch.get_rng_state(), state), "the global generator is neither used nor seeded"
    others, seen = train_steps(other, TASK, replace(QUICK, seed=3)), []
    for report in train_steps(beside, TASK, QUICK):
        seen.append(numbers(report))
        torch.manual_seed(report.step)
        torch.rand(report.step)
        next(others)
    assert seen == reports
    assert same_weights(alone, beside)
    assert not same_weights(alone, other)
    assert len({report[1] for report in reports}) == QUICK.steps
    assert finish(fresh(DROPPING), replace(QUICK, seed=1)) != reports
    assert finish(fresh(SMALL)) != reports, "dropout changes the run"


def test_runs_in_several_threads_change_nothing():
    expected = {seed: finish(fresh(DROPPING, seed), replace(QUICK, seed=seed)) for seed in range(3)}
    barrier = threading.Barrier(3)

    def run(seed):
        barrier.wait()
        return finish(fresh(DROPPING, seed), replace(QUICK, seed=seed))

    with ThreadPoolExecutor(3) as threads:
        assert dict(zip(expected, threads.map(run, expected), strict=True)) == expected


def test_how_often_one_looks_does_not_change_what_is_learned():
    often, seldom = fresh(DROPPING), fresh(DROPPING)
    losses = [[report[1] for report in finish(m, replace(QUICK, evaluate_every=n))] for m, n in ((often, 1), (seldom, 8))]
    assert losses[0] == losses[1]
    assert same_weights(often, seldom)


# Stopped, kept and gone on with


def look_of(report):
    """A look in full, to be compared to the last bit."""
    found = report.evaluation
    return found and (
        found.exact_match,
        found.decoded.tolist(),
        {name: value.tolist() for name, value in found.weights.items()},
    )


def everything(report):
    return numbers(report), look_of(report)


@pytest.mark.parametrize(
    ("k", "kind", "tie", "average"),  # an evaluation follows on steps 4 and 8
    [
        (0, "sgd", "all", 0.1),
        (1, "adam", "none", 0.0),
        (4, "adam", "all", 0.3),
        (7, "sgd", "none", 0.0),
        (8, "adam", "all", 0.0),
    ],
)
def test_stopped_at_k_and_gone_on_with_from_a_file_is_the_same_run(k, kind, tie, average):
    recipe = replace(QUICK, optimiser=kind, clip=0.7, label_smoothing=0.1, seed=3, schedule="cosine", average=average)
    cfg = replace(DROPPING, tie_embeddings=tie)
    whole, stopped = fresh(cfg, 3), Trainer(fresh(cfg, 3), TASK, recipe)
    reports = [everything(report) for report in train_steps(whole, TASK, recipe)]
    first = [everything(stopped.step()) for _ in range(k)]
    data = checkpoint.to_bytes(stopped.model, {}, Training(TASK, recipe, stopped.state()))
    for _ in range(3):
        stopped.step()  # what was kept is a copy
    loaded = checkpoint.from_bytes(data)
    assert (loaded.training.task, loaded.training.recipe, loaded.training.state.step) == (TASK, recipe, k)
    torch.manual_seed(99)
    rest = train_steps(loaded.model, loaded.training.task, loaded.training.recipe, loaded.training.state)
    assert first + [everything(report) for report in rest] == reports
    assert same_weights(loaded.model, whole)


@pytest.mark.parametrize("average", [0.0, 0.3])
def test_a_decoder_alone_that_was_stopped_goes_on_from_a_file_as_the_same_run(average):
    recipe = replace(QUICK, clip=0.7, seed=3, average=average)
    whole, stopped = fresh(ALONE, 3), Trainer(fresh(ALONE, 3), REPEATING, recipe)
    reports = [everything(report) for report in train_steps(whole, REPEATING, recipe)]
    first = [everything(stopped.step()) for _ in range(5)]
    loaded = checkpoint.from_bytes(checkpoint.to_bytes(stopped.model, {}, Training(REPEATING, recipe, stopped.state())))
    rest = train_steps(loaded.model, loaded.training.task, loaded.training.recipe, loaded.training.state)
    assert first + [everything(report) for report in rest] == reports
    assert same_weights(loaded.model, whole)


def test_stacks_that_do_not_fit_the_task_are_refused():
    with pytest.raises(InputError, match="the task copy has a source, and a decoder alone reads none") as caught:
        Trainer(fresh(replace(ALONE, src_vocab=7, tgt_vocab=7)), TASK, QUICK)
    assert caught.value.nearest == {"stacks": ("both",)}
    with pytest.raises(InputError, match="the task repeat has no source; choose the decoder alone") as caught:
        Trainer(fresh(replace(SMALL, src_vocab=9, tgt_vocab=9)), REPEATING, QUICK)
    assert caught.value.nearest == {"stacks": ("decoder",)}


@pytest.mark.parametrize("average", [0.0, 0.2])
def test_a_trainer_goes_back_to_any_state_it_was_in(average):
    trainer = Trainer(fresh(DROPPING), TASK, replace(QUICK, average=average))
    states, weights, reports = [], [], []
    for _ in range(6):
        states.append(trainer.state())
        weights.append({name: value.clone() for name, value in trainer.model.state_dict().items()})
        reports.append(everything(trainer.step()))
    for k in (5, 0, 3, 3):
        trainer.model.load_state_dict(weights[k])
        trainer.restore(states[k])
        assert [everything(trainer.step()) for _ in range(k, 6)] == reports[k:]


def test_a_step_that_fails_has_not_been_taken(monkeypatch):
    trainer, untroubled = Trainer(fresh(DROPPING), TASK, QUICK), Trainer(fresh(DROPPING), TASK, QUICK)
    trainer.step()
    untroubled.step()
    with monkeypatch.context() as patch:
        patch.setattr(training, "token_loss", lambda *given: token_loss(*given) * math.nan)
        for _ in range(2):
            with pytest.raises(TrainingDiverged, match="step 2:"):
                trainer.step()
    assert [everything(trainer.step()) for _ in range(4)] == [everything(untroubled.step()) for _ in range(4)]
    assert same_weights(trainer.model, untroubled.model)


@pytest.mark.parametrize(
    ("cfg", "recipe"), [(DROPPING, {"optimiser": "sgd"}), (DROPPING, {"average": 0.1}), (replace(DROPPING, d_ff=15), {})]
)
def test_a_state_of_something_else_is_refused(cfg, recipe):
    one, other = Trainer(fresh(DROPPING), TASK, QUICK), Trainer(fresh(cfg), TASK, replace(QUICK, **recipe))
    for trainer, state in ((other, one.state()), (one, other.state())):
        with pytest.raises(ValueError, match="does not fit"):
            trainer.restore(state)


def test_dropout_drawn_on_another_kind_of_device_is_refused_and_without_dropout_it_does_not_matter():
    for cfg, fits in ((DROPPING, False), (SMALL, True)):
        trainer = Trainer(fresh(cfg), TASK, QUICK)
        state = replace(trainer.state(), dropout=torch.zeros(16, dtype=torch.uint8))  # as long as CUDA's
        if fits:
            trainer.restore(state)
        else:
            with pytest.raises(ValueError, match="cannot be resumed on this device"):
                trainer.restore(state)


# What is learned


def test_tiny_learns_to_copy_with_the_default_recipe_and_exact_match_is_what_greedy_decoding_gets_right():
    model, task = Transformer(PRESETS["tiny"], generator(0)), CopyTask()
    recipe = Recipe(device="cpu", evaluate_every=25)
    unseen = task.batch(300, generator(12345))  # no generator of the run draws these
    shares, found = [], 0.0
    for report in train_steps(model, task, recipe):
        if report.evaluation is None or (found := report.evaluation.exact_match) < 0.3:
            continue
        decoded = greedy_decode(model.eval(), unseen.src, task.start_id, 9)
        shares.append(int((decoded == unseen.src).all(dim=1).sum()) / 300)
        assert exact_match(model, task, unseen) == shares[-1]
        model.train()
        if found >= 0.9:
            break
    assert found >= 0.9, f"not within {recipe.steps} steps"
    assert 0 < shares[0] < 0.8 < shares[-1]


def test_without_the_causal_mask_it_learns_to_copy_the_answer_and_cannot_decode():
    model = Transformer(replace(SMALL, d_model=32, n_heads=2, d_ff=64, n_layers=1, causal=False), generator(3))
    list(train_steps(model, TASK, Recipe(steps=100, batch_size=16, rate=1e-2, warmup=10, evaluate_every=100, device="cpu")))
    test = TASK.batch(100, generator(4))
    forced = model.eval()(test.src, test.tgt).argmax(dim=-1)
    assert (forced == test.labels).all(dim=1).float().mean() > 0.5
    assert exact_match(model, TASK, test) < 0.2


def test_an_evaluation_is_made_in_eval_mode_and_is_what_the_model_does():
    model = perturbed_model(replace(DROPPING, n_layers=1)).train()
    test, probe = TASK.batch(9, generator(1)), TASK.batch(4, generator(2))
    decoded = greedy_decode(model.eval(), torch.cat([test.src, probe.src]), 1, 4)
    wanted = test.labels.clone()
    wanted[:3] = decoded[:3, 1:]  # three right answers
    wanted[3:] = decoded[3:9, 1:].clone()
    wanted[3:, -1] = wanted[3:, -1] % 6 + 1  # the others wrong in one token
    given = torch.cat([test.tgt[:, :1], wanted[:, :-1]], dim=1)  # what is wanted, moved one place to the right
    found = evaluate(model.train(), TASK, Batch(test.src, given, wanted), probe)
    assert found.exact_match == 3 / 9
    assert model.training, "the mode is put back"
    assert torch.equal(found.decoded, decoded[9:])
    assert torch.equal(found.batch.src, probe.src)
    places = ("encoder.0.self_attn", "decoder.0.self_attn", "decoder.0.cross_attn")
    assert list(found.weights) == [f"{place}.weights" for place in places]
    for weights, (queries, keys) in zip(found.weights.values(), ((5, 5), (4, 4), (4, 5)), strict=True):
        assert weights.shape == (4, 3, queries, keys)
        torch.testing.assert_close(weights.sum(-1), torch.ones(4, 3, queries), rtol=0, atol=1e-6)


def test_rows_of_like_length_are_evaluated_together_and_answer_what_they_answer_alone():
    task = SentenceTask("small-fr")
    cfg = config(src_vocab=task.vocab, tgt_vocab=task.vocab, d_model=16, n_heads=2, d_ff=16, n_layers=1)
    model, test = perturbed_model(cfg), task.batch(20, generator(1), held_out=True)
    lengths = (test.labels != task.pad_id).sum(dim=1)
    assert len(lengths.unique()) > 2
    with torch.no_grad():
        generated = model(test.src, test.tgt).argmax(dim=-1)
    is_token = test.labels != task.pad_id
    assert torch.equal(_likeliest(model, task, test)[is_token], generated[is_token])
    own = generated.masked_fill(~is_token, task.pad_id)
    labels = torch.where(torch.arange(20)[:, None] < 7, own, test.labels)  # seven right answers
    assert not rows_exact(own[7:], test.labels[7:], task.pad_id).any()
    assert exact_match(model, CopyTask(vocab=task.vocab), replace(test, labels=labels)) == 7 / 20


class Several(CopyTask):
    """A task whose right answers are looked up by the source."""

    right: dict[tuple[int, ...], list[tuple[int, ...]]]

    def alternatives(self, src):
        return self.right.get(tuple(src), [])


@pytest.mark.parametrize("causal", [True, False])
def test_exact_match_counts_every_right_answer_and_no_other(causal):
    """By what greedy decoding generates, whatever path of right answers leads to it."""
    model, draws, end = perturbed_model(replace(SMALL, n_layers=1, causal=causal), seed=3), random.Random(5), 6
    with torch.no_grad():
        for parameter in model.parameters():
            parameter *= 2.5  # it generates more than one and the same token
    task, test = Several(vocab=7, length=6), CopyTask(vocab=7, length=6).batch(60, generator(1))
    generated = greedy_decode(model, test.src, 1, 5)[:, 1:]
    said = generated.tolist()

    def cut(ids):
        """Up to the end token: no answer is the beginning of another."""
        return tuple(ids[: ids.index(end) + 1] if end in ids else ids)

    labels = [cut(row) for row in test.labels.tolist()]
    test = replace(test, labels=torch.tensor([[*label, *[0] * (5 - len(label))] for label in labels]))
    task_answers, expected = {}, []
    for row, (src, own, label) in enumerate(zip(test.src.tolist(), said, labels, strict=True)):
        right = row % 3 > 0
        # Answers that go along with the model's own for a while, and then do not.
        answers = {cut([*own[:n], own[n] % 6 + 1, *label[n + 1 :]]) for n in range(len(cut(own)))}
        answers = sorted(answers | {cut(own)} if right else answers)
        draws.shuffle(answers)
        task_answers[tuple(src)] = answers
        expected.append(right or cut(own) == label)
    object.__setattr__(task, "right", task_answers)
    assert rows_right(task, test, generated).tolist() == expected
    assert exact_match(model, task, test) == sum(expected) / 60
    assert 0.6 < sum(expected) / 60 < 0.8 and {len(cut(own)) for own in said} == {1, 2, 3, 4, 5}
    assert exact_match(model, TASK, test) < 0.1, "with the labels alone"


def judged_by_hand(model, batch):
    """The share of judged tokens that are the most probable behind the right ones, each by a pass of its own."""
    found = []
    for row, place in batch.judged.nonzero().tolist():
        with torch.no_grad():
            logits = model(batch.src[row : row + 1], batch.tgt[row : row + 1, : place + 1])[0, -1]
        logits[0] = -math.inf  # padding is never said
        found.append(int(logits.argmax()) == int(batch.labels[row, place]))
    return sum(found) / len(found)


@pytest.mark.parametrize("causal", [True, False])
def test_of_judged_tokens_the_share_counts_that_is_right_behind_the_right_ones(causal):
    trainer = Trainer(fresh(replace(ALONE, causal=causal, dropout=0.0)), REPEATING, replace(QUICK, steps=150, rate=2e-2))
    for _ in range(150):
        trainer.take()
    batch, model = REPEATING.batch(20, generator(8), held_out=True), trainer.model.eval()
    share = exact_match(model, REPEATING, batch)
    assert share == judged_by_hand(model, batch) and 0.05 < share < 1
    assert evaluate(model, REPEATING, batch, batch.rows(slice(2))).exact_match == share
    wider = batch.padded((0, 11), 0)
    assert exact_match(model, REPEATING, wider) == share, "padding is not judged"


def test_without_a_mask_each_token_is_judged_by_what_stands_before_it(monkeypatch):
    """A model that looks back of its own accord is judged as a causal one."""
    causal = perturbed_model(replace(ALONE, dropout=0.0), 4)
    free = perturbed_model(replace(ALONE, dropout=0.0, causal=False), 4)
    batch = REPEATING.batch(50, generator(8), held_out=True)
    monkeypatch.setattr(free, "tgt_mask", causal.tgt_mask)
    assert torch.equal(_likeliest(free, REPEATING, batch), _likeliest(causal, REPEATING, batch))
    assert 0 < exact_match(free, REPEATING, batch) == exact_match(causal, REPEATING, batch)


def test_at_the_end_other_rows_are_judged():
    trainer = Trainer(fresh(ALONE), REPEATING, replace(QUICK, average=0.2, evaluate_on=40))
    for _ in range(8):
        trainer.step()
    rows, seen = trainer.final_rows(), trainer._test
    assert not set(map(tuple, rows.labels.tolist())) & set(map(tuple, seen.labels.tolist()))
    assert len({tuple(row) for row in rows.labels.tolist()}) == len(rows.labels) > 150
    found = trainer.evaluate_finally()
    assert found.rows == len(rows.labels)
    assert found.exact_match == exact_match(trainer.averaged().eval(), REPEATING, rows)


def test_only_what_is_judged_is_learned():
    """Other tokens are read, and what follows them is not asked."""
    trainer = Trainer(fresh(replace(ALONE, dropout=0.0)), REPEATING, QUICK)
    batch = REPEATING.batch(6, generator(1))
    labels = torch.where(batch.judged, batch.labels, 2)
    logits = trainer.model(batch.src, batch.tgt)
    loss = trainer._loss(batch, logits)
    assert loss == trainer._loss(replace(batch, labels=labels), logits)
    expected = F.cross_entropy(logits[batch.judged], batch.labels[batch.judged])
    torch.testing.assert_close(loss, expected)


@pytest.mark.parametrize(
    ("task", "causal"),
    [(TASK, False), (SentenceTask("pronoun-en"), True), (REPEATING, True), (REPEATING, False)],
    ids=["copy", "pronoun", "repeat", "repeat without a mask"],
)
def test_a_probe_is_what_the_model_does_with_the_batch(task, causal):
    cfg = replace(SMALL, src_vocab=task.vocab, tgt_vocab=task.vocab, n_layers=1, causal=causal, dropout=0.1)
    cfg = cfg if has_source(task) else replace(cfg, stacks="decoder")
    trainer = Trainer(Transformer(cfg, generator(3)), task, replace(QUICK, steps=40, rate=2e-2))
    seen = set()
    for step in range(31):
        if step % 15 == 0:
            found, batch = trainer.probe(), trainer.probe_batch
            assert trainer.model.training, "the mode is put back"
            model, trace = copy.deepcopy(trainer.model).eval(), Trace()
            with trace:
                probabilities = model(batch.src, batch.tgt).softmax(-1)
            torch.testing.assert_close(found.probabilities, probabilities, rtol=1e-5, atol=1e-6)
            assert all(torch.equal(value, trace[name]) for name, value in found.weights.items())
            assert len(found.weights) == (3 if has_source(task) else 1)
            assert torch.equal(found.decoded, greedy_decode(model, batch.src, task.start_id, batch.labels.size(1)))
            seen.add(str(found.decoded.tolist()))
        trainer.step()
    assert len(seen) > 1, "the model says something else in time"


@pytest.mark.parametrize("clip", [0.05, 1e6])
def test_the_gradient_part_by_part(clip):
    model = fresh(SMALL)
    trainer = Trainer(model, TASK, replace(QUICK, clip=clip))
    assert set(trainer.gradient_norms().values()) == {0.0}
    other = fresh(SMALL)
    report = trainer.step()
    batch = TASK.batch(QUICK.batch_size, generator(0))
    token_loss(other(batch.src, batch.tgt), batch.labels, TASK.pad_id).backward()
    squares = {}
    for name, parameter in other.named_parameters():
        part = re.match(r"\w+(\.\d+)?", name).group()
        squares[part] = squares.get(part, 0.0) + float(parameter.grad.square().sum())
    assert list(squares) == list(trainer.gradient_norms()) and len(squares) == 2 + 2 + 2 + 2 + 1
    assert math.hypot(*trainer.gradient_norms().values()) == pytest.approx(report.gradient_norm, rel=1e-5)
    assert trainer.gradient_norms() == pytest.approx({part: square**0.5 for part, square in squares.items()}, rel=1e-3)


def test_a_report_says_what_the_step_did():
    recipe = replace(QUICK, steps=7)
    reports = list(train_steps(fresh(), TASK, recipe))
    assert [report.step for report in reports] == [1, 2, 3, 4, 5, 6, 7]
    assert [report.step for report in reports if report.evaluation] == [4, 7], "every fourth, and the last"
    assert all(report.tokens == 6 * 4 for report in reports)
    assert all(report.tokens_per_second == report.tokens / report.seconds for report in reports)
    assert [report.learning_rate for report in reports] == [learning_rate(step, 12, recipe) for step in range(1, 8)]


def test_padding_is_no_token_that_is_learned():
    task = SentenceTask("addition")
    cfg = config(src_vocab=task.vocab, tgt_vocab=task.vocab, d_model=12, n_heads=3, d_ff=14, n_layers=1)
    labels = task.batch(QUICK.batch_size, generator(0)).labels
    assert Trainer(fresh(cfg), task, QUICK).step().tokens == int((labels != 0).sum()) < labels.numel()


@pytest.mark.parametrize("kind", ["adam", "sgd"])
def test_steps_against_a_textbook_loop(kind):
    ours, textbook = fresh(), fresh()
    recipe = replace(QUICK, clip=0.7, label_smoothing=0.1, optimiser=kind)
    optimiser = (
        torch.optim.Adam(textbook.parameters(), betas=(0.9, 0.98), eps=1e-9)
        if kind == "adam"
        else torch.optim.SGD(textbook.parameters(), momentum=0.9)
    )
    data = generator(4 * recipe.seed)  # the first of the three streams that a seed names
    textbook.train()
    clipped = 0
    for report in train_steps(ours, TASK, recipe):
        batch = TASK.batch(6, data)
        optimiser.zero_grad()
        logits = textbook(batch.src, batch.tgt)
        loss = F.cross_entropy(logits.flatten(0, 1), batch.labels.flatten(), ignore_index=0, label_smoothing=0.1)
        loss.backward()
        length = nn.utils.clip_grad_norm_(textbook.parameters(), 0.7)
        clipped += length > 0.7
        optimiser.param_groups[0]["lr"] = 5e-3 * min((3 / report.step) ** 0.5, report.step / 3)
        optimiser.step()
        assert report.loss == pytest.approx(loss.item(), rel=1e-5)
        assert report.gradient_norm == pytest.approx(length.item(), rel=1e-4)
    assert clipped > 0
    for (name, value), other in zip(ours.named_parameters(), textbook.parameters(), strict=True):
        # Where a gradient is nothing but rounding (the bias of the keys), Adam makes a full step of its sign.
        if not name.endswith("w_k.bias"):
            torch.testing.assert_close(value, other, rtol=0, atol=1e-4, msg=name)


# The average of the weights


def vector(model):
    return torch.cat([value.detach().flatten() for value in model.parameters()])


@pytest.mark.parametrize("tie", ["none", "all"])
def test_the_average_moves_towards_the_weights_and_is_what_is_evaluated_and_handed_out(tie):
    cfg, recipe = replace(DROPPING, tie_embeddings=tie), replace(QUICK, average=0.3)
    plain, trainer = Trainer(fresh(cfg), TASK, QUICK), Trainer(fresh(cfg), TASK, recipe)
    expected = vector(trainer.model)
    for _ in range(8):
        one, other = plain.step(), trainer.step()
        assert one.loss == other.loss and same_weights(plain.model, trainer.model), "the steps are those without an average"
        expected = 0.7 * expected + 0.3 * vector(trainer.model)
        handed_out = trainer.averaged()
        torch.testing.assert_close(vector(handed_out), expected, rtol=1e-4, atol=1e-6)
        assert not handed_out.training and trainer.model.training
        if other.evaluation is not None:
            alone = evaluate(handed_out, TASK, trainer._test, trainer.probe_batch)
            assert alone.exact_match == other.evaluation.exact_match
            assert torch.equal(alone.probabilities, other.evaluation.probabilities)
            assert torch.equal(alone.probabilities, trainer.probe().probabilities)
            assert not torch.equal(alone.probabilities, one.evaluation.probabilities)
    kept = vector(handed_out)
    trainer.step()
    assert torch.equal(vector(handed_out), kept), "a copy"
    assert plain.averaged() is plain.model


# The rate and the loss


def test_a_given_rate_is_the_peak_of_the_same_curve():
    recipe = Recipe(rate=3e-3, warmup=40)
    rates = [learning_rate(step, 64, recipe) for step in range(1, 400)]
    assert max(rates) == rates[39] == pytest.approx(3e-3)
    papers = [learning_rate(step, 64, replace(recipe, rate=None)) for step in range(1, 400)]
    assert [a / b for a, b in zip(rates, papers, strict=True)] == pytest.approx([rates[0] / papers[0]] * 399)


def test_without_linear_warmup_the_first_steps_alone_are_others():
    recipe = Recipe(rate=3e-3, warmup=40)
    flat = [learning_rate(step, 64, replace(recipe, linear_warmup=False)) for step in range(1, 400)]
    assert flat[:40] == [3e-3] * 40
    assert flat[39:] == [learning_rate(step, 64, recipe) for step in range(40, 400)]
    before = asdict(recipe)
    for name in ("linear_warmup", "schedule", "average"):  # as in files from before there was a choice
        del before[name]
    assert Recipe.from_dict(before) == recipe


def test_the_cosine_rises_stays_and_falls_to_nearly_nothing_at_the_last_step():
    recipe = Recipe(rate=2e-3, warmup=40, steps=400, schedule="cosine")
    rates = [learning_rate(step, 64, recipe) for step in range(1, 401)]
    assert rates[:40] == pytest.approx([2e-3 * step / 40 for step in range(1, 41)])
    assert rates[39:120] == [2e-3] * 81
    assert all(after < before for before, after in itertools.pairwise(rates[119:]))
    assert rates[259] == pytest.approx(1e-3, rel=0.01), "half-way down"
    assert 0 < rates[-1] < 1e-4 * 2e-3
    assert learning_rate(500, 64, recipe) == 0.0
    assert learning_rate(120, 64, replace(recipe, rate=None)) == pytest.approx((64 * 40) ** -0.5)
    assert learning_rate(1, 64, replace(recipe, linear_warmup=False)) == 2e-3
    crowded = [learning_rate(step, 64, replace(recipe, steps=50)) for step in range(1, 51)]
    assert max(crowded) < 2e-3, "it falls before the warm-up is over"


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.6])
def test_the_loss_is_the_smoothed_cross_entropy_per_real_token(smoothing):
    logits = torch.randn(3, 5, 17, generator=generator(0), dtype=torch.float64)
    labels = torch.randint(0, 17, (3, 5), generator=generator(1))
    labels[1, 3:] = 4  # padding
    flat = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=4, label_smoothing=smoothing)
    torch.testing.assert_close(token_loss(logits, labels, 4, smoothing), flat)


def test_the_loss_of_several_right_tokens_is_what_single_labels_cost_on_average():
    draws = generator(21)
    logits = torch.randn(2, 3, 5, generator=draws)
    labels = torch.tensor([[1, 2, 4], [3, 1, 0]])  # 0 is padding
    sure = [[0, 0, 1], [0, 1, 2], [0, 2, 4], [1, 1, 1]]
    right = RightTokens(torch.tensor([*sure, [1, 0, 3], [1, 0, 2]]), torch.tensor([1.0, 1.0, 1.0, 1.0, 0.3, 0.7]))
    other = labels.clone()
    other[1, 0] = 2
    expected = 0.3 * token_loss(logits, labels, 0) + 0.7 * token_loss(logits, other, 0)
    torch.testing.assert_close(right_loss(logits, right), expected)
    smooth = 0.3 * token_loss(logits, labels, 0, 0.2) + 0.7 * token_loss(logits, other, 0, 0.2)
    torch.testing.assert_close(right_loss(logits, right, 0.2), smooth)


def test_a_batch_that_knows_its_right_tokens_is_learned_by_them():
    class Split(CopyTask):
        """The token after each label is as likely as the label."""

        def batch(self, size, generator, held_out=False):
            found = super().batch(size, generator, held_out)
            places = (found.labels > 0).nonzero()
            at = torch.cat(
                [torch.cat([places, ids[found.labels > 0][:, None]], 1) for ids in (found.labels, found.labels % 6 + 1)]
            )
            return replace(found, right=RightTokens(at, torch.full((len(at),), 0.5)))

    trainers = [Trainer(perturbed_model(SMALL, 3), task(vocab=7, length=5), QUICK) for task in (Split, CopyTask)]
    batch = trainers[0].task.batch(QUICK.batch_size, torch.Generator().manual_seed(0))
    with torch.no_grad():
        logits = trainers[0].model(batch.src, batch.tgt)
    losses = [trainer.step().loss for trainer in trainers]
    both = [token_loss(logits, labels, 0).item() for labels in (batch.labels, batch.labels % 6 + 1)]
    assert losses[0] == pytest.approx(sum(both) / 2, rel=1e-5) and losses[1] == pytest.approx(both[0], rel=1e-5)


# Going wrong


@pytest.mark.parametrize("rate", [1e12, 1e20])
def test_a_rate_far_too_high_ends_with_the_step_and_the_last_weights(rate):
    model = fresh()
    weights, last = None, 0
    with pytest.raises(TrainingDiverged) as caught:
        for report in train_steps(model, TASK, replace(QUICK, steps=100, rate=rate, warmup=1)):
            weights, last = {name: value.clone() for name, value in model.state_dict().items()}, report.step
            assert math.isfinite(report.loss)
    assert last >= 1
    assert caught.value.step == last + 1
    assert f"step {last + 1}:" in str(caught.value)
    assert "Lower the learning rate" in str(caught.value)
    assert all(value.isfinite().all() for value in weights.values())
    assert all(torch.equal(value, weights[name]) for name, value in model.state_dict().items())


@pytest.mark.parametrize(
    ("scale", "message"),
    [(math.inf, "step 1: the loss became nan"), (1e30, "step 1: the gradient norm became (inf|nan)")],
)
def test_weights_that_are_no_use_end_at_the_first_step(scale, message):
    model = fresh()
    with torch.no_grad():
        model.output.weight[3] *= scale
    before = {name: value.clone() for name, value in model.state_dict().items()}
    with pytest.raises(TrainingDiverged, match=message) as caught:
        next(train_steps(model, TASK, QUICK))
    assert caught.value.step == 1
    for name, value in model.state_dict().items():
        torch.testing.assert_close(value, before[name], rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"steps": 0}, "steps must be at least 1, not 0"),
        ({"optimiser": "adamw"}, "optimiser must be adam or sgd, not 'adamw'"),
        ({"schedule": "linear"}, "schedule must be noam or cosine, not 'linear'"),
        ({"average": 1.0}, "average must be at least 0 and below 1, not 1.0"),
        ({"average": math.nan}, "average must be at least 0 and below 1, not nan"),
        ({"precision": "half"}, "precision must be auto, float32 or bfloat16, not 'half'"),
        ({"batch_size": -1}, "batch_size must be at least 1, not -1"),
        ({"warmup": 0}, "warmup must be at least 1, not 0"),
        ({"evaluate_every": 0}, "evaluate_every must be at least 1, not 0"),
        ({"evaluate_on": 0}, "evaluate_on must be at least 1, not 0"),
        ({"rate": 0.0}, "the learning rate must be above 0 and finite, not 0.0"),
        ({"rate": -1e-3}, "the learning rate must be above 0 and finite, not -0.001"),
        ({"rate": math.inf}, "the learning rate must be above 0 and finite, not inf"),
        ({"rate": math.nan}, "the learning rate must be above 0 and finite, not nan"),
        ({"label_smoothing": 1.0}, "label_smoothing must be at least 0 and below 1, not 1.0"),
        ({"clip": 0.0}, "clip must be above 0, not 0.0"),
        ({"clip": math.nan}, "clip must be above 0, not nan"),
        ({"betas": (0.9, 1.0)}, "betas must be at least 0 and below 1, not (0.9, 1.0)"),
        ({"eps": -1e-9}, "eps must be at least 0, not -1e-09"),
    ],
)
def test_a_recipe_that_cannot_work_is_refused(changes, message):
    with pytest.raises(ValueError) as caught:
        Recipe(**changes)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe(),
        Recipe(rate=None, steps=3, betas=(0.5, 0.75), optimiser="sgd", clip=math.inf),
        Recipe(schedule="cosine", average=0.004),
    ],
)
def test_a_recipe_comes_back_from_json_as_it_was(recipe):
    assert Recipe.from_dict(json.loads(json.dumps(asdict(recipe)))) == recipe


@pytest.mark.parametrize(
    "changes",
    [
        {"steps": "3"}, {"steps": 3.0}, {"steps": True}, {"seed": None}, {"seed": 2**60}, {"rate": "fast"}, {"clip": [1.0]},
        {"betas": 0.9}, {"betas": [0.9]}, {"betas": [0.9, "1"]}, {"optimiser": 3}, {"device": None}, {"lr": 1.0},
        {"schedule": 3}, {"average": "0.1"},
        {"steps": 0}, {"optimiser": "adamw"},
    ],
)  # fmt: skip
def test_what_is_no_recipe_is_refused(changes):
    with pytest.raises(ValueError, match=next(iter(changes))):
        Recipe.from_dict(asdict(Recipe()) | changes)


def test_a_device_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="device must be cpu, cuda or mps, not 'tpu'"):
        next(train_steps(fresh(), TASK, replace(QUICK, device="tpu")))


@pytest.mark.parametrize("name", ["cuda", "mps"])
def test_a_device_that_is_not_there_is_refused_with_the_choice_that_is(name, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    with pytest.raises(ValueError, match=f"this machine has no {name} device that torch .* can use; choose cpu"):
        next(train_steps(fresh(), TASK, replace(QUICK, device=name)))


def test_a_graphics_card_is_a_choice(monkeypatch):
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert resolve_device(Recipe().device) == torch.device("cpu")
    assert [resolve_device(name).type for name in ("cpu", "cuda", "mps")] == ["cpu", "cuda", "mps"]


# One vector for all parameters


@pytest.mark.parametrize("tie", ["none", "output", "all"])
def test_training_leaves_the_model_an_ordinary_one(tie):
    cfg = replace(SMALL, tie_embeddings=tie)
    model = fresh(cfg)
    names = {name: value.shape for name, value in model.named_parameters()}
    keys = list(model.state_dict())
    start = {name: value.detach().clone() for name, value in model.named_parameters()}
    steps = train_steps(model, TASK, QUICK)
    next(steps)
    assert {name: value.shape for name, value in model.named_parameters()} == names
    assert list(model.state_dict()) == keys
    assert all(value.requires_grad and value.is_leaf for value in model.parameters())
    next(steps)
    for name, value in model.named_parameters():
        assert not torch.equal(value, start[name]), f"{name} is not trained"
    other = fresh(cfg, seed=9)
    other.load_state_dict(model.state_dict())
    ids = token_ids(cfg)
    assert torch.equal(other.eval()(*ids), model.eval()(*ids))
    kept = copy.deepcopy(model)
    model.train()
    next(steps)
    assert same_weights(kept, other), "a copy does not train along"
    assert not same_weights(kept, model)


def test_who_changes_what_a_step_computes_raises_its_version():
    """Models that took other steps are other models; the version is in their key. Then these losses change as well: but for
    rounding, they are the same on any machine."""
    cfg = replace(PRESETS["tiny"], dropout=0.1)
    recipe = Recipe(steps=40, batch_size=16, warmup=3, label_smoothing=0.1, clip=0.5, average=0.2, schedule="cosine", seed=4)
    trainer = Trainer(Transformer(cfg, generator(4)), CopyTask(), recipe)
    losses = [trainer.take().loss for _ in range(5)]
    assert STEP_VERSION == 1
    assert losses == pytest.approx([3.182617, 3.008753, 2.602743, 2.585018, 2.579498], rel=1e-4)
    average = torch.nn.utils.parameters_to_vector(trainer.averaged().parameters())
    assert average.double().norm().item() == pytest.approx(40.139540, rel=1e-4)
