"""The masks of the sentences on screen, and what they do to a head: for their pages, and while one of their knobs is moved."""

from collections.abc import Callable

from explorer.figures.attention import axes_of
from explorer.figures.matrix import Matrices, matrix
from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.pictures.choices import Choices, attention, one_of, padding, place
from transformer_core.model.masks import mask_tiles

_SIDES = {  # mask -> whose tokens are its rows, and its columns
    "source padding": ("src", "src"), "causal": ("tgt", "tgt"), "target": ("tgt", "tgt"), "cross": ("tgt", "src"),
}  # fmt: skip


def mask(shown: ShownModel, choices: Choices) -> Matrices:
    """One of the masks, 1 where it is open: the choice "mask" is one of `mask_tiles`."""
    name = one_of(choices, "mask", list(_SIDES))
    src, tgt, _label = shown.batch(*padding(shown, choices))
    rows, columns = (shown.labels({"src": src, "tgt": tgt}[side]) for side in _SIDES[name])
    tile = mask_tiles(src, tgt, shown.vocabulary.pad, shown.cfg.causal)[name]
    return matrix(
        tile.astype(float), valid=tile, rows=rows, columns=columns, row_title=_("query"), column_title=_("key"), cell=22,
        decimals=0,
    )  # fmt: skip


def stage(shown: ShownModel, choices: Choices) -> Matrices:
    """The scores of a head, the same behind the mask, or the weights: the choice "stage"."""
    name = one_of(choices, "stage", ("scores", "masked_scores", "weights"))
    found = attention(shown, choices)
    return matrix(
        found.stage(name)[place(choices, "head", shown.cfg.n_heads)], cell=24, signed=name != "weights",
        valid=None if name == "scores" else found.map.allowed, **axes_of(found.map),
    )  # fmt: skip


PICTURES: dict[str, Callable[[ShownModel, Choices], Matrices]] = {"mask": mask, "stage": stage}
