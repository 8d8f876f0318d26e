"""The next word of a text, and how much each word of the text is looked at."""

from explorer.components.next_word.component import Place, show

__all__ = ["Place", "show"]
