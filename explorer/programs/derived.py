"""The text of a program's numbers, taken from the functions that compute them on screen."""

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import Annotated, Any, get_args, get_origin

import numpy as np

from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.exhibit import Numbers
from explorer.programs.template import written

_HOUSE = "explorer."  # what comes from here stands in the program by its source
_PLAIN = {int: "int", str: "str", float: "float", bool: "bool"}


@dataclass
class Source:
    """Functions and constants in an order in which they can be defined, and the lines that import what they use.

    Attributes:
        origin: name -> (module that it is imported from, or None where it is a module itself, its full name).
    """

    blocks: dict[str, str] = field(default_factory=dict)
    origin: dict[str, tuple[str | None, str]] = field(default_factory=dict)

    @property
    def attributes(self) -> set[str]:
        """The names that are read off a run."""
        read = [node for node in ast.walk(ast.parse(self.code)) if isinstance(node, ast.Attribute)]
        return {node.attr for node in read if isinstance(node.value, ast.Name) and node.value.id == "run"}

    @property
    def code(self) -> str:
        texts = list(self.blocks.values())
        joined = texts[0]
        for before, text in pairwise(texts):
            both_short = "\n" not in before and "\n" not in text
            joined += ("\n" if both_short else "\n\n\n") + text
        return joined


def function_of(
    numbers: Numbers[..., ..., Any], shown: ShownModel, fitted: Mapping[str, Any], values: Any, tolerance: float
) -> Numbers[..., ..., Any]:
    """Returns the function that a program computes these numbers by: their formula, where that finds `values`, which are on
    screen; otherwise the function itself. A cut, or another scoring function, makes a model do other than the formula says.

    Args:
        tolerance: relative to the largest number.
    """
    if (formula := numbers.by_formula) is None:
        return numbers
    found = np.asarray(formula.values(shown, fitted))
    seen = np.isfinite(values)
    same = found.shape == seen.shape and np.allclose(
        found[seen], values[seen], rtol=0, atol=tolerance * np.abs(values[seen]).max(initial=0)
    )
    return formula if same and (np.isfinite(found) == seen).all() else numbers


def source_of(*numbers: Numbers[..., ..., Any]) -> Source:
    """Returns the source of numbers, and of what of their exhibit they use. Raises ValueError where they need more of the
    explorer: a program has the core alone."""
    source = Source()
    for each in numbers:
        _take(source, sys.modules[each.compute.__module__], each.compute.__name__)
    return source


def call_of(numbers: Numbers[..., ..., Any], given: Mapping[str, Any]) -> str:
    """Returns the expression that calls a function with these choices."""
    texts = [*numbers.takes, *(f"{name}={written(value)}" for name, value in given.items())]
    return f"{numbers.compute.__name__}({', '.join(texts)})"


@cache
def _file(module: ModuleType) -> tuple[list[str], dict[str, ast.stmt]]:
    """The lines of a module, and what defines each of its names."""
    text = inspect.getsource(module)
    defined: dict[str, ast.stmt] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined[node.name] = node
        elif isinstance(node, ast.Import | ast.ImportFrom):
            defined |= {alias.asname or alias.name.partition(".")[0]: node for alias in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            defined |= {target.id: node for target in targets if isinstance(target, ast.Name)}
    return text.splitlines(), defined


def _take(source: Source, module: ModuleType, name: str) -> None:
    """Adds a name of a module, after those that it is made from."""
    lines, defined = _file(module)
    if name in source.blocks or name in source.origin or name not in defined:
        return  # there already, or a name of Python, or one of the function's own
    node = defined[name]
    if isinstance(node, ast.Import):
        alias = next(each for each in node.names if (each.asname or each.name.partition(".")[0]) == name)
        source.origin[name] = None, alias.name
    elif isinstance(node, ast.ImportFrom):
        assert node.module is not None and node.level == 0
        if not node.module.startswith(_HOUSE):
            alias = next(each for each in node.names if (each.asname or each.name) == name)
            source.origin[name] = node.module, alias.name
        elif node.module.startswith(f"{_HOUSE}exhibits."):
            _take(source, sys.modules[node.module], name)
        else:
            raise ValueError(f"numbers of a program cannot use {name} of {node.module}")
    else:
        text = _text(module, node, lines)
        for other in _names(ast.parse(text)):
            if other != name:
                _take(source, module, other)
        source.blocks[name] = text


def _names(tree: ast.AST) -> Iterator[str]:
    """The names that a text reads, in order."""
    yield from dict.fromkeys(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def _text(module: ModuleType, node: ast.stmt, lines: list[str]) -> str:
    """The text of a definition, without decorators, and with the plain types of choices."""
    lines = lines[: node.end_lineno]
    if isinstance(node, ast.FunctionDef):
        compute = vars(module)[node.name]
        for argument in reversed([*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]):
            hint = compute.hints.get(argument.arg) if isinstance(compute, Numbers) else None
            if hint is not None and argument.annotation is not None:
                at = argument.annotation
                assert at.lineno == at.end_lineno and at.end_col_offset is not None
                line = lines[at.lineno - 1].encode()
                plain = _plain(hint).encode()
                lines[at.lineno - 1] = (line[: at.col_offset] + plain + line[at.end_col_offset :]).decode()
    return "\n".join(lines[node.lineno - 1 :])


def _plain(hint: Any) -> str:
    """The type of a choice as a program names it."""
    if get_origin(hint) is Annotated:
        return _plain(get_args(hint)[0])
    values = get_args(hint)
    return _PLAIN.get(hint) or (_PLAIN[type(values[0])] if values and not isinstance(values[0], type) else "tuple")
