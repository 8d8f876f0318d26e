"""Choices for every picture, and a process that runs programs without the explorer."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shown_model import show_model
from explorer.pictures import every as _every  # noqa: F401
from explorer.pictures import registry
from explorer.pictures.exhibit import ExhibitPicture
from explorer.programs.program import Program, program_of
from explorer.programs.templates import TEMPLATES
from explorer.shell import every_exhibit as _every_exhibit  # noqa: F401

ROOT = Path(__file__).resolve().parents[3]

# What a page may have chosen, by the name of the field; where a name means two things, by picture.
FIELDS: dict[str, Any] = {
    "kind": "cross", "layer": 0, "head": 1, "scale": "1", "name": "k", "stack": "decoder", "token": 1, "answer": "",
    "beam_width": 3, "beam_steps": 4, "beam_penalty": 0.6, "draw_seed": 3, "temperature": 1.2, "top_k": 12, "top_p": 0.95,
    "decode_step": 2, "decode_steps": 6, "forced": [[0, 7]], "samples": True, "sampled": True, "mask": "target", "pad_src": 2,
    "pad_tgt": 1, "stage": "masked_scores", "blocked_padding": 2, "beside": 3, "norm_eps_tried": 0.01, "norm_eps_own": 1e-5,
    "norm_place": 1, "norm_seed": 2, "score_seed": 1, "score": "additive", "vocabulary": 1000, "ids": [4, 5, 4], "hand": 5,
    "wave_positions": 30, "base": 10_000, "width": "model", "dimension": 4, "steps_on": 7, "block": 8, "split_size": "model",
    "scale_keys": 8, "scale_seed": 1, "erasure_layer": -1,
    "rows": 5, "columns": 4, "k": 1, "offset": -1, "size": 6, "kernel": 5, "rollout_layer": 0,
    "dropout_place": "active", "dropout_share": 0.25, "dropout_seed": 3, "depth": 4, "depth_seed": 1, "cost_length": 20,
    "patterns_padding": 2, "initial": False, "side": "query", "place": 2, "order": [1, 0, 3, 2], "places": 12,
    "print_batch": 2, "print_length": 5, "print_width": 24, "print_dropout": 0.2, "print_heads": 4, "weight_matrix": 3,
    "weight_seed": 2, "parameter": "decoder.0.cross_attn.w_v.weight", "share": 1, "blocked_query": 1, "open_keys": 0,
    "longer_task": "reverse",
    "longer_share": "tokens", "longer_cross": "self", "longer_until": "asked",
    "one_step_after": 1363, "turn_both": 6, "turn_query": 3, "race_task": "reverse", "race_length": 20, "race_scale": "seconds",
}  # fmt: skip
OTHERWISE: dict[str, dict[str, Any]] = {"distance": {"kind": "decoder"}}


def choices_of(picture: str, /, **changes: Any) -> dict[str, Any]:
    """Returns choices as a browser sends them."""
    said = {**FIELDS, **OTHERWISE.get(picture, {}), **changes}
    return {each.name: said[each.name] for each in fields(registry.named(picture).choices)}


DERIVED = [name for name in registry.names() if isinstance(registry.named(name), ExhibitPicture)]


OF_TWO_LANGUAGES = {"word-map", "word-map-course"}


def written(settings: ModelSettings, names: Sequence[str] | None = None, **changes: Any) -> dict[str, Program]:
    """Writes the programs of pictures of one model; None: of all that it has."""
    shown = show_model(settings)
    if names is None:
        names = [each for each in (*TEMPLATES, *DERIVED) if shown.translation is not None or each not in OF_TWO_LANGUAGES]
    return {name: program_of(shown, settings, name, choices_of(name, **changes)) for name in names}


_RUNNER = """
import contextlib, io, json, os, sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("explorer", "streamlit"):
            raise ImportError(f"{name} is not for programs")

sys.meta_path.insert(0, Blocker())
from plotly.basedatatypes import BaseFigure
BaseFigure.show = lambda figure, *given: figure.to_json()
from functools import cache
from transformer_core.training import learned
learned.from_bytes = cache(learned.from_bytes)  # most programs open the same file

def told(code):
    words = io.StringIO()
    try:
        with contextlib.redirect_stdout(words):
            exec(compile(code, "program.py", "exec"), {"__name__": "__main__"})
    except SystemExit as error:
        return f"left: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return words.getvalue().strip()

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # whatever else writes there
for line in sys.stdin:
    folder, programs = json.loads(line)
    os.chdir(folder)
    os.environ["HOME"] = folder
    print(json.dumps([told(code) for code in programs]), file=answers, flush=True)
"""


class Runner:
    """A process that can import neither the explorer nor Streamlit, and runs programs."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", _RUNNER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        )

    def run(self, programs: Sequence[str], folder: Path) -> list[str]:
        """Runs programs there, one after another. Returns the line that each has printed, or its error."""
        assert self._process.stdin is not None and self._process.stdout is not None
        assert self._process.poll() is None, "the process has ended: what it says stands above"
        self._process.stdin.write(json.dumps([str(folder), programs]) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "the process has ended: what it says stands above"
        found: list[str] = json.loads(answer)
        return found

    def end(self) -> None:
        self._process.communicate()
        assert self._process.returncode == 0


def run_file(path: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a program as a user does, the file itself, in a folder, where there is neither a screen nor a browser."""
    env = {"PYTHONPATH": str(ROOT), "HOME": str(folder), "PATH": ""}
    return subprocess.run([sys.executable, path], cwd=folder, env=env, capture_output=True, text=True, check=False)
