"""Look closer: one word as it is written, where it looks, and what each look brings."""

from explorer.components.closer.component import show

__all__ = ["show"]
