"""Imports every exhibit that has numbers, so that its pictures are registered: a browser may ask for one before its page."""

from explorer.exhibits.layers import dropout, feed_forward, keys_and_values, residual_stream
from explorer.exhibits.masks import triangle
from explorer.exhibits.norms import pre_and_post, residual_depth, two_norms
from explorer.exhibits.positions import waves

__all__ = [
    "dropout",
    "feed_forward",
    "keys_and_values",
    "pre_and_post",
    "residual_depth",
    "residual_stream",
    "triangle",
    "two_norms",
    "waves",
]
