"""Pins: what `python -m transformer_core` prints, saves and returns: 0 all well, 1 the work failed, 2 it cannot be done."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from transformer_core import PRESETS, checkpoint
from transformer_core.__main__ import main
from transformer_core.accounting import stage_shapes

SMALL = ["train", "--d-model", "12", "--n-heads", "3", "--d-ff", "14", "--device", "cpu"]


def run(capsys, *arguments):
    """Exit code, standard output and standard error of one call."""
    try:
        code = main(list(arguments))
    except SystemExit as stop:  # argparse leaves this way
        code = stop.code
    out, err = capsys.readouterr()
    return code, out, err


def test_as_a_program_the_last_line_is_json():
    """A real process once: the module runs, standard output is clean, and training to a goal succeeds."""
    command = [
        sys.executable,
        "-m",
        "transformer_core",
        "train",
        "--threads",
        "1",
        "--device",
        "cpu",
        "--until",
        "0.9",
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=Path(__file__).parents[2], check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert result.keys() == {"task", "seed", "steps", "seconds", "loss", "exact_match"}
    assert (result["task"], result["seed"]) == ("copy", 0)
    assert 0.9 <= result["exact_match"] <= 1
    assert 0 < result["steps"] < 1000
    assert result["seconds"] > 0
    assert len(done.stdout.splitlines()) == 1


def test_training_prints_one_line_and_says_how_it_went(capsys):
    code, out, err = run(capsys, *SMALL, "--steps", "4")
    assert code == 0
    assert out.startswith("4 steps in ")
    assert "% exact" in out
    assert "step 4/4" in err


def test_the_same_seed_gives_the_same_result(capsys):
    def result(seed):
        found = json.loads(run(capsys, *SMALL, "--steps", "5", "--json", "--seed", seed)[1].splitlines()[-1])
        return found | {"seconds": None}

    assert result("3") == result("3")
    assert result("3") != result("4")


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


def test_1_when_the_goal_is_not_reached(capsys):
    code, out, _ = run(capsys, *SMALL, "--steps", "2", "--until", "1.0", "--json")
    assert code == 1
    assert json.loads(out.splitlines()[-1])["steps"] == 2


def test_1_when_training_diverges(capsys):
    code, out, err = run(capsys, *SMALL, "--rate", "1e20", "--warmup", "1")
    assert code == 1
    assert out == ""
    assert "error: training stopped at step 2" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*SMALL, "--n-heads", "5"], "d_model 12 cannot be split over 5 heads; try 4 or 6"),
        ([*SMALL, "--dropout", "1.5"], "dropout must be at least 0 and below 1, not 1.5"),
        ([*SMALL, "--steps", "0"], "steps must be at least 1, not 0"),
        ([*SMALL, "--rate", "nan"], "the learning rate must be above 0 and finite"),
        ([*SMALL, "--out", "/no/such/folder/model.safetensors"], "there is no folder /no/such/folder to save the model in"),
        ([*SMALL, "--threads", "0"], "must be at least 1, not 0"),
        ([*SMALL, "--task", "translate"], "invalid choice: 'translate'"),
        (["train", "--device", "tpu"], "invalid choice: 'tpu'"),
        (["shapes", "--norm", "both"], "invalid choice: 'both'"),
        (["shapes", "--src-len", "300"], "a sequence of 300 tokens is longer than max_len 256; shorten it"),
        (["params", "--batch", "-1"], "must be at least 1, not -1"),
        (["params", "--tgt-len", "ten"], "invalid"),
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
    assert "Traceback" not in err


def test_a_folder_that_is_not_there_is_noticed_before_the_training(capsys, tmp_path):
    _, _, err = run(capsys, *SMALL, "--steps", "3", "--out", str(tmp_path / "nowhere" / "model"))
    assert "step" not in err


def test_shapes_prints_every_stage(capsys):
    code, out, _ = run(capsys, "shapes", "--batch", "2", "--src-len", "7", "--tgt-len", "5")
    assert code == 0
    stages = stage_shapes(PRESETS["tiny"], 2, 7, 5)
    assert [line.split()[0] for line in out.splitlines()] == [stage.name for stage in stages]
    assert all(line.endswith(str(stage.shape)) for line, stage in zip(out.splitlines(), stages, strict=True))


def test_params_prints_both_counts_and_their_sum(capsys):
    code, out, _ = run(capsys, "params", "--preset", "paper_base", "--norm", "pre")
    assert code == 0
    total = f"{44_140_544 + 512 * 37_000:,}"
    assert next(line for line in out.splitlines() if line.startswith("all ")).split() == ["all", total, total]
    assert "512" in out
    assert "FLOPs" in out.splitlines()[-1]


def test_help_names_every_option(capsys):
    code, out, _ = run(capsys, "train", "--help")
    assert code == 0
    for option in ("--preset", "--task", "--steps", "--until", "--seed", "--device", "--threads", "--out", "--json", "--rate"):
        assert option in out
