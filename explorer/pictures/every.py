"""Imports every module of pictures, so that all are registered: a browser may ask for one before its page is opened."""

from explorer.pictures import (
    attention,
    be_the_head,
    beams,
    closer,
    decoding,
    going_on,
    initial_weights,
    lens,
    model,
    next_word,
    parameters,
    positions,
    rollouts,
    samples,
    start,
    word_importance,
)

__all__ = [
    "attention",
    "be_the_head",
    "beams",
    "closer",
    "decoding",
    "going_on",
    "initial_weights",
    "lens",
    "model",
    "next_word",
    "parameters",
    "positions",
    "rollouts",
    "samples",
    "start",
    "word_importance",
]
