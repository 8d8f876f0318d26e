"""Pins: what `python -m transformer_core` prints, saves and returns: 0 all well, 1 the work failed, 2 it cannot be done."""

import errno
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from transformer_core import PRESETS, Trainer, TransformerConfig, checkpoint
from transformer_core.__main__ import main
from transformer_core.analysis.accounting import stage_shapes
from transformer_core.training import whole_file
from transformer_core.training.cost import count_by_formula
from transformer_core.training.evaluation import FinalEvaluation, exact_match

SMALL = ["train", "--d-model", "12", "--n-heads", "3", "--d-ff", "14", "--device", "cpu"]


def run(capsys, *arguments):
    """Exit code, standard output and standard error of one call."""
    try:
        code = main(list(arguments))
    except SystemExit as stop:  # argparse leaves this way
        code = stop.code
    out, err = capsys.readouterr()
    return code, out, err


def test_a_goal_that_is_reached_ends_the_training_and_is_a_success(capsys):
    """That the module runs as a program of its own is shown in commands/test_streams.py."""
    code, out, _ = run(capsys, *SMALL, "--until", "0", "--json")
    assert code == 0
    (line,) = out.splitlines()
    result = json.loads(line)
    assert result.keys() == {"task", "length", "seed", "steps", "seconds", "loss", "exact_match", "rows"}
    assert (result["task"], result["length"], result["seed"]) == ("copy", 10, 0)
    assert 0 <= result["exact_match"] <= 1
    assert 0 < result["steps"] < 1000
    assert result["seconds"] > 0


def test_training_prints_one_line_and_says_how_it_went(capsys):
    code, out, err = run(capsys, *SMALL, "--steps", "4")
    assert code == 0
    assert out.startswith("4 steps in ")
    assert "exact match" in out and "of 1,000 different held-out rows" in out
    assert "step 4/4" in err


def test_what_is_said_of_a_goal_that_was_reached_was_not_found_on_the_rows_that_it_was_reached_on(capsys, monkeypatch):
    monkeypatch.setattr(Trainer, "evaluate_finally", lambda trainer: FinalEvaluation(0.25, 321))
    code, out, _ = run(capsys, *SMALL, "--until", "0")
    assert (code, out.count("exact match 25.0% of 321 different held-out rows")) == (0, 1)
    code, out, _ = run(capsys, *SMALL, "--until", "0", "--json")
    assert (code, json.loads(out)["exact_match"], json.loads(out)["rows"]) == (0, 0.25, 321)


def test_out_saves_the_model_with_its_facts(capsys, tmp_path):
    path = tmp_path / "model.safetensors"
    code, out, _ = run(capsys, *SMALL, "--steps", "4", "--norm", "post", "--dropout", "0.2", "--out", str(path), "--json")
    assert code == 0
    loaded = checkpoint.load(path)
    assert loaded.facts == json.loads(out.splitlines()[-1])
    cfg = loaded.model.cfg
    assert (cfg.d_model, cfg.n_heads, cfg.d_ff, cfg.norm, cfg.dropout, cfg.src_vocab) == (12, 3, 14, "post", 0.2, 11)
    code, out, _ = run(capsys, *SMALL, "--steps", "1", "--out", str(path))
    assert code == 0
    assert str(path) in out


def test_pairs_of_a_file_are_learned_and_kept_in_the_saved_file(capsys, tmp_path):
    file, out = tmp_path / "pairs.csv", tmp_path / "pairs.safetensors"
    file.write_text("\ufeffone;un\ntwo;deux\nthree;trois\nfour;quatre\nfive;cinq\nsix;\n", encoding="utf-8")
    code, said, err = run(capsys, "train", "--pairs", str(file), "--until", "0.9", "--json", "--out", str(out))
    result = json.loads(said)
    assert code == 0 and "left out: Row 6: the answer to “six” is missing." in err
    assert (result["pairs"], result["trained_on"], result["rows"]) == (5, 5, 5) and result["exact_match"] >= 0.9
    task = checkpoint.load(out).training.task
    assert dict(task.pairs)["three"] == "trois" and not task.has_held_out


