"""Changing single weights of a model by hand, to see what one number does."""

import copy
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import torch

from transformer_core.errors import InputError
from transformer_core.model.config import TransformerConfig
from transformer_core.model.transformer import Transformer, shapes_only

LARGEST = 1000.0  # the largest value, with either sign
DECIMALS = 4  # of a value, as it is written
_COUNT, _NUMBER = r"(?:0|[1-9][0-9]{0,5})", r"-?(?:0|[1-9][0-9]{0,3})(?:\.[0-9]{1,4})?"
_EDIT = re.compile(rf"([a-z_0-9]+(?:\.[a-z_0-9]+)*):({_COUNT})(?:-({_COUNT}))?:({_NUMBER})", re.ASCII)


@dataclass(frozen=True)
class WeightEdit:
    """One weight with another value.

    Attributes:
        parameter: its name in the model, such as "tgt_embedding.token.weight".
        index: row and column, from 0; of a vector, such as the gain of a norm, the place alone.
    """

    parameter: str
    index: tuple[int, ...]
    value: float

    def __str__(self) -> str:
        return f"{self.parameter}:{'-'.join(map(str, self.index))}:{value_text(self.value)}"

    @property
    def place(self) -> tuple[str, tuple[int, ...]]:
        """The weight that is changed, whatever its value."""
        return self.parameter, self.index

    @property
    def code(self) -> str:
        """The weight as a program reaches it: `model.encoder[0].self_attn.w_q.weight[3, 5]`."""
        path = re.sub(r"\.(\d+)(?=\.)", r"[\1]", self.parameter)
        return f"model.{path}[{', '.join(map(str, self.index))}]"


def value_text(value: float) -> str:
    """Writes a value with as few digits as it has, at most DECIMALS of them behind the point."""
    text = f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def parse(text: str) -> WeightEdit:
    """Reads an edit as `str` writes it. Raises InputError for what is none."""
    match = _EDIT.fullmatch(text)
    if match is None or abs(float(match[4])) > LARGEST:
        raise InputError("“{text}” changes no weight", text=text)
    return WeightEdit(match[1], tuple(int(place) for place in match.groups()[1:3] if place is not None), float(match[4]))


def fits(edit: WeightEdit, cfg: TransformerConfig) -> bool:
    """Returns whether a model of this configuration has the weight."""
    shape = weight_shapes(cfg).get(edit.parameter, ())
    return 0 < len(shape) == len(edit.index) and all(place < side for place, side in zip(edit.index, shape, strict=True))


@lru_cache(64)
def weight_shapes(cfg: TransformerConfig) -> Mapping[str, tuple[int, ...]]:
    """The shape of every parameter of a model by its name, in its order; a tied one stands there once."""
    return {name: tuple(parameter.shape) for name, parameter in shapes_only(cfg).named_parameters()}


def with_weights(model: Transformer, edits: Sequence[WeightEdit]) -> Transformer:
    """A model with these weights, all of which it has. The given one stays as it is; both share all parameters without an edit.

    Where two edits are of one weight, the later one counts.
    """
    changed = {edit.parameter for edit in edits}
    kept = [each for name, each in model.named_parameters() if name not in changed] + [*model.buffers()]
    edited = copy.deepcopy(model, {id(each): each for each in kept})
    with torch.no_grad():
        for edit in edits:
            edited.get_parameter(edit.parameter)[edit.index] = edit.value
    return edited
