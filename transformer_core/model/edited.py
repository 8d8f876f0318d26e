"""A model some of whose stages are changed on the way: what is cut out of it, or put into it."""

from collections.abc import Callable, Iterable, Mapping

import torch
from torch import Tensor

from transformer_core.model.trace import NO_TRACE, Edited, Tracer
from transformer_core.model.transformer import Transformer

Edit = Callable[[Tensor], Tensor]


def in_turn(edits: Iterable[tuple[str, Edit]]) -> dict[str, Edit]:
    """One edit for each stage: where there are several of one, the later is given what the earlier has made of it."""
    found: dict[str, Edit] = {}
    for stage, edit in edits:
        found[stage] = edit if stage not in found else _both(found[stage], edit)
    return found


def _both(first: Edit, second: Edit) -> Edit:
    return lambda x: second(first(x))


class EditedModel(Transformer):
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
        before = whole._edits if isinstance(whole, EditedModel) else {}
        self.cfg, self._edits = whole.cfg, in_turn([*before.items(), *edits.items()])
        self.tgt_embedding, self.src_embedding = whole.tgt_embedding, whole.src_embedding
        self.encoder, self.decoder = whole.encoder, whole.decoder
        self.encoder_norm, self.decoder_norm, self.output = whole.encoder_norm, whole.decoder_norm, whole.output
        self.training = whole.training
        token = torch.zeros(1, 1, dtype=torch.long, device=whole.tgt_embedding.table.weight.device)
        with torch.no_grad():
            whole(token, token, trace=Edited(NO_TRACE, edits))  # says which edits there cannot be

    def encode(self, src: Tensor, src_mask: Tensor | None = None, trace: Tracer = NO_TRACE) -> Tensor:
        return super().encode(src, src_mask, Edited(trace, self._edits))

    def decode(
        self, tgt: Tensor, memory: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None,
        trace: Tracer = NO_TRACE,
    ) -> Tensor:  # fmt: skip
        return super().decode(tgt, memory, src_mask, tgt_mask, Edited(trace, self._edits))