def test_two_columns_of_a_table_are_named(capsys, tmp_path):
    file = tmp_path / "table.txt"
    file.write_text("".join(f"{i}\tun{i} x\tone{i} y\tCC\n" for i in "abcde"), encoding="utf-16")
    learn = ("train", "--pairs", str(file), "--steps", "1", "--out", str(tmp_path / "pairs.safetensors"))
    code, _out, err = run(capsys, *learn, "--columns", "2", "3")
    assert code == 0 and "columns 2 and 3 of 4" in err
    assert checkpoint.load(tmp_path / "pairs.safetensors").training.task.pairs[0] == ("una x", "onea y")
    assert "columns 1 and 2 of 4" in run(capsys, *learn)[2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--task", "copy"], "leave --task out"),
        (["--preset", "tiny"], "leave --preset out"),
        ([], "Pairs that can be used: 2; at least 5 are needed"),
        (["--d-model", "30"], "Pairs that can be used: 2"),
    ],
)
def test_2_for_pairs_that_cannot_be_learned(capsys, tmp_path, options, message):
    (tmp_path / "few.tsv").write_text("a\tb\nc\td\n", encoding="utf-8")
    code, out, err = run(capsys, "train", "--pairs", str(tmp_path / "few.tsv"), *options)
    assert (code, out) == (2, "") and message in err


def test_1_when_the_goal_is_not_reached(capsys):
    code, out, _ = run(capsys, *SMALL, "--steps", "2", "--until", "1.0", "--json")
    assert code == 1
    assert json.loads(out.splitlines()[-1])["steps"] == 2


def test_1_when_training_diverges(capsys):
    code, out, err = run(capsys, *SMALL, "--rate", "1e20", "--warmup", "1")
    assert code == 1
    assert out == ""
    assert "error: training stopped at step 2" in err


def result(capsys, *arguments):
    code, out, err = run(capsys, *arguments, "--json")
    assert code == 0, err
    return json.loads(out.splitlines()[-1]) | {"seconds": None}


def test_the_precision_is_kept_and_may_be_changed_in_going_on(capsys, tmp_path):
    path = str(tmp_path / "model")
    narrow = result(capsys, *SMALL, "--steps", "3", "--precision", "bfloat16", "--out", path)
    assert narrow["loss"] != result(capsys, *SMALL, "--steps", "3")["loss"]
    assert checkpoint.load(path).training.recipe.precision == "bfloat16"
    result(capsys, "train", "--resume", path, "--steps", "4", "--precision", "float32", "--out", path)
    assert checkpoint.load(path).training.recipe.precision == "float32"


def test_who_has_read_enough_is_not_told_of_a_broken_pipe():
    command = [sys.executable, "-m", "transformer_core", "shapes"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as reader:
        reader.stdout.readline()
        reader.stdout.close()
        assert reader.stderr.read() == b"" and reader.wait() in (0, 141)


def test_one_thread_is_used_unless_more_are_asked_for(capsys):
    before = torch.get_num_threads()
    try:
        run(capsys, *SMALL, "--steps", "1", "--threads", "2")
        assert torch.get_num_threads() == 2
        run(capsys, *SMALL, "--steps", "1")
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)


def test_what_is_stopped_by_hand_is_saved_and_goes_on(capsys, tmp_path, monkeypatch):
    path = str(tmp_path / "model")
    expected = result(capsys, *SMALL, "--steps", "15")
    step = Trainer.step

    def interrupted(trainer):
        if trainer.steps_taken == 7:
            raise KeyboardInterrupt
        return step(trainer)

    with monkeypatch.context() as during:
        during.setattr(Trainer, "step", interrupted)
        code, out, err = run(capsys, *SMALL, "--steps", "15", "--out", path)
    assert (code, out) == (130, "") and "stopped" in err
    assert f"{path} has what was learned up to step 7; train --resume {path} goes on from there" in err
    assert checkpoint.load(path).facts["steps"] == 7 and "exact_match" not in checkpoint.load(path).facts
    assert result(capsys, "train", "--resume", path) == expected


