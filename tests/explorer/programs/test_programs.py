"""Pins that the program of every picture, run without the explorer, finds the numbers that were on screen."""

import ast
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from explorer import resources
from explorer.learning.run import TrainingRun
from explorer.model_on_screen.settings import ModelSettings, of_task
from explorer.pictures import registry
from explorer.programs.names import imports_of
from explorer.programs.program import Program
from explorer.programs.templates import ABSENT, TEMPLATES
from tests.explorer.learning import helpers as learning_helpers
from tests.explorer.programs.programs import DERIVED, OF_TWO_LANGUAGES, run_file, written
from tests.transformer_core.helpers import carried_out
from transformer_core import SHIPPED_MODELS, checkpoint
from transformer_core.data.tasks import PairsTask, task_to_dict
from transformer_core.training.learning import Learning
from transformer_core.training.learning_plan import pairs_plan

# Another sentence and other choices than a first visitor has: a model that nobody has trained, and that is quick to make.
OTHER = replace(
    ModelSettings(), step=0, d_model=32, n_heads=2, n_layers=2, d_ff=48, norm="post", position="learned", final_norm="on",
    score="concat_linear", activation="gelu", tie_embeddings="all", seed=7, src="the red cat sleeps", tgt="le chat",
)  # fmt: skip
# The same with positions that attention itself knows.
ROTARY, ALIBI = (replace(OTHER, position=each, score="scaled_dot", cross_position=True) for each in ("rotary", "alibi"))
CUT = replace(ModelSettings(), cut="cross.0.1,src:2,encoder.1.0,decoder.0.0:2-1", instead="mean")


EDITED = replace(
    ModelSettings(),
    edit="decoder.0.cross_attn.w_v.weight:30-5:100,decoder_norm.weight:3:-2.5,encoder.0.self_attn.w_k.weight:1-2:9",
    cut="cross.1.0",
)
COPY = replace(of_task("copy"), step=100, numbers="3 1 2")
# A model that nobody has trained yet: its program trains it.
LEARNING = replace(of_task("copy"), d_model=16, n_heads=2, n_layers=1, d_ff=16, step=30, position="learned", norm="post")


@pytest.fixture
def all_agree(run: Callable[..., list[str]]) -> Callable[[dict[str, Program], Path], None]:
    """all_agree(programs, folder): asserts that each finds its numbers."""

    def check(programs: dict[str, Program], folder: Path) -> None:
        told = dict(zip(programs, run([each.code for each in programs.values()], folder), strict=True))
        assert {name: said for name, said in told.items() if not said.startswith("The same ")} == {}

    return check


def test_every_picture_is_written_as_code_or_says_why_not():
    assert TEMPLATES.keys().isdisjoint(ABSENT)
    assert {*TEMPLATES, *DERIVED, *ABSENT} == {*registry.names()}


def test_the_program_of_every_picture_finds_the_numbers_on_screen(all_agree, tmp_path):
    """Those of a first visitor, and some of other models."""
    programs = written(ModelSettings())
    assert "SHIPPED_MODELS" in programs["heads"].code and "Trainer" not in programs["heads"].code
    names = ["heads", "stage", "stream-rows", "mask", "output-gradient"]
    other = written(replace(OTHER, cut="cross.0.1,src:1", instead="uniform"), names)
    copy = written(COPY, ["lane-training", "lane-use", "next-word", "beam-tree", "samples"])
    all_agree(programs | {f"other {name}": each for name, each in (other | copy).items()}, tmp_path)


def test_weights_changed_by_hand_are_plain_lines_of_the_program(all_agree, tmp_path):
    programs = written(EDITED, ["matrix-weights", "next-word-cut", "lines", "initial-weights"])
    lines = ["with torch.no_grad():  # weights changed by hand",
             "    model.decoder[0].cross_attn.w_v.weight[30, 5] = 100.0",
             "    model.decoder_norm.weight[3] = -2.5", "    model.encoder[0].self_attn.w_k.weight[1, 2] = 9.0"]  # fmt: skip
    assert all("\n".join(lines) in each.code for each in programs.values())
    assert "original = deepcopy(model)  # as it was" in programs["next-word-cut"].code
    assert "3 weights changed by hand" in programs["lines"].head
    all_agree(programs, tmp_path)


