"""What the app serves beside its pages."""

from starlette.routing import Route

from explorer.components.plot import component as plot


def serve() -> list[Route]:
    """The routes of the app; with them, figures are drawn by the component that needs plotly.js."""
    return [plot.route()]
