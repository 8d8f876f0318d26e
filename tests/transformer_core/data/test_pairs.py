"""Pins what becomes of pairs that somebody brings: how a text falls into tokens, how a file is read, which rows are left out
and why, what is held out, and that a model learns them."""

from importlib.resources import files

import pytest
import torch

from transformer_core.data.pairs import HELD_OUT_FROM, of_file, of_text, tokens
from transformer_core.data.tasks import PairsTask, facts_of, task_from_dict, task_of, task_to_dict
from transformer_core.errors import InputError
from transformer_core.model.transformer import Transformer
from transformer_core.training.learning_plan import pairs_plan
from transformer_core.training.trainer import Trainer

FAMILY, THUMB, FLAGS, KEY = "👩‍👩‍👧", "👍🏽", ("🇫🇷", "🇩🇪"), "1️⃣"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The cat, it's HERE!", ["the", "cat", ",", "it's", "here", "!"]),
        ("vas-tu - rock", ["vas-tu", "-", "rock"]),
        ("我喜欢 apples", ["我", "喜", "欢", "apples"]),
        ("ねこ 고양이", ["ね", "こ", "고양이"]),
        ("हिन्दी नमस्ते", ["हिन्दी", "नमस्ते"]),
        ("e\u0301te\u0301", ["été"]),
        (f"{FAMILY}{THUMB} {FLAGS[0]}{FLAGS[1]}{KEY}", [FAMILY, THUMB, *FLAGS, KEY]),
        ("   ", []),
    ],
)
def test_a_text_falls_into_words(text: str, found: list[str]) -> None:
    assert tokens(text) == found


def test_or_into_characters() -> None:
    assert tokens(f"Hello {FLAGS[0]}!", "characters") == ["h", "e", "l", "l", "o", FLAGS[0], "!"]


@pytest.mark.parametrize("separator", ["\t", ";", "|", ",", " = ", " → "])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_any_usual_separator_is_found(separator: str, mark: str) -> None:
    text = mark + "\r\n".join(f"say {word}{separator}dis {word}" for word in "abcde")
    assert of_file(text.encode()).pairs == tuple((f"say {word}", f"dis {word}") for word in "abcde")


def test_cells_may_be_quoted_and_an_open_quote_harms_its_own_row_alone() -> None:
    table = of_text('"a, b","c"\n"open,row\n"d ""x""",e\n')
    assert table.pairs == (("a, b", "c"), ('d "x"', "e"))
    assert [str(fault) for fault in table.faults] == ["Row 2: the answer to “open,row” is missing."]


@pytest.mark.parametrize(("heading", "is_named"), [("English;French", True), ("src;tgt", True), ("english;anglais", False)])
def test_a_first_row_that_names_the_columns_is_no_pair(heading: str, is_named: bool) -> None:
    table = of_text(f"\n{heading}\none;un\ntwo;deux\nEnglish;French\n")
    assert table.pairs[-1] == ("English", "French"), "further down it is"
    assert len(table.pairs) == 4 - is_named
    said = [str(fault) for fault in table.faults]
    left, right = heading.split(";")
    assert said == ([f"Row 2: “{left}”, “{right}” name the columns and are not learned."] if is_named else [])


def test_a_line_without_the_usual_separator_may_have_another_but_a_comma() -> None:
    table = of_text("one = un\ntwo\tdeux\nthree\ttrois\nfour\tquatre\nfive; cinq\nsix, please\n")
    assert table.pairs == (("one", "un"), ("two", "deux"), ("three", "trois"), ("four", "quatre"), ("five", "cinq"))
    (fault,) = table.faults
    assert str(fault) == "Row 6: the answer to “six, please” is missing."


def test_a_name_of_a_column_beside_a_word_that_no_row_has_is_a_heading() -> None:
    rows = "the cat;vaz miru\nthe dog;vaz kelu\n"
    assert len(of_text(f"english;zamu\n{rows}").pairs) == 2
    assert len(of_text(f"english;kelu\n{rows}").pairs) == 3, "the word is one of the language"
    assert len(of_text(f"the english;vaz zamu\n{rows}").pairs) == 3
    assert len(of_text("original;oryginał\ncode;código\nhouse;casa\n").pairs) == 3, "a list of single words"


def test_rows_that_repeat_and_sentences_with_several_answers_are_counted() -> None:
    table = of_text("one;un\nTwo;deux\nONE;un\none;une\n\ntwo;deux\n")
    assert table.pairs == (("one", "un"), ("Two", "deux"), ("one", "une"))
    assert (table.repeated, table.several, table.faults) == (2, ("one",), ())