def test_so_do_those_of_a_decoder_alone(all_agree, tmp_path):
    names = ["lines", "erasure", "erasure-attention", "rollout-truth", "mask", "stage", "sum", "moved-own", "dropout-after",
             "stream-rows", "hidden", "printed-weights", "next-word", "cross-row", "lane-training", "logit-lens"]  # fmt: skip
    all_agree(written(of_task("repeat"), names, kind="decoder", order=[0, 2, 1]), tmp_path)


@pytest.mark.slow
def test_so_do_all_of_a_decoder_alone(all_agree, tmp_path):
    there = {*TEMPLATES, *DERIVED} - {"memory", "k-v", "q"} - OF_TWO_LANGUAGES  # of an encoder's output
    all_agree(written(replace(of_task("repeat"), step=0), sorted(there), kind="decoder", order=[0, 2, 1]), tmp_path)


def test_so_do_those_of_positions_in_attention(all_agree, tmp_path):
    names = ["head", "lines", "stage", "split-weights", "head-q", "score-weights", "cross-row", "what-remains", "turned-pairs",
             "lowered"]  # fmt: skip
    programs = [(kind, written(settings, names)) for kind, settings in (("rotary", ROTARY), ("alibi", ALIBI))]
    assert "cross_attn.penalties" in programs[1][1]["lines"].code and "not the formula" not in programs[1][1]["lines"].code
    all_agree({f"{kind} {name}": each for kind, made in programs for name, each in made.items()}, tmp_path)


@pytest.mark.parametrize(
    "settings", [OTHER, CUT, COPY, ROTARY, ALIBI], ids=["other settings", "cuts", "numbers", "rotary", "ALiBi"]
)
@pytest.mark.slow
def test_so_do_all_of_other_models(all_agree, tmp_path, settings):
    all_agree(written(settings), tmp_path)


@pytest.mark.parametrize("kind", ["encoder", "decoder"])
@pytest.mark.slow
def test_so_do_those_of_other_choices(all_agree, tmp_path, kind):
    changes = {"kind": kind, "layer": 1, "head": 0, "stack": kind, "stage": "weights", "name": "v", "mask": "cross",
               "samples": False, "forced": [], "ids": [], "decode_step": 1, "split_size": "8-2", "erasure_layer": 0,
               "rollout_layer": -1, "initial": True, "answer": "tu aimes ma voiture", "race_task": "copy", "race_length": 5,
               "race_scale": "steps"}  # fmt: skip
    all_agree(written(ModelSettings(), **changes), tmp_path)


def test_so_do_those_of_two_languages(all_agree, tmp_path):
    """Of another language, after an early step; the table in which a word is looked up may have been changed by hand."""
    programs = written(replace(of_task("everyday-zh"), step=510, edit="src_embedding.table.weight:30-5:2"), OF_TWO_LANGUAGES)
    assert "src_embedding.table.weight[30, 5] = 2.0" in programs["word-map"].code
    assert "weight[30, 5]" not in programs["word-map-course"].code, "the course of its learning has no such change"
    all_agree(programs, tmp_path)


def test_so_does_that_of_the_course_at_its_first_step(all_agree, tmp_path):
    all_agree(written(replace(of_task("everyday-fr"), step=0), ["word-map-course"]), tmp_path)


def test_so_do_those_of_the_recorded_race_which_make_no_model(all_agree, tmp_path):
    over_steps = written(COPY, ["race-curves", "race-places"], race_task="copy", race_length=10, race_scale="steps")
    for program in over_steps.values():
        assert "The model:" not in program.head and "It computes the numbers, draws them" in program.head
        assert "learned" not in program.code and "python -m transformer_core race" in program.code
    over_seconds = written(COPY, ["race-curves"], race_length=5)
    all_agree(over_steps | {"seconds": over_seconds["race-curves"]}, tmp_path)


@pytest.mark.slow
def test_a_program_trains_a_model_that_has_learned_here(all_agree, tmp_path):
    resources.model_store().put(carried_out(LEARNING.plan()).learned())
    programs = written(LEARNING, ["heads", "next-word"])
    assert "for _ in range(30):" in programs["heads"].code
    all_agree(programs, tmp_path)


