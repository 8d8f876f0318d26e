"""A scrubber over the steps of a run."""

from explorer.components.scrubber.component import Jump, sent, show, told

__all__ = ["Jump", "sent", "show", "told"]
