"""What the app serves beside its pages."""

from starlette.routing import Route

from explorer.components.plot import component as plot


def serve() -> list[Route]:
    """The routes of the app; from now on figures are drawn by the component that needs them."""
    plot.served = True
    return [plot.route()]
