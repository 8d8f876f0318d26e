"""What the app serves beside its pages."""

from starlette.routing import BaseRoute

from explorer.components.plot import component as plot
from explorer.shell import live


def serve() -> list[BaseRoute]:
    """The routes of the app; with them, figures are drawn by the component that needs plotly.js, and pictures follow the knobs
    of the sidebar."""
    return [plot.route(), live.route()]
