"""Pins what becomes of a text that somebody brings: which lines are read, what is held out, how it is saved, and that a decoder
alone learns its rule."""

from importlib.resources import files

import pytest
import torch

from transformer_core.analysis.schedule import least_average_loss
from transformer_core.data.tasks import TextTask, facts_of, has_source, task_from_dict, task_of, task_to_dict
from transformer_core.data.texts import LONGEST_LINE, lines_of
from transformer_core.errors import InputError
from transformer_core.model.transformer import Transformer
from transformer_core.training.learning_plan import text_plan
from transformer_core.training.trainer import Trainer

LETTERS = ("a b c", "a b d", "b c d", "c d a", "d a b")


def example(name: str) -> TextTask:
    return TextTask(lines_of((files("transformer_core.data") / "examples" / f"{name}.txt").read_text(encoding="utf-8")).lines)


def test_each_line_is_read_once_and_empty_ones_are_left_out():
    read = lines_of("\ufeffThe cat.\r\n\n  the   cat. \n“A” dog\n")
    assert read.lines == ("The cat.", '"A" dog') and (read.repeated, read.split, read.faults) == (1, 0, ())


def test_a_long_line_is_split_between_its_sentences_and_a_long_sentence_between_its_words():
    sentence = " ".join(f"w{i}" for i in range(15)) + "."
    read = lines_of(f"{sentence} {sentence.upper()}  {sentence}!")
    assert read.split == 1 and [len(line.split()) for line in read.lines] == [30, 15]
    endless = " ".join(f"w{i}" for i in range(100))
    assert [len(line.split()) for line in lines_of(endless).lines] == [LONGEST_LINE, LONGEST_LINE, 100 - 2 * LONGEST_LINE]
    for sign in "。！？":
        assert [len(line) for line in lines_of("我" * 30 + sign + "你" * 30).lines] == [31, 30]
    assert lines_of("我" * 90).lines == ("我" * LONGEST_LINE, "我" * 10) and lines_of("我" * 90).repeated == 1


def test_a_line_from_right_to_left_is_named():
    read = lines_of("one\nשלום\ntwo")
    assert read.lines == ("one", "two")
    assert [str(fault) for fault in read.faults] == [
        "Row 2: “שלום” is written from right to left, and the pictures here from left to right."
    ]


@pytest.mark.parametrize(
    ("lines", "said"), [(LETTERS[:4], "lines that can be used: 4; at least 5"), ([f"{i}" for i in range(201)], "up to 200")]
)
def test_too_few_and_too_many_lines_are_refused(lines, said):
    with pytest.raises(InputError, match=said):
        TextTask(tuple(lines))


def test_a_batch_has_no_source_and_every_token_counts():
    task = TextTask(LETTERS)
    assert not has_source(task) and task.longest == (0, 4) and not task.has_held_out and task.trained_on == 5
    batch = task.batch(9, torch.Generator().manual_seed(0))
    assert batch.src.shape == (9, 0) and batch.judged.all()
    assert (batch.tgt[:, 0] == task.start_id).all() and torch.equal(batch.tgt[:, 1:], batch.labels[:, :-1])
    assert (batch.labels[:, -1] == task.vocabulary.end).all()
    tested = task.batch(9, torch.Generator().manual_seed(0), held_out=True)
    assert sorted("".join(task.vocabulary.decode(row[:3])) for row in tested.labels.tolist()) == [
        "abc",
        "abd",
        "bcd",
        "cda",
        "dab",
    ]


def test_held_out_lines_are_in_no_batch_and_their_words_are_in_other_lines():
    task = example("colours")
    corpus, rows = task.corpus, set()
    assert (len(task.lines), task.trained_on) == (60, 48)
    for seed in range(30):
        rows |= set(map(tuple, task.batch(64, torch.Generator().manual_seed(seed)).labels.tolist()))
    held = task.batch(60, torch.Generator(), held_out=True)
    assert len(held.labels) == 12 and not rows & set(map(tuple, held.labels.tolist())) and len(rows) == 48
    known = {word for each in corpus.examples[:48] for word in each.tgt}
    assert all(set(each.tgt) <= known for each in corpus.held_out["source"])


def test_its_facts_bring_it_back_and_damaged_ones_do_not():
    for task in (example("colours-zh"), TextTask(LETTERS, "characters")):
        assert task_of(facts_of(task), task.vocab) == task and task_from_dict(task_to_dict(task)) == task
        assert task_of(facts_of(task), task.vocab + 1) is None
    for lines in ([], "abcdef", [1, 2, 3, 4, 5], ["a\nb", "c", "d", "e", "f"], ["a", "A", "b", "c", "d", "e"], [*"abcd", ""]):
        with pytest.raises(InputError):
            task_from_dict({"name": "text", "lines": lines, "split": "words"})


def test_the_least_loss_counts_the_places_where_lines_go_on_differently():
    """Of 5 × 4 next words, the first is one of a, b, c, d (two of five begin with a), and behind "a b" comes c or d."""
    task = TextTask(LETTERS)
    first = -(2 * 0.4 * torch.tensor(0.4).log() + 3 * 0.2 * torch.tensor(0.2).log() * 2) / 2  # entropy of .4, .2, .2, .2
    third = 2 * torch.tensor(2.0).log()
    assert least_average_loss(task, text_plan(task, 0).recipe) == pytest.approx(float((5 * first + third) / 20), abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["colours", "colours-zh"])
def test_the_example_s_rule_is_learned_and_holds_in_lines_that_were_never_seen(name):
    task = example(name)
    plan = text_plan(task, 1)
    trainer = Trainer(Transformer(plan.cfg, torch.Generator().manual_seed(1)), task, plan.recipe)
    for _ in range(plan.recipe.steps):
        trainer.take()
    batch = task.batch(60, torch.Generator(), held_out=True)
    with torch.no_grad():
        likeliest = trainer.averaged().eval()(batch.src, batch.tgt).argmax(dim=-1)
    colour = batch.judged.sum(dim=1) - (3 if name == "colours" else 4)  # the last but "." and the end; "色。" and the end
    rows = torch.arange(len(colour))
    assert (likeliest[rows, colour] == batch.labels[rows, colour]).sum() >= 11, "of 12; by chance one in six"
