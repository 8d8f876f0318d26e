"""The routes that the app serves beside its pages."""

from starlette.routing import BaseRoute

from explorer.components.plot import component as plot
from explorer.shell import live


def serve() -> list[BaseRoute]:
    """Returns the routes of plotly.js, which figures need, and of the live pictures."""
    return [plot.route(), live.route()]
