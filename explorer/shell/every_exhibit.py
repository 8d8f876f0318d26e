"""Imports every exhibit that has numbers, so that its pictures are registered: a browser may ask for one before its page."""

from explorer.exhibits.layers import feed_forward
from explorer.exhibits.masks import blocked_rows, sentence_masks, triangle
from explorer.exhibits.positions import counters, no_positions, waves, words_and_waves

__all__ = [
    "blocked_rows", "counters", "feed_forward", "no_positions", "sentence_masks", "triangle", "waves", "words_and_waves",
]  # fmt: skip
