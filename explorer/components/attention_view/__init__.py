"""Attention as lines between words."""

from explorer.components.attention_view.component import Selection, Touched, Without, numbers, selected, sent, show

__all__ = ["Selection", "Touched", "Without", "numbers", "selected", "sent", "show"]
