"""Takes pictures home: as a drawing (SVG, PNG), a page of its own (HTML) or numbers (CSV, JSON), made in the browser."""

from explorer.components.take_home.route import PATH, routes

__all__ = ["PATH", "routes"]
