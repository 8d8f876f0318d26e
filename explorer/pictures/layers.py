"""Pictures of one word's vector through the layers."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from explorer.figures.lines import bars, curves
from explorer.figures.matrix import Matrices, matrix
from explorer.figures.style import Figure
from explorer.i18n import N_, _
from explorer.inference.shown_model import ShownModel
from explorer.pictures.choices import index
from explorer.pictures.registry import picture
from transformer_core.analysis.residual_stream import Sublayer, walk
from transformer_core.model.stages import MEMORY, OUTPUT

PARTS = {"self_attn": N_("self-attention"), "cross_attn": N_("cross-attention"), "feed_forward": N_("feed-forward")}
DIMENSIONS = 32  # columns that are drawn of a vector

Stack = Literal["encoder", "decoder"]


@dataclass(frozen=True)
class LayerChoices:
    """A layer, from 0, of one of the stacks."""

    stack: Stack
    layer: int


@dataclass(frozen=True)
class WordChoices(LayerChoices):
    """A layer, and a word that passes through it, by its position."""

    token: int


@picture("stream-rows")
def operations(shown: ShownModel, choices: WordChoices) -> Matrices:
    """Draws the word's vector, one row per operation of the layer."""
    cfg, stack, token = shown.cfg, choices.stack, token_of(shown, choices)
    steps = steps_of(shown, choices)
    rows = [(_("input"), steps[0].before[token]), *done(shown, steps, token)]
    if cfg.has_final_norm and steps[0].layer == cfg.n_layers - 1:
        last = MEMORY if stack == "encoder" else OUTPUT
        rows.append((_("norm at the end of the stack"), shown.forward()[last][token]))
    n = min(DIMENSIONS, cfg.d_model)
    return matrix(
        np.stack([value for _name, value in rows])[:, :n], rows=[name for name, _value in rows], columns=n,
        column_title=_("dimension (first {n} of {all})").format(n=n, all=cfg.d_model), signed=True,
    )  # fmt: skip


@picture("lengths")
def lengths(shown: ShownModel, choices: WordChoices) -> Figure:
    """Draws the length of the vector before and after each sublayer of the layer, and of what the sublayer adds."""
    steps, token = steps_of(shown, choices), token_of(shown, choices)
    found = np.stack([step.lengths[:, token] for step in steps], axis=1)  # (before, output, after) by sublayer
    series = dict(zip([_("before"), _("output"), _("after")], found, strict=True))
    return bars([_(PARTS[step.part]) for step in steps], series, y_title=_("length"))


@picture("stream")
def whole_stack(shown: ShownModel, choices: WordChoices) -> Figure:
    """Draws the length of the vector after each sublayer of all layers."""
    found = lengths_of(shown, choices)
    return curves(
        np.arange(len(found)), {_("length"): found}, x_title=_("parts passed, in all layers"), y_title=_("length"),
        markers=True, height=300,
    )  # fmt: skip


def lengths_of(shown: ShownModel, choices: WordChoices) -> np.ndarray:
    """The lengths of the vector at the start of the stack and after each sublayer. Shape: (1 + sublayers of the stack,)"""
    every, token = _walk(shown, choices), token_of(shown, choices)
    return np.array([every[0].lengths[0, token], *(step.lengths[2, token] for step in every)])


def steps_of(shown: ShownModel, choices: LayerChoices) -> list[Sublayer]:
    """The sublayers of the layer."""
    layer = index(choices.layer, shown.cfg.n_layers)
    return [step for step in _walk(shown, choices) if step.layer == layer]


def done(shown: ShownModel, steps: list[Sublayer], token: int) -> list[tuple[str, np.ndarray]]:
    """Names and values of what a layer computes for a word, in order; no sums in a model without residual connections."""
    titles = {"norm": _("norm"), "sum": "+"}
    return [
        (titles.get(name) or _(PARTS[step.part]), value[token])
        for step in steps
        for name, value in step.ordered.items()
        if shown.cfg.residual or name != "sum"
    ]


def token_of(shown: ShownModel, choices: WordChoices) -> int:
    return index(choices.token, len(labels_of(shown, choices)))


def labels_of(shown: ShownModel, choices: LayerChoices) -> list[str]:
    """The words that pass through the stack."""
    return shown.src_labels if choices.stack == "encoder" else shown.tgt_labels


def _walk(shown: ShownModel, choices: LayerChoices) -> list[Sublayer]:
    return walk(shown.forward().values, shown.cfg, choices.stack)
