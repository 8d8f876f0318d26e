"""The arithmetic of one cell of the attention matrix."""

from explorer.components.arithmetic.component import first_cell, numbers, show

__all__ = ["first_cell", "numbers", "show"]
