"""A recipe: the lines that compute the numbers of a picture, with gaps for what its page has chosen."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import Template
from typing import Any

import numpy as np

from explorer.model_on_screen.shown_model import ShownModel


class Code(str):
    """Text that stands in a program as it is; any other value stands there as Python writes it."""

    __slots__ = ()


Ids = tuple[int, ...]
Fill = Callable[[ShownModel, Any], Mapping[str, Any]]


def nothing(_shown: ShownModel, _choices: Any) -> dict[str, Any]:
    """Fills no gap."""
    return {}


def as_on_screen(shown: ShownModel, _choices: Any) -> tuple[Ids, Ids, Ids]:
    """Returns the ids of the source, of the decoder's input, and of its labels."""
    return shown.batch(0, 0)


def no_padding(_shown: ShownModel, _choices: Any) -> tuple[int, int]:
    return 0, 0


@dataclass(frozen=True)
class ProgramTemplate:
    """The lines of one picture.

    Attributes:
        says: what the numbers are, in one sentence.
        code: lines that make `values`, an array or a list of arrays in the order of the drawing (for words: of strings). Gaps
            are written $name. They may use the names of the lines before them: task, cfg, model, vocabulary, src, tgt, labels
            (lists of ids), src_tokens, tgt_tokens, next_tokens, and stages, the tensors of the forward pass by name.
        fill: gives the gaps.
        sentence: source, decoder input and labels, where they are not those on screen.
        padding: how many padding tokens are behind source and target.
        seen: reads the numbers, or words, of the drawing, where `on_screen.numbers_of` cannot.
        draw: lines that draw `values`, with the same gaps, where `drawing.lines_of` cannot.
        labels: expressions that make the labels of rows and columns; those of the drawing are written out otherwise.
        model: the model that is drawn, where that is not the one on screen.
    """

    says: str
    code: str
    fill: Fill = nothing
    sentence: Callable[[ShownModel, Any], tuple[Ids, Ids, Ids]] = as_on_screen
    padding: Callable[[ShownModel, Any], tuple[int, int]] = no_padding
    seen: Callable[[ShownModel, Any, Any], Sequence[np.ndarray] | Sequence[str]] | None = None
    draw: str | None = None
    labels: tuple[str, str] | None = None
    model: Callable[[ShownModel, Any], ShownModel] = lambda shown, _choices: shown


def filled(template: str, gaps: Mapping[str, Any]) -> str:
    """Fills the gaps of a template. Raises KeyError for a gap that nothing fills."""
    return Template(template.strip("\n")).substitute({name: written(value) for name, value in gaps.items()})


def written(value: Any) -> str:
    """Returns a value as Python writes it, words in double quotes."""
    if isinstance(value, Code):
        return str(value)
    if isinstance(value, str):
        return repr(value) if '"' in value else f'"{repr(value + chr(34))[1:-2]}"'
    if isinstance(value, list | tuple):
        ends, items = "[]" if isinstance(value, list) else "()", ", ".join(map(written, value))
        return f"{ends[0]}{items}{',' if isinstance(value, tuple) and len(value) == 1 else ''}{ends[1]}"
    return repr(value.item() if isinstance(value, np.generic) else value)


def listed(items: Sequence[Any], wide: int = 100) -> Code:
    """Writes a list, over several lines if it is long."""
    texts = [written(each) for each in items]
    if sum(len(text) + 2 for text in texts) < wide - 20:
        return Code(f"[{', '.join(texts)}]")
    rows, row = [], "   "
    for text in texts:
        if len(row) + len(text) > wide:
            rows.append(row)
            row = "   "
        row += f" {text},"
    return Code("\n".join(["[", *rows, row, "]"]))
