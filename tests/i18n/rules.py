"""Finds where a message would be looked up too soon, or put together from pieces, by reading the source."""

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

LOOKUPS = {"_", "n_"}
CACHES = {"cache", "lru_cache", "cached", "shared_cache", "cachedmethod", "cached_property", "cache_data", "cache_resource"}

Offence = tuple[int, str]  # line, what is wrong
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_DIRECTIVE = re.compile(r":[a-z-]+\[")  # :blue[


def offences(source: str, runs_per_rerun: bool = False) -> list[Offence]:
    """All of a file, in the order of its lines; a script that runs anew in every rerun may look up at its top level."""
    tree = ast.parse(source)
    found = [] if runs_per_rerun else [(call.lineno, "looked up when imported") for call in _at_import(tree)]
    found += [(call.lineno, "looked up in a cached function") for call in _in_caches(tree)]
    return sorted({*found, *_joined(tree)})


def _name(node: ast.expr) -> str:
    """The last part of a dotted name; that of the function, for a call."""
    if isinstance(node, ast.Call):
        return _name(node.func)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_lookup(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and (_name(node.func) in LOOKUPS or ast.unparse(node.func) == "i18n.error")


def _at_import(node: ast.AST) -> Iterator[ast.Call]:
    """The lookups that run when the file is imported: not the bodies of functions, but their defaults and decorators."""
    if _is_lookup(node):
        yield node
    for child in _now(node) if isinstance(node, Function) else ast.iter_child_nodes(node):
        yield from _at_import(child)


def _now(function: Function) -> list[ast.AST]:
    """What of a function is computed where it is defined."""
    arguments = function.args
    defaults = [*arguments.defaults, *(default for default in arguments.kw_defaults if default is not None)]
    return [*defaults, *getattr(function, "decorator_list", [])]


def _in_caches(tree: ast.AST) -> Iterator[ast.Call]:
    """The lookups in functions that are decorated with a cache, or handed to one: `cache(f)`, `st.cache_data(ttl=9)(f)`."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _name(node) in CACHES]
    handed = [argument for call in calls for argument in call.args]
    names = {argument.id for argument in handed if isinstance(argument, ast.Name)}
    for node in ast.walk(tree):
        if node in handed or (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and (node.name in names or any(_name(decorator) in CACHES for decorator in node.decorator_list))
        ):
            yield from (inner for inner in ast.walk(node) if _is_lookup(inner))


def _is_text(node: ast.AST) -> bool:
    """Whether this is what a lookup has returned, formatted or not."""
    if isinstance(node, ast.IfExp):
        return _is_text(node.body) or _is_text(node.orelse)
    if isinstance(node, ast.BinOp):
        return _is_text(node.left) or _is_text(node.right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not _is_lookup(node):
        return _is_text(node.func.value)  # _("…").format(…)
    return _is_lookup(node)


def _joined(tree: ast.AST) -> Iterator[Offence]:
    """Where pieces are joined to a text, or into a message; another language may want them in another order."""
    for node in ast.walk(tree):
        match node:
            case ast.BinOp(op=ast.Add(), left=left, right=right) if _is_text(left) or _is_text(right):
                yield node.lineno, "+ on a translated text"
            case ast.AugAssign(op=ast.Add(), value=value) if _is_text(value):
                yield node.lineno, "+ on a translated text"
            case ast.JoinedStr() if not _is_only_marked_up(node):
                yield node.lineno, "a translated text in an f-string"
            case ast.Call(args=arguments) if _is_lookup(node) and any(map(_is_made, arguments[:2])):
                yield node.lineno, "a message that is put together"


def _is_made(argument: ast.expr) -> bool:
    return isinstance(argument, ast.JoinedStr) or (isinstance(argument, ast.BinOp) and isinstance(argument.op, ast.Add))


def _is_only_marked_up(node: ast.JoinedStr) -> bool:
    """An f-string without a translated text, or with nothing else but markup around it: f"**{_('…')}**"."""
    values = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
    literal = "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
    return not any(map(_is_text, values)) or (len(values) == 1 and not re.search(r"\w", _DIRECTIVE.sub("", literal)))
