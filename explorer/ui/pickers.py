"""The pickers of an attention, of its head and of how these are drawn, which pages share."""

from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.figures.attention import Scale
from explorer.i18n import _
from explorer.model_on_screen.settings import MAX_TOKENS
from explorer.model_on_screen.shown_model import ShownModel
from explorer.session import current
from explorer.ui.minimap import highlight
from explorer.ui.widgets import choose, slider
from transformer_core import TransformerConfig
from transformer_core.model.stages import AttentionKind, attention_kinds


def line() -> DeltaGenerator:
    """Returns the line below the page's title, with its parts and the pickers of the part on screen."""
    rerun = current().rerun
    if rerun.line is None:
        rerun.line = row("page")
    return rerun.line


def row(name: str) -> DeltaGenerator:
    """Returns a line of pickers, each after its label; `name` is unique on the page."""
    return st.container(key=f"line-{name}", horizontal=True, vertical_alignment="center", gap="medium")


def kind_titles() -> dict[AttentionKind, str]:
    """Returns the titles of the three attentions of figure 1."""
    return {"encoder": _("encoder"), "decoder": _("decoder"), "cross": _("cross")}


def which_attention(
    cfg: TransformerConfig, first: AttentionKind = "encoder", place: DeltaGenerator | None = None
) -> tuple[AttentionKind, int]:
    """Picks the kind of attention and the layer, from 0. `first` is the default. `place`: the slot of pickers that concern less
    than the whole part.
    """
    help = _(
        "encoder: self-attention within the source · decoder: self-attention within the target · cross: from target to source"
    )
    kinds = attention_kinds(cfg)
    kind = first if first in kinds else kinds[0]
    with place or line():
        if len(kinds) > 1:
            kind = choose("kind", _("attention"), kinds, kind_titles(), help=help, default=kind)
        layer = which_layer(cfg)
    highlight(kind, layer=layer)
    return kind, layer


def which_stack(cfg: TransformerConfig) -> Literal["encoder", "decoder"]:
    """Picks a stack; a decoder alone leaves no choice."""
    if not cfg.has_encoder:
        return "decoder"
    titles: dict[Literal["encoder", "decoder"], str] = {"encoder": _("encoder"), "decoder": _("decoder")}
    return choose("stack", _("stack"), list(titles), titles)


def which_layer(cfg: TransformerConfig, help: str | None = None) -> int:
    """Picks a layer, from 0; the last one by default."""
    return choose("layer", _("layer"), range(cfg.n_layers), help=help, default=cfg.n_layers - 1)


def which_head(
    cfg: TransformerConfig, first: AttentionKind = "encoder", place: DeltaGenerator | None = None
) -> tuple[AttentionKind, int, int]:
    """Picks an attention, and beside it a head, from 0."""
    kind, layer = which_attention(cfg, first, place)
    with place or line():
        return kind, layer, choose("head", _("head"), range(cfg.n_heads))


def scale() -> Scale:
    """Picks the weight that gets the strongest colour."""
    return choose(
        "scale",
        _("strongest colour"),
        ["1", "layer", "head"],
        {"1": "1", "layer": _("largest weight"), "head": _("largest of each head")},
        help=_("The weight that the strongest colour stands for: 1, the largest of this layer, or the largest of each head."),
    )


def padding(shown: ShownModel) -> int:
    """Picks the number of padding tokens behind both sentences."""
    room = max(1, min(3, MAX_TOKENS - max(len(shown.src), len(shown.tgt))))
    help = _("Padding tokens behind both sentences. Queries that are padding are left out of all numbers.")
    if not shown.cfg.has_encoder:
        help = _("Padding tokens behind the text. Queries that are padding are left out of all numbers.")
    return int(slider("patterns_padding", _("padding"), 0, room, 0, help))
