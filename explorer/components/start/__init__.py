"""The first screen: a translation that writes itself, and can be cut."""

from explorer.components.start.component import show

__all__ = ["show"]
