"""How the width is split into heads and joined again: for the part, and while a knob is moved. The choices "kind" and "layer"
say which attention, "head" which of its heads; "split_size" whose sizes the two splits are shown with: one of SIZES."""

from collections.abc import Callable
from functools import partial

from explorer.figures.attention import axes_of
from explorer.figures.matrix import Matrices, matrices, matrix
from explorer.figures.split import cut, origin
from explorer.i18n import _
from explorer.inference import attention_again
from explorer.inference.shown_model import ShownModel
from explorer.pictures.choices import Choices, attention, one_of, place
from transformer_core.analysis.head_split import HeadSplits, Origin, origins

OWN = "model"
SIZES = {OWN: None, "8-2": (8, 2), "1000-4": (1000, 4)}  # d_model and heads; None: the model's
DRAWN = 64  # rows, or rows of all heads together, that a picture has room for


def sizes_of(shown: ShownModel, choices: Choices) -> tuple[int, int]:
    """d_model and heads, of the two splits. Raises ValueError for sizes that there are not."""
    return SIZES[one_of(choices, "split_size", list(SIZES))] or (shown.cfg.d_model, shown.cfg.n_heads)


def origins_of(shown: ShownModel, choices: Choices) -> tuple[dict[str, Origin], int]:
    """Which token each number of the heads came from, under both splits, and how many heads there is room for."""
    (d_model, n_heads), length = sizes_of(shown, choices), len(attention(shown, choices).map.query_labels)
    return origins(length, d_model, n_heads), max(1, min(n_heads, DRAWN // length))


def origin_of(shown: ShownModel, choices: Choices, split: str) -> Matrices:
    """The same as a picture of the "right" or the "wrong" one."""
    found, drawn = origins_of(shown, choices)
    labels = attention(shown, choices).map.query_labels
    return origin(found[split].token[:drawn], found[split].dimension[:drawn], labels=labels)


def projected(shown: ShownModel, choices: Choices) -> Matrices:
    """The queries of all heads in one matrix."""
    map, found = attention(shown, choices).map, splits_of(shown, choices)
    return cut(found.projected, rows=map.query_labels, n_heads=len(found.right), row_title=axes_of(map)["row_title"])


def rows_of_head(shown: ShownModel, choices: Choices) -> Matrices:
    """The head's part of the large matrix, as far as it is drawn."""
    part = splits_of(shown, choices).w_q[_head(shown, choices)][:DRAWN]
    return matrix(
        part, rows=len(part), columns=part.shape[1], row_title=_("dimension of x"), column_title=_("dimension of the head"),
        signed=True, cell=8,
    )  # fmt: skip


def queries(shown: ShownModel, choices: Choices) -> Matrices:
    """Its queries."""
    values = splits_of(shown, choices).right[_head(shown, choices)]
    return matrix(
        values, rows=attention(shown, choices).map.query_labels, columns=values.shape[1],
        column_title=_("dimension of the head"), signed=True, cell=22,
    )  # fmt: skip


def weights(shown: ShownModel, choices: Choices) -> Matrices:
    """The weights that follow from both splits."""
    map, found, head = attention(shown, choices).map, splits_of(shown, choices), _head(shown, choices)
    return matrices(
        [found.right_weights[head], found.wrong_weights[head]], names=[_("right split"), _("wrong split")], wide=2, size=300,
        valid=map.allowed, **axes_of(map),
    )  # fmt: skip


def joined(shown: ShownModel, choices: Choices, stage: str) -> Matrices:
    """The outputs of the heads side by side, "concat", or mixed, "output"."""
    found = attention(shown, choices)
    n_heads = shown.cfg.n_heads if stage == "concat" else 1
    return cut(found.stage(stage), rows=found.map.query_labels, n_heads=n_heads)


def splits_of(shown: ShownModel, choices: Choices) -> HeadSplits:
    """The attention, with what it reads split both ways."""
    return attention_again.splits_of(attention(shown, choices))


def _head(shown: ShownModel, choices: Choices) -> int:
    return place(choices, "head", shown.cfg.n_heads)


PICTURES: dict[str, Callable[[ShownModel, Choices], Matrices]] = {
    "origin-right": partial(origin_of, split="right"),
    "origin-wrong": partial(origin_of, split="wrong"),
    "projected": projected,
    "head-matrix": rows_of_head,
    "head-q": queries,
    "split-weights": weights,
    "concat": partial(joined, stage="concat"),
    "mixed": partial(joined, stage="output"),
}
