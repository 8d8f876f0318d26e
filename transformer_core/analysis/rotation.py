"""A step along the sentence is a rotation: PE(p + k) = M_k · PE(p), with one M_k for all p (section 3.5)."""

from dataclasses import dataclass

import numpy as np

from transformer_core.errors import InputError
from transformer_core.model.embedding import frequencies, sinusoidal_encoding


def angles(length: int, d_model: int, base: float = 10_000.0) -> np.ndarray:
    """The angle of every sine/cosine pair at every position: the outer product of positions and angular frequencies.

    Shape: -> (length, ceil(d_model / 2)), radians
    """
    return np.outer(np.arange(length), frequencies(d_model, base).numpy())


def rotation_matrix(d_model: int, k: int, base: float = 10_000.0) -> np.ndarray:
    """M_k: a block [[cos, sin], [-sin, cos]] of the angle k·frequency for each pair of dimensions, 0 elsewhere.

    Shape: -> (d_model, d_model), float64. The last dimension of an odd d_model is a sine without its cosine, which cannot be
        rotated: it is left out, and the matrix is one row and one column smaller.
    """
    pairs = d_model // 2
    turn = k * frequencies(d_model, base).numpy()[:pairs]
    matrix = np.zeros((2 * pairs, 2 * pairs))
    sines = np.arange(0, 2 * pairs, 2)
    matrix[sines, sines] = matrix[sines + 1, sines + 1] = np.cos(turn)
    matrix[sines, sines + 1] = np.sin(turn)
    matrix[sines + 1, sines] = -np.sin(turn)
    return matrix


@dataclass(frozen=True)
class Rotation:
    """Every position p from 0, and the position k places further on.

    Shape: matrix (d, d), here, turned, there (length, d), with d the even part of d_model

    Attributes:
        here: PE(p); turned: M_k · PE(p); there: PE(p + k), from the model's table.
        difference: the largest difference between turned and there, over all positions and dimensions.
    """

    matrix: np.ndarray
    here: np.ndarray
    turned: np.ndarray
    there: np.ndarray
    difference: float


def rotate(length: int, d_model: int, k: int, base: float = 10_000.0) -> Rotation:
    """Rotates the positions that the model adds, and compares them with those k places further on.

    Raises:
        InputError: for a negative k: there is no position before the first.
    """
    if k < 0:
        raise InputError("k must be at least 0, not {k}: there is no position before the first", k=k)
    matrix = rotation_matrix(d_model, k, base)
    table = sinusoidal_encoding(length + k, d_model, base).numpy()[:, : len(matrix)]
    here, there = table[:length], table[k:]
    turned = here.astype(np.float64) @ matrix.T
    return Rotation(matrix, here, turned, there, float(np.abs(turned - there).max(initial=0.0)))
