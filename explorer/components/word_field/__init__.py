"""A list of known words beside a text field."""

from explorer.components.word_field.component import show

__all__ = ["show"]
