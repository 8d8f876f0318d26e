"""Navigation through a story."""

from explorer.components.slides.component import heard, show

__all__ = ["heard", "show"]
