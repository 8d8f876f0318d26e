"""The former name of `explorer.i18n`."""

from explorer.i18n import _

__all__ = ["_"]
