"""What a look is worth: the next word's probabilities with each link of cross-attention, and without it."""

from dataclasses import dataclass
from itertools import product

import torch
from torch import Tensor

from transformer_core.model.intervened import IntervenedModel
from transformer_core.model.stages import attention_path
from transformer_core.model.trace import Trace
from transformer_core.model.transformer import Transformer

_AT_ONCE = 64  # passes in a batch


@dataclass(frozen=True, eq=False)
class Looks:
    """The passes of one sentence: one of the model as it is, and one for each link, which it then lacks.

    Shape: weights (query, head, src), probabilities (query, vocab); without a link: lone_weights (query, key, head, src),
    lone_probabilities (query, key, vocab). A query is a position of the decoder's input, its word the one written there.
    """

    weights: Tensor
    probabilities: Tensor
    lone_weights: Tensor
    lone_probabilities: Tensor


@torch.inference_mode()
def looks(model: Transformer, src: Tensor, tgt: Tensor) -> Looks:
    """Takes each link away, one at a time, and reads the row that had it: the weights of the last layer's cross-attention, and
    the probabilities of the next word.

    A link is taken from all heads and layers, and from its own row alone: earlier rows keep their looks, and pass on by
    self-attention what they saw. Its softmax is taken without it, so that the others share its weight (`cutting.LinkCut`).
    A source of one word has no other to look at: without it, the weights of a row are 0.

    Shape: src (src,), tgt (tgt,)
    """
    rows, keys = len(tgt), len(src)
    weights, probabilities = _pass(model, src, tgt, [])
    links = list(product(range(rows), range(keys)))
    parts = [_pass(model, src, tgt, links[at : at + _AT_ONCE]) for at in range(0, len(links), _AT_ONCE)]
    lone_weights, lone_probabilities = (torch.cat(each) for each in zip(*parts, strict=True))
    own = torch.arange(rows).repeat_interleave(keys)  # the row of each link
    each = torch.arange(len(links))
    return Looks(
        weights[0].transpose(0, 1),  # (query, head, src)
        probabilities[0],
        lone_weights[each, :, own].unflatten(0, (rows, keys)),
        lone_probabilities[each, own].unflatten(0, (rows, keys)),
    )


def _pass(model: Transformer, src: Tensor, tgt: Tensor, links: list[tuple[int, int]]) -> tuple[Tensor, Tensor]:
    """Runs a batch, a sentence for each link, which that one lacks; of one whole sentence if there are none.

    Shape: -> (sentence, head, query, key), (sentence, query, vocab)
    """
    n = max(len(links), 1)

    def without(scores: Tensor) -> Tensor:
        scores = scores.clone()  # (sentence, head, query, key)
        for sentence, (query, key) in enumerate(links):
            scores[sentence, :, query, key] = float("-inf")
        return scores

    paths = [attention_path("cross", layer) for layer in range(model.cfg.n_layers)]
    edited = IntervenedModel(model, {path.stage("masked_scores"): without for path in paths})
    with Trace(only=["weights"]) as trace:
        logits = edited(src.expand(n, -1), tgt.expand(n, -1))
    return trace[paths[-1].stage("weights")], logits.softmax(-1)