def test_weights_alone_are_the_average_that_was_evaluated(capsys, tmp_path):
    options = (*SMALL, "--steps", "100", "--rate", "0.01", "--batch-size", "16", "--average", "0.1", "--task", "pronoun-en")
    paths = [str(tmp_path / name) for name in ("all", "alone")]
    expected = result(capsys, *options, "--out", paths[0])
    assert result(capsys, *options, "--weights-only", "--out", paths[1]) == expected
    kept, alone = map(checkpoint.load, paths)
    trainer = Trainer(kept.model, kept.training.task, kept.training.recipe)
    in_training = exact_match(kept.model.eval(), trainer.task, trainer.final_rows())
    assert exact_match(alone.model, trainer.task, trainer.final_rows()) == expected["exact_match"] != in_training
    trainer.restore(kept.training.state)
    for name, value in trainer.averaged().named_parameters():
        assert torch.equal(value, alone.model.get_parameter(name)), name


def test_half_of_the_bytes(capsys, tmp_path):
    whole, half = tmp_path / "whole", tmp_path / "half"
    for path, options in ((whole, ()), (half, ("--half",))):
        result(capsys, *SMALL, "--d-ff", "500", "--steps", "2", "--weights-only", *options, "--out", str(path))
    assert half.stat().st_size < 0.6 * whole.stat().st_size
    for name, value in checkpoint.load(whole).model.named_parameters():
        assert torch.equal(checkpoint.load(half).model.get_parameter(name), value.half().float())
    code, _out, err = run(capsys, *SMALL, "--half", "--out", str(half))
    assert code == 2 and "add --weights-only" in err and "step" not in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "has taken all its 4 steps; raise --steps to resume it"),
        (("--steps", "3"), "has taken all its 4 steps"),
        (("--steps", "9", "--batch-size", "64"), "--batch-size 64 does not fit"),
        (("--steps", "9", "--d-model", "24"), "which has 12; leave --d-model out"),
        (("--steps", "9", "--task", "reverse"), "which has copy; leave --task out"),
        (("--steps", "9", "--preset", "small"), "leave --preset out"),
    ],
)
def test_2_when_a_training_cannot_be_gone_on_with_like_that(capsys, tmp_path, options, message):
    path = str(tmp_path / "model")
    run(capsys, *SMALL, "--steps", "4", "--out", path)
    code, out, err = run(capsys, "train", "--resume", path, *options)
    assert (code, out) == (2, "") and message in err