@pytest.mark.slow
def test_a_program_keeps_the_course_of_a_model_that_has_learned_here(all_agree, tmp_path):
    settings = replace(of_task("everyday-fr"), d_model=16, n_heads=2, n_layers=1, d_ff=16, step=10)
    learning = Learning(settings.plan(), keep=[10, 20])
    for _step in range(30):
        learning.step()
    resources.model_store().put(learning.learned())
    program = written(settings, ["word-map-course"])["word-map-course"]
    assert "for _ in range(30):" in program.code and "map(course.model, [0, 10, 20, 30])" in program.code
    all_agree({"course": program}, tmp_path)


def own_model(steps: int, training: bool = False) -> bytes:
    """The file of a model that has learned a visitor's own pairs: to open, or to train on."""
    words = (("one two", "un deux"), ("two one", "deux un"), ("one", "un"), ("two", "deux"), ("one one", "un un"))
    task = PairsTask(words)
    trainer = Learning(pairs_plan(task, 0)).trainer
    for _step in range(steps):
        trainer.take()
    resume = checkpoint.Training(task, trainer.recipe, trainer.state()) if training else None
    return checkpoint.to_bytes(
        trainer.model if training else trainer.averaged(), task_to_dict(task) | {"task": task.name}, resume
    )


@pytest.mark.parametrize("training", [False, True], ids=["a checkpoint", "one that can be resumed"])
@pytest.mark.slow
def test_a_program_reads_the_file_of_ones_own_model(all_agree, tmp_path, training):
    data = own_model(5, training)
    settings = ModelSettings(model=resources.model_store().add(data).id, src="one two")
    (tmp_path / "model.safetensors").write_bytes(data)
    programs = written(settings, ["heads", "mask", "lane-training", "probabilities"])
    assert "model.safetensors" in programs["heads"].head
    all_agree(programs, tmp_path)


@pytest.mark.slow
def test_a_file_reads_the_model_beside_itself_and_leaves_a_picture_where_there_is_no_browser(tmp_path):
    """Wherever it is started."""
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    data = own_model(1)
    settings = ModelSettings(model=resources.model_store().add(data).id, src="one two")
    (home / "model.safetensors").write_bytes(data)
    (home / "heads.py").write_text(written(settings, ["heads"])["heads"].as_python(), encoding="utf-8")
    done = run_file(home / "heads.py", elsewhere)
    picture = home / "heads.py.html"
    told = f"The picture is in {picture}.\nThe same 72 numbers as on screen, to 1e-5 of the largest.\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, told, "")
    assert "plotly" in picture.read_text(encoding="utf-8") and [*elsewhere.iterdir()] == []


@pytest.mark.slow
def test_a_program_reads_the_course_of_a_file(all_agree, tmp_path):
    data = next(SHIPPED_MODELS.glob("*.safetensors")).read_bytes()
    settings = ModelSettings(model=resources.model_store().add(data).id)
    (tmp_path / "model.safetensors").write_bytes(data)
    all_agree(written(settings, ["heads", "next-word"]), tmp_path)


@pytest.mark.slow
def test_a_program_reads_the_course_in_the_file_of_a_run(all_agree, tmp_path):
    run = TrainingRun(learning_helpers.plan(steps=40), "me")
    learning_helpers.finish(run)
    data = run.checkpoint(training=True)
    model = resources.model_store().add(data)
    (tmp_path / "model.safetensors").write_bytes(data)
    programs = written(ModelSettings(model=model.id, step=20, numbers="1 2 3 4"), ["heads"])
    assert "course.model(20)" in programs["heads"].code
    all_agree(programs, tmp_path)


def test_a_module_can_be_imported_whole_and_in_part():
    """As where the cuts of a model need `torch` and the numbers `nn`."""
    assert imports_of("torch.inference_mode(nn)", origin={"nn": ("torch", "nn")}) == ["from torch import nn", "import torch"]


