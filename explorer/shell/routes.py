"""The routes that the app serves beside its pages."""

from starlette.routing import BaseRoute

from explorer.components import take_home
from explorer.components.plot import component as plot
from explorer.shell import live, rooms, run_film, terms


def serve() -> list[BaseRoute]:
    """Returns the routes of plotly.js, of what takes pictures home, of live pictures, of films, of the glossary, and of
    rooms."""
    return [plot.route(), *take_home.routes(), live.route(), run_film.route(), terms.route(), *rooms.routes()]
