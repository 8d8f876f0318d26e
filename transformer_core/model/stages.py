"""The names under which a `Trace` records the stages of a forward pass, and their axes: built and parsed only here.

`decoder.0.cross_attn.weights` is stack, layer, part and stage; `encoder.embedding.sum` is stack and stage of an embedding; a
few stages have a name of their own.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
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

# The axes of each stage, in the order of the pass; `length` is `src` in the encoder, `tgt` in the decoder.
EMBEDDING_STAGES = {
    "tokens": "batch length d_model",
    "scaled": "batch length d_model",
    "positions": "length d_model",
    "sum": "batch length d_model",
}
ATTENTION_STAGES = {
    "unrotated_q": "batch head query d_k",
    "q": "batch head query d_k",
    "unrotated_k": "batch head key d_k",
    "k": "batch head key d_k",
    "v": "batch head key d_v",
    "penalties": "head query key",
    "products": "batch head query key",
    "scores": "batch head query key",
    "masked_scores": "batch head query key",
    "weights": "batch head query key",
    "context": "batch head query d_v",
    "concat": "batch query d_model",
    "output": "batch query d_model",
}
FEED_FORWARD_STAGES = {
    "hidden": "batch length d_ff",
    "active": "batch length d_ff",
    "output": "batch length d_model",
}
_RESIDUAL_STAGES = dict.fromkeys(("norm_in", "residual", "norm_out"), "batch length d_model")
_END_STAGES = {MEMORY: "batch src d_model", OUTPUT: "batch tgt d_model", LOGITS: "batch tgt vocab"}

# Stage prefixes that differ from the module's name. A residual connection has the prefix of its sublayer, see `stage_path`.
_PATHS = {"src_embedding": f"{ENCODER}.{EMBEDDING}", "tgt_embedding": f"{DECODER}.{EMBEDDING}"}


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


def stacks_of(cfg: TransformerConfig) -> tuple[str, ...]:
    """The stacks that a model of this configuration has."""
    return STACKS if cfg.has_encoder else (DECODER,)


def attention_kinds(cfg: TransformerConfig) -> tuple[AttentionKind, ...]:
    """The kinds of attention that a model of this configuration has."""
    there = {"encoder": cfg.has_encoder, "decoder": True, "cross": cfg.cross_attention}
    return tuple(kind for kind in ATTENTION_KINDS if there[kind])


def most_telling(cfg: TransformerConfig) -> AttentionKind:
    """The kind of attention to look at first: cross-attention, or where there is none, the first that there is."""
    return "cross" if cfg.cross_attention else attention_kinds(cfg)[0]


def attention_path(kind: AttentionKind, layer: int) -> SublayerPath:
    """Raises KeyError for an unknown kind."""
    stack, part = _ATTENTIONS[kind]
    return SublayerPath(stack, layer, part)


def attention_kind(path: SublayerPath) -> AttentionKind | None:
    """The kind of attention that a part is; None for a feed-forward part."""
    return next((kind for kind, place in _ATTENTIONS.items() if place == (path.stack, path.part)), None)


def stage_path(module: str) -> str:
    """The path of the stages inside a module, by its name in `Transformer.named_modules`."""
    return _PATHS.get(module, module.removesuffix("_residual"))


@cache  # each traced pass asks for the same names again
def stage_axes(name: str) -> tuple[str, ...]:
    """The axes of a stage, from the outermost. Without a path, of a module on its own, the length of its input is `length`.

    Raises:
        ValueError: for a name that no stage has.
    """
    if name in _END_STAGES:
        return tuple(_END_STAGES[name].split())
    path, _, last = name.rpartition(".")
    of_part = {"": FEED_FORWARD_STAGES | ATTENTION_STAGES, EMBEDDING: EMBEDDING_STAGES, FEED_FORWARD: FEED_FORWARD_STAGES}
    axes = (of_part.get(path.rpartition(".")[2], ATTENTION_STAGES) | _RESIDUAL_STAGES).get(last)
    if axes is None:
        raise ValueError(f"{name!r} is not the name of a stage")
    length = {ENCODER: "src", DECODER: "tgt"}.get(path.partition(".")[0], "length")
    return tuple(axes.replace("length", length).split())


def embedding_stage(stack: str, name: str) -> str:
    return f"{stack}.{EMBEDDING}.{name}"


def norm_stage(pre: bool) -> str:
    """The stage of a sublayer's norm: `norm_in` is the input of the sublayer, `norm_out` the result of the residual block."""
    return "norm_in" if pre else "norm_out"


