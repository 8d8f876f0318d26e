"""The outcome of a case that people were asked about: a sentence and its lines, or the arcs of “it”."""

from explorer.components.outcome.component import show

__all__ = ["show"]
