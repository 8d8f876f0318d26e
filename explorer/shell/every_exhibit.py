"""Imports every exhibit that has numbers, so that its pictures are registered: a browser may ask for one before its page."""

from explorer.exhibits.layers import feed_forward
from explorer.exhibits.masks import triangle
from explorer.exhibits.positions import waves

__all__ = ["feed_forward", "triangle", "waves"]
