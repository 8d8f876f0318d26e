"""Pictures that follow a dragged knob."""

from explorer.components.live.component import LENGTH, PATH, show

__all__ = ["LENGTH", "PATH", "show"]
