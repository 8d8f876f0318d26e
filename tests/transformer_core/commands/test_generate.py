"""Pins: a decoder alone is trained by a command, and `generate` has it go on with a beginning as the core decodes it."""

import contextlib
import io
import json
from dataclasses import replace

import pytest
import torch

from tests.transformer_core.helpers import config, perturbed_model
from transformer_core import TASKS, checkpoint, greedy_decode
from transformer_core.__main__ import main
from transformer_core.data.tasks import RepeatTask
from transformer_core.model.decoding import Sampling, decode_steps
from transformer_core.training.evaluation import exact_match
from transformer_core.training.learning_plan import default_config

LETTERS = "ABCDEFGHIJ"
NO_SOURCE = torch.empty(1, 0, dtype=torch.long)
VOCABULARY = RepeatTask().vocabulary


def run(capsys, *arguments):
    """Exit code, output and errors."""
    try:
        code = main(list(arguments))
    except SystemExit as stop:  # argparse leaves this way
        code = stop.code
    return code, *capsys.readouterr()


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A model that has learned to repeat, as a file, and what the command said of it."""
    path = str(tmp_path_factory.mktemp("models") / "repeat.safetensors")
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
        code = main(["train", "--task", "repeat", "--until", "0.85", "--threads", "1", "--json", "--out", path])
    return path, code, json.loads(out.getvalue())


@pytest.fixture
def model(trained):
    return checkpoint.load(trained[0]).model


def tokens_of(capsys, path, *options):
    code, out, err = run(capsys, "generate", "--model", path, "--json", *options)
    assert (code, err) == (0, "")
    return json.loads(out)


def test_the_usual_decoder_alone_is_trained_until_it_repeats(trained):
    path, code, said = trained
    assert code == 0 and (said["task"], said["length"], said["seed"]) == ("repeat", 20, 0)
    assert said["steps"] <= 400 and said["exact_match"] > 0.8 and said["rows"] > 900
    loaded = checkpoint.load(path)
    assert loaded.model.cfg == default_config("repeat") and loaded.facts == said
    assert loaded.training.task == RepeatTask() and loaded.training.state.step == said["steps"]


def test_what_is_measured_are_tokens(capsys, tmp_path):
    path = str(tmp_path / "model")
    sizes = ("--symbols", "5", "--length", "9", "--d-model", "12", "--d-ff", "14", "--average", "0")
    code, out, err = run(capsys, "train", "--task", "repeat", *sizes, "--steps", "3", "--out", path)
    assert code == 0 and "tokens right" in out and "tokens right" in err and "exact match" not in out + err
    loaded = checkpoint.load(path)
    assert loaded.training.task == RepeatTask(7, 9)
    code, out, _err = run(capsys, "train", "--resume", path, "--steps", "5", "--json")
    assert code == 0 and json.loads(out)["steps"] == 5
    for option in (("--symbols", "6"), ("--length", "8"), ("--stacks", "both")):
        code, _out, err = run(capsys, "train", "--resume", path, "--steps", "5", *option)
        assert code == 2 and f"leave {option[0]} out" in err, err
    assert run(capsys, "train", "--resume", path, "--steps", "5", "--symbols", "5", "--length", "9")[0] == 0


def test_it_goes_on_with_what_it_has_read(capsys, trained, model):
    """Ten letters, and three of them once more: it says the others."""
    code, out, err = run(capsys, "generate", "--model", trained[0], f"{LETTERS} abc")
    assert (code, err) == (0, "")
    ids = VOCABULARY.encode(LETTERS + "ABC")
    greedy = greedy_decode(model, NO_SOURCE, [1, *ids], 7)[0, 1:].tolist()
    assert out.split() == VOCABULARY.decode(greedy) and len(out.split()) == 20
    assert sum(one == other for one, other in zip(out.split()[13:], LETTERS[3:], strict=True)) >= 5


def test_each_token_comes_with_the_model_s_own_probability(capsys, trained, model):
    found = tokens_of(capsys, trained[0], LETTERS + "ABC", "--tokens", "4", "--temperature", "1.5", "--seed", "3")
    start = [1, *VOCABULARY.encode(LETTERS + "ABC")]
    draws = torch.Generator().manual_seed(3)
    steps = list(decode_steps(model, NO_SOURCE, start, 4, sampling=Sampling(1.5), generator=draws))
    ids = steps[-1].tokens[0, 14:].tolist()
    assert found["beginning"] == [*(LETTERS + "ABC")] and found["ended"] is False
    assert [each["token"] for each in found["tokens"]] == VOCABULARY.decode(ids)
    expected = [float(step.probabilities[0, token]) for token, step in zip(ids, steps, strict=True)]
    assert [each["probability"] for each in found["tokens"]] == pytest.approx(expected)


def test_the_seed_decides_what_is_sampled_and_one_candidate_is_the_greedy_one(capsys, trained):
    def said(*options):
        return [each["token"] for each in tokens_of(capsys, trained[0], "ABC", *options)["tokens"]]

    greedy = said()
    assert said("--top-k", "1") == said("--temperature", "0.001") == said("--top-p", "0.0001") == greedy
    one, again, other = (said("--temperature", "3", "--seed", seed) for seed in ("1", "1", "2"))
    assert one == again != other and len(greedy) == 17


def test_how_far_it_goes(capsys, trained):
    def length(*options):
        return len(tokens_of(capsys, trained[0], *options)["tokens"])

    assert length() == 20, "from nothing, as long as a row"
    assert length("AB", "--tokens", "30") == 30
    assert length("A" * 25) == 1, "behind a row that is full, one more"
    assert length("A" * 250, "--tokens", "99") == 6, "as far as there are positions"
    assert length("A" * 255) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["A" * 256], "the beginning has 256 tokens, and the model has positions for 256; shorten it"),
        (["AB1"], "“1” is not among the symbols of this model; it knows <start>, A, B"),
        (["AZ"], "“Z” is not among the symbols"),
        (["AB", "--temperature", "0"], "the temperature must be above 0 and finite, not 0.0"),
        (["AB", "--top-k", "23"], "top_k 23 is larger than the vocabulary; choose at most 22"),
        (["AB", "--top-p", "1.5"], "top_p must be above 0 and at most 1, not 1.5"),
        (["AB", "--tokens", "0"], "--tokens: must be a whole number from 1 to"),
        (["AB", "--model", "letters"], "the model letters answers a source; choose a decoder alone"),
        (["AB", "--model", "no-such-model"], "there is no model no-such-model"),
    ],
)
def test_2_for_what_cannot_be_gone_on_with(capsys, trained, arguments, message):
    code, out, err = run(capsys, "generate", "--model", trained[0], *arguments)
    assert (code, out) == (2, "") and message in err
    assert err.startswith("error: ") and err.count("\n") == 1, "one line"


@pytest.mark.parametrize(
    "facts", [{}, {"task": "copy", "length": 9}, {"task": "repeat"}, {"task": "repeat", "length": 3}], ids=str
)
def test_a_decoder_alone_of_unknown_words(capsys, tmp_path, facts):
    path = str(tmp_path / "model")
    checkpoint.save(path, perturbed_model(config(src_vocab=22, tgt_vocab=22, stacks="decoder")), facts)
    code, out, err = run(capsys, "generate", "--model", path, "AB")
    assert (code, out) == (2, "") and "does not say what its model has learned" in err and err.count("\n") == 1


@pytest.mark.parametrize(("task", "separator"), [("stories-en", " "), ("stories-zh", "")])
def test_a_story_is_written_as_its_language_is(capsys, tmp_path, task, separator):
    path, vocabulary = str(tmp_path / "model"), TASKS[task]().vocabulary
    sizes = {"src_vocab": len(vocabulary), "tgt_vocab": len(vocabulary), "max_len": 64}
    checkpoint.save(path, perturbed_model(config(stacks="decoder", **sizes)), {"task": task})
    beginning = separator.join(vocabulary.tokens[9:12])
    code, out, _err = run(capsys, "generate", "--model", path, beginning, "--tokens", "5")
    tokens = tokens_of(capsys, path, beginning, "--tokens", "5")
    words = [*tokens["beginning"], *(each["token"] for each in tokens["tokens"] if each["token"] != "<end>")]
    assert code == 0 and tokens["beginning"] == [*vocabulary.tokens[9:12]] and out == separator.join(words) + "\n"
    code, out, err = run(capsys, "generate", "--model", path, f"{beginning} xyzzy")
    assert (code, out) == (2, "") and "is not among the words of this model" in err


@pytest.mark.parametrize("command", ["translate", "evaluate"])
def test_commands_of_answers_refuse_it_in_one_sentence(capsys, trained, command):
    words = ("abc",) if command == "translate" else ()
    code, out, err = run(capsys, command, "--model", trained[0], *words)
    message = "is a decoder alone and reads no sentence" if command == "translate" else "has not learned to translate"
    assert (code, out) == (2, "") and message in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--task", "repeat", "--stacks", "both"], "the task repeat has no source; choose the decoder alone"),
        (["--task", "copy", "--stacks", "decoder"], "the task copy has a source, and a decoder alone reads none"),
        (["--task", "small-fr", "--stacks", "decoder"], "the task small-fr has a source, and a decoder alone reads none"),
        (["--stacks", "encoder"], "--stacks: invalid choice: 'encoder'"),
        (["--task", "repeat", "--preset", "paper_base"], "needs a source embedding, which a decoder alone has not"),
        (["--task", "repeat", "--symbols", "3"], "vocab must be from 6 to 28, not 5"),
        (["--task", "repeat", "--length", "7"], "a part of two letters and its repetition need 8, not 7"),
        (["--task", "repeat", "--length", "300"], "a sequence of 300 tokens is longer than max_len 256; shorten it"),
    ],
)
def test_2_for_a_decoder_alone_that_cannot_be_trained(capsys, options, message):
    code, out, err = run(capsys, "train", "--threads", "1", *options)
    assert (code, out) == (2, "") and message in err
    assert err.startswith("error: ") and err.count("\n") == 1, "one line"


def test_pairs_have_a_source(capsys, tmp_path):
    file = tmp_path / "pairs.tsv"
    file.write_text("".join(f"a {i}\tb {i}\n" for i in range(30)), encoding="utf-8")
    code, out, err = run(capsys, "train", "--pairs", str(file), "--stacks", "decoder")
    assert (code, out) == (2, "") and "has a source, and a decoder alone reads none" in err.splitlines()[-1]


def test_a_text_is_learned_and_goes_on(capsys, tmp_path):
    file, path = tmp_path / "text.txt", str(tmp_path / "model")
    file.write_text("the sun is warm\nthe moon is cold\na star is far\na stone is near\nthe sea is deep\n", encoding="utf-8")
    code, out, _err = run(capsys, "train", "--text", str(file), "--steps", "120", "--threads", "1", "--out", path, "--json")
    told = json.loads(out)
    assert code == 0 and (told["lines"], told["trained_on"], told["rows"]) == (5, 5, 5) and told["exact_match"] >= 0.8
    assert run(capsys, "generate", "--model", path, "the moon")[:2] == (0, "the moon is cold\n")
    code, out, err = run(capsys, "train", "--text", str(file), "--stacks", "both")
    assert (code, out) == (2, "") and "error" in err


def test_a_preset_gives_its_sizes_to_a_decoder_alone(capsys, tmp_path):
    path = str(tmp_path / "model")
    given = ("--preset", "small", "--d-model", "8", "--n-heads", "2", "--d-ff", "9", "--tie-embeddings", "output")
    code, _out, _err = run(capsys, "train", "--task", "repeat", *given, "--steps", "1", "--out", path, "--weights-only")
    cfg = checkpoint.load(path).model.cfg
    assert code == 0 and (cfg.stacks, cfg.n_layers, cfg.n_heads, cfg.tie_embeddings) == ("decoder", 2, 2, "output")
    assert cfg == replace(cfg, src_vocab=22, tgt_vocab=22)


def test_what_was_said_at_the_end_is_what_the_saved_model_does(trained, model):
    """The average of the weights, on rows that no evaluation has looked at."""
    training = checkpoint.load(trained[0]).training
    assert training.recipe.average > 0
    share = exact_match(model, training.task, training.task.batch(500, torch.Generator().manual_seed(1), held_out=True))
    assert share > 0.75
