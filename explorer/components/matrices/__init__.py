"""Matrices, one or several side by side, drawn on canvas."""

from explorer.components.matrices.component import numbers, show

__all__ = ["numbers", "show"]
