"""Sums of two numbers below 100, character by character: no digit of the answer comes from a single one of the sum."""

import random

from transformer_core.data.draws import Example


def sums(units_first: bool) -> list[Example]:
    """Every sum, "27+58=" being "85", or "58" with the units first, as in adding on paper.

    A sum is next to its mirror image (58+27), so that holding out the last sums holds out both.
    """
    numbers = range(100)
    pairs = [(a, b) for a in numbers for b in range(a, 100)]
    random.Random(2017).shuffle(pairs)
    return [_example(*pair, units_first) for a, b in pairs for pair in ([(a, b), (b, a)] if a != b else [(a, a)])]


def _example(a: int, b: int, units_first: bool) -> Example:
    digits = str(a + b)[:: -1 if units_first else 1]
    return Example(tuple(f"{a:02}+{b:02}="), tuple(digits), (None,) * len(digits))
