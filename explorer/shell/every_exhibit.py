"""Imports every exhibit that has numbers, so that its pictures are registered: a browser may ask for one before its page."""

from explorer.exhibits.attention import one_head, other_scores, why_scale
from explorer.exhibits.heads import every_head, head_cost, head_patterns, side_by_side, split_and_join, words_and_lines
from explorer.exhibits.layers import dropout, feed_forward, keys_and_values, residual_stream
from explorer.exhibits.masks import blocked_rows, sentence_masks, triangle
from explorer.exhibits.norms import pre_and_post, residual_depth, two_norms
from explorer.exhibits.positions import counters, in_attention, no_positions, trained_length, waves, words_and_waves
from explorer.exhibits.shapes import cost_and_length, printout, weights
from explorer.exhibits.shared import cut_effect
from explorer.exhibits.what_matters import without_a_word

__all__ = [
    "blocked_rows",
    "cost_and_length",
    "counters",
    "cut_effect",
    "dropout",
    "every_head",
    "feed_forward",
    "head_cost",
    "head_patterns",
    "in_attention",
    "keys_and_values",
    "no_positions",
    "one_head",
    "other_scores",
    "pre_and_post",
    "printout",
    "residual_depth",
    "residual_stream",
    "sentence_masks",
    "side_by_side",
    "split_and_join",
    "trained_length",
    "triangle",
    "two_norms",
    "waves",
    "weights",
    "why_scale",
    "without_a_word",
    "words_and_lines",
    "words_and_waves",
]
