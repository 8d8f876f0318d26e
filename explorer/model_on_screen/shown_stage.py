"""The numbers of one stage of the model on screen, with the labels of its rows and columns."""

from dataclasses import dataclass

import numpy as np
import torch

from explorer.model_on_screen.decoding import token_texts
from explorer.model_on_screen.shown_model import ShownModel
from transformer_core.model.kernels import masked_softmax
from transformer_core.model.stages import LOGITS, AttentionKind, attention_kind, parse_stage

PROBABILITIES = "probabilities"  # not a stage: computed from the logits
MOST_NUMBERS = 2**16  # numbers in a picture
MOST_COLUMNS = 256  # columns side by side
MOST_TOKENS = 24  # columns of a vocabulary: those with the largest numbers
_WEIGHTS, _MASKED = "weights", ("masked_scores", "weights")


@dataclass(frozen=True, eq=False)
class ShownStage:
    """A stage as sheets of rows and columns: one for each head, or a single one.

    Shape: values (sheet, row, column), NaN where the mask hides a cell

    Attributes:
        whole: how many rows and columns the stage has; the first of them are shown, and of a vocabulary the columns with the
            largest numbers, in descending order.
        rows, columns: labels of those that are shown; empty for dimensions, which only have numbers.
        is_share: whether all values lie between 0 and 1.
    """

    name: str
    axes: tuple[str, ...]
    values: np.ndarray
    whole: tuple[int, int]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    is_share: bool


def shown_stage(shown: ShownModel, name: str) -> ShownStage:
    """Returns a stage of the forward pass on screen, or the probabilities of each next token. Raises KeyError for another."""
    forward = shown.forward()
    if name == PROBABILITIES:
        values, axes = masked_softmax(torch.tensor(forward[LOGITS])).numpy(), forward.axes[LOGITS]
    else:
        values, axes = forward[name], forward.axes[name]
    kind = None if name == PROBABILITIES else _kind_of_stage(name)
    last = name.rpartition(".")[2]
    if kind is not None and last in _MASKED:
        layer = parse_stage(name).layer
        assert layer is not None
        values = np.where(shown.attention(kind, layer).map.allowed, values, np.nan)
    sheets = values if values.ndim == 3 else values[None]
    rows, columns = (_labels(shown, axis, kind) for axis in axes[-2:])
    if axes[-1] == "vocab":
        largest = np.argsort(-values.max(axis=0), kind="stable")[:MOST_TOKENS]
        sheets, columns = sheets[..., largest], tuple(token_texts(shown, largest.tolist()))
    n_rows, n_columns = beginning(*sheets.shape)
    return ShownStage(
        name,
        axes,
        sheets[:, :n_rows, :n_columns],
        (values.shape[-2], values.shape[-1]),
        rows[:n_rows],
        columns[:n_columns],
        name == PROBABILITIES or (kind is not None and last == _WEIGHTS),
    )


def _kind_of_stage(stage: str) -> AttentionKind | None:
    """Returns the attention that a stage belongs to, or None."""
    path = parse_stage(stage).path
    return None if path is None else attention_kind(path)


def beginning(sheets: int, rows: int, columns: int) -> tuple[int, int]:
    """Returns how many rows and columns of each sheet are shown, so that all sheets fit MOST_NUMBERS."""
    columns = min(columns, MOST_COLUMNS)
    while sheets * rows * columns > MOST_NUMBERS:
        rows, columns = (rows // 2, columns) if rows > columns else (rows, columns // 2)
    return rows, columns


def _labels(shown: ShownModel, axis: str, kind: AttentionKind | None) -> tuple[str, ...]:
    """Labels the places along an axis, if they are tokens of the sequences on screen."""
    if axis == "query":
        axis = "src" if kind == "encoder" else "tgt"
    if axis == "key":
        axis = "tgt" if kind == "decoder" else "src"
    return tuple({"src": shown.src_labels, "tgt": shown.tgt_labels}.get(axis, ()))
