"""Pins: what is learned beforehand is what was asked for, in files that are found again; what is there is not learned twice."""

from dataclasses import replace

import pytest

from transformer_core.__main__ import main
from transformer_core.commands import prepare
from transformer_core.commands.options import OneLine
from transformer_core.errors import InputError
from transformer_core.training.folder import ModelFolder
from transformer_core.training.learning_plan import default_config, limit_steps, plan_for, thorough_plan

USUAL = default_config("copy")
COPY = ["prepare", "--around", "copy", "--steps", "30"]


def key(**changes):
    return limit_steps(plan_for("copy", replace(USUAL, **changes), 0), 30).key


def parsed(*options):
    commands = OneLine().add_subparsers()
    prepare.add_to(commands)
    return commands.choices["prepare"].parse_args(options)


def prepared(folder, *options):
    assert main([*COPY, "--folder", str(folder), *options]) == 0
    return ModelFolder(folder)


@pytest.mark.slow
def test_the_usual_model_and_those_one_setting_away(tmp_path, capsys):
    folder = prepared(tmp_path, "--d-model", f"8,{USUAL.d_model},12", "--norm", "post,pre", "--keep", "2")
    keys = {key(), key(d_model=8), key(d_model=12), key(norm="post")}
    assert {file.stem for file in tmp_path.iterdir()} == keys
    wide, narrow = folder.get(key()), folder.get(key(d_model=8))
    assert wide.cfg == USUAL and narrow.cfg == replace(USUAL, d_model=8)
    assert wide.steps == narrow.steps == (0, 17, 30), "two, at equal ratios"
    assert "4 to learn, 0 there already" in capsys.readouterr().out


@pytest.mark.slow
def test_what_is_there_is_not_learned_again_and_all_else_is_kept_at_the_steps_that_are_named(tmp_path, capsys):
    prepared(tmp_path, "--only", "turned", "--d-model", "8")
    before = (tmp_path / f"{key(d_model=8)}.safetensors").stat().st_mtime_ns
    capsys.readouterr()
    folder = prepared(tmp_path, "--only", "turned", "--d-model", "8,12", "--keep-at", "7,19", "--small")
    assert "1 to learn, 1 there already" in capsys.readouterr().out
    assert (tmp_path / f"{key(d_model=8)}.safetensors").stat().st_mtime_ns == before
    assert key() not in folder and folder.get(key(d_model=12)).steps == (0, 7, 19, 30)


def test_a_size_that_cannot_be_is_refused_before_anything_is_learned(tmp_path, capsys):
    assert main([*COPY, "--folder", str(tmp_path), "--d-model", "8", "--n-heads", "5"]) == 2
    assert "cannot be split over 5 heads" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("options", [["--d-model", "eight"], ["--keep", "0"], ["--keep", "2", "--keep-at", "7"]])
def test_nonsense_is_refused(tmp_path, options, capsys):
    with pytest.raises(SystemExit):
        prepared(tmp_path, *options)
    assert "prepare" in capsys.readouterr().err


def test_the_plan_of_those_that_come_with_the_package():
    options = ["--around", "everyday-zh", "--thorough", "--keep-at", "71", "--n-layers", "3", "--device", "cuda"]
    jobs = list(prepare.jobs_of(parsed(*options)))
    usual, deep = (default_config("everyday-zh"), replace(default_config("everyday-zh"), n_layers=3))
    assert [job.plan for job in jobs] == [thorough_plan("everyday-zh", cfg, 0, "cuda") for cfg in (usual, deep)]
    with pytest.raises(InputError, match="copy are learned as in the app"):
        list(prepare.jobs_of(parsed("--around", "copy", "--thorough")))


def test_models_around_a_decoder_alone(tmp_path, capsys):
    jobs = list(prepare.jobs_of(parsed("--around", "repeat", "--n-heads", "1,4", "--n-layers", "1")))
    assert [job.name for job in jobs] == ["repeat", "repeat, n_heads 4", "repeat, n_layers 1"]
    assert {job.cfg.stacks for job in jobs} == {"decoder"} and jobs[0].plan.key == plan_for("repeat", jobs[0].cfg, 0).key
    job = replace(jobs[2], cfg=replace(jobs[2].cfg, d_model=8, d_ff=8), steps=4, keep=(2,), folder=str(tmp_path))
    assert "learned, " in prepare.learn(job)
    found = ModelFolder(tmp_path).get(job.plan.key)
    assert found.steps == (0, 2, 4) and found.cfg == job.cfg and found.rows == 200


def test_a_folder_that_cannot_be_used_is_told_before_anything_is_learned(tmp_path, capsys):
    (tmp_path / "file").write_text("no folder")
    assert main([*COPY, "--folder", str(tmp_path / "file" / "models")]) == 2
    told = capsys.readouterr()
    assert str(tmp_path / "file") in told.err and "Traceback" not in told.err and "to learn" not in told.out
