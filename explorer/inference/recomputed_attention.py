"""One attention of the model on screen, recomputed with other scoring functions, or with its heads split wrongly."""

import numpy as np
from torch import nn

from explorer.inference.forward import model_of
from explorer.inference.shared_cache import shared_cache
from explorer.inference.shown_attention import ShownAttention
from transformer_core import MultiHeadAttention
from transformer_core.analysis.head_split import HeadSplits, SplitStep, head_splits, input_stages, split_steps
from transformer_core.analysis.score_functions import Scoring, scorings


def _key(attention: ShownAttention, *given: int) -> tuple[object, ...]:
    tokens = attention.src_tokens, attention.tgt_tokens
    return (attention.choice, attention.kind, attention.layer, *tokens, *given)


@shared_cache(16 * 2**20, key=_key)
def scorings_of(attention: ShownAttention, head: int, seed: int) -> dict[str, Scoring]:
    """Scores its queries and keys with every scoring function; matrices that the model lacks are drawn with a seed."""
    own: dict[str, nn.Module] = {} if attention.score is None else {attention.score_name: attention.score}
    return scorings(attention.stage("q")[head], attention.stage("k")[head], attention.map.allowed, seed, own)


@shared_cache(32 * 2**20, key=_key)
def splits_of(attention: ShownAttention) -> HeadSplits:
    """Splits its inputs into heads, rightly and wrongly."""
    choice, path = attention.choice, attention.path
    module = model_of(choice).get_submodule(path.module)
    assert isinstance(module, MultiHeadAttention)
    query, memory = (attention.forward[s] for s in input_stages(choice.cfg.norm == "pre", path.stack, path.layer, path.part))
    return head_splits(module, query, memory, attention.map.allowed)


def query_projection(attention: ShownAttention, head: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns what a head's queries are made of: the words' vectors x, and its own part of W_Q, as in x · W_Q.

    Shape: -> (query, d_model), (d_model, d_k)
    """
    choice, path = attention.choice, attention.path
    module = model_of(choice).get_submodule(path.module)
    assert isinstance(module, MultiHeadAttention)
    x, _memory = input_stages(choice.cfg.norm == "pre", path.stack, path.layer, path.part)
    own = module.w_q.weight.detach().unflatten(0, (module.n_heads, -1))[head]
    return attention.forward[x], own.numpy().T


@shared_cache(2**20)
def steps_of(d_model: int, n_heads: int, length: int, keys: int) -> list[SplitStep]:
    """Returns the shapes of attention, step by step, for one sentence."""
    return split_steps(d_model, n_heads, 1, length, keys)
