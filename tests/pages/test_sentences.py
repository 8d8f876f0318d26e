"""Pins the page of one's own sentences: what it says of the rows that it read, what a model has learned of them, and that every
page shows such a model, also from a file."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from explorer import resources
from explorer.exhibits.shared.pairs_learned import answers
from explorer.model_on_screen import model_caption
from explorer.model_on_screen.settings import ModelSettings
from tests.explorer.learning.helpers import finish
from tests.pages.helpers import fine, go, session_of, turn, visit
from tests.pages.stepped import by_hand
from transformer_core import Trainer, Transformer, checkpoint
from transformer_core.data import pairs
from transformer_core.data.tasks import PairsTask, TextTask, facts_of
from transformer_core.training.checkpoint import Training
from transformer_core.training.learning_plan import pairs_plan, text_plan

__all__ = ["by_hand"]
pytestmark = pytest.mark.usefixtures("by_hand")

FRUIT = "\n".join(
    f"{a}\t{b}"
    for a, b in [
        ("one apple", "un 🍎"),
        ("two apples", "deux 🍎"),
        ("one pear", "un 🍐"),
        ("two pears", "deux 🍐"),
        ("one", "un"),
        ("one", "une"),
    ]
)


def words(at: AppTest) -> str:
    return " ".join(each.value for kind in (at.markdown, at.info, at.warning, at.success, at.error) for each in kind)


def typed(text: str) -> AppTest:
    at = visit({}, "sentences")
    at.text_area[0].set_value(text).run()
    assert not at.exception and not at.error
    return at


def start(at: AppTest) -> bool:
    """Whether the button that starts a run can be pressed."""
    return not next(button for button in at.button if button.key == "button-play_circle").disabled


@pytest.mark.parametrize(
    ("text", "said", "can_start"),
    [
        ("", "", False),
        ("one = uno", "Pairs that can be used: 1; at least 5 are needed", False),
        ("\n".join(f"{i} = {i}" for i in range(201)), "Pairs: 201; up to 200", False),
        (FRUIT, "6 pairs. It learns from all of them", True),
        (f"{FRUIT}\nalone\n\tnothing", "Row 7: the answer to “alone” is missing", True),
        ("<b>\n" + FRUIT, "Row 1: the answer to “\\<b>” is missing", True),
    ],
)
def test_what_is_said_of_what_was_typed(text: str, said: str, can_start: bool) -> None:
    at = typed(text)
    assert said in words(at) and start(at) is can_start


@pytest.mark.parametrize(("name", "count", "held"), [("counting", 40, 8), ("adjectives", 30, 6), ("code", 100, 20)])
def test_an_example_fills_the_field(name: str, count: int, held: int) -> None:
    at = visit({}, "sentences")
    at.button(f"example-{name}").click().run()
    assert fine(at) and start(at)
    assert f"{count} pairs. It learns from {count - held} of them; {held} are held out" in words(at)


def test_repeated_rows_and_several_answers_are_told() -> None:
    at = typed(f"{FRUIT}\none\tun")
    assert fine(at)
    assert "1 row repeats another and counts once." in words(at)
    assert "1 sentence has several answers, and each counts as right: “one”." in words(at)


def test_of_more_columns_two_are_chosen() -> None:
    at = typed("\n".join(f"{i}00\tun {word}\ta {word}\tCC-BY" for i, word in enumerate("abcdefg")))
    assert "4 columns; two of them are learned" in words(at) and start(at)
    assert (at.selectbox("sentence_column").value, at.selectbox("answer_column").value) == (1, 2)
    at.selectbox("sentence_column").set_value(2).run()
    at.selectbox("answer_column").set_value(1).run()
    assert fine(at) and "<td><span>a</span><span>a</span></td><td><span>un</span><span>a</span></td>" in " ".join(
        each.value for each in at.html
    )
    assert "CC" not in " ".join(at.query_params.values())


def test_every_faulty_row_is_named() -> None:
    at = typed(f"{FRUIT}\n" + "\n".join(f"alone {i}" for i in range(9)))
    assert all(f"the answer to “alone {i}” is missing" in words(at) for i in range(9))


def test_what_was_typed_is_there_again_after_another_page() -> None:
    at = typed(FRUIT)
    go(go(at, "reference"), "sentences")
    assert fine(at) and at.text_area[0].value == FRUIT
    assert "apple" not in " ".join(at.query_params.values())


def learn(at: AppTest) -> AppTest:
    """Lets a model learn what is in the field, to the end, `by_hand`."""
    at.toggle(key="slow_motion").set_value(False).run()
    at.button("button-play_circle").click().run()
    (run,) = resources.training_scheduler().runs()
    finish(run)
    return at.run()


def test_what_it_has_learned_is_told_and_on_the_other_pages_and_it_can_be_deleted() -> None:
    at = learn(typed(FRUIT))
    assert fine(at)
    said = words(at)
    assert "it answers 5 of the 5 sentences right from which it has learned. Whether it could answer others" in said
    assert "held-out" not in said, "nothing was held out"
    turn(at, **{"details-answers": True})
    (table,) = [frame.value for frame in at.dataframe if "held out" in frame.value]
    rows = {row.iloc[0]: (row.iloc[1], row.iloc[2], row.iloc[3]) for _, row in table.iterrows()}
    assert rows["two pears"] == ("deux 🍐", "✓ yes", "deux 🍐")
    assert rows["one"][0] in ("un", "une") and rows["one"][2] == "un / une"
    at.text_area("asked").set_value("two pears = deux 🍐\none cherry\nTwo　apples = un 🍎").run()
    assert fine(at)
    (asked,) = [frame.value for frame in at.dataframe if len(frame.value) == 3]
    assert asked["sentence"].tolist() == ["two pears", "one cherry", "Two apples"]
    assert asked["the model writes"].iloc[[0, 2]].tolist() == ["deux 🍐", "deux 🍎"]
    assert asked["right"].tolist() == ["✓ yes", "", "✗ no"]
    assert asked[""].tolist() == ["learned", "never seen: cherry", "learned"]
    assert "cherry" not in " ".join(at.query_params.values())

    assert not any(each.key.startswith("delete") for each in at.button), "nothing was opened, and no file is kept"
    (run,) = resources.training_scheduler().runs()
    at.button("open-heads").click().run()
    assert fine(at) and not {"src", "pair"} & set(at.query_params) and "apple" not in " ".join(at.query_params.values())
    shown = session_of(at).shown()
    assert shown.learning.steps == (0, *run.plan.keep) and shown.learning.step == 400
    model = at.query_params["model"]
    link = {"model": model}
    for page in ("heads", "what_matters"):
        before = session_of(visit(link | {"step": "50"}, page)).shown()
        assert before.learning.step == 40, "the last step that is kept up to there"
        weights = [each.attention("cross", 0).stage("weights") for each in (before, shown)]
        assert not np.allclose(*weights, atol=0.01)

    go(at, "sentences")
    assert fine(at) and "Open on the other pages: my sentences · 400 steps" in words(at)
    at.button(f"delete-now-{model}").click().run()
    assert fine(at) and not set(at.query_params) & {"model", "run"}
    assert resources.model_store().get(model) is None and not resources.training_scheduler().runs()
    assert at.text_area[0].value == FRUIT, "what is in the field stays in the window"
    assert session_of(go(at, "heads")).settings == ModelSettings()
    for page in ("heads", "decoding"):
        assert "This model is no longer here" in words(visit(link, page))


def test_only_the_browser_that_has_opened_it_can_delete_it(file: bytes) -> None:
    stored = resources.model_store().add(file, "another browser")
    at = visit({"model": stored.id}, "sentences")
    assert fine(at) and not any(each.key.startswith("delete") for each in at.button)
    resources.model_store().delete(stored.id, "another browser")
    at.file_uploader(key="upload").set_value(("m.safetensors", file, "application/octet-stream")).run()
    assert fine(at) and resources.model_store().get(stored.id) is not None
    at.button(f"delete-now-{stored.id}").click().run()
    assert fine(at) and resources.model_store().get(stored.id) is None, "the field no longer holds it"


def test_what_was_typed_can_be_reset() -> None:
    at = typed("")
    assert at.button("button-replay").disabled
    at.text_area[0].set_value(FRUIT).run()
    assert not at.button("button-replay").disabled


def test_a_word_that_stands_in_one_pair_only_is_named_with_what_helps() -> None:
    numbers = "ein zwei drei vier fünf sechs sieben acht neun zehn".split()
    whole = "\n".join(f"{i} = {tens}{unit}" for i, (tens, unit) in enumerate((a, b) for a in numbers[:3] for b in numbers))
    said = words(at := typed(whole))
    assert "30 pairs. It learns from all of them" in said and "each has a word that stands in no other" in said
    captions = " ".join(each.value for each in at.caption)
    assert "60 words stand in one pair only, and can only be remembered: “0”, “einein”" in captions
    assert "2 1 = ein und zwanzig" in captions
    parts = "\n".join(f"{a} {b} = {b} und {a}" for a in numbers[:5] for b in numbers[:5])
    assert "stand in one pair only" not in " ".join(each.value for each in typed(parts).caption)


def text_typed(text: str) -> AppTest:
    at = visit({"learns": "text"}, "sentences")
    at.text_area[0].set_value(text).run()
    assert not at.exception and not at.error
    return at


@pytest.mark.parametrize(
    ("text", "said", "can_start"),
    [
        ("one\ntwo", "lines that can be used: 2; at least 5", False),
        ("\n".join("abcdef") + "\na", "6 lines. The model learns to say each next word", True),
        ("\n".join("abcdef") + "\na", "1 line stood there before.", True),
        (" ".join(f"w{i}" for i in range(190)), "1 line is long and became several.", True),
        ("\n".join("abcdef") + "\nשלום", "Row 7: “שלום” is written from right to left", True),
    ],
)
def test_what_is_said_of_a_text(text: str, said: str, can_start: bool) -> None:
    at = text_typed(text)
    assert said in words(at) and start(at) is can_start


def test_a_text_is_learned_and_what_it_says_of_each_line_stands_there_until_reset() -> None:
    at = learn(text_typed("the sun is warm\nthe moon is cold\na star is far\na stone is near\nwhat a day"))
    assert fine(at) and "it says the next word right in" in words(at) and "Where two lines begin alike" in words(at)
    turn(at, **{"details-answers": True})
    (table,) = [frame.value for frame in at.dataframe if "next words right" in frame.value]
    rows = {row.iloc[0]: (row.iloc[1], row.iloc[2], row.iloc[3]) for _, row in table.iterrows()}
    assert set(rows) == {"the sun is warm", "the moon is cold", "a star is far", "a stone is near", "what a day"}
    begin_alike = [rows[line] for line in ("the sun is warm", "the moon is cold")]
    assert sorted(right for right, *_others in begin_alike)[0] in ("3 of 5", "4 of 5"), "one of two words cannot be known"
    assert all(not held for *_others, held in rows.values())
    at.text_area("asked").set_value("the moon\na cherry").run()
    assert fine(at)
    (asked,) = [frame.value for frame in at.dataframe if "goes on with" in frame.value and len(frame.value) == 2]
    assert asked["goes on with"].iloc[0] == "is cold" and asked[""].tolist() == ["", "never seen: cherry"]
    assert "moon" not in " ".join(at.query_params.values())
    at.button("open-heads").click().run()
    assert fine(at) and not {"src", "pair"} & set(at.query_params) and "moon" not in " ".join(at.query_params.values())
    shown = session_of(at).shown()
    assert not shown.cfg.has_encoder and shown.task == "text" and shown.learning.step == 300
    for page in ("attention", "decoding", "masks", "shapes", "what_matters", "training", "compare"):
        assert fine(go(at, page)), page
    go(at, "sentences")
    assert fine(at) and "Open on the other pages: my text · 300 steps" in words(at)

    at.button("button-replay").click().run()
    assert fine(at) and at.text_area[0].value == "" and not resources.training_scheduler().runs()
    assert "run" not in at.query_params and "it says the next word right" not in words(at)
    assert at.button("button-replay").disabled and not start(at)


def test_a_file_with_a_text_shows_it_again() -> None:
    task = TextTask(("a b c", "a b d", "b c d", "c d a", "d a b"))
    plan = replace(text_plan(task, 0), recipe=replace(text_plan(task, 0).recipe, steps=2, warmup=1))
    trainer = Trainer(Transformer(plan.cfg, torch.Generator()), task, plan.recipe)
    trainer.take()
    saved = checkpoint.to_bytes(trainer.model, facts_of(task), Training(task, plan.recipe, trainer.state()))
    at = visit({}, "sentences")
    at.file_uploader(key="upload").set_value(("m.safetensors", saved, "application/octet-stream")).run()
    at.button("show-text").click().run()
    assert fine(at) and at.text_area[0].value == "\n".join(task.lines) and start(at)


def test_seed_size_and_dropout_wait_behind_more_controls() -> None:
    at = turn(typed(FRUIT), more=False)
    assert not any(each.key == "pairs_seed" for each in at.slider)
    turn(at, more=True)
    at.slider("pairs_seed").set_value(3).run()
    at.segmented_control("pairs_width").set_value(32).run()
    assert fine(at)
    at.toggle(key="slow_motion").set_value(False).run()
    at.button("button-play_circle").click().run()
    (run,) = resources.training_scheduler().runs()
    assert (run.plan.recipe.seed, run.plan.cfg.d_model) == (3, 32)
    assert run.plan.beyond is None and not run.plan.learns_by_itself, "it ends after its steps, whatever was right before"


@pytest.fixture(scope="module")
def file() -> bytes:
    """A model that has learned the pairs, as it is downloaded."""
    plan = pairs_plan(PairsTask(pairs.of_text(FRUIT).pairs), seed=0)
    trainer = Trainer(Transformer(plan.cfg, torch.Generator().manual_seed(0)), plan.task, plan.recipe)
    while trainer.share_right() < 1:
        trainer.take()
    facts = facts_of(plan.task) | {"steps": trainer.steps_taken, "exact_match": 1.0, "rows": 5}
    return checkpoint.to_bytes(trainer.model, facts, Training(plan.task, plan.recipe, trainer.state()))


def test_start_says_that_it_shows_another_model(file: bytes) -> None:
    stored = resources.model_store().add(file)
    at = visit({"model": stored.id})
    assert fine(at) and "The model that you opened is on the other pages" in words(at)
    assert "The model that you opened" not in words(visit({}))


@pytest.mark.parametrize("page", ["heads", "attention", "masks", "layers", "decoding", "what_matters", "shapes", "positions"])
def test_every_page_shows_it(file: bytes, page: str) -> None:
    stored = resources.model_store().add(file)
    at = visit({"model": stored.id, "cut": "cross.0.0"}, page)
    assert fine(at)
    shown = session_of(at).shown()
    assert shown.task == "pairs" and shown.vocabulary.decode(shown.src) == ["one", "apple"]
    assert model_caption.words(shown)["right"] == "100.0% right of the 5 sequences from which it has learned"
    assert shown.right_answer == tuple(shown.vocabulary.encode("un 🍎"))


def test_a_file_holds_the_pairs_and_its_training_can_go_on(file: bytes) -> None:
    opened = resources.model_store().open(file)
    assert isinstance(opened.model.taught, PairsTask) and len(opened.model.taught.pairs) == 6
    assert opened.resumes_after
    assert {each.source for each in answers(opened.model)} == {"one apple", "two apples", "one pear", "two pears", "one"}
    assert all(each.is_right for each in answers(opened.model))
