"""The knob of one weight."""

from explorer.components.weight_knob.component import show

__all__ = ["show"]
