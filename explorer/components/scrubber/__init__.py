"""How long a model has learned: a slider over its steps."""

from explorer.components.scrubber.component import Jump, Track, chosen, reached, sent, show, told

__all__ = ["Jump", "Track", "chosen", "reached", "sent", "show", "told"]
