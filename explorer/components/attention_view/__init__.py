"""Attention as lines between words."""

from explorer.components.attention_view.component import Selection, numbers, selected, sent, show

__all__ = ["Selection", "numbers", "selected", "sent", "show"]
