"""Layer norm in two versions, and LayerNorm beside BatchNorm on one batch. Numpy in and out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F

from transformer_core.errors import InputError
from transformer_core.model.norms import UnbiasedNorm
from transformer_core.model.stages import SublayerPath
from transformer_core.model.transformer import Transformer


def two_norms(x: np.ndarray, eps: float = 1e-5) -> tuple[np.ndarray, np.ndarray]:
    """The same vectors through both versions of layer norm, with gain 1 and bias 0, so that nothing else differs.

    The first divides by √(variance + eps), the variance over d (section 3.1 and `F.layer_norm`); the second by std + eps, the
    standard deviation over d - 1.

    Shape: (..., d) -> standard (..., d), unbiased (..., d)

    Raises:
        InputError: for vectors of one number, whose deviation is 0.
    """
    if x.shape[-1] < 2:
        raise InputError("a norm needs at least 2 numbers per vector, not {n}", n=x.shape[-1])
    vectors = torch.tensor(x, dtype=torch.float32)
    with torch.inference_mode():
        unbiased = UnbiasedNorm(x.shape[-1], eps)(vectors)
    return F.layer_norm(vectors, x.shape[-1:], eps=eps).numpy(), unbiased.numpy()


def norm_used(model: Transformer, place: tuple[str, int, str], given: np.ndarray, gave: np.ndarray) -> tuple[float, float]:
    """The version of layer norm that a model uses, judged by the recorded output of one of its norms, not by its configuration.

    Args:
        place: (stack, layer, part), part "final" for the norm after the stack.
        given, gave: that norm's input and output, (token, d_model) each.

    Returns:
        The largest difference of `gave` from the standard norm, and from the one with the unbiased standard deviation, both
        with the norm's own gain and bias.
    """
    stack, layer, part = place
    norm = model.get_submodule(f"{stack}_norm" if part == "final" else SublayerPath(stack, layer, part).norm_module)
    gain, bias = (norm.get_parameter(name).detach().numpy() for name in ("weight", "bias"))
    standard, unbiased = (float(np.abs(way * gain + bias - gave).max()) for way in two_norms(given, model.cfg.norm_eps))
    return standard, unbiased


def embedding_sums(model: Transformer, sentences: Sequence[Sequence[int]], length: int) -> np.ndarray:
    """The first layer's input for a batch of sentences, each padded to `length` (sections 3.4 and 3.5): the encoder's, or that
    of a decoder alone.

    Shape: token ids -> (sentence, length, d_model)

    Raises:
        InputError: for a length beyond the model's positions, or shorter than a sentence.
    """
    if (longest := max(map(len, sentences))) > length:
        raise InputError("a sentence of {n} tokens does not fit into {length} positions; shorten it", n=longest, length=length)
    ids = torch.tensor([[*ids, *[model.cfg.pad_id] * (length - len(ids))] for ids in sentences])
    with torch.inference_mode():
        sums: torch.Tensor = model.first_embedding(ids)
        return sums.numpy()


def by_token(batch: np.ndarray, eps: float = 1e-5) -> np.ndarray:
    """LayerNorm: every token over its own features, independently of all others. Shape: (sentence, position, d) -> the same"""
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
    """One batch through both norms, and how its first sentence depends on the others.

    Shape: batch, tokens, features (sentence, position, d); token_change, feature_change (tokens of the first sentence, d):
        its normalised values in this batch minus those when it is alone, for LayerNorm and for BatchNorm
    """

    batch: np.ndarray
    tokens: np.ndarray
    features: np.ndarray
    token_change: np.ndarray
    feature_change: np.ndarray


def company(model: Transformer, sentences: Sequence[Sequence[int]], padding: int = 0, eps: float = 1e-5) -> Company:
    """Normalises the embedded input of a batch, and that of its first sentence alone, without padding.

    Args:
        sentences: token ids; the batch is as long as the longest, plus `padding` positions.

    Raises:
        InputError: for a batch longer than the model has positions.
    """
    n = len(sentences[0])
    alone = embedding_sums(model, sentences[:1], n)
    batch = embedding_sums(model, sentences, max(map(len, sentences)) + padding)
    tokens, features = by_token(batch, eps), by_feature(batch, eps)
    return Company(
        batch, tokens, features, (tokens[:1, :n] - by_token(alone, eps))[0], (features[:1, :n] - by_feature(alone, eps))[0]
    )


def spread_by_batch_size(
    model: Transformer, sentence: Sequence[int], sizes: Sequence[int], draws: int = 8, seed: int = 0, eps: float = 1e-5
) -> tuple[np.ndarray, np.ndarray]:
    """By how much the normalised values of one sentence differ between batches that hold other sentences beside it.

    The others are random words, as many to a sentence, so that nothing is padded, and only the number of sentences changes.

    Returns:
        The standard deviation of a value over the draws (root of the mean square over all values of the sentence), for each
        size, with LayerNorm and with BatchNorm.

    Shape: sizes (n,) -> (n,), (n,)
    """
    generator, n = torch.Generator().manual_seed(seed), len(sentence)
    deviations = []
    for size in sizes:
        values = []
        for _draw in range(draws):
            others = torch.randint(1, model.cfg.read_vocab, (size - 1, n), generator=generator).tolist()
            batch = embedding_sums(model, [sentence, *others], n)
            # A copy: otherwise each draw would hold its whole batch.
            values.append((by_token(batch[:1], eps)[0], by_feature(batch, eps)[0].copy()))
        spread = [np.stack(each).std(axis=0) for each in zip(*values, strict=True)]
        deviations.append([float(np.sqrt((each.astype(np.float64) ** 2).mean())) for each in spread])
    by_tokens, by_features = np.array(deviations).T
    return by_tokens, by_features
