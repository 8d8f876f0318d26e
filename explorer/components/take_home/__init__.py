"""Takes pictures home: as a drawing (SVG, PNG), a page of its own (HTML), numbers (CSV, JSON) or a film, made in the browser;
or as code, which the server writes."""

from explorer.components.take_home.route import CODE_PATH, PATH, routes

__all__ = ["CODE_PATH", "PATH", "routes"]
