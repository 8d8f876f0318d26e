"""Attention as lines between words."""

from explorer.components.attention_view.component import Picture, Selection, selected, sent, show

__all__ = ["Picture", "Selection", "selected", "sent", "show"]