def test_weights_alone_are_a_third_of_the_file_and_cannot_be_gone_on_with(capsys, tmp_path):
    with_all, alone = tmp_path / "all", tmp_path / "alone"
    run(capsys, *SMALL, "--steps", "2", "--out", str(with_all))
    run(capsys, *SMALL, "--steps", "2", "--out", str(alone), "--weights-only")
    assert alone.stat().st_size < 0.5 * with_all.stat().st_size
    code, out, err = run(capsys, "train", "--resume", str(alone))
    assert (code, out) == (2, "") and "without its state of training" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*SMALL, "--n-heads", "5"], "d_model 12 cannot be split over 5 heads; try 4 or 6"),
        ([*SMALL, "--dropout", "1.5"], "dropout must be at least 0 and below 1, not 1.5"),
        ([*SMALL, "--steps", "0"], "--steps: must be a whole number from 1 to 10,000,000, not '0'"),
        ([*SMALL, "--rate", "nan"], "the learning rate must be above 0 and finite"),
        ([*SMALL, "--out", "/no/such/folder/model.safetensors"], "there is no folder /no/such/folder to save the model in"),
        ([*SMALL, "--threads", "0"], "must be a whole number from 1 to 1,024, not '0'"),
        ([*SMALL, "--task", "translate"], "invalid choice: 'translate'"),
        (["train", "--resume", "/no/such/model"], "No such file"),
        (["train", "--device", "tpu"], "invalid choice: 'tpu'"),
        (["shapes", "--norm", "both"], "invalid choice: 'both'"),
        (["shapes", "--src-len", "300"], "a sequence of 300 tokens is longer than max_len 256; shorten it"),
        (["params", "--batch", "-1"], "must be a whole number from 1 to 1,000,000, not '-1'"),
        (["params", "--tgt-len", "ten"], "must be a whole number from 1 to 8,192, not 'ten'"),
        # what is beyond all bounds is told at once
        (["params", "--batch", "1" + "0" * 9], "--batch: must be a whole number"),
        (["params", "--d-ff", "1" + "0" * 21], "--d-ff: must be a whole number"),
        (["params", "--d-ff", "9" * 5000], "--d-ff: must be a whole number"),
        ([*SMALL, "--threads", "1000000"], "--threads: must be a whole number"),
        ([*SMALL, "--n-layers", "100000"], "--n-layers: must be a whole number from 1 to 64"),
        ([*SMALL, "--seed", "1" + "0" * 22], "--seed: must be a whole number"),
        ([*SMALL, "--seed", "-1"], "--seed: must be a whole number"),
        (["parity", "--seed", "1" + "0" * 22], "--seed: must be a whole number"),
        (["prepare", "--around", "copy", "--seed", "1,1" + "0" * 22], "--seed: must be a whole number"),
        (["prepare", "--around", "copy", "--d-ff", "1,2e3"], "--d-ff: must be a whole number from 1 to 65,536, not '2e3'"),
        (["prepare", "--around", "copy", "--processes", "1000000"], "--processes: must be a whole number"),
        *(
            [
                ([*SMALL, "--until", share], f"--until: must be a number from 0 to 1, not '{share}'")
                for share in ("nan", "inf", "2")
            ]
        ),
        ([*SMALL, "--dropout", "nan"], "dropout must be at least 0 and below 1, not nan"),
        (["train", "--d-model", "16384", "--n-layers", "64"], "can be saved. Lower d_model"),
        ([*SMALL, "--batch-size", "1000000", "--d-model", "2400", "--d-ff", "2048"], "MB of memory, and this machine has"),
        (["shapes", "--no-such-option"], "unrecognized arguments"),
        (["dance"], "invalid choice: 'dance'"),
        ([], "the following arguments are required"),
    ],
)
def test_2_for_what_cannot_be_done(capsys, arguments, message):
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert message in err
    assert err.startswith("error: ") and err.count("\n") == 1, "one line"


def no_training(monkeypatch):
    monkeypatch.setattr(Trainer, "step", None)


def test_an_out_that_cannot_be_written_is_noticed_before_the_training(capsys, tmp_path, monkeypatch):
    no_training(monkeypatch)
    code, out, err = run(capsys, *SMALL, "--out", str(tmp_path))
    assert (code, out) == (2, "") and f"{tmp_path} is a folder; name a file in it" in err and err.count("\n") == 1
    touch = Path.touch

    def refused(path, *given, **more):  # as in a folder without permission: root may write anywhere
        if path.suffix == ".part":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        touch(path, *given, **more)

    monkeypatch.setattr(Path, "touch", refused)
    code, out, err = run(capsys, *SMALL, "--out", str(tmp_path / "model"))
    assert (code, out) == (2, "") and "Permission denied" in err and err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_disk_that_is_full_is_noticed_before_the_training(capsys, tmp_path, monkeypatch):
    no_training(monkeypatch)
    parameters = count_by_formula(TransformerConfig(11, 11, d_model=12, n_heads=3, d_ff=14, n_layers=1, norm="pre"))
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=3 * 4 * parameters - 1))
    code, out, err = run(capsys, *SMALL, "--out", str(tmp_path / "model"))
    assert (code, out) == (2, "") and "MB are free" in err and err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_disk_that_fills_up_meanwhile_leaves_the_older_file_and_nothing_else(capsys, tmp_path, monkeypatch):
    path = tmp_path / "model"
    assert run(capsys, *SMALL, "--steps", "1", "--out", str(path))[0] == 0
    before = path.read_bytes()

    def full(path, data):
        with path.open("wb") as file:
            file.write(data[:10])
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(Path, "write_bytes", full)
    code, out, err = run(capsys, *SMALL, "--steps", "2", "--out", str(path))
    assert (code, out) == (2, "") and "error: [Errno 28] No space left on device" in err
    assert [file.name for file in tmp_path.iterdir()] == ["model"] and path.read_bytes() == before


