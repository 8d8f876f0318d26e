"""What is taken home: every picture as a drawing (SVG, PNG) and as numbers (CSV, JSON), made in the browser; and as
code, which the server writes."""

from explorer.components.take_home.route import CODE_PATH, PATH, route

__all__ = ["CODE_PATH", "PATH", "route"]
