"""The names under which a `Trace` records the stages of a forward pass: built and parsed only here.

`decoder.0.cross_attn.weights` is stack, layer, part and stage; `encoder.embedding.sum` is stack and stage of an embedding; a
few stages have a name of their own.
"""

import re
from dataclasses import dataclass
from typing import Literal, get_args

from transformer_core.model.config import TransformerConfig

AttentionKind = Literal["encoder", "decoder", "cross"]  # the three attentions of figure 1

ENCODER, DECODER = STACKS = ("encoder", "decoder")
SELF_ATTENTION, CROSS_ATTENTION, FEED_FORWARD = PARTS = ("self_attn", "cross_attn", "feed_forward")
EMBEDDING = "embedding"

MEMORY = "memory"  # the encoder's output
OUTPUT = "decoder.output"  # the decoder's
LOGITS = "logits"

_ATTENTIONS: dict[AttentionKind, tuple[str, str]] = {
    "encoder": (ENCODER, SELF_ATTENTION),
    "decoder": (DECODER, SELF_ATTENTION),
    "cross": (DECODER, CROSS_ATTENTION),
}
ATTENTION_KINDS: tuple[AttentionKind, ...] = get_args(AttentionKind)


@dataclass(frozen=True)
class SublayerPath:
    """One part of one layer: `stack` is one of STACKS, `part` one of PARTS, layers count from 0."""

    stack: str
    layer: int
    part: str

    @property
    def module(self) -> str:
        """Its name for `Transformer.get_submodule`, and the beginning of its stages' names."""
        return f"{self.stack}.{self.layer}.{self.part}"

    @property
    def norm_module(self) -> str:
        """The name of its norm for `Transformer.get_submodule`."""
        return f"{self.module}_residual.norm"

    def stage(self, name: str) -> str:
        return f"{self.module}.{name}"


@dataclass(frozen=True)
class StageName:
    """A stage's name, parsed; what it does not have is None.

    Attributes:
        part: of a layer, or "embedding".
        name: the last component: "weights", "sum", "memory"...
    """

    stack: str | None
    layer: int | None
    part: str | None
    name: str

    @property
    def path(self) -> SublayerPath | None:
        """The part of a layer that it belongs to."""
        if self.stack is None or self.layer is None or self.part is None:
            return None
        return SublayerPath(self.stack, self.layer, self.part)


def attention_kinds(cfg: TransformerConfig) -> tuple[AttentionKind, ...]:
    """Those that a model of this configuration has."""
    return tuple(kind for kind in ATTENTION_KINDS if kind != "cross" or cfg.cross_attention)


def attention_path(kind: AttentionKind, layer: int) -> SublayerPath:
    """Raises KeyError for an unknown kind."""
    stack, part = _ATTENTIONS[kind]
    return SublayerPath(stack, layer, part)


def attention_kind(path: SublayerPath) -> AttentionKind | None:
    """The kind of attention that a part is; None for a feed-forward part."""
    return next((kind for kind, place in _ATTENTIONS.items() if place == (path.stack, path.part)), None)


def embedding_stage(stack: str, name: str) -> str:
    return f"{stack}.{EMBEDDING}.{name}"


def norm_stage(pre: bool) -> str:
    """The stage of a sublayer's norm: `norm_in` is the input of the sublayer, `norm_out` the result of the residual block."""
    return "norm_in" if pre else "norm_out"


def at_layer(name: str, layer: int) -> str:
    """The stage of the same name in another layer; what belongs to no layer, or is no stage's name, stays as it is."""
    found = _NAME.fullmatch(name)
    if found is None or found["layer"] is None:
        return name
    return SublayerPath(found["stack"], layer, found["part"]).stage(found["name"])


_NAME = re.compile(
    rf"(?P<stack>{'|'.join(STACKS)})\.(?:(?P<layer>0|[1-9]\d*)\.(?P<part>{'|'.join(PARTS)})|(?P<embedding>{EMBEDDING}))"
    r"\.(?P<name>\w+)"
)


def parse_stage(name: str) -> StageName:
    """Raises ValueError for anything else than a stage's name."""
    if name in (MEMORY, OUTPUT, LOGITS):
        stack, _, last = name.rpartition(".")
        return StageName(stack or None, None, None, last)
    if (found := _NAME.fullmatch(name)) is None:
        raise ValueError(f"{name!r} is not the name of a stage")
    layer = None if found["layer"] is None else int(found["layer"])
    return StageName(found["stack"], layer, found["part"] or found["embedding"], found["name"])
