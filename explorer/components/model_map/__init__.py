"""The whole model as one drawing."""

from explorer.components.model_map.component import drawing, plain_drawing, show, show_small, small_drawing

__all__ = ["drawing", "plain_drawing", "show", "show_small", "small_drawing"]
