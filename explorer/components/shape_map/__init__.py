"""The model as built, tensor by tensor."""

from explorer.components.shape_map.component import drawing, numbers, show

__all__ = ["drawing", "numbers", "show"]
