"""The tensors of a forward pass as blocks: their sides, where they stand, and what each of them costs."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from transformer_core.analysis.accounting import shared_from, stage_flops, stage_parameters, stage_shapes
from transformer_core.model.config import TransformerConfig
from transformer_core.model.stages import DECODER, ENCODER, MEMORY, parse_stage

_FLOAT = 4  # bytes of a number in float32


@dataclass(frozen=True)
class Block:
    """One tensor of a forward pass.

    Attributes:
        name: that of its stage.
        stack: which column it stands in; the memory ends the encoder's, the logits the decoder's.
        layer, part: of that stack; None for the ends. An embedding has a part and no layer.
        axes: their names and sizes, from the outermost.
        flops: floating-point operations of the matrix products that make it.
        parameters: numbers that training changes, with which it is made.
        shared_from: the stage that these are counted with, where it has them in common with another one.
    """

    name: str
    stack: str
    layer: int | None
    part: str | None
    axes: tuple[tuple[str, int], ...]
    flops: int
    parameters: int
    shared_from: str | None = None

    @property
    def count(self) -> int:
        """Numbers in it."""
        return math.prod(size for _axis, size in self.axes)

    @property
    def bytes(self) -> int:
        return _FLOAT * self.count


@dataclass(frozen=True)
class Cost:
    """The cost of some blocks together."""

    parameters: int
    bytes: int
    flops: int


@lru_cache(maxsize=32)  # the largest that the explorer asks for, of 64 layers, take 1.9 MB
def shape_map(cfg: TransformerConfig, batch: int, src_len: int, tgt_len: int) -> tuple[Block, ...]:
    """Every stage as a block, in the order of the pass, without running it. Raises InputError for too long a sequence."""
    flops = stage_flops(cfg, batch, src_len, tgt_len)
    parameters, shared = stage_parameters(cfg), shared_from(cfg)
    blocks = []
    for stage in stage_shapes(cfg, batch, src_len, tgt_len):
        place = parse_stage(stage.name)
        blocks.append(
            Block(
                stage.name,
                place.stack or (ENCODER if stage.name == MEMORY else DECODER),
                place.layer,
                place.part,
                tuple(zip(stage.axes, stage.shape, strict=True)),
                flops.get(stage.name, 0),
                parameters.get(stage.name, 0),
                shared.get(stage.name),
            )
        )
    return tuple(blocks)


def cost_of(blocks: Iterable[Block]) -> Cost:
    """The sum over blocks."""
    every = tuple(blocks)
    return Cost(sum(each.parameters for each in every), sum(each.bytes for each in every), sum(each.flops for each in every))
