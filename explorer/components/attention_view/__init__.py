"""Attention as lines between words."""

from explorer.components.attention_view.component import Cutting, Selection, Without, numbers, selected, sent, show

__all__ = ["Cutting", "Selection", "Without", "numbers", "selected", "sent", "show"]
