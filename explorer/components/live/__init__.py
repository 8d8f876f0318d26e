"""Pictures that follow a knob while it is dragged."""

from explorer.components.live.component import LENGTH, PATH, show

__all__ = ["LENGTH", "PATH", "show"]