def at_layer(name: str, layer: int) -> str:
    """The stage of the same name in another layer; what belongs to no layer, or is no stage's name, stays as it is."""
    match = _NAME.fullmatch(name)
    if match is None or match["layer"] is None:
        return name
    return SublayerPath(match["stack"], layer, match["part"]).stage(match["name"])


def stage_names(cfg: TransformerConfig) -> Iterator[str]:
    """The name of every stage, in the order of the pass."""
    parts = {ENCODER: [SELF_ATTENTION, FEED_FORWARD], DECODER: [SELF_ATTENTION, FEED_FORWARD]}
    if cfg.cross_attention:
        parts[DECODER].insert(1, CROSS_ATTENTION)
    for stack in stacks_of(cfg):
        for name in EMBEDDING_STAGES:
            if name != "positions" or cfg.position in ("sinusoidal", "learned"):
                yield embedding_stage(stack, name)
        for layer in range(cfg.n_layers):
            for part in parts[stack]:
                inner = FEED_FORWARD_STAGES if part == FEED_FORWARD else attention_stages(cfg, part)
                yield from map(SublayerPath(stack, layer, part).stage, _surrounded(cfg, inner))
        yield from (MEMORY,) if stack == ENCODER else (OUTPUT, LOGITS)


def attention_stages(cfg: TransformerConfig, part: str) -> list[str]:
    """The names of the stages that self-attention, or cross-attention, has."""
    lacking = {"products"} if cfg.has_score_weights else set()
    if not rotates(cfg, part):
        lacking |= {"unrotated_q", "unrotated_k"}
    if not penalises(cfg, part):
        lacking |= {"penalties"}
    return [name for name in ATTENTION_STAGES if name not in lacking]


def rotates(cfg: TransformerConfig, part: str) -> bool:
    """True if this part of a layer turns queries and keys by their positions."""
    return cfg.position == "rotary" and _knows_positions(cfg, part)


def penalises(cfg: TransformerConfig, part: str) -> bool:
    """True if this part of a layer lowers scores with the distance (ALiBi)."""
    return cfg.position == "alibi" and _knows_positions(cfg, part)


def _knows_positions(cfg: TransformerConfig, part: str) -> bool:
    return part == SELF_ATTENTION or (part == CROSS_ATTENTION and cfg.cross_position)


def _surrounded(cfg: TransformerConfig, inner: Iterable[str]) -> list[str]:
    """The stages of a sublayer with those of its residual connection and its norm."""
    norm = norm_stage(pre=cfg.norm == "pre")
    return [norm, *inner, "residual"] if cfg.norm == "pre" else [*inner, "residual", norm]


_NAME = re.compile(
    rf"(?P<stack>{'|'.join(STACKS)})\.(?:(?P<layer>0|[1-9]\d*)\.(?P<part>{'|'.join(PARTS)})|(?P<embedding>{EMBEDDING}))"
    r"\.(?P<name>\w+)"
)


def parse_stage(name: str) -> StageName:
    """Raises ValueError for anything else than a stage's name."""
    if name in (MEMORY, OUTPUT, LOGITS):
        stack, _, last = name.rpartition(".")
        return StageName(stack or None, None, None, last)
    if (match := _NAME.fullmatch(name)) is None:
        raise ValueError(f"{name!r} is not the name of a stage")
    layer = None if match["layer"] is None else int(match["layer"])
    return StageName(match["stack"], layer, match["part"] or match["embedding"], match["name"])
