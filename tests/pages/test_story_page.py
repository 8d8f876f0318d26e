"""Pins the story: every step stands and says at most two sentences, and what it says is what its picture shows."""

import json
from concurrent.futures import Future

import numpy as np
import pytest
import torch
from explorer.controls import Knobs
from explorer.sections.story import findings, scenes

from explorer import server, state
from explorer.components.slides import heard
from explorer.training.plan import TrainingPlan
from tests.pages.helpers import app, array, attention_view, fine, go, shown, told, traced
from transformer_core import CopyTask, Recipe, Transformer, TransformerConfig, checkpoint, greedy_decode

every_step = pytest.mark.parametrize("step", range(1, len(scenes.STEPS) + 1))
RUN = {"whole": True, "broken": False}


@pytest.fixture(autouse=True)
def small_recordings(monkeypatch):
    """Two runs of a few steps in place of the story's own."""

    def plan(causal: bool) -> TrainingPlan:
        cfg = TransformerConfig(src_vocab=5, tgt_vocab=5, d_model=12, n_heads=3, d_ff=10, n_layers=1, causal=causal)
        return TrainingPlan(cfg, CopyTask(vocab=5, length=6), Recipe(steps=20, batch_size=6, evaluate_on=10, device="cpu"))

    monkeypatch.setattr(scenes, "_plans", lambda: {name: plan(causal) for name, causal in RUN.items()})


def opened(step: int, **link: str):
    for recording in scenes.recordings().values():
        recording.result(60)
    return go(app({"step": str(step)} | link), "story")


@every_step
def test_every_step_has_its_title_and_at_most_two_sentences_beside_one_picture(step):
    at = opened(step)
    assert fine(at)
    assert at.header[0].value == scenes.STEPS[step - 1].title
    slides, *pictures = at.get("bidi_component")
    assert json.loads(slides.proto.json)["step"] == step - 1
    assert len(pictures) <= 1
    assert pictures or at.metric or at.get("page_link")
    words = [each.value for each in at.markdown][1:]  # the first is the page's own
    assert 1 <= len(words) <= 2
    assert all(len(each) < 200 for each in words)


@pytest.mark.parametrize("named", ["0", "99", "-1", "x", "", "1.5", "²"])
def test_an_address_that_names_no_step_shows_the_first(named):
    at = go(app({"step": named}), "story")
    assert fine(at)
    assert at.header[0].value == scenes.STEPS[0].title


def test_the_way_through_is_kept_in_the_address():
    at = opened(3, present="on")
    assert json.loads(at.get("bidi_component")[0].proto.json)["present"] is True
    assert heard({"step": 2, "present": True}, 9) == (2, True)
    for answer in (
        {"step": 9, "present": True},
        {"step": -1, "present": False},
        {"step": 1},
        {"step": "1", "present": True},
        None,
    ):
        assert heard(answer, 9) is None


def test_a_sentence_of_one_s_own_goes_through_the_story():
    at = opened(1)
    at.text_input(key="say").set_value("the black dog sees the Zebra").run()
    assert fine(at)
    assert [each.value for each in at.metric] == "the black dog sees the <unk>".split()
    assert "it reads \\<unk>" in shown(at)
    for step in range(1, 6):  # a single word, and one that it does not know
        assert fine(opened(step, say="zebra"))
    at.text_input(key="say").set_value(" ").run()
    assert "empty" in told(at)
    at.text_input(key="say").set_value("the " * 300).run()
    assert "300" in told(at)


def test_the_looks_are_those_of_the_translator():
    view = state.view_of(Knobs(model="translate-fr", src="the red cat sees a big house"))
    last = view.cfg.n_layers - 1
    stages = traced(server.model_store().load("translate-fr"), list(view.src), list(view.tgt))
    at = opened(2)
    weights = stages[f"encoder.{last}.self_attn.weights"]
    sent = attention_view(at, "story-look")
    np.testing.assert_allclose(sent["weights"], weights, rtol=1e-4, atol=1e-6)
    head, asks, asked = findings.strongest_link(weights)
    assert (sent["on"], sent["first"]) == ([head], {"side": "query", "place": asks})
    words = "the red cat sees a big house".split()
    assert f"“{words[asks]}” takes {weights[head, asks, asked]:.0%} of what it gathers from “{words[asked]}”" in shown(at)

    at = opened(5)
    sent, weights = attention_view(at, "story-cross"), stages[f"decoder.{last}.cross_attn.weights"]
    np.testing.assert_allclose(sent["weights"], weights, rtol=1e-4, atol=1e-6)
    assert sent["rows"] == ["le", "chat", "rouge", "voit", "une", "grande", "maison", "(the end)"]
    (head,) = sent["on"]
    assert [words[i] for i in weights[head, 1:3].argmax(axis=1)] == ["cat", "red"]
    assert "Just before “chat” it looks at “cat”, before “rouge” at “red”: the lines **cross**." in shown(at)


