"""Pins: `translate` says what the model answers, how probable that is, whether it is right, and what it cannot know."""

import io
import json

import pytest

from everyday.english import WORDS
from tests.transformer_core.commands.conftest import FRENCH, ITS_ANSWER, KNOWN, WRONG, right_answers
from transformer_core import Transformer, TransformerConfig, checkpoint
from transformer_core.__main__ import main
from transformer_core.data.corpora import everyday_vocabulary
from transformer_core.data.sentence_text import sentence_text
from transformer_core.data.tasks import PairsTask, facts_of


def run(capsys, *arguments):
    code = main(["translate", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def as_json(capsys, model, *sentences, options=()):
    code, out, _ = run(capsys, "--model", model, "--json", *options, *sentences)
    (line,) = out.splitlines()
    return code, json.loads(line)


def french(words):
    return sentence_text(words, "fr")


@pytest.mark.parametrize("source", KNOWN)
def test_an_answer_comes_with_its_probability_and_the_verdict_of_the_grammar(capsys, model_file, source):
    code, found = as_json(capsys, model_file, source.capitalize() + "!!")
    right = FRENCH.answers(source.split())
    assert code == 0
    assert found["source"] == source.capitalize() + "!!"
    assert found["answer"] == french(right_answers(source)[0])
    assert 0.8 < found["probability"] < 1
    assert (found["unknown"], found["taught"], found["right"]) == ([], True, True)
    assert found["right_answers"] == pytest.approx({french(words): p for words, p in right.items()})


def test_a_wrong_answer_is_said_to_be_wrong_and_a_right_one_is_shown(capsys, model_file):
    _, found = as_json(capsys, model_file, WRONG)
    assert found["answer"] == french(right_answers(ITS_ANSWER)[0])
    assert (found["taught"], found["right"]) == (True, False)
    _, out, _ = run(capsys, "--model", model_file, WRONG)
    assert f"This is wrong. A right answer is: {french(right_answers(WRONG)[0])}" in out


def test_the_runners_up_are_those_of_the_beam(capsys, model_file):
    one, four = (as_json(capsys, model_file, KNOWN[0], options=("--beam", width))[1] for width in ("1", "4"))
    assert one["runners_up"] == []
    probabilities = [four["probability"], *(other["probability"] for other in four["runners_up"])]
    assert 2 <= len(probabilities) <= 4
    assert probabilities == sorted(probabilities, reverse=True)
    assert sum(probabilities) <= 1
    assert {other["answer"] for other in four["runners_up"]} != {four["answer"]}


def test_an_unknown_word_is_named_with_known_ones_and_nothing_is_translated(capsys, model_file):
    code, found = as_json(capsys, model_file, "The zebra", "is black")  # the shell may have split the sentence
    assert code == 2
    assert (found["answer"], found["probability"], found["unknown"]) == (None, None, ["zebra"])
    assert found["taught"] is found["right"] is None
    assert len(found["words_like"]["zebra"]) > 0
    code, out, _ = run(capsys, "--model", model_file, "The zebra is black")
    assert code == 2
    known = ", ".join(found["words_like"]["zebra"])
    assert f"The model has never seen “zebra”. Words like it that it knows: {known}." in out


def test_a_french_word_is_unknown_although_the_vocabulary_has_it(capsys, model_file):
    other = next(word for word in right_answers(KNOWN[1])[0] if word not in WORDS)
    assert other in everyday_vocabulary(FRENCH).tokens
    assert as_json(capsys, model_file, f"the {other}")[1]["unknown"] == [other]


def test_known_words_in_a_form_that_was_never_taught_are_answered_with_a_warning(capsys, model_file):
    code, found = as_json(capsys, model_file, "cat the black is")
    assert code == 0
    assert found["answer"]
    assert (found["taught"], found["right"], found["right_answers"]) == (False, None, {})
    assert (
        "no sentence of this form was taught: the answer is a guess"
        in run(capsys, "--model", model_file, "cat the black is")[1]
    )


def test_lines_are_read_from_standard_input_and_one_that_fails_stops_no_other(capsys, model_file, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{KNOWN[0]}\n\n  a zebra\n?!\n{KNOWN[1]}\n"))
    code, out, _ = run(capsys, "--model", model_file, "--json")
    found = [json.loads(line) for line in out.splitlines()]
    assert code == 2
    assert [each["source"] for each in found] == [KNOWN[0], "", "a zebra", "?!", KNOWN[1]]
    assert [each["answer"] is None for each in found] == [False, True, True, True, False]


def test_the_text_begins_with_the_sentence_and_its_answer(capsys, model_file):
    _, out, _ = run(capsys, "--model", model_file, KNOWN[0])
    first, second, third, *others = out.splitlines()
    assert first == KNOWN[0]
    assert second.endswith(french(right_answers(KNOWN[0])[0])) and "%" in second
    assert third.strip().startswith("This is right: ")
    assert others and all(other.endswith(("(right)", "(wrong)")) for other in others)


def test_a_sentence_that_is_too_long_is_said_to_be_and_stops_no_other(capsys, model_file, monkeypatch):
    longest = checkpoint.load(model_file).model.cfg.max_len
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{'cat ' * (longest + 1)}\n{KNOWN[0]}\n"))
    code, out, _ = run(capsys, "--model", model_file)
    assert code == 2
    assert f"It has {longest + 1} tokens, and the model reads up to {longest}: shorten it." in out
    assert french(right_answers(KNOWN[0])[0]) in out


OWN = ["uno = one", "dos = two", "tres = three", "dos = a pair", "cuatro = four", "cinco = five"]


@pytest.fixture(scope="module")
def own_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    (folder / "pairs.txt").write_text("\n".join(OWN), encoding="utf-8")
    file = folder / "pairs.safetensors"
    assert main(["train", "--pairs", str(folder / "pairs.txt"), "--steps", "150", "--out", str(file)]) == 0
    return str(file)


def test_somebodys_own_pairs_are_answered_and_judged_by_the_pairs(capsys, own_file):
    code, found = as_json(capsys, own_file, "Tres")
    assert (code, found["answer"], found["right"], found["taught"]) == (0, "three", True, True)
    assert found["right_answers"] == {"three": 1.0}
    _, found = as_json(capsys, own_file, "dos")
    assert found["right_answers"] == {"two": 0.5, "a pair": 0.5}
    assert {found["answer"], found["runners_up"][0]["answer"]} == {"two", "a pair"}
    assert "This is right: one of 2 right answers." in run(capsys, "--model", own_file, "dos")[1]


def test_what_stands_in_no_pair_cannot_be_judged_and_unknown_words_are_named(capsys, own_file):
    code, out, _ = run(capsys, "--model", own_file, "cinco cinco")
    assert code == 0 and "this sentence is not in the list that was taught: the answer is a guess." in out
    code, found = as_json(capsys, own_file, "quatro", "three")  # a word of the answers is none that it reads
    assert (code, found["answer"], found["unknown"]) == (2, None, ["quatro", "three"])
    assert found["words_like"] == {"quatro": ["cuatro"], "three": ["tres"]}


def test_answers_of_characters_are_written_without_blanks(capsys, tmp_path):
    pairs = tuple((sign * 2, sign * 3) for sign in "一二三四五")
    task = PairsTask(pairs, "characters")
    model = Transformer(TransformerConfig(src_vocab=task.vocab, tgt_vocab=task.vocab, d_model=8, n_heads=2, d_ff=8))
    checkpoint.save(tmp_path / "signs.safetensors", model, facts_of(task))
    _, found = as_json(capsys, str(tmp_path / "signs.safetensors"), "一 一", options=("--beam", "64"))
    assert found["right_answers"] == {"一一一": 1.0}
    assert not any(" " in each["answer"] for each in found["runners_up"])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("copy", "the model copy answers rows of numbers or letters; choose one that answers sentences"),
        ("no-such-model", "there is no model no-such-model: neither a file nor one of copy, everyday-fr"),
    ],
)
def test_2_for_a_model_that_cannot(capsys, model, message):
    code, out, err = run(capsys, "--model", model, "hello")
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({}, "does not say what its model has learned, so its words are unknown"),
        ({"task": "pairs", "pairs": [["a", "b"]], "split": "words"}, "does not say what its model has learned"),
        ({"task": "everyday-fr"}, "the model has 7 words, but everyday-fr has"),
    ],
)
def test_2_for_a_file_whose_words_are_unknown(capsys, tmp_path, facts, message):
    model = Transformer(TransformerConfig(src_vocab=7, tgt_vocab=7, d_model=8, n_heads=2, d_ff=8))
    checkpoint.save(tmp_path / "model.safetensors", model, facts)
    code, out, err = run(capsys, "--model", str(tmp_path / "model.safetensors"), "hello")
    assert (code, out) == (2, "") and message in err
