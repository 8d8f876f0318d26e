"""Pictures of the width, split into heads and joined again."""

from dataclasses import dataclass
from typing import Literal

from explorer.figures.attention import axes_of
from explorer.figures.matrix import Matrices, matrices, matrix
from explorer.figures.split import cut, origin
from explorer.i18n import _
from explorer.inference import recomputed_attention
from explorer.inference.shown_model import ShownModel
from explorer.pictures.choices import HeadChoices, attention, head
from explorer.pictures.registry import picture
from transformer_core.analysis.head_split import HeadSplits, Origin, origins

Size = Literal["model", "8-2", "1000-4"]
OWN: Size = "model"
SIZES: dict[Size, tuple[int, int] | None] = {
    OWN: None,
    "8-2": (8, 2),
    "1000-4": (1000, 4),
}  # d_model and heads; None: the model's
DRAWN = 64  # rows that a picture of the weights has room for
_ROWS = 24  # rows that a picture of the heads has room for, those of all heads counted together


@dataclass(frozen=True)
class SplitChoices(HeadChoices):
    """A head, and the sizes that the two splits are shown with, one of SIZES."""

    split_size: Size


def sizes_of(shown: ShownModel, choices: SplitChoices) -> tuple[int, int]:
    """d_model and heads, of the two splits."""
    return SIZES[choices.split_size] or (shown.cfg.d_model, shown.cfg.n_heads)


def origins_of(shown: ShownModel, choices: SplitChoices) -> tuple[dict[str, Origin], int]:
    """The token that each number of the heads came from, under both splits, and the number of heads there is room for."""
    (d_model, n_heads), length = sizes_of(shown, choices), len(attention(shown, choices).map.query_labels)
    return origins(length, d_model, n_heads), max(1, min(n_heads, _ROWS // length))


@picture("origin-right")
def origin_right(shown: ShownModel, choices: SplitChoices) -> Matrices:
    """Draws the token that each number came from, under the right split."""
    return _origin(shown, choices, "right")


@picture("origin-wrong")
def origin_wrong(shown: ShownModel, choices: SplitChoices) -> Matrices:
    return _origin(shown, choices, "wrong")


def _origin(shown: ShownModel, choices: SplitChoices, split: str) -> Matrices:
    found, drawn = origins_of(shown, choices)
    labels = attention(shown, choices).map.query_labels
    return origin(found[split].token[:drawn], found[split].dimension[:drawn], labels=labels)


@picture("projected")
def projected(shown: ShownModel, choices: SplitChoices) -> Matrices:
    """Draws the queries of all heads in one matrix."""
    map, found = attention(shown, choices).map, splits_of(shown, choices)
    return cut(found.projected, rows=map.query_labels, n_heads=len(found.right), row_title=axes_of(map)["row_title"])


@picture("head-matrix")
def rows_of_head(shown: ShownModel, choices: SplitChoices) -> Matrices:
    """Draws the first rows of the head's part of W_Q."""
    part = splits_of(shown, choices).w_q[head(shown, choices)][:DRAWN]
    return matrix(
        part, rows=len(part), columns=part.shape[1], row_title=_("dimension of x"), column_title=_("dimension of the head"),
        signed=True, cell=8,
    )  # fmt: skip


@picture("head-q")
def queries(shown: ShownModel, choices: SplitChoices) -> Matrices:
    """Draws the head's queries."""
    values = splits_of(shown, choices).right[head(shown, choices)]
    return matrix(
        values, rows=attention(shown, choices).map.query_labels, columns=values.shape[1],
        column_title=_("dimension of the head"), signed=True, cell=22,
    )  # fmt: skip


@picture("split-weights")
def weights(shown: ShownModel, choices: SplitChoices) -> Matrices:
    """Draws the head's weights under both splits."""
    map, found, chosen = attention(shown, choices).map, splits_of(shown, choices), head(shown, choices)
    return matrices(
        [found.right_weights[chosen], found.wrong_weights[chosen]], names=[_("right split"), _("wrong split")], wide=2,
        size=300, valid=map.allowed, **axes_of(map),
    )  # fmt: skip


@picture("concat")
def concatenated(shown: ShownModel, choices: SplitChoices) -> Matrices:
    """Draws the outputs of the heads side by side."""
    found = attention(shown, choices)
    return cut(found.stage("concat"), rows=found.map.query_labels, n_heads=shown.cfg.n_heads)


@picture("mixed")
def mixed(shown: ShownModel, choices: SplitChoices) -> Matrices:
    """Draws the outputs of the heads mixed by W_O."""
    found = attention(shown, choices)
    return cut(found.stage("output"), rows=found.map.query_labels, n_heads=1)


def splits_of(shown: ShownModel, choices: SplitChoices) -> HeadSplits:
    """The attention, with its queries split the right way and the wrong way."""
    return recomputed_attention.splits_of(attention(shown, choices))
