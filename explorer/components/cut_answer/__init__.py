"""The answers of a model before and after its cuts."""

from explorer.components.cut_answer.component import numbers, show

__all__ = ["numbers", "show"]
