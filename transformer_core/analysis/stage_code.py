"""The line of the model's code that makes a stage: not looked up by its name, but noted while such a model runs."""

import ast
import inspect
import sys
import textwrap
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from types import CodeType

import torch
from torch import Tensor

from transformer_core.model.config import TransformerConfig
from transformer_core.model.stages import at_layer
from transformer_core.model.trace import observed
from transformer_core.model.transformer import shapes_only


@dataclass(frozen=True)
class CodeLines:
    """The statement that hands a stage to the trace, after the one that computes it where that is another one.

    Attributes:
        function: its qualified name.
        module: dotted.
        line: the number of the first line in the file.
    """

    function: str
    module: str
    line: int
    text: str


def stage_code(cfg: TransformerConfig, stage: str) -> CodeLines:
    """The code that makes a stage of this model. Raises KeyError for a stage that it does not have."""
    return _lines(*_callers(replace(cfg, n_layers=1))[at_layer(stage, 0)])


@lru_cache(maxsize=64)
def _callers(cfg: TransformerConfig) -> dict[str, tuple[CodeType, str, int]]:
    """All stages of a model, found by running it on "meta", which takes no memory."""
    callers = {}

    def note(name: str, x: Tensor) -> Tensor:
        caller = sys._getframe(2)  # behind this function and `stage`
        callers[name] = caller.f_code, caller.f_globals["__name__"], caller.f_lineno
        return x

    one = torch.zeros(1, 1, dtype=torch.long, device="meta")
    with observed(note):
        shapes_only(cfg).eval()(one if cfg.has_encoder else one[:, :0], one)
    return callers


@cache
def _lines(code: CodeType, module: str, line: int) -> CodeLines:
    source, first = inspect.getsourcelines(code)
    at = line - first + 1  # in the function's own text
    text = textwrap.dedent("".join(source))
    body, place = _innermost(ast.parse(text).body, at)
    begin, end = body[place].lineno, body[place].end_lineno
    if place and _handed_on(body[place]) in _assigned(body[place - 1]):
        begin = body[place - 1].lineno
    kept = textwrap.dedent("\n".join(text.splitlines()[begin - 1 : end]))
    return CodeLines(code.co_qualname, module, first + begin - 1, kept)


def _innermost(body: list[ast.stmt], line: int) -> tuple[list[ast.stmt], int]:
    """The statement that a line belongs to, as its place among its siblings."""
    place = next(i for i, each in enumerate(body) if each.lineno <= line <= (each.end_lineno or each.lineno))
    for inner in (getattr(body[place], name, None) for name in ("body", "orelse")):
        if inner and inner[0].lineno <= line <= inner[-1].end_lineno:
            return _innermost(inner, line)
    return body, place


def _handed_on(statement: ast.stmt) -> str | None:
    """The variable that a statement gives to the trace; None where it computes what it gives."""
    calls = (node for node in ast.walk(statement) if isinstance(node, ast.Call) and ast.unparse(node.func) == "stage")
    given = next((call.args[1] for call in calls), None)
    if isinstance(given, ast.IfExp):
        given = given.body
    return given.id if isinstance(given, ast.Name) else None


def _assigned(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
