"""Two maps of words side by side, of which one is turned onto the other."""

from explorer.components.word_map.component import Place, show

__all__ = ["Place", "show"]
