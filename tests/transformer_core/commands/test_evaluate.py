"""Pins: `evaluate` prints what the measures say, of translators and tellers of stories; the measures are pinned beside them."""

import json

import pytest
import torch

from everyday.holdout import HOLD_OUTS
from tests.transformer_core.commands.conftest import FRENCH, ITS_ANSWER, KNOWN, WRONG, right_answers
from tests.transformer_core.helpers import carried_out
from transformer_core import CopyTask, Recipe, SentenceTask, TransformerConfig, checkpoint
from transformer_core.__main__ import main
from transformer_core.analysis.evaluation_metrics import share_interval
from transformer_core.analysis.story_metrics import known_to_model
from transformer_core.analysis.translation_metrics import divergences, held_out_examples
from transformer_core.commands.options import opened
from transformer_core.data.corpora import everyday_vocabulary
from transformer_core.data.sentence_text import sentence_text
from transformer_core.training.learned import parameters_of, to_bytes
from transformer_core.training.learning_plan import LearningPlan


def run(capsys, *arguments):
    code = main(["evaluate", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def as_json(capsys, *arguments):
    code, out, _ = run(capsys, "--json", *arguments)
    assert code == 0
    return json.loads(out)


def test_a_translator_is_measured_on_every_kind_of_hold_out(capsys, model_file):
    found = as_json(capsys, "--model", model_file, "--count", "7", "--seed", "3")
    assert (found["model"], found["task"], found["seed"]) == (model_file, FRENCH.name, 3)
    assert list(found["held_out"]) == list(HOLD_OUTS)
    model = checkpoint.load(model_file).model
    for kind, examples in held_out_examples(FRENCH, 7, 3).items():
        kl = divergences(model, FRENCH, [example.src for example in examples])
        each = found["held_out"][kind]
        assert (each["greedy"]["n"], each["beam"]["n"], each["ambiguous"]) == (7, 7, len(kl))
        assert each["greedy"]["share"] == 0  # four sentences are all that it knows
        assert each["greedy"]["interval"] == list(share_interval(0, 7))
        assert each["kl_mean"] == (pytest.approx(kl.mean()) if len(kl) else None)
    assert {words: [len(heads) for heads in layers] for words, layers in found["aligned_attention"].items()} == {
        "all words": [2, 2],
        "content words": [2, 2],
    }


def test_typed_sentences_are_counted_and_the_others_shown(capsys, model_file, tmp_path):
    path = tmp_path / "typed.txt"
    path.write_text("\n".join([*(f"{source.upper()}?" for source in KNOWN), "", WRONG, "cat the black is", "a zebra"]))
    found = as_json(capsys, "--model", model_file, "--count", "2", "--typed", str(path))["typed"]
    assert (found["sentences"], found["taught"], found["right"]) == (6, 4, 3)
    answer, right = (sentence_text(right_answers(source)[0], "fr") for source in (ITS_ANSWER, WRONG))
    assert found["wrong"] == [{"source": WRONG, "answer": answer, "right": right}]
    assert [each["source"] for each in found["untaught"]] == ["cat the black is"]
    assert found["unknown"] == [{"source": "a zebra", "words": ["zebra"]}]

    _, out, _ = run(capsys, "--model", model_file, "--count", "2", "--typed", str(path))
    assert "6 sentences, 5 of known words, 4 of a form that was taught" in out
    assert f"wrong: {WRONG} > {answer} | right: {right}" in out
    assert "unknown: a zebra (zebra)" in out


def test_the_table_has_a_row_for_every_kind(capsys, model_file):
    _, out, _ = run(capsys, "--model", model_file, "--count", "4")
    for title in ("source never seen", "new adjective + noun", "new verb + object", "new construction"):
        (row,) = [line for line in out.splitlines() if line.startswith(title)]
        assert row.split("  ")[1:] and "0.0% (0.0% to 49.0%)" in row  # Wilson's interval of 0 of 4
    assert "cross-attention on the aligned word, content words" in out


def test_of_a_course_of_learning_in_a_file_the_end_is_measured(capsys, tmp_path):
    cfg = TransformerConfig(src_vocab=5, tgt_vocab=5, d_model=8, n_heads=1, d_ff=8, n_layers=1)
    recipe = Recipe(steps=3, evaluate_every=1, evaluate_on=10, device="cpu")
    learning = carried_out(LearningPlan(cfg, CopyTask(vocab=5, length=2), recipe), keep=[1, 2])
    path = tmp_path / "copy"
    path.write_bytes(to_bytes(learning.learned()))
    loaded = opened(str(path))
    assert loaded.facts["task"] == "copy" and loaded.facts["steps"] == 3
    assert loaded.facts["exact_match"] == learning.curve[-1, 1]
    torch.testing.assert_close(parameters_of(loaded.model), parameters_of(learning.trainer.averaged()))


def test_2_for_what_cannot_be_measured(capsys, model_file, tmp_path):
    copy = opened("copy")
    nameless, other = tmp_path / "nameless", tmp_path / "other"
    checkpoint.save(nameless, copy.model, {})
    checkpoint.save(other, copy.model, {"task": FRENCH.name})
    for arguments, message in (
        (["--model", str(nameless)], f"the model {nameless} has not learned to translate everyday sentences"),
        (["--model", "copy"], "the model copy has not learned to translate everyday sentences"),
        (
            ["--model", str(other)],
            f"the model has 11 words, but everyday-fr has {len(everyday_vocabulary(FRENCH))} today; train it again",
        ),
        (["--model", model_file, "--typed", "/no/such/file"], "No such file"),
        (["--model", model_file, "--count", "0"], "must be a whole number from 1 to 100,000"),
    ):
        try:
            code, out, err = run(capsys, *arguments)
        except SystemExit as stop:
            code, (out, err) = stop.code, capsys.readouterr()
        assert (code, out) == (2, "")
        assert message in err


def test_a_teller_of_stories_is_measured_by_kind_of_word(capsys):
    found = as_json(capsys, "--model", "stories-en", "--count", "20", "--seed", "4")
    assert (found["model"], found["task"], found["seed"], found["stories"]) == ("stories-en", "stories-en", 4, 20)
    task, model = SentenceTask("stories-en"), opened("stories-en").model
    rows = task.batch(20, torch.Generator().manual_seed(4), held_out=True).trimmed(task.pad_id)
    for kind, known in known_to_model(model, task.corpus, rows).items():
        assert found["words"][kind]["model"] == pytest.approx(vars(known), rel=1e-5)
        assert found["words"][kind]["triples"]["n"] == known.n
    code, out, _ = run(capsys, "--model", "stories-en", "--count", "20", "--seed", "4")
    said = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line and line.split()[0] in found["words"]}
    assert code == 0 and [*said] == ["repeated", "pronoun", "other"]
    assert said["other"][-1] == f"{found['words']['other']['least_loss']:.3f}"


def test_what_is_typed_is_for_translators(capsys, tmp_path):
    (tmp_path / "typed.txt").write_text("a cat")
    code, _, err = run(capsys, "--model", "stories-en", "--typed", str(tmp_path / "typed.txt"))
    assert code == 2 and "has not learned to translate" in err
