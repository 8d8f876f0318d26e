"""Sabotage: one part of a trained model that is broken, to be found by what the model does.

Only what can be found is here: each does harm to a translator that has learned, and some view of it differs from the others'
(`fault_evidence`). Much that matters while a model learns does neither once it has: the causal mask, √d_k, the decoder's
positions.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, cast

import torch
from torch import Tensor, nn

from transformer_core.analysis.cutting import PartCut, cut_out, parts_of
from transformer_core.model.attention import MultiHeadAttention
from transformer_core.model.intervened import IntervenedModel
from transformer_core.model.layers import ResidualConnection
from transformer_core.model.stages import (
    CROSS_ATTENTION,
    DECODER,
    ENCODER,
    FEED_FORWARD,
    SELF_ATTENTION,
    SublayerPath,
    embedding_stage,
)
from transformer_core.model.trace import Edit
from transformer_core.model.transformer import Transformer

Kind = Literal["padding", "positions", "words", "start", "norm", "residual", "keys", "layer", "even"]
Place = Literal["encoder", "decoder", "cross"]  # what is accused has a place as well: a norm of the encoder


@dataclass(frozen=True)
class Suspect:
    """A suspect, to be accused: a kind of fault, and its place in the model."""

    kind: Kind
    place: Place

    def __str__(self) -> str:
        return f"{self.kind}-{self.place}"


@dataclass(frozen=True)
class Sabotage:
    """A broken part: the sublayer at `path`; of a skipped layer any of its sublayers, and None for all layers of the stack."""

    suspect: Suspect
    path: SublayerPath | None = None


def _of(kind: Kind, place: Place, layer: int | None = None, part: str = SELF_ATTENTION) -> Sabotage:
    stack = ENCODER if place == "encoder" else DECODER
    return Sabotage(Suspect(kind, place), None if layer is None else SublayerPath(stack, layer, part))


SABOTAGES: Mapping[int, Sabotage] = {  # a puzzle's code holds the number: it stays, and none is used again
    1: _of("padding", "encoder"),
    2: _of("positions", "encoder"),
    3: _of("words", "encoder"),
    4: _of("start", "decoder"),
    5: _of("norm", "encoder", 0),
    6: _of("norm", "encoder", 1, FEED_FORWARD),
    7: _of("norm", "decoder", 0),
    8: _of("norm", "decoder", 1, FEED_FORWARD),
    9: _of("residual", "encoder", 0),
    10: _of("residual", "encoder", 1),
    11: _of("residual", "decoder", 0),
    12: _of("residual", "decoder", 1, CROSS_ATTENTION),
    13: _of("keys", "encoder", 0),
    14: _of("keys", "decoder", 0),
    15: _of("keys", "cross", 0, CROSS_ATTENTION),
    16: _of("keys", "cross", 1, CROSS_ATTENTION),
    17: _of("layer", "encoder", 0),
    18: _of("layer", "encoder"),
    19: _of("layer", "decoder", 0),
    20: _of("even", "cross", 1, CROSS_ATTENTION),
}
SUSPECTS: tuple[Suspect, ...] = tuple(dict.fromkeys(each.suspect for each in SABOTAGES.values()))


def sabotaged(whole: Transformer, sabotage: Sabotage, words: tuple[int, int], end: int) -> Transformer:
    """The model with this part broken; the whole one is left as it is. It must have norms before its sublayers.

    Args:
        words: ids of two words of the source, which "words" exchanges.
        end: id of the end token, with which "start" has the decoder begin.
    """
    path = sabotage.path
    match sabotage.suspect.kind:
        case "padding":
            return _SeesPadding(whole, {})
        case "positions":
            return IntervenedModel(whole, {embedding_stage(ENCODER, "positions"): torch.zeros_like})
        case "start":
            return IntervenedModel(whole, {embedding_stage(DECODER, "tokens"): _begun_with(whole, end)})
        case "even":
            assert path is not None
            return IntervenedModel(whole, {path.stage("scores"): torch.zeros_like})
        case "layer":
            return cut_out(whole, _sublayers(whole, sabotage))
        case "words":
            return _changed(whole, lambda model: _exchange_rows(model.src_embedding.table.weight, *words))
        case "norm":
            return _changed(whole, lambda model: setattr(_residual(model, path), "norm", nn.Identity()))
        case "residual":
            return _changed(whole, lambda model: setattr(_residual(model, path), "use_residual", False))
        case "keys":
            return _changed(whole, lambda model: _exchange_keys_and_values(model, path))


class _SeesPadding(IntervenedModel):
    """A model whose words may attend to the padding of the source."""

    def src_mask(self, src: Tensor) -> Tensor:
        return torch.ones_like(super().src_mask(src))


def _changed(whole: Transformer, change: Callable[[Transformer], None]) -> Transformer:
    model = copy.deepcopy(whole)
    change(model)
    return model


def _sublayers(model: Transformer, sabotage: Sabotage) -> list[PartCut]:
    """The sublayers of a layer, or of all layers: where they add nothing, it is as if the layer were not there."""
    layer = None if sabotage.path is None else sabotage.path.layer
    parts = [part for part in parts_of(model.cfg) if part.path.stack == sabotage.suspect.place]
    return [part for part in parts if layer is None or part.path.layer == layer]


def _begun_with(model: Transformer, token: int) -> Edit:
    """Puts the embedding of a token in the place of the first. Shape: (batch, tgt, d_model)"""
    row = model.tgt_embedding.table.weight[token].detach()

    def edit(tokens: Tensor) -> Tensor:
        tokens = tokens.clone()
        tokens[:, 0] = row
        return tokens

    return edit


def _residual(model: Transformer, path: SublayerPath | None) -> ResidualConnection:
    assert path is not None
    return cast(ResidualConnection, model.get_submodule(f"{path.module}_residual"))


@torch.no_grad()
def _exchange_rows(table: Tensor, one: int, other: int) -> None:
    table[[one, other]] = table[[other, one]]


def _exchange_keys_and_values(model: Transformer, path: SublayerPath | None) -> None:
    assert path is not None
    attention = cast(MultiHeadAttention, model.get_submodule(path.module))
    attention.w_k, attention.w_v = attention.w_v, attention.w_k
