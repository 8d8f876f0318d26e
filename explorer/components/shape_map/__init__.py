"""The model as built, tensor by tensor."""

from explorer.components.shape_map.component import details, numbers, show, words

__all__ = ["details", "numbers", "show", "words"]
