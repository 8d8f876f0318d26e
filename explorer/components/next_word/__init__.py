"""The next word of a text, and the words that it comes from."""

from explorer.components.next_word.component import Place, show

__all__ = ["Place", "show"]
