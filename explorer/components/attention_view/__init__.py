"""Attention as lines between words."""

from explorer.components.attention_view.component import Selection, selected, sent, show

__all__ = ["Selection", "selected", "sent", "show"]
