"""The map of words: vectors of two languages, and one rotation that lays one language on the other.

A translator looks each word of a source up in one table, and compares what the decoder has worked out with the rows of another,
the output layer. Nothing in the model makes a word and its translation alike there. The arrangement of the words may still be
the same, turned: then a rotation that is found on some pairs lays other pairs on each other as well. It is the orthogonal
Procrustes problem (Schönemann 1966), of rotations alone (Kabsch 1976); Mikolov et al. (2013) did so with two languages.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from transformer_core.model.transformer import Transformer

SHUFFLES = 10  # orders over which the control is averaged


def source_vectors(model: Transformer, ids: Sequence[int]) -> np.ndarray:
    """The rows that the model looks source tokens up in, each of length 1. Shape: -> (token, d_model), float64"""
    return _unit(model.first_embedding.table.weight.detach().double().numpy()[list(ids)])


def decoder_vectors(model: Transformer, ids: Sequence[int]) -> np.ndarray:
    """The rows that the decoder looks its own tokens up in, each of length 1. Shape: -> (token, d_model), float64"""
    return _unit(model.tgt_embedding.table.weight.detach().double().numpy()[list(ids)])


def output_vectors(model: Transformer, ids: Sequence[int]) -> np.ndarray:
    """The rows of the output layer, by which answer tokens are told apart, each of length 1; with tied embeddings they are the
    decoder's embeddings (section 3.4). Shape: -> (token, d_model), float64"""
    if model.output is None:
        return decoder_vectors(model, ids)
    return _unit(model.output.weight.detach().double().numpy()[list(ids)])


def best_rotation(of: np.ndarray, onto: np.ndarray) -> np.ndarray:
    """Returns the rotation R that makes the rows of `of @ R` most alike to those of `onto`: the least sum of squared distances,
    without a reflection.

    Shape: of and onto (pair, d_model) -> (d_model, d_model), orthogonal with determinant 1
    """
    left, _strengths, right = np.linalg.svd(of.T @ onto)
    left[:, -1] *= np.sign(np.linalg.det(left @ right))  # the direction that matters least is turned over instead
    rotation: np.ndarray = left @ right
    return rotation


def on_the_way(rotation: np.ndarray, axes: np.ndarray, shares: Sequence[float]) -> np.ndarray:
    """Returns axes after a share of a rotation: each plane that it turns is turned by that share of its angle, the shorter way.
    Of exactly half a turn there is none: vectors that were learned need none.

    Shape: rotation (d_model, d_model), axes (d_model, axis) -> (share, d_model, axis)
    """
    turns, planes = np.linalg.eig(rotation)  # e^(i·angle), and the same planes in complex numbers
    there = np.linalg.solve(planes, axes.astype(complex))
    return np.stack([(planes @ (turns[:, None] ** share * there)).real for share in shares])


def common_directions(one: np.ndarray, other: np.ndarray, count: int = 2) -> np.ndarray:
    """Returns the directions in which pairs of vectors vary most together: the first eigenvectors of their cross-covariance,
    made symmetric. The cubes of each one's numbers do not add up to less than 0, so that it does not change sides by chance.

    Shape: one and other (pair, d_model) -> (d_model, count), orthonormal
    """
    covariance = (one - one.mean(axis=0)).T @ (other - other.mean(axis=0))
    _values, vectors = np.linalg.eigh(covariance + covariance.T)  # ascending
    directions = vectors[:, ::-1][:, :count]
    turned_over = (directions**3).sum(axis=0) < 0
    signed: np.ndarray = np.where(turned_over, -directions, directions)
    return signed


def nearest(of: np.ndarray, among: np.ndarray, count: int) -> np.ndarray:
    """Returns the rows of `among` that are nearest to each row of `of`, by cosine in all directions, the nearest first.

    Shape: of (word, d_model), among (other, d_model), all of length 1 -> (word, count), indices
    """
    order: np.ndarray = np.argsort(-(of @ among.T), axis=1, kind="stable")
    return order[:, :count]


@dataclass(frozen=True)
class Shares:
    """Of pairs, the share whose nearest target word is the translation.

    Attributes:
        as_is: without a rotation; turned: with it; mixed: with rotations found on the same words, paired at random (mean). All
            three are of pairs that had no part in finding a rotation.
        forced: of the words that were paired at random, the share that then has the word it was paired with nearest (mean): in
            many directions few pairs come together whatever they are.
        n: pairs that are judged; used: pairs on which a rotation is found.
    """

    as_is: float
    turned: float
    mixed: float
    forced: float
    n: int
    used: int


def halves(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns the pairs on which a rotation is found, every second one, and the others, which are judged."""
    return np.arange(0, n, 2), np.arange(1, n, 2)


def shares(source: np.ndarray, target: np.ndarray) -> Shares:
    """Measures them; the pairs are the rows of both. Shape: source and target (pair, d_model), of length 1"""
    given, judged = halves(len(source))

    def share(turned: np.ndarray, words: np.ndarray, partners: np.ndarray) -> float:
        return float((nearest(source[words], turned, 1)[:, 0] == partners).mean())

    generator = np.random.default_rng(0)
    mixed, forced = [], []
    for order in (generator.permutation(given) for _ in range(SHUFFLES)):
        turned = target @ best_rotation(target[order], source[given])
        mixed.append(share(turned, judged, judged))
        forced.append(share(turned, given, order))
    turned = target @ best_rotation(target[given], source[given])
    of_judged = share(target, judged, judged), share(turned, judged, judged), float(np.mean(mixed))
    return Shares(*of_judged, float(np.mean(forced)), len(judged), len(given))


@dataclass(frozen=True, eq=False)
class WordMaps:
    """Two languages in the two directions in which both vary together once the second is turned onto the first.

    Shape: source (pair, 2); target (frame, pair, 2), from as it is to turned; the others (pair, count), indices, the nearest
        first

    Attributes:
        near_source, near_target: of each word the nearest others of its language.
        across: the nearest target words of each source word, as they are; turned: likewise, after the rotation.
    """

    source: np.ndarray
    target: np.ndarray
    near_source: np.ndarray
    near_target: np.ndarray
    across: np.ndarray
    turned: np.ndarray


def word_maps(source: np.ndarray, target: np.ndarray, frames: int, count: int = 3) -> WordMaps:
    """Lays both languages out; rotation and directions are found on every second pair.

    Shape: source and target (pair, d_model), of length 1, d_model 2 or more
    """
    given, _judged = halves(len(source))
    rotation = best_rotation(target[given], source[given])
    turned = target @ rotation
    axes = common_directions(source[given], turned[given])
    seen = target @ on_the_way(rotation, axes, np.linspace(0, 1, frames).tolist())  # (frame, pair, 2)
    near_source, near_target = (nearest(each, each, count + 1)[:, 1:] for each in (source, target))  # behind the word itself
    across = nearest(source, target, count), nearest(source, turned, count)
    return WordMaps(source @ axes, seen, near_source, near_target, *across)


def _unit(rows: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: np.ndarray = rows / np.maximum(lengths, 1e-12)
    return unit
