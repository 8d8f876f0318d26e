"""A slider over the steps of a model's learning."""

from explorer.components.scrubber.component import Jump, Track, chosen, follows, numbers, reached, sent, show, told, track_of

__all__ = ["Jump", "Track", "chosen", "follows", "numbers", "reached", "sent", "show", "told", "track_of"]
