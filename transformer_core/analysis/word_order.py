"""Does the model know the order of the words? Words in another order, with and without positions (section 3.5)."""

from collections.abc import Sequence
from dataclasses import replace

import torch

from transformer_core.data.vocabulary import before_end
from transformer_core.model.decoding import greedy_decode
from transformer_core.model.transformer import Transformer, shapes_only


def new_order(length: int, seed: int) -> tuple[int, ...]:
    """A random permutation, drawn with a seed; never the identity where there is another.

    Entry i is the old position of the word that is now at position i.
    """
    draws = torch.Generator().manual_seed(seed)
    order = torch.randperm(length, generator=draws).tolist()
    return tuple(order[1:] + order[:1] if order == sorted(order) else order)


def swapped(length: int, one: int, other: int) -> tuple[int, ...]:
    """The permutation that swaps two words."""
    order = list(range(length))
    order[one], order[other] = order[other], order[one]
    return tuple(order)


def without_positions(model: Transformer) -> Transformer:
    """The same model without positions. The weights are shared, not copied: change neither model."""
    # Only read: weights made in inference mode may not require a gradient.
    bare = shapes_only(replace(model.cfg, position="none")).requires_grad_(False)
    weights = {name: value for name, value in model.state_dict().items() if not name.endswith("_embedding.positions")}
    bare.load_state_dict(weights, assign=True)
    return bare.eval()


def answers(
    model: Transformer, sources: Sequence[Sequence[int]], start_id: int, end_id: int, steps: int
) -> list[tuple[int, ...]]:
    """The model's answer to each source by greedy decoding, without the start and the end token."""
    generated = [greedy_decode(model, torch.tensor([list(src)]), start_id, steps)[0].tolist()[1:] for src in sources]
    return [before_end(ids, end_id) for ids in generated]
