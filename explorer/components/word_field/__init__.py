"""The words that can be used, beside the field that they are typed in."""

from explorer.components.word_field.component import show

__all__ = ["show"]
