"""Attention's weights by their formula, as a program that is taken home writes them out (section 3.2.1, equation 1)."""

import numpy as np

from transformer_core.analysis.run import Part


def softmax(scores: np.ndarray) -> np.ndarray:
    """The softmax of each row: nothing is negative, and the sum is 1. −∞ becomes 0. Shape: (..., query, key) -> the same"""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=-1e30))  # at most 1: no power is too large
    return powers / powers.sum(axis=-1, keepdims=True).clip(1e-30)  # where nothing may be attended to, 0 and not 0 / 0


def attention_weights(part: Part) -> np.ndarray:
    """softmax(QKᵀ / √d_k) of all heads, with −∞ where the mask forbids to attend. Shape: (head, query, key)"""
    q, k = part["q"], part["k"]  # (head, query, d_k), (head, key, d_k)
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1])  # (head, query, key)
    return softmax(np.where(part.allowed_by_head, scores, -np.inf))
