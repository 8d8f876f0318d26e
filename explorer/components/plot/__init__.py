"""Plotly's pictures, on a node that stays."""

from explorer.components.plot.component import as_json, compressed, numbers, route, show

__all__ = ["as_json", "compressed", "numbers", "route", "show"]
