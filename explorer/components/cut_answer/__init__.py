"""The answer of a model before and after something was cut out of it."""

from explorer.components.cut_answer.component import numbers, show

__all__ = ["numbers", "show"]
