"""The hunt: a broken translator, looks at it, and whom to accuse."""

from explorer.components.hunt.component import show

__all__ = ["show"]
