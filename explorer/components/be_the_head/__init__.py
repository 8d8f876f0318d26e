"""Be the head: a visitor gives a row of attention, and the model writes with it."""

from explorer.components.be_the_head.component import show

__all__ = ["show"]
