"""Pins: an error that a person is told of is a whole sentence with named places, and what stands in them."""

import ast
import copy
import pickle
from pathlib import Path
from string import Formatter

import pytest

import transformer_core
from transformer_core import TrainingDiverged, checkpoint
from transformer_core.errors import LONGEST, InputError, WordedError
from transformer_core.training.checkpoint import CheckpointError

CORE = Path(transformer_core.__file__).parent
KINDS = {"InputError", "CheckpointError", "TrainingDiverged"}
# Told to who writes Python, not to who uses the app.
FOR_PROGRAMMERS = {
    CORE / name
    for name in (
        "model/trace.py",
        "model/intervened.py",
        "model/stages.py",
        "model/cache.py",
        "analysis/attention_map.py",
        "analysis/cutting.py",
        "analysis/head_matching.py",
        "analysis/patching.py",
        "__main__.py",
    )
}


def calls(path):
    return [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]


def named(path, names):
    """The calls in a file of what has one of these names, by where they stand."""
    found = [call for call in calls(path) if isinstance(call.func, ast.Name) and call.func.id in names]
    return {f"{path.relative_to(CORE)}:{call.lineno}": call for call in found}


def test_every_template_is_a_literal_whose_places_are_filled():
    raised = {where: call for path in sorted(CORE.rglob("*.py")) for where, call in named(path, KINDS).items()}
    assert len(raised) > 50
    for where, call in raised.items():
        (template,) = call.args
        assert isinstance(template, ast.Constant) and isinstance(template.value, str), f"{where}: a translator has to find it"
        places = {name for _text, name, _spec, _conversion in Formatter().parse(template.value) if name is not None}
        assert all(place.isidentifier() for place in places), where
        assert places == {each.arg for each in call.keywords} - {"nearest"}, where


def test_no_other_error_is_told_to_a_person():
    assert not [where for path in set(CORE.rglob("*.py")) - FOR_PROGRAMMERS for where in named(path, {"ValueError"})]


def test_an_error_is_english_by_itself_and_can_be_said_otherwise():
    error = InputError("{n:,} heads for a width of {d}", n=1500, d=64, nearest={"n": (1, 64)})
    assert isinstance(error, ValueError)
    assert str(error) == "1,500 heads for a width of 64"
    assert "64 breit, {n}".replace("64", "{d}").format(**error.values) == "64 breit, 1500"
    assert error.nearest == {"n": (1, 64)} and InputError("{n}", n=1).nearest == {}


@pytest.mark.parametrize("way", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))])
def test_an_error_can_be_sent_elsewhere(way):
    error = way(InputError("no “{token}” here", token="{braces}", nearest={"k": (3,)}))
    assert str(error) == "no “{braces}” here"
    assert (error.template, error.nearest) == ("no “{token}” here", {"k": (3,)})


def test_long_texts_are_cut_and_numbers_are_not():
    error = InputError("{text} {number}", text="x" * 10_000, number=10**200)
    assert error.values["text"] == "x" * (LONGEST - 1) + "…"
    assert error.values["number"] == 10**200
    assert InputError("{text}", text="y" * LONGEST).values["text"] == "y" * LONGEST


def test_an_error_within_an_error_can_be_translated_too():
    data = checkpoint.to_bytes(transformer_core.Transformer(transformer_core.PRESETS["tiny"]))
    with pytest.raises(CheckpointError) as caught:
        checkpoint.from_bytes(data.replace(b'\\"n_heads\\": 4', b'\\"n_heads\\": 5'))
    inner = caught.value.values["error"]
    assert isinstance(inner, InputError) and inner.values["n_heads"] == 5
    assert str(caught.value) == f"the file's configuration cannot be read: {inner}"


def test_a_training_that_diverged_is_no_wrong_input_but_has_its_words():
    error = TrainingDiverged("stopped at {step}", step=7)
    assert isinstance(error, WordedError) and not isinstance(error, ValueError)
    assert (error.step, str(error)) == (7, "stopped at 7")
