"""What is taken home: every picture as a drawing (SVG, PNG) and as numbers (CSV, JSON), made in the browser."""

from explorer.components.take_home.route import PATH, route

__all__ = ["PATH", "route"]
