"""Pictures that follow a knob while it is dragged."""

from explorer.components.live.component import PATH, serve, show

__all__ = ["PATH", "serve", "show"]
