"""Layer norm written in two ways, and the same batch normed along two axes. Torch inside, numpy in and out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F

from transformer_core.errors import InputError
from transformer_core.model.norms import UnbiasedNorm
from transformer_core.model.stages import sublayer_path
from transformer_core.model.transformer import Transformer


def two_norms(x: np.ndarray, eps: float = 1e-5) -> tuple[np.ndarray, np.ndarray]:
    """The same vectors through both layer norms, with gain 1 and bias 0 so that nothing but the norm differs.

    The first divides by √(variance + eps), the variance over d (section 3.1 and `F.layer_norm`); the second by std + eps, the
    standard deviation over d - 1.

    Shape: (..., d) -> standard (..., d), unbiased (..., d)

    Raises:
        InputError: for vectors of one number, which have no spread.
    """
    if x.shape[-1] < 2:
        raise InputError("a norm needs at least 2 numbers per vector, not {n}", n=x.shape[-1])
    vectors = torch.tensor(x, dtype=torch.float32)
    with torch.inference_mode():
        unbiased = UnbiasedNorm(x.shape[-1], eps)(vectors)
    return F.layer_norm(vectors, x.shape[-1:], eps=eps).numpy(), unbiased.numpy()


def norm_used(model: Transformer, place: tuple[str, int, str], given: np.ndarray, gave: np.ndarray) -> tuple[float, float]:
    """Which layer norm a model has, told by one of its norms' recorded results and not by its configuration.

    Args:
        place: (stack, layer, part), part "final" for the norm behind the stack.
        given, gave: what that norm was given and what it gave, (token, d_model) each.

    Returns:
        The largest difference of `gave` to the standard norm, and to the one with the unbiased standard deviation, both with
        the norm's own gain and bias.
    """
    stack, layer, part = place
    norm = model.get_submodule(f"{stack}_norm" if part == "final" else sublayer_path(stack, layer, part).norm_module)
    gain, bias = (norm.get_parameter(name).detach().numpy() for name in ("weight", "bias"))
    standard, unbiased = (float(np.abs(way * gain + bias - gave).max()) for way in two_norms(given, model.cfg.norm_eps))
    return standard, unbiased


def difference_by_width(
    widths: Sequence[int], vectors: int = 8, seed: int = 0, eps: float = 1e-5
) -> tuple[np.ndarray, np.ndarray]:
    """How far the two layer norms lie apart on random vectors (independent standard normal numbers) of each width.

    Without eps every number differs by the share 1 - √(1 - 1/d) of itself, and normed numbers have mean square 1: that share
    is what the typical difference comes to.

    Shape: widths (n,) -> largest difference (n,), typical difference (root of the mean square) (n,)
    """
    largest, typical = [], []
    for width in widths:
        x = torch.randn(vectors, width, generator=torch.Generator().manual_seed(seed)).numpy()
        standard, unbiased = two_norms(x, eps)
        gap = np.abs(standard - unbiased)
        largest.append(gap.max())
        typical.append(np.sqrt((gap**2).mean()))
    return np.array(largest), np.array(typical)


def embedding_sums(model: Transformer, sentences: Sequence[Sequence[int]], length: int) -> np.ndarray:
    """What enters the encoder for a batch of sentences, each filled up with padding (sections 3.4 and 3.5).

    Shape: token ids -> (sentence, length, d_model)

    Raises:
        InputError: for a length that the model has no positions for, or that a sentence does not fit into.
    """
    if (longest := max(map(len, sentences))) > length:
        raise InputError("a sentence of {n} tokens does not fit into {length} places", n=longest, length=length)
    ids = torch.tensor([[*ids, *[model.cfg.pad_id] * (length - len(ids))] for ids in sentences])
    with torch.inference_mode():
        return model.src_embedding(ids, "src").numpy()


def by_token(batch: np.ndarray, eps: float = 1e-5) -> np.ndarray:
    """LayerNorm: every token over its own features, no other token in sight. Shape: (sentence, position, d) -> the same"""
    return F.layer_norm(torch.tensor(batch), batch.shape[-1:], eps=eps).numpy()


def by_feature(batch: np.ndarray, eps: float = 1e-5) -> np.ndarray:
    """BatchNorm as in training: every feature over all sentences and positions of the batch, padding included.

    Shape: (sentence, position, d) -> the same
    """
    x = torch.tensor(batch)
    mean = x.mean(dim=(0, 1))  # not F.batch_norm: it refuses a batch of a single token
    variance = x.var(dim=(0, 1), correction=0)
    return ((x - mean) / (variance + eps).sqrt()).numpy()


@dataclass(frozen=True)
class Company:
    """One batch normed along both axes, and what its first sentence has noticed of the rest.

    Shape: batch, tokens, features (sentence, position, d); token_change, feature_change (tokens of the first sentence, d):
        its normed values in this batch less those when it is alone, for LayerNorm and for BatchNorm
    """

    batch: np.ndarray
    tokens: np.ndarray
    features: np.ndarray
    token_change: np.ndarray
    feature_change: np.ndarray


def company(model: Transformer, sentences: Sequence[Sequence[int]], padding: int = 0, eps: float = 1e-5) -> Company:
    """Norms the embedding sums of a batch, and those of its first sentence alone and without padding.

    Args:
        sentences: token ids; the batch is as long as the longest, and `padding` places more.

    Raises:
        InputError: for a batch that is longer than the model's positions.
    """
    n = len(sentences[0])
    alone = embedding_sums(model, sentences[:1], n)
    batch = embedding_sums(model, sentences, max(map(len, sentences)) + padding)
    tokens, features = by_token(batch, eps), by_feature(batch, eps)
    return Company(
        batch, tokens, features, (tokens[:1, :n] - by_token(alone, eps))[0], (features[:1, :n] - by_feature(alone, eps))[0]
    )
