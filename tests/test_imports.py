"""Pins which part of the house may import which: app, pages -> explorer -> transformer_core, and the floors of the core.

Every import statement of every file counts, also those inside functions. A new file is covered as soon as it is there; a new
floor of the core must be given its place in `CORE` below.
"""

import ast
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# The floors of the core, the lowest first: a module may import from its own floor and from those below it, without circles.
CORE = ("errors", "data", "model", "training", "analysis", "__init__", "__main__")
CORE_MAY_USE = {"torch", "numpy", "safetensors"}
FIGURES_MAY_USE = {"numpy"}
PAGE_LINES = 130


def python_files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def imports(source: str, package: str = "") -> set[str]:
    """Dotted names of all that a file imports; `from a import b` gives a.b, for b may be a module. `package` is its own."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            origin = ".".join([*parts, *([node.module] if node.module else [])])
            found |= {f"{origin}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("import_module", "__import__"):
            argument = node.args[0] if node.args else None
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                found.add(argument.value)
            else:
                found.add("a name that only running tells")
    return found


def floor_of(path: Path) -> str:
    """The name under which a file of the core stands in CORE: that of the package it lies in, or its own."""
    return path.relative_to(ROOT / "transformer_core").with_suffix("").parts[0]


def of_file(path: Path) -> set[str]:
    return imports(path.read_text(encoding="utf-8"), ".".join(path.relative_to(ROOT).parent.parts))


def within(name: str, *roots: str) -> bool:
    return any(name == root or name.startswith(root + ".") for root in roots)


def outside(names: set[str]) -> set[str]:
    """Without the standard library."""
    return {name for name in names if name.split(".")[0] not in sys.stdlib_module_names}


def by_path(folder: str):
    return pytest.mark.parametrize("path", python_files(folder), ids=lambda path: str(path.relative_to(ROOT)))


def test_the_reader_of_imports_finds_every_kind():
    source = """
import torch.nn as nn, os
from plotly import graph_objects as go
def later():
    import streamlit
    from .words import _
    from .. import pages
    from . import controls
    importlib.import_module("explorer.state")
    __import__(name)
"""
    assert imports(source, "explorer.figures") == {
        "torch.nn", "os", "plotly.graph_objects", "streamlit", "explorer.figures.words._", "explorer.pages",
        "explorer.figures.controls", "explorer.state", "a name that only running tells",
    }  # fmt: skip


def test_there_is_a_core_to_check():
    assert {floor_of(path) for path in python_files("transformer_core")} == set(CORE)


@by_path("transformer_core")
def test_the_core_knows_torch_numpy_and_itself(path):
    wrong = {name for name in outside(of_file(path)) if not within(name, "transformer_core", *CORE_MAY_USE)}
    assert not wrong


@by_path("transformer_core")
def test_the_core_has_floors(path):
    allowed = [f"transformer_core.{name}" for name in CORE[: CORE.index(floor_of(path)) + 1]]
    wrong = {name for name in of_file(path) if within(name, "transformer_core") and not within(name, *allowed)}
    assert not wrong


def test_no_module_of_the_core_needs_itself():
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in python_files("transformer_core")}
    needs = {
        module: {other for name in of_file(path) if (other := name if name in modules else name.rpartition(".")[0]) in modules}
        for module, path in modules.items()
    }
    assert sum(map(len, needs.values())) > len(needs), "imports are found"
    list(TopologicalSorter(needs).static_order())  # raises CycleError


@by_path("explorer")
def test_the_explorer_knows_no_page(path):
    wrong = {name for name in of_file(path) if within(name, "pages", "app", "tests", "benchmarks")}
    assert not wrong


@by_path("explorer/figures")
def test_figures_are_numpy_in_plotly_out(path):
    allowed = (*FIGURES_MAY_USE, "explorer.figures", "explorer.words._")
    wrong = {name for name in outside(of_file(path)) if not within(name, *allowed)}
    assert not wrong


@by_path("pages")
def test_pages_do_no_tensor_arithmetic_and_stay_short(path):
    wrong = {name for name in of_file(path) if within(name, "torch", "pages", "app", "tests", "benchmarks")}
    assert not wrong
    assert len(path.read_text(encoding="utf-8").splitlines()) <= PAGE_LINES


def test_the_app_starts_the_explorer_and_no_page():
    path = ROOT / "app.py"
    if path.exists():
        wrong = {name for name in of_file(path) if within(name, "pages", "torch", "tests", "benchmarks")}
        assert not wrong


def test_nothing_imports_the_tests_or_the_benchmarks():
    for folder in ("transformer_core", "explorer", "pages"):
        for path in python_files(folder):
            assert not {name for name in of_file(path) if within(name, "tests", "benchmarks")}, path
