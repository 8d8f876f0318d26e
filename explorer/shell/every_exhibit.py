"""Imports every exhibit that has numbers, so that its pictures are registered: a browser may ask for one before its page."""

from explorer.exhibits.layers import feed_forward
from explorer.exhibits.masks import triangle
from explorer.exhibits.positions import waves
from explorer.exhibits.shapes import cost_and_length, printout
from explorer.exhibits.shared import cut_effect
from explorer.exhibits.what_matters import without_a_word

__all__ = ["cost_and_length", "cut_effect", "feed_forward", "printout", "triangle", "waves", "without_a_word"]