def test_order_is_told_by_positions_alone():
    at = opened(4)
    answers = [each.value for each in at.metric]
    vocabulary, model = (
        state.view_of(Knobs(model="translate-fr", src="the dog")).vocabulary,
        server.model_store().load("translate-fr"),
    )
    for answer, sentence in zip(answers, scenes._ORDERS, strict=True):
        said = greedy_decode(model, torch.tensor([vocabulary.encode(sentence)]), vocabulary.start, 12)[0].tolist()
        assert answer.split() == vocabulary.decode(said[1 : said.index(vocabulary.end)])
    assert answers[0] != answers[1] and "and another answer" in shown(at)
    at.button_group(key="order_positions").set_value("off").run()
    assert len({each.value for each in at.metric}) == 1
    assert "cannot tell the two apart" in shown(at)


@pytest.mark.parametrize(("ending", "noun"), [("full", "cup"), ("empty", "pitcher")])
def test_the_pronoun_finds_its_noun(ending, noun):
    at = opened(6, ending=ending)
    sent = attention_view(at, "story-it")
    row = sent["weights"][:, 10].mean(axis=0)
    assert sent["columns"][row.argmax()] == noun
    assert f"On average over the heads, “it” takes most, {row.max():.0%}, from “{noun}”: it has found its noun." in shown(at)


def test_nothing_is_claimed_of_a_model_that_does_not_show_it(monkeypatch):
    for name, task in (("TRANSLATOR", "translate-fr"), ("PRONOUN", "pronoun-en")):
        cfg = server.model_store().shipped[task].cfg
        stored = server.model_store().add(
            checkpoint.to_bytes(Transformer(cfg, torch.Generator().manual_seed(8)), {"task": task})
        )
        monkeypatch.setattr(scenes, name, stored.id)
    at = opened(6)
    assert fine(at)
    assert "it has found its noun" not in shown(at)
    assert "which is not the answer" in shown(at)
    at = opened(4)
    assert fine(at)
    same = len({each.value for each in at.metric}) == 1
    assert ("and another answer" in shown(at)) != same
    for step in (1, 2, 3, 5):
        assert fine(opened(step))


def test_training_is_played_as_it_was():
    at = opened(7)
    found = scenes.recordings()["whole"].result()
    sent = json.loads(at.get("bidi_component")[1].proto.json)
    assert [words.split(":")[0].split(",")[0] for words in sent["film"]] == ["step 0", "step 10", "step 20"]
    assert (array(sent["weights"]).shape[1], sent["rows"], sent["columns"]) == (3, list(found.labels), list(found.src))
    first, last = (float(np.mean([frame.weights["decoder.0.cross_attn.weights"][:, i, i + 1].mean() for i in range(5)]))
                   for frame in (found.frames[0], found.frames[-1]))  # fmt: skip
    claim = f"At first {first:.0%} of its attention lay on the number to be said, in the end {last:.0%}"
    assert (claim in shown(at)) == (last > first)


def test_a_recording_under_way_is_waited_for(monkeypatch):
    monkeypatch.setattr(scenes, "recordings", lambda: {"whole": Future(), "broken": Future()})
    for step in (7, 8):
        at = go(app({"step": str(step)}), "story")
        assert fine(at)
        assert "being trained on the server right now" in at.info[0].value


def test_what_is_said_follows_from_the_numbers():
    words = ["a", "b", "c"]
    even = np.full((2, 3, 3), 1 / 3)
    assert "all of them look most at “a”" in findings.views(even, words, 1)
    looks = np.eye(3)[[[1, 0, 2], [2, 0, 1]]]
    assert findings.most_views(looks) == 0
    assert findings.views(looks, words, 0) == "From “a” they look most at “b” (head 0), “c” (head 1)."
    assert findings.strongest_link(looks) == (0, 0, 1)
    assert "no two neighbours cross" in findings.crossing(np.eye(3), words, words)
    assert "before “x” it looks at “b”, before “y” at “a”" in findings.crossing(looks[0], ["x", "y", "z"], words)
    assert "it has found its noun" in findings.pronoun(looks, words, 1, ["the", "a"])
    assert "not the answer" in findings.pronoun(looks, words, 1, ["the", "b"])
    assert "not the answer" in findings.pronoun(looks, words, 1, [])
    assert "another answer" in findings.order(True, ["x", "y"]) and "cannot tell" in findings.order(False, ["x", "x"])
    assert "the same" in findings.order(True, ["x", "x"]) and "differ" in findings.order(False, ["x", "y"])
    assert "did not grow, from 20% to 10%" in findings.learned(0.2, 0.1, 0.5, 3)
    assert "it had cheated" in findings.peeking((0.9, 0.99), (0.99, 0.3))
    for broken in ((0.8, 0.3), (0.99, 0.99)):
        assert "cheated" not in findings.peeking((0.9, 0.99), broken)
    assert findings.ahead(np.eye(3)[[[1, 0, 2], [2, 2, 1]]]) == (1, pytest.approx(2 / 3))
    assert findings.aligned(np.eye(4)[None, [1, 2, 3]]) == 1