@pytest.fixture
def held(monkeypatch):
    """A call that has files held, as Windows does while a scanner reads them: the next so many moves are refused."""
    move, left = Path.replace, [0]

    def replace(path, target):
        left[0] -= 1
        if left[0] >= 0:
            raise PermissionError(errno.EACCES, "Access is denied", str(path), 5, str(target))
        return move(path, target)

    monkeypatch.setattr(Path, "replace", replace)
    monkeypatch.setattr(whole_file, "_WAITS", (0.0, 0.0))
    return lambda times: left.__setitem__(0, times)


def test_a_file_that_a_scanner_holds_for_a_moment_is_saved_all_the_same(capsys, tmp_path, held):
    held(2)
    code, out, _ = run(capsys, *SMALL, "--steps", "2", "--out", str(tmp_path / "model"))
    assert code == 0 and "saved as" in out and [file.name for file in tmp_path.iterdir()] == ["model"]
    assert checkpoint.load(tmp_path / "model").facts["steps"] == 2


def test_what_was_learned_is_never_lost_where_its_place_stays_held(capsys, tmp_path, held):
    path = tmp_path / "model"
    path.write_bytes(b"older")
    held(1000)
    code, out, err = run(capsys, *SMALL, "--steps", "2", "--out", str(path))
    (part,) = (file for file in tmp_path.iterdir() if file != path)
    assert (code, out) == (2, "") and f"the model is safe in {part}" in err and path.read_bytes() == b"older"
    assert checkpoint.load(part).training.state.step == 2, "and it can be resumed"
    held(0)
    assert run(capsys, *SMALL, "--steps", "1", "--out", str(path))[0] == 0
    assert checkpoint.load(part).training.state.step == 2, "another training to the same place leaves it alone"


def test_shapes_prints_every_stage(capsys):
    code, out, _ = run(capsys, "shapes", "--batch", "2", "--src-len", "7", "--tgt-len", "5")
    assert code == 0
    stages = stage_shapes(PRESETS["tiny"], 2, 7, 5)
    assert [line.split()[0] for line in out.splitlines()] == [stage.name for stage in stages]
    assert all(line.endswith(str(stage.shape)) for line, stage in zip(out.splitlines(), stages, strict=True))


def test_shapes_and_params_of_a_decoder_alone(capsys):
    cfg = replace(PRESETS["tiny"], stacks="decoder")
    code, out, _ = run(capsys, "shapes", "--stacks", "decoder", "--batch", "2", "--src-len", "7", "--tgt-len", "5")
    assert code == 0 and [line.split()[0] for line in out.splitlines()] == [s.name for s in stage_shapes(cfg, 2, 0, 5)]
    code, out, _ = run(capsys, "params", "--stacks", "decoder", "--src-len", "999")
    total = f"{count_by_formula(cfg):,}"
    assert code == 0 and next(line for line in out.splitlines() if line.startswith("all ")).split() == ["all", total, total]
    assert "encoder" not in out and "source" not in out
    code, out, err = run(capsys, "params", "--preset", "paper_base", "--stacks", "decoder")
    assert (code, out) == (2, "") and 'try "output"' in err and err.count("\n") == 1


def test_params_prints_both_counts_and_their_sum(capsys):
    code, out, _ = run(capsys, "params", "--preset", "paper_base", "--norm", "pre")
    assert code == 0
    total = f"{44_140_544 + 512 * 37_000:,}"
    assert next(line for line in out.splitlines() if line.startswith("all ")).split() == ["all", total, total]
    assert "512" in out
    assert "FLOPs" in out.splitlines()[-1]
