"""The whole model as one drawing."""

from explorer.components.model_map.component import drawing, show, show_small, small_drawing

__all__ = ["drawing", "show", "show_small", "small_drawing"]
