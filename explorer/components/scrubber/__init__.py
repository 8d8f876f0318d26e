"""How long a model has learned: a slider over its steps."""

from explorer.components.scrubber.component import Jump, Track, chosen, follows, numbers, reached, sent, show, told, track_of

__all__ = ["Jump", "Track", "chosen", "follows", "numbers", "reached", "sent", "show", "told", "track_of"]