def test_a_program_with_another_number_fails(run, tmp_path):
    program = written(ModelSettings(), ["entropy"])["entropy"].code
    number = program.split("np.array([")[1].split(",")[0]
    changed = program.replace(number, f"{float(number) + 1e-4}", 1)
    (same, other) = run([program, changed], tmp_path)
    assert same == "The same 4 numbers as on screen, to 1e-5 of the largest." and other.startswith("left: These are not")


@pytest.mark.slow
def test_a_file_ends_with_an_error_where_its_numbers_are_others(tmp_path):
    """As a user runs it: the file itself."""
    text = written(ModelSettings(), ["lane-use"])["lane-use"].as_python()
    for name, content, code in (("a.py", text, 0), ("b.py", text.replace("check([", "check(['?',"), 1)):
        (tmp_path / name).write_text(content, encoding="utf-8")
        done = run_file(tmp_path / name, tmp_path)
        assert done.returncode == code, done.stderr


def test_the_head_names_the_model_that_is_drawn():
    now, before = (written(ModelSettings(), ["patterns"], initial=each)["patterns"].head for each in (False, True))
    assert "learned for 26,000 steps" in now and "nothing has been learned yet" in before


def test_a_notebook_has_the_same_code_in_cells():
    program = written(ModelSettings(), ["heads"])["heads"]
    notebook, text = json.loads(program.as_notebook()), program.as_python()
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert "\n\n".join(cells) == program.code
    shown = "figure.show()"
    written_out = 'figure.write_html(f"{__file__}.html", auto_open=True)\nprint(f"The picture is in {__file__}.html.")'
    assert program.code.count(shown) == 1
    module, code = ast.parse(text), ast.parse(program.code.replace(shown, written_out))
    assert ast.dump(ast.Module(module.body[1:], [])) == ast.dump(code), "after its head"
    assert [line for line in text.splitlines() if line.startswith("# %%")] == [f"# %% {cell.heading}" for cell in program.cells]
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    assert "".join(notebook["cells"][0]["source"]) == ast.get_docstring(module, clean=False).rstrip("\n")


def test_a_program_holds_the_formula_of_attention():
    plain, other = written(ModelSettings(), ["heads"])["heads"], written(OTHER, ["heads"])["heads"]
    assert "q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1])" in plain.code and "np.exp(" in plain.code
    assert '["weights"]' not in plain.code, "no number is read that the formula computes"
    assert '["weights"]' in other.code and "np.exp(" not in other.code, "this model scores in another way"


@pytest.mark.parametrize(("settings", "read"), [(ModelSettings(), []), (OTHER, ["scores"]), (CUT, ["context"])])
def test_the_lines_of_one_head_are_those_of_the_formula_but_for_what_a_model_does_otherwise(settings, read):
    code = written(settings, ["head"])["head"].code
    formulas = {"scores": "q @ k.T / np.sqrt(cfg.d_k)", "masked": "np.where(shown.allowed, scores, -np.inf)",
                "weights": "powers / powers.sum", "context": "weights @ v"}  # fmt: skip
    assert [name for name, formula in formulas.items() if f"{name} = {formula}" not in code] == read
    assert [name for name in formulas if f"{name} = stages[" in code] == read


def test_the_numbers_of_the_check_are_the_last_of_a_program():
    for name, program in written(ModelSettings(), ["heads", "entropy", "lane-use"]).items():
        *before, check = program.cells
        assert check.heading.startswith("From here on only a check"), name
        assert not any("base64" in cell.code for cell in before[1:]), name
        (call,) = ast.parse(check.code).body[-1:]
        assert isinstance(call, ast.Expr) and ast.unparse(call).startswith("check("), name


def test_programs_are_short_and_use_what_they_import():
    for name, program in written(ModelSettings()).items():
        tree = ast.parse(program.code)
        lines = [each for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom)]
        imported = {alias.asname or alias.name for line in lines for alias in line.names}
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert imported <= used, name
        written_out = [line for line in program.code.splitlines() if not line.startswith('    "')]
        read = [line for cell in program.cells[:-1] for line in cell.code.splitlines()]  # before the check
        assert read.count("figure.show()") == 1, "what a Python file does otherwise"
        assert len(read) < 80 and max(map(len, written_out)) <= 128, name
