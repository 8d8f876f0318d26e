"""The routes that the app serves beside its pages."""

from starlette.routing import BaseRoute

from explorer.components import take_home
from explorer.components.plot import component as plot
from explorer.shell import live, picture_code, room_routes, run_film, search, terms


def serve() -> list[BaseRoute]:
    """Returns the routes of plotly.js, of what takes pictures home, of live pictures, of glossary and search, and of rooms."""
    views = [plot.route(), *take_home.routes(), picture_code.route(), run_film.route(), live.route()]
    return [*views, terms.route(), search.route(), *room_routes.routes()]
