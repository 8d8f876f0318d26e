"""A model some of whose stages are changed on the way: something is cut out of it, or put into it."""

from collections.abc import Iterable, Mapping

import torch
from torch import Tensor

from transformer_core.model.stages import stage_names
from transformer_core.model.trace import Edit, edited
from transformer_core.model.transformer import Transformer


def in_turn(edits: Iterable[tuple[str, Edit]]) -> dict[str, Edit]:
    """Joins several edits of one stage into one: the later is given what the earlier has made of the tensor."""
    joined: dict[str, Edit] = {}
    for stage, edit in edits:
        joined[stage] = edit if stage not in joined else _both(joined[stage], edit)
    return joined


def _both(first: Edit, second: Edit) -> Edit:
    return lambda x: second(first(x))


class IntervenedModel(Transformer):
    """A model with edits of its stages. It shares its weights with the whole one, which may have edits of its own: those come
    first.

    Args:
        edits: stage name -> function of the tensor; it must not change its argument in place.

    Raises:
        ValueError: for an edit of a stage that the model does not have.
    """

    has_edits = True
    _edits: dict[str, Edit]

    def __init__(self, whole: Transformer, edits: Mapping[str, Edit]):
        torch.nn.Module.__init__(self)
        if missing := set(edits) - set(stage_names(whole.cfg)):
            raise ValueError(f"there is no stage {min(missing)!r} to edit in this model")
        before = whole._edits if isinstance(whole, IntervenedModel) else {}
        self.cfg, self._edits = whole.cfg, in_turn([*before.items(), *edits.items()])
        for name, child in whole.named_children():
            self.add_module(name, child)
        self.output = whole.output
        self.training = whole.training

    def encode(self, src: Tensor, src_mask: Tensor | None = None) -> Tensor:
        with edited(self._edits):
            return super().encode(src, src_mask)

    def decode(self, tgt: Tensor, memory: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None) -> Tensor:
        with edited(self._edits):
            return super().decode(tgt, memory, src_mask, tgt_mask)
