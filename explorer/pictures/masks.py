"""Pictures of the masks of the sentences on screen, and of their effect on a head."""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from explorer.figures.attention import axes_of
from explorer.figures.matrix import Matrices, matrix
from explorer.i18n import _
from explorer.inference.settings import MAX_TOKENS
from explorer.inference.shown_model import ShownModel
from explorer.pictures.choices import HeadChoices, Padding, attention, head, index, padding, padding_space
from explorer.pictures.registry import Ends, picture
from transformer_core.analysis.mask_examples import Blocked, ways_to_block
from transformer_core.analysis.mask_tiles import mask_tiles

SIDES = {  # mask -> whose tokens are its rows, and its columns
    "source padding": ("src", "src"), "causal": ("tgt", "tgt"), "target": ("tgt", "tgt"), "cross": ("tgt", "src"),
}  # fmt: skip


KEYS = 4  # how many keys of one query have their numbers written out

Mask = Literal["source padding", "causal", "target", "cross"]
Stage = Literal["scores", "masked_scores", "weights"]


@dataclass(frozen=True)
class MaskChoices:
    """One of `mask_tiles`, with padding behind both sentences."""

    mask: Mask
    pad_src: Padding
    pad_tgt: Padding


@dataclass(frozen=True)
class StageChoices(HeadChoices):
    """A stage of a head's attention: its scores before the mask or after it, or its weights."""

    stage: Stage


@dataclass(frozen=True)
class PaddedStageChoices(StageChoices):
    pad_src: Padding
    pad_tgt: Padding


@dataclass(frozen=True)
class BlockedStageChoices(StageChoices):
    """A stage, and the same padding behind both sentences."""

    blocked_padding: Padding


@dataclass(frozen=True)
class WayChoices(HeadChoices):
    """A query of a head, by its position, and how many of its keys are open."""

    blocked_query: int
    open_keys: Annotated[int, Ends(0, MAX_TOKENS)]


@picture("mask", needs_weights=False)
def mask(shown: ShownModel, choices: MaskChoices) -> Matrices:
    """Draws one of the masks: 1 where a query may attend to a key."""
    src, tgt, _label = shown.batch(*padding(shown, choices.pad_src, choices.pad_tgt))
    rows, columns = (shown.labels({"src": src, "tgt": tgt}[side]) for side in SIDES[choices.mask])
    tile = mask_tiles(src, tgt, shown.vocabulary.pad, shown.cfg.causal)[choices.mask]
    return matrix(
        tile.astype(float), valid=tile, rows=rows, columns=columns, row_title=_("query"), column_title=_("key"), cell=22,
        decimals=0,
    )  # fmt: skip


@picture("stage")
def stage(shown: ShownModel, choices: PaddedStageChoices) -> Matrices:
    """Draws the scores of a head, its scores after the mask, or its weights."""
    return _stage(shown, choices, padding(shown, choices.pad_src, choices.pad_tgt))


@picture("blocked-stage")
def blocked_stage(shown: ShownModel, choices: BlockedStageChoices) -> Matrices:
    both = min(choices.blocked_padding, padding_space(len(shown.src), len(shown.tgt)))
    return _stage(shown, choices, (both, both))


def _stage(shown: ShownModel, choices: StageChoices, padding: tuple[int, int]) -> Matrices:
    found = attention(shown, choices, padding)
    return matrix(
        found.stage(choices.stage)[head(shown, choices)], cell=24, signed=choices.stage != "weights",
        valid=None if choices.stage == "scores" else found.map.allowed, **axes_of(found.map),
    )  # fmt: skip


@picture("blocked")
def ways(shown: ShownModel, choices: WayChoices) -> Matrices:
    """Draws what each way to mask makes of one query's scores."""
    row, found = ways_of(shown, choices)
    labels, names = attention(shown, choices).map.key_labels[: len(row)], names_of_ways()
    return matrix(
        [way.weights for way in found.values()], rows=[names[name] for name in found], columns=labels, cell=34,
        closed=_("not a number"), row_title=_("way to mask"), column_title=_("weights of the query"),
    )  # fmt: skip


def ways_of(shown: ShownModel, choices: WayChoices) -> tuple[np.ndarray, dict[str, Blocked]]:
    """The scores of the query, (key,), of the first KEYS keys, and what each way to mask makes of them."""
    scores = attention(shown, choices).stage("scores")[head(shown, choices)]
    row = scores[index(choices.blocked_query, len(scores))][:KEYS]
    return row, ways_to_block(row, np.arange(len(row)) < choices.open_keys)


def names_of_ways() -> dict[str, str]:
    """Returns what each way to mask is called."""
    return {"−1e9": _("−1e9"), "−inf": _("−∞"), "fused": _("torch's fused attention"), "this model": _("this model")}
