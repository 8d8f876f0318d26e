"""The arithmetic of one cell of the attention matrix."""

from explorer.components.arithmetic.component import payload, show

__all__ = ["payload", "show"]
