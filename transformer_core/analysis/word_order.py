"""Does the model know the order of the words? Words in another order, with and without positions (section 3.5)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from transformer_core.data.vocabulary import before_end
from transformer_core.errors import InputError
from transformer_core.model.decoding import greedy_decode
from transformer_core.model.embedding import sinusoidal_encoding
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


@dataclass(frozen=True)
class Moved:
    """The encoder's output for a sentence, and for the same words in another order.

    Shape: plain, moved, put_back (src, d_model)

    Attributes:
        put_back: `moved`, with every row back in the position of its word.
        difference: the largest difference between any two numbers of `plain` and `put_back`.
    """

    plain: np.ndarray
    moved: np.ndarray
    put_back: np.ndarray
    difference: float


@torch.inference_mode()
def permute_source(model: Transformer, src: Sequence[int], order: Sequence[int]) -> Moved:
    """Encodes the words in both orders.

    Raises:
        InputError: for an order that is not a permutation.
    """
    if sorted(order) != list(range(len(src))):
        raise InputError(
            "an order must name each of the {n} positions once; {order} does not", order=str(tuple(order)), n=len(src)
        )
    ids = torch.tensor([list(src)])
    places = list(order)
    plain, moved = (model.encode(x)[0].numpy() for x in (ids, ids[:, places]))
    put_back = moved[np.argsort(places)]
    return Moved(plain, moved, put_back, float(np.abs(plain - put_back).max()))


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


def position_tables(model: Transformer, length: int, seed: int) -> dict[str, np.ndarray]:
    """The vectors that each kind of positions adds to the first `length` tokens of a source.

    "learned" is the model's own table if it has one, otherwise the random table that a model with this seed starts with.

    Returns:
        "sinusoidal", "learned", "none": (length, d_model); "none" is all zeros.

    Raises:
        InputError: for more positions than a learned table has.
    """
    cfg = model.cfg
    if length > cfg.max_len:
        raise InputError("learned positions end at max_len {max_len}; there is no position {position}", max_len=cfg.max_len,
                         position=length - 1)  # fmt: skip
    owner = model
    if cfg.position != "learned":  # positions are drawn before the layers, so one layer is enough
        owner = Transformer(replace(cfg, position="learned", n_layers=1), torch.Generator().manual_seed(seed))
    learned = owner.src_embedding.positions
    assert learned is not None
    return {
        "sinusoidal": sinusoidal_encoding(length, cfg.d_model).numpy(),
        "learned": learned[:length].detach().numpy(),
        "none": np.zeros((length, cfg.d_model), np.float32),
    }