def test_what_is_wrong_in_a_row_is_named_and_nothing_else_is_lost() -> None:
    rows = [
        "a\tb",
        "",
        "alone",
        "\tno sentence",
        "x\ty\tz",
        "שלום\tpeace",
        "a\tb",
        "a\tother",
        f"{'w ' * 25}\tlong",
        "c\td\t\t",
    ]
    table = of_text("\n".join(rows))
    assert table.pairs == (("a", "b"), ("a", "other"), ("c", "d"))
    assert [(fault.values["row"], fault.template.split(":")[1][:20]) for fault in table.faults] == [
        (3, " the answer to “{tex"),
        (4, " the sentence is mis"),
        (5, " it has {n} columns;"),
        (6, " “{text}” is written"),
        (9, " “{text}” has {n} to"),
    ]
    with pytest.raises(InputError, match="Pairs that can be used: 3; at least 5 are needed"):
        table.check()


@pytest.mark.parametrize(
    ("data", "said"), [(b"\xff\xfea", "not a text that can be read"), (b"a" * (2**20 + 1), "up to 1,024 can be read")]
)
def test_a_file_that_cannot_be_read_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        of_file(data)


def example(name: str) -> PairsTask:
    return PairsTask(of_file((files("transformer_core.data") / "examples" / f"{name}.csv").read_bytes()).pairs)


@pytest.mark.parametrize(("name", "count", "held"), [("counting", 40, 8), ("adjectives", 30, 6), ("code", 100, 20)])
def test_a_fifth_is_held_out_whose_words_are_all_known(name: str, count: int, held: int) -> None:
    task = example(name)
    assert (len(task.pairs), len(task.pairs) - task.trained_on, task.held_out_rows) == (count, held, held)
    trained, tested = task.corpus.examples[: task.trained_on], task.corpus.held_out["source"]
    for side in ("src", "tgt"):
        known = {word for each in trained for word in getattr(each, side)}
        assert all(known.issuperset(getattr(each, side)) for each in tested)
    assert not {each.src for each in trained} & {each.src for each in tested}
    assert {each.src for each in PairsTask(task.pairs[::-1]).corpus.held_out["source"]} == {each.src for each in tested}


def test_few_pairs_are_all_learned_and_all_tested() -> None:
    few = PairsTask((("one", "uno"), ("two", "dos"), ("you", "tu"), ("you", "vous"), ("three", "tres")))
    assert not few.has_held_out and few.trained_on == 5 and few.held_out_rows == 4  # “you” is asked once
    src = few.vocabulary.encode("YOU")
    assert [few.vocabulary.decode(answer) for answer in few.alternatives(src)] == [["tu", "<end>"], ["vous", "<end>"]]
    batch = few.batch(10, torch.Generator().manual_seed(0), held_out=True)
    assert batch.src.shape == (4, 1) and batch.labels.shape == (4, 2)


def test_some_are_held_out_from_twenty_different_sentences_on() -> None:
    pairs = tuple((" ".join(["very"] * n), "très") for n in range(1, HELD_OUT_FROM + 1))
    assert not PairsTask(pairs[1:]).has_held_out
    assert PairsTask(pairs).has_held_out


def test_the_task_is_the_same_after_it_was_written_and_read() -> None:
    task = PairsTask(tuple((f"{a} b", "c") for a in "vwxyz"), "characters")
    assert task_from_dict(task_to_dict(task)) == task
    assert task_of(facts_of(task), task.vocab) == task
    assert task_of(facts_of(task), task.vocab + 1) is None
    rows = [["a", "b"]] * 5
    damaged = [{"pairs": [["a", 1]] * 5, "split": "words"}, {"pairs": rows, "split": "lines"}, {"pairs": rows}]
    for values in [*damaged, {"pairs": "ab", "split": "words"}, {"pairs": [], "split": "words"}]:
        with pytest.raises(InputError):
            task_from_dict({"name": "pairs", **values})


@pytest.mark.slow
@pytest.mark.parametrize("name", ["counting", "adjectives", "code"])
def test_the_examples_are_learned_and_carried_over_to_sentences_never_seen(name: str) -> None:
    plan = pairs_plan(example(name), 0)
    trainer = Trainer(Transformer(plan.cfg, torch.Generator().manual_seed(0)), plan.task, plan.recipe)
    shares = [trainer.step().evaluation for _ in range(plan.recipe.steps)]
    assert max(each.exact_match for each in shares if each is not None) >= 0.9


@pytest.mark.parametrize(
    ("row", "blanks"), [("say {} = dis {}", (" ", " ")), ("说{} = say {}", ("", " ")), ("say {} = 说{}", (" ", ""))]
)
def test_a_sentence_and_an_answer_have_blanks_as_they_were_written(row: str, blanks: tuple[str, str]) -> None:
    corpus = PairsTask(of_text("\n".join(row.format(word, word) for word in "abcde")).pairs).corpus
    assert (corpus.separator, corpus.answer_separator) == blanks
